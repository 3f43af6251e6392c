// No right to draw, no value is moved or changed.
// expect-error: (cannot convert|no known conversion|invalid initialization)
#include "chronoveil/base/draw_right.h"
#include "chronoveil/mechanisms/temporal_mechanism.h"

using namespace chronoveil::mechanisms;

auto push(TemporalProcess& process, TimedValue value, chronoveil::BitSource& bits, std::vector<Released>& out) {
  return process.push(value, bits, out);
}
