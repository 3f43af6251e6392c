#include "chronoveil/neural/augmentation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

namespace chronoveil::neural {

using forecasting::Panel;
using forecasting::PanelSeries;
using forecasting::Window;

Result<Augmentation> Augmentation::make(const AugmentationNoise& noise) {
  Augmentation made;
  CV_TRY(made.context_, noise_of("context_noise", noise.context, noise));
  CV_TRY(made.label_, noise_of("label_noise", noise.label, noise));
  return made;
}

Result<std::optional<Augmentation::Noise>> Augmentation::noise_of(const char* name, double sigma,
                                                                  const AugmentationNoise& noise) {
  // Beyond 2^18 the noise may have more grid steps than a sampler.
  if (!(sigma >= 0 && sigma <= 0x1p18)) return invalid(name, sigma, "between 0 and 262144");
  if (sigma == 0) return std::nullopt;
  if (!(std::isfinite(noise.unit) && noise.unit > 0))
    return invalid("noise_unit", noise.unit, "a finite number greater than 0");
  // Far beyond real values; grids do not reach there.
  if (!(std::min(sigma, 1.0) * noise.unit >= 0x1p-900 && noise.unit <= 0x1p900))
    return invalid("noise_unit", noise.unit,
                   "such that it and " + std::string(name) + " times it are between 2^-900 and 2^900");
  CV_TRY(const noise::Grid grid, noise::Grid::for_scale(std::min(sigma, 1.0) * noise.unit));
  const double limit = grid.to_real(noise::kValueLimit);
  CV_TRY(const noise::GridBounds bounds, noise::GridBounds::make(grid, -limit, limit));
  const double change = noise.unit / grid.step() + std::sqrt(static_cast<double>(noise.channels));
  CV_TRY(noise::Sampler sampler,
         noise::Sampler::make(noise::Law::rounded_gaussian, sigma * change * (1 + 0x1p-50)));  // upwards
  return Noise{grid, bounds, std::move(sampler)};
}

Result<Panel> Augmentation::apply(const Panel& panel, const forecasting::WindowShape& shape,
                                  std::vector<Window>& windows, DrawRight& right) const {
  CV_TRY(BitSource* const bits, right.bits());
  Panel noisy{panel.channels, {}};
  noisy.series.reserve(windows.size());
  for (Window& window : windows) {
    const PanelSeries& series = panel.series[static_cast<std::size_t>(window.series)];
    const std::int64_t first = std::max<std::int64_t>(0, window.start - shape.context);
    const std::int64_t context = window.start - first;
    PanelSeries read{{}, series.start + first, context + shape.forecast, {}};
    const auto from = series.values.begin() + static_cast<std::ptrdiff_t>(first * panel.channels);
    read.values.assign(from, from + static_cast<std::ptrdiff_t>(read.length * panel.channels));
    const std::span<float> values(read.values);
    const auto border = static_cast<std::size_t>(context * panel.channels);
    if (context_) context_->add_to(values.first(border), *bits);
    if (label_) label_->add_to(values.subspan(border), *bits);
    window = {std::ssize(noisy.series), context};
    noisy.series.push_back(std::move(read));
  }
  return noisy;
}

void Augmentation::Noise::add_to(std::span<float> values, BitSource& bits) const {
  constexpr double kLargest = std::numeric_limits<float>::max();
  std::vector<std::int64_t> draws(values.size());
  sampler.fill(draws, bits);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Result<std::int64_t> exact = bounds.to_grid(values[i]);
    if (!exact) continue;  // missing, but a draw was made for it
    const double noisy = grid.to_real(noise::add_noise(*exact, draws[i]));
    values[i] = static_cast<float>(std::clamp(noisy, -kLargest, kLargest));
  }
}

}  // namespace chronoveil::neural
