// The composition of privacy-loss distributions on one grid, read as δ(ε) or ε(δ), bounded from one side.
//
// Masses are multiplied by e^{θ·loss} before the transform and divided by it after, with θ near the saddle point of
// the question asked: the sum then lives where the answer is, so round-off is relative to the answer however small δ
// is. What the transform cannot see (mass wrapped around, mass outside the window, round-off) is bounded and added to
// an upper bound or taken from a lower one.
#pragma once

#include <cstdint>
#include <vector>

#include "chronoveil/accounting/grid/saddle_point.h"
#include "chronoveil/accounting/grid/tilted.h"

namespace chronoveil::accounting {

// A distribution and how many times it is convolved.
struct Repeated {
  GridLoss loss;
  std::int64_t count = 1;
};

// Whether this many steps, whose losses have this deviation, are composed at once on a grid of this step.
bool composed_in_one_stage(double step, double steps, double deviation);

class Composition {
 public:
  // All parts on one grid; `saddle` knows roughly where their sum lies and must outlive this.
  Composition(std::vector<Repeated> parts, Side side, const SaddlePoint& saddle);

  Result<double> delta_at(double epsilon);
  // Infinity when the infinite mass alone exceeds δ.
  Result<double> epsilon_at(double delta);

  // The total probability of an infinite loss: no ε helps against it.
  double infinite_mass() const { return infinite_; }

 private:
  long double shift() const;
  double capped(double tilt) const;
  double modest(double tilt, double epsilon, double log_delta) const;
  // For questions about an ε near `epsilon`, where δ is about e^log_delta.
  Result<void> transform(double tilt, double epsilon, double log_delta);
  double window_delta(long double epsilon);
  long double window_epsilon(double delta);
  long double grid_loss(std::size_t k) const;
  long double log_delta_from(std::size_t k, long double epsilon);
  double read_error(std::size_t k) const;
  bool trusts(long double epsilon);
  // gained_ and decayed_ as far as a question needs them.
  void sum_down_to(std::size_t k);

  std::vector<Repeated> parts_;
  const SaddlePoint& saddle_;
  Side side_;
  double step_ = 0, steps_ = 0, infinite_ = 0, slack_ = 0, top_ = 0;
  double rounding_ = 0;  // how far rounding may have put the sum of losses too low

  // What transform() leaves: sums from each grid point up that answer every ε near the tilt's own.
  double tilt_ = 0, log_scale_ = 0, outside_ = 0, error_ = 0;
  long first_ = 0;
  double window_step_ = 0;
  bool cut_ = false;  // losses below first_ are not in the sums
  double below_ = 0;  // and bounds their tilted mass
  std::vector<double> mass_;
  long double keep_ = 0, keep_decayed_ = 0, rise_ = 0;  // e^{−θ h}, e^{−(θ+1) h} and 1 − e^{−h}
  std::size_t summed_from_ = 0;
  // Σ_{i>=k} m_i e^{−θ(l_i − l_k)} (1 − e^{−(l_i − l_k)}), and Σ_{i>=k} m_i e^{−(θ+1)(l_i − l_k)}.
  std::vector<long double> gained_, decayed_;
};

}  // namespace chronoveil::accounting
