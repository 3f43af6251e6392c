#include "chronoveil/base/units.h"

#include <cmath>

namespace chronoveil {

Result<Epsilon> Epsilon::make(double value) {
  if (!std::isfinite(value) || value < 0) return invalid("epsilon", value, "a finite number, at least 0");
  return Epsilon(value);
}

Result<Delta> Delta::make(double value) {
  if (!(value >= 0 && value < 1)) return invalid("delta", value, "at least 0 and less than 1");
  return Delta(value);
}

Result<Delta> Delta::make_positive(double value) {
  if (!(value > 0 && value < 1)) return invalid("delta", value, "greater than 0 and less than 1");
  return Delta(value);
}

}  // namespace chronoveil
