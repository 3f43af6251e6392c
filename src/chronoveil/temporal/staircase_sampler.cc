#include "chronoveil/temporal/staircase_sampler.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "chronoveil/base/staircase.h"
#include "chronoveil/noise/uniform.h"
#include "chronoveil/temporal/key_law.h"

namespace chronoveil::temporal {
namespace {

// From a discrete Laplace.
std::int64_t geometric(std::int64_t noise) { return noise ^ (noise >> 63); }  // -x - 1 for a negative x

}  // namespace

Result<StaircaseSampler> StaircaseSampler::make(std::int64_t window, double epsilon,
                                                std::optional<std::int64_t> plateau) {
  CV_CHECK(check(NoisySortLaw{window, epsilon, KeyLaw::staircase, std::nullopt, plateau}));
  CV_TRY(noise::Sampler levels, noise::Sampler::make(noise::Law::discrete_laplace, key_scale(2, epsilon)));
  return StaircaseSampler(std::move(levels), window - 1, plateau ? *plateau : staircase_plateau(window, epsilon));
}

// 1.4426950408 is less than log2(e), by more than rounding can add: 2^t <= e^(1/c). With t <= 40 and k <= 2^20 weights
// stay far below 2^64.
StaircaseSampler::StaircaseSampler(noise::Sampler levels, std::int64_t width, std::int64_t plateau)
    : levels_(std::move(levels)),
      width_(width),
      plateau_(plateau),
      last_level_(noise::kNoiseLimit / width + 2),
      steep_(levels_.scale() < 1.4426950408),
      doublings_(static_cast<int>(std::min(1.4426950408 / levels_.scale(), 40.0))),
      falls_(levels_.scale(), 1),
      keeps_level_(levels_.scale(), 1, doublings_) {}

// Of the 2(k - 1) points of a level above 0.
std::int64_t StaircaseSampler::at(std::int64_t level, std::int64_t point) const {
  const std::int64_t inside = point < width_ ? point : point - width_;
  const std::int64_t size =
      std::min(plateau_ + (std::min(level, last_level_) - 1) * width_ + inside, noise::kNoiseLimit);
  return point < width_ ? size : -size;
}

inline StaircaseSampler::Draw StaircaseSampler::place(std::int64_t level, BitSource& bits) const {
  const auto point = static_cast<std::int64_t>(noise::uniform_below(2 * static_cast<std::uint64_t>(width_), bits));
  if (level == 0) return {point - (plateau_ - 1), point < 2 * plateau_ - 1};
  return {at(level, point), true};
}

std::int64_t StaircaseSampler::draw_steep(BitSource& bits) const {
  const std::uint64_t plateau_weight = static_cast<std::uint64_t>(2 * plateau_ - 1) << doublings_;
  for (;;) {
    const std::uint64_t proposal = noise::uniform_below(plateau_weight + 2 * static_cast<std::uint64_t>(width_), bits);
    if (proposal < plateau_weight) {
      if (!falls_(bits)) return static_cast<std::int64_t>(proposal >> doublings_) - (plateau_ - 1);
    } else if (keeps_level_(bits)) {
      std::int64_t level = 1;
      while (falls_(bits)) ++level;
      return at(level, static_cast<std::int64_t>(proposal - plateau_weight));
    }
  }
}

std::int64_t StaircaseSampler::operator()(BitSource& bits) const {
  if (steep_) return draw_steep(bits);
  for (;;) {
    if (const Draw draw = place(geometric(levels_(bits)), bits); draw.kept) return draw.value;
  }
}

void StaircaseSampler::fill(std::span<std::int64_t> out, BitSource& bits) const {
  if (steep_) {
    for (std::int64_t& value : out) value = draw_steep(bits);
    return;
  }
  while (!out.empty()) {
    levels_.fill(out, bits);
    std::size_t done = 0;
    for (const std::int64_t noise : out) {
      const Draw draw = place(geometric(noise), bits);
      out[done] = draw.value;
      done += draw.kept ? 1 : 0;
    }
    out = out.subspan(done);
  }
}

}  // namespace chronoveil::temporal
