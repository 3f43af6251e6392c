// The models of the causal filter with one number of state: level, relative, irregular and small (filter.h).
//   x_t = l_t + N(0, v),  l_t = l_{t−1} + N(0, q),  q = fixed + (relative · max(l̂, 1))²
#pragma once

#include <array>
#include <cstddef>

#include "chronoveil/base/state_words.h"
#include "chronoveil/post/causal/views.h"

namespace chronoveil::post {

class CausalLevels {
 public:
  static constexpr std::size_t kLevel = 21, kRelative = 10, kIrregular = 15, kSmall = 8;
  static constexpr std::size_t kCount = kLevel + kRelative + kIrregular + kSmall;

  explicit CausalLevels(double noise_variance);

  void start(double measured);
  void advance();
  void predicted(const CausalViews&) const;
  void correct(double measured, const CausalViews&);

  void save(StateWriter&) const;
  void load(StateReader&);

 private:
  using Numbers = std::array<double, kCount>;

  double half_precision_;                                 // 1/(2R)
  Numbers fixed_{}, relative_{}, irregular_{}, start_{};  // relative: the squared factor over R; start: the first gain
  Numbers mean_{}, variance_{};                           // of the level
};

}  // namespace chronoveil::post
