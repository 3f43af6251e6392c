// The baselines that change values and leave their times alone: each value on its own, exactly ε-DP when it is replaced
// by any other. ε is the rational number that the double is; real numbers are put on a grid before anything is drawn,
// and an answer is a function of the grid cell drawn.
#pragma once

#include <cstdint>
#include <utility>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/base/result.h"
#include "chronoveil/noise/sampler.h"
#include "chronoveil/temporal/two_weights.h"

namespace chronoveil::temporal {

// Generalised randomized response on {0, ..., values-1}: the truth with probability e^ε / (e^ε + values - 1), exactly,
// else one of the others uniformly.
class RandomizedResponse {
 public:
  // Refused: epsilon outside [2^-30, 2^10], values outside [2, 2^40].
  static Result<RandomizedResponse> make(double epsilon, std::int64_t values);
  // Precondition: 0 <= value < values.
  std::int64_t operator()(std::int64_t value, BitSource&) const;

 private:
  explicit RandomizedResponse(const TwoWeights& choice) : choice_(choice) {}
  TwoWeights choice_;
};

// The Piecewise mechanism [Wang19] on integers: a value in [-1, 1] is rounded to one of G + 1 positions and opens a
// window of w cells out of n = G + w there; a cell of the window has weight e^ε, any other 1. The window is equally
// wide for every value, so the weights of all cells add up to the same Z and the loss is at most ε, exactly.
//   Answer    A (j - (n-1)/2) for cell j, A = 2Z / ((e^ε - 1) w G), a public scaling that makes it unbiased: the middle
//             of the window is linear in the value. Only the rounding of the value is left, at most 1/G
//   Variance  w = G e^(-ε/2) rounded, at least 1: then the answers lie in [-C, C] with the paper's
//             C = (e^(ε/2) + 1)/(e^(ε/2) - 1) and have its variance,
//             v^2/(e^(ε/2) - 1) + (e^(ε/2) + 3)/(3 (e^(ε/2) - 1)^2), up to the width of the cells
class Piecewise {
 public:
  static constexpr std::int64_t kPositions = std::int64_t{1} << 32;  // G, except in tests of the law
  // Refused: epsilon outside [2^-30, 44], beyond which the paper's window is narrower than a cell; positions outside
  // [1, kPositions].
  static Result<Piecewise> make(double epsilon, std::int64_t positions = kPositions);

  // `value` is limited to [-1, 1] first; NaN counts as -1.
  double operator()(double value, BitSource& bits) const { return answer(cell(position(value), bits)); }
  double largest() const { return answer(cells() - 1); }  // of all answers

  std::int64_t window() const { return window_; }              // w
  std::int64_t cells() const { return positions_ + window_; }  // n
  std::int64_t position(double value) const;                   // 0 to G: the first cell of the window
  std::int64_t cell(std::int64_t position, BitSource&) const;  // 0 to n - 1, drawn
  double answer(std::int64_t cell) const;

 private:
  Piecewise(double epsilon, std::int64_t positions, std::int64_t window);
  TwoWeights choice_;
  std::int64_t positions_, window_;
  double scale_;  // A
};

// Rounded Laplace noise on a grid of the range, after limiting the value to the range: the range has D steps, a power
// of two, and the noise the scale D/ε, rounded up. Unbiased up to the rounding of the value, half a step; the variance
// is 2 ((upper - lower)/ε)^2 plus a twelfth of a step squared.
class LocalLaplace {
 public:
  // Refused: epsilon outside [2^-30, 2^30]; bounds that are not finite, have a magnitude above 2^900, or do not have
  // lower < upper with at least 2^-900 between them. D is 2^30, or if smaller the largest with D/ε <= 2^40.
  static Result<LocalLaplace> make(double epsilon, double lower, double upper);
  // NaN counts as `lower`.
  double operator()(double value, BitSource&) const;
  std::int64_t steps() const { return steps_; }  // D

 private:
  LocalLaplace(noise::Sampler sampler, double lower, double upper, std::int64_t steps)
      : sampler_(std::move(sampler)), lower_(lower), upper_(upper), steps_(steps) {}
  noise::Sampler sampler_;
  double lower_, upper_;
  std::int64_t steps_;
};

}  // namespace chronoveil::temporal
