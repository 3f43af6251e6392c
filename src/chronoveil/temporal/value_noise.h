// The baselines that change values and leave their times alone: each value on its own, exactly ε-DP when it is replaced
// by any other.
#pragma once

#include <cstdint>
#include <optional>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/base/result.h"
#include "chronoveil/noise/sampler.h"

namespace chronoveil::temporal {

// Generalised randomized response on {0, ..., values-1}: the truth with probability e^ε / (e^ε + values - 1), exactly
// (drawn by rejection with coins of probability e^-ε), else one of the others uniformly.
class RandomizedResponse {
 public:
  static Result<RandomizedResponse> make(double epsilon, std::int64_t values);
  std::int64_t operator()(std::int64_t value, BitSource&) const;

 private:
  RandomizedResponse(double epsilon, std::int64_t values) : epsilon_(epsilon), values_(values) {}
  double epsilon_;
  std::int64_t values_;
};

// The Piecewise mechanism [Wang19] on integers: a value in [-1, 1] is rounded to a grid, the answer is a cell of
// [-C, C], C = (e^(ε/2) + 1)/(e^(ε/2) - 1) rounded up to the grid; the cells of a window of fixed length around the
// value have weight e^ε, all others 1. The number of cells in the window is the same for every value, so the loss is ε
// at most, exactly; the window's middle is linear in the value, so that the answer is unbiased after a public scaling.
class Piecewise {
 public:
  static Result<Piecewise> make(double epsilon);
  double operator()(double value, BitSource&) const;  // `value` is limited to [-1, 1] first
  double largest() const;                             // of all answers

 private:
  Piecewise() = default;
  double epsilon_ = 0;
  std::int64_t grid_ = 0, cells_ = 0, window_ = 0;
};

// Rounded Laplace noise of scale (upper - lower)/ε on a grid of the range, after limiting the value to the range.
class LocalLaplace {
 public:
  static Result<LocalLaplace> make(double epsilon, double lower, double upper);
  double operator()(double value, BitSource&) const;

 private:
  LocalLaplace(noise::Sampler sampler, double lower, double upper, double step)
      : sampler_(std::move(sampler)), lower_(lower), upper_(upper), step_(step) {}
  noise::Sampler sampler_;
  double lower_, upper_, step_;
};

}  // namespace chronoveil::temporal
