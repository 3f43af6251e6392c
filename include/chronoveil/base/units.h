// Privacy parameters as types, so that an ε cannot be passed where a δ is meant.
// Each can only be made through make(), which refuses values outside its range.
#pragma once

#include "chronoveil/base/result.h"

namespace chronoveil {

// ε: finite and at least 0.
class Epsilon {
 public:
  static Result<Epsilon> make(double value);
  double value() const { return value_; }

 private:
  explicit Epsilon(double value) : value_(value) {}
  double value_;
};

// δ: in [0, 1). Zero means pure differential privacy.
class Delta {
 public:
  static Result<Delta> make(double value);
  static Result<Delta> make_positive(double value);  // (0, 1)
  double value() const { return value_; }

 private:
  explicit Delta(double value) : value_(value) {}
  double value_;
};

}  // namespace chronoveil
