// The models of the causal filter that have a slope (filter.h):
//   x_t = x_{t−1} + b_t,  b_t = b_{t−1} + N(0, c),  b_0 ~ N(0, 256 c)
#pragma once

#include <array>
#include <cstddef>

#include "chronoveil/base/state_words.h"
#include "chronoveil/post/causal/views.h"

namespace chronoveil::post {

class CausalTrends {
 public:
  static constexpr std::size_t kCount = 11;

  explicit CausalTrends(double noise_variance);

  void start(double measured);
  void advance();
  void predicted(const CausalViews&) const;
  void correct(double measured, const CausalViews&);

  void save(StateWriter&) const;
  void load(StateReader&);

 private:
  using Numbers = std::array<double, kCount>;

  double half_precision_;  // 1/(2R)
  Numbers turn_{};         // c
  Numbers level_{}, slope_{}, level_variance_{}, covariance_{}, slope_variance_{};
};

}  // namespace chronoveil::post
