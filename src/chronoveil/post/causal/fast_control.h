// The two halves of FAST [FanXiong12] after the noise: a filter that fills the steps that were not asked, and a
// controller that says which step to ask next. Post-processing: they see released values and public facts only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "chronoveil/base/state_words.h"
#include "chronoveil/post/intervals.h"

namespace chronoveil::post {

// A random walk x_k = x_{k−1} + N(0, Q), measured now and then as z = x + N(0, R).
//   predict   x⁻ = x, P⁻ = P + Q
//   correct   K = P⁻/(P⁻ + R), x = x⁻ + K(z − x⁻), P = (1 − K)P⁻; the first: x = z, P = R
// Q `auto`: of the filters with q = 0 and q = R 4^k, k = −12..12, the one under which the measurements so far are
// likeliest (in a tie the least) gives Q from the next predict on; 0 before the second measurement. P is only as good
// as Q, and as the R that the gain assumes if that is not the true noise. The error variance V of x is kept beside it,
// whatever the gain, for a walk of a rate q that the measurements leave plausible (step_rate in intervals.h, with the
// newest measurement in it):
//   predict   V⁻ = V + g q, g the steps since the last measurement
//   correct   V = (1 − K)² V⁻ + K² R; the first: V = R
//   Edges     before the first measurement: x = 0, P and V infinite. Between the first and the second: V infinite
class ScalarFilter {
 public:
  // R > 0; Q >= 0, or empty: auto. `assumed`: another R for x, P and Q, as in the paper; V uses the true one.
  ScalarFilter(double noise_variance, std::optional<double> process_variance,
               std::optional<double> assumed = std::nullopt);

  void predict();
  void correct(double measured);

  double estimate() const { return estimate_; }  // x
  double variance() const { return variance_; }  // P
  double error_variance() const;                 // V
  bool started() const { return moves_.samples > 0; }
  double process_variance() const { return process_variance_; }  // Q, as of the next predict

  void save(StateWriter&) const;
  void load(StateReader&);

 private:
  static constexpr std::size_t kGrid = 26;
  struct Candidate {
    double step = 0;  // q; this and the variance in units of R
    double mean = 0, variance = 1, log_likelihood = 0;
  };

  void compare(double measured);

  double noise_variance_;    // the true R
  double assumed_variance_;  // R for x, P and Q
  double process_variance_;
  bool automatic_;
  double estimate_ = 0, variance_;
  double error_ = 0;      // V at the last measurement
  double rate_;           // plausible q
  std::int64_t gap_ = 0;  // steps since the last measurement
  double last_ = 0;       // the last measurement
  Moves moves_;
  std::array<Candidate, kGrid> candidates_;
};

struct PidSettings {
  double proportional = 0.9, integral = 0.1, derivative = 0;  // C_p, C_i, C_d
  std::int64_t window = 20;                                   // T_i >= 1: of the integral, and of the warm-up
  double theta = 5;                                           // how fast the interval changes
  double xi = 0.4;                                            // > 0: the error at which the interval stays unchanged
  double shortest = 1;                                        // s_min
};

// With E_n the error at query n, asked at step k_n:
//   Δ = C_p E_n + C_i mean(last min(T_i, n) errors) + C_d (E_n − E_{n−1})/(k_n − k_{n−1})   no C_d for the first error
//   s' = max(s_min, s + θ(1 − e^{(Δ − ξ)/ξ})), and the next query is at k + floor(s' + 1/2), at the least at k + 1
// Warm-up: a query at k < T_i − 1 is followed by k + 1. s starts as s_min with the first query at k >= T_i − 1 and is
// updated at each query from then on, that one included; a query that has no error leaves it.
//   Edges     exponents above 700 are 700; s is at most 2^62; a step beyond int64 is the largest int64
class PidController {
 public:
  explicit PidController(const PidSettings&);

  // Called at every query; the first has no error. Returns the step of the next query.
  std::int64_t next(std::int64_t step, std::optional<double> error);

  double interval() const { return interval_; }  // s

  void save(StateWriter&) const;
  void load(StateReader&);

 private:
  double combined(std::int64_t step, double error) const;

  PidSettings settings_;
  double interval_;
  std::int64_t errors_ = 0;  // n
  std::int64_t last_step_ = 0;
  double last_error_ = 0;
  std::vector<double> recent_;  // the last T_i errors, error n at n modulo T_i
};

}  // namespace chronoveil::post
