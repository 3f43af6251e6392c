// No right to draw, no choice of which records of a person stay.
// expect-error: (cannot convert|no known conversion|invalid initialization)
#include "chronoveil/bound/bounded_series.h"

using namespace chronoveil;

auto bounded(data::RecordSource& source, const SlotAxis& axis, const std::vector<std::string>& keys,
             const bound::Caps& caps, BitSource& bits) {
  return bound::bound_records(source, axis, keys, caps, bits);
}
