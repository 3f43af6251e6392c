// The models of the causal filter that know a public season of s >= 2 steps (filter.h): a level and the lowest
// harmonics,
//   x_t = l_t + Σ_j (a_j cos 2πjt/s + b_j sin 2πjt/s) + N(0, v),  j = 1..min(6, s/2), no sine at j = s/2
// all of which walk. With few harmonics the shape is learnt from few seasons, even with much noise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "chronoveil/base/state_words.h"
#include "chronoveil/post/causal/views.h"

namespace chronoveil::post {

class CausalSeasons {
 public:
  static constexpr std::size_t kCount = 8;
  static constexpr std::int64_t kHarmonics = 6;
  static constexpr std::size_t kStates = 1 + 2 * kHarmonics;  // the most

  CausalSeasons(double noise_variance, std::int64_t season);

  // `phase`: the step modulo s, here and in advance().
  void start(double measured, std::int64_t phase);
  void advance(std::int64_t phase);
  void predicted(const CausalViews&) const;
  void correct(double measured, const CausalViews&);

  void save(StateWriter&) const;
  void load(StateReader&);

 private:
  using Vector = std::array<double, kStates>;
  struct Model {
    double irregular = 0;      // v
    Vector initial{}, walk{};  // variances; of the level only `walk`
    Vector state{};            // level, a_1, b_1, a_2, ...
    std::array<Vector, kStates> covariance{};
    Vector with_truth{};            // covariance of the state with level and season of this step
    double mean = 0, variance = 0;  // of level and season of this step
  };

  void look(std::int64_t phase);
  void aim(Model&) const;

  double half_precision_;  // 1/(2R)
  std::int64_t season_;
  std::size_t states_ = 1;
  Vector now_{};  // how the states add up to level and season at this phase: 1, cos, sin, ...
  std::vector<Model> models_;
};

}  // namespace chronoveil::post
