#include "chronoveil/temporal/staircase_sampler.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "chronoveil/base/staircase.h"
#include "chronoveil/noise/uniform.h"
#include "chronoveil/temporal/key_law.h"

namespace chronoveil::temporal {

Result<StaircaseSampler> StaircaseSampler::make(std::int64_t window, double epsilon) {
  CV_CHECK(check(NoisySortLaw{window, epsilon, KeyLaw::staircase, std::nullopt}));
  CV_TRY(noise::Sampler levels, noise::Sampler::make(noise::Law::discrete_laplace, key_scale(2, epsilon)));
  return StaircaseSampler(std::move(levels), window - 1, staircase_plateau(window, epsilon));
}

inline StaircaseSampler::Draw StaircaseSampler::place(std::int64_t level_of_either_sign, BitSource& bits) const {
  const std::int64_t level = level_of_either_sign ^ (level_of_either_sign >> 63);  // -x - 1 for a negative x
  const auto point = static_cast<std::int64_t>(noise::uniform_below(2 * static_cast<std::uint64_t>(width_), bits));
  if (level == 0) return {point - (plateau_ - 1), point < 2 * plateau_ - 1};
  const std::int64_t inside = point < width_ ? point : point - width_;
  const std::int64_t size =
      std::min(plateau_ + (std::min(level, last_level_) - 1) * width_ + inside, noise::kNoiseLimit);
  return {point < width_ ? size : -size, true};
}

std::int64_t StaircaseSampler::operator()(BitSource& bits) const {
  for (;;) {
    if (const Draw draw = place(levels_(bits), bits); draw.kept) return draw.value;
  }
}

void StaircaseSampler::fill(std::span<std::int64_t> out, BitSource& bits) const {
  while (!out.empty()) {
    levels_.fill(out, bits);
    std::size_t done = 0;
    for (const std::int64_t level : out) {
      const Draw draw = place(level, bits);
      out[done] = draw.value;
      done += draw.kept ? 1 : 0;
    }
    out = out.subspan(done);
  }
}

}  // namespace chronoveil::temporal
