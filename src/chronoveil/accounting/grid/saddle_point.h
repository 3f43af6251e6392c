// Where the answer to a question about a composition lies: the tilt θ at which the tilted sum of losses has its mean at
// the ε asked for. Approximate by nature; nothing certified rests on it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace chronoveil::accounting {

// A few atoms that stand for a loss distribution, convolved `count` times.
struct Sketch {
  std::vector<double> mass, loss;
  std::int64_t count = 1;
};

class SaddlePoint {
 public:
  // A tilt that answered the same question of a coarser sketch shortens the search.
  explicit SaddlePoint(std::vector<Sketch> sketches, std::optional<double> near = std::nullopt);

  double tilt_for_epsilon(double epsilon) const;
  double tilt_for_delta(double delta) const;
  // log of δ(ε) ≈ exp(K(θ) − θε) / (θ(1+θ) √(2π(K'' + 1/θ² + 1/(1+θ)²))), ε where K'(θ) = ε + 1/θ + 1/(1+θ).
  double log_delta(double tilt) const;
  // log E e^{θ·loss} of the whole sum.
  double log_moment(double tilt) const;
  // The ε whose question has this tilt.
  double epsilon(double tilt) const;
  // The standard deviation of one step's loss under this tilt: what a grid must resolve.
  double step_deviation(double tilt) const;

 private:
  struct Cumulants {
    double k = 0, mean = 0, variance = 0;
  };
  Cumulants cumulants(double tilt) const;
  double tilt_root(const std::function<double(double)>&) const;

  std::vector<Sketch> sketches_;  // `mass` holds logarithms
  std::optional<double> near_;
  // Both bounds, and every refinement, ask the same question again.
  mutable std::pair<double, double> last_for_epsilon_{-1, 0}, last_for_delta_{-1, 0};
  mutable std::vector<std::pair<double, double>> log_moments_;  // by tilt
  double steps_ = 0, highest_ = 0;
};

}  // namespace chronoveil::accounting
