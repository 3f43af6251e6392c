#include "chronoveil/temporal/key_sampler.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "chronoveil/base/staircase.h"
#include "chronoveil/noise/uniform.h"
#include "chronoveil/temporal/switching.h"

namespace chronoveil::temporal {

Result<void> check(const NoisySortLaw& law) {
  if (law.window < 2 || law.window > kLargestWindow)
    return invalid("window", std::to_string(law.window), "a whole number between 2 and 1048576");
  if (!(law.epsilon > 0 && key_scale(2, law.epsilon) >= noise::kSmallestScale &&
        key_scale(law.window, law.epsilon) <= noise::kLargestScale))
    return invalid("epsilon", law.epsilon, "greater than 0, with 2 (window - 1) / epsilon between 2^-40 and 2^40");
  if (law.max_shift && (*law.max_shift < 1 || *law.max_shift > kLargestShift))
    return invalid("max_shift", std::to_string(*law.max_shift), "a whole number between 1 and 2^40");
  if (law.plateau && law.law != KeyLaw::staircase)
    return invalid("plateau", std::to_string(*law.plateau), "left out where law is laplace, which has none");
  if (law.plateau && (*law.plateau < 1 || *law.plateau >= law.window))
    return invalid("plateau", std::to_string(*law.plateau),
                   "a whole number between 1 and window - 1 (" + std::to_string(law.window - 1) + ")");
  return {};
}

// Σ exp(-step / scale) over all shifts; a discrete Laplace is a staircase of levels 1 wide.
double KeySampler::weight() const {
  const auto* stairs = std::get_if<StaircaseSampler>(&whole_);
  const auto width = static_cast<double>(stairs ? law_.window - 1 : 1);
  return 2 * static_cast<double>(stairs ? stairs->plateau() : 1) - 1 + 2 * width / std::expm1(1 / curve_.scale);
}

KeySampler::KeySampler(const NoisySortLaw& law, Whole whole)
    : law_(law),
      whole_(std::move(whole)),
      curve_{false, key_scale(law.law == KeyLaw::laplace ? law.window : 2, law.epsilon)},
      flat_(law.max_shift && 2 * static_cast<double>(*law.max_shift) + 1 <= weight()) {}

Result<KeySampler> KeySampler::make(const NoisySortLaw& law) {
  CV_CHECK(check(law));
  if (law.law == KeyLaw::laplace) {
    CV_TRY(noise::Sampler sampler,
           noise::Sampler::make(noise::Law::discrete_laplace, key_scale(law.window, law.epsilon)));
    return KeySampler(law, std::move(sampler));
  }
  CV_TRY(StaircaseSampler sampler, StaircaseSampler::make(law.window, law.epsilon, law.plateau));
  return KeySampler(law, std::move(sampler));
}

std::int64_t KeySampler::step_of(std::int64_t shift) const {
  if (law_.law == KeyLaw::laplace) return std::abs(shift);
  return staircase_level(shift, law_.window, std::get<StaircaseSampler>(whole_).plateau());
}

std::int64_t KeySampler::draw_flat(BitSource& bits) const {
  for (;;) {
    const std::int64_t shift = noise::uniform_between(-*law_.max_shift, *law_.max_shift, bits);
    const std::int64_t step = step_of(shift);
    if (step == 0) return shift;
    // A height uniform in [0, 2^62) is below 2^62 exp(-step / scale) with just that probability.
    const std::uint64_t height = bits.next_u64() >> 2;
    if (noise::accepts(curve_, {height, static_cast<noise::Uint128>(step), true, 1, 62}, bits)) return shift;
  }
}

std::int64_t KeySampler::operator()(BitSource& bits) const {
  if (flat_) return draw_flat(bits);
  for (;;) {
    const std::int64_t shift = std::visit([&](const auto& sampler) { return sampler(bits); }, whole_);
    if (within(shift)) return shift;
  }
}

void KeySampler::fill(std::span<std::int64_t> out, BitSource& bits) const {
  if (flat_) {
    for (std::int64_t& shift : out) shift = draw_flat(bits);
    return;
  }
  while (!out.empty()) {
    std::visit([&](const auto& sampler) { sampler.fill(out, bits); }, whole_);
    const auto kept = std::remove_if(out.begin(), out.end(), [this](std::int64_t shift) { return !within(shift); });
    out = out.subspan(static_cast<std::size_t>(kept - out.begin()));
  }
}

}  // namespace chronoveil::temporal
