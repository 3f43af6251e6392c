#include "chronoveil/post/shrink/spectra.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace chronoveil::post {
namespace {

constexpr double kFlat[] = {0, 0.1, 1, 10};
constexpr std::int64_t kHarmonics = 50;

std::vector<double> cutoffs(std::int64_t factor, std::int64_t steps) {
  std::vector<double> all;
  for (std::int64_t quarters = 1; quarters <= 32 * steps; quarters *= factor)
    all.push_back(0.25 * static_cast<double>(quarters));
  return all;
}

Eigen::ArrayXd season_lines(std::int64_t steps, std::int64_t season, double decay, double width) {
  const Eigen::ArrayXd k = Eigen::ArrayXd::LinSpaced(steps, 0, static_cast<double>(steps - 1));
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(steps);
  for (std::int64_t j = 1; j <= std::min(season / 2, kHarmonics); ++j) {
    const double centre = 2 * static_cast<double>(steps) * static_cast<double>(j) / static_cast<double>(season);
    sum += std::pow(static_cast<double>(j), -decay) / (1 + ((k - centre) / width).square());
  }
  return sum;
}

}  // namespace

Spectra::Spectra(std::int64_t steps, std::int64_t season) : inverse_roughness_(steps) {
  const double angle = std::numbers::pi / static_cast<double>(steps);
  inverse_roughness_[0] = std::numeric_limits<double>::infinity();
  for (Eigen::Index k = 1; k < steps; ++k) {
    const double half = std::sin(angle * static_cast<double>(k) / 2);  // μ_k = 4 sin²(πk/(2T)), without cancellation
    inverse_roughness_[k] = angle * angle / (4 * half * half);
  }
  for (const int order : {1, 2})
    for (const double cutoff : cutoffs(2, steps))
      for (const double white : {0.0, 1.0}) linear_.push_back({.cutoff = cutoff, .order = order, .white = white});
  for (const double white : kFlat) linear_.push_back({.white = white});
  linear_.push_back({.white = std::numeric_limits<double>::infinity()});
  if (season > 0) {
    for (const double decay : {2.0, 3.0})
      for (const double width : {0.5, 2.0}) {
        const int lines = static_cast<int>(lines_.size());
        lines_.push_back(season_lines(steps, season, decay, width));
        for (const double height : {1.0, 1e1, 1e2, 1e3, 1e4}) {
          linear_.push_back({.season = height, .lines = lines});
          for (const double cutoff : cutoffs(4, steps))
            linear_.push_back({.cutoff = cutoff, .season = height, .lines = lines});
        }
      }
  }
  for (const double cutoff : cutoffs(4, steps))
    for (const double white : {0.0, 1.0}) slab_.push_back({.cutoff = cutoff, .white = white});
  for (const double white : kFlat) slab_.push_back({.white = white});
}

void Spectra::noise_share(const Spectrum& spectrum, Eigen::ArrayXd& out) const {
  const double squared = spectrum.cutoff * spectrum.cutoff;
  if (spectrum.cutoff == 0)
    out.setConstant(inverse_roughness_.size(), 1 + spectrum.white);
  else if (spectrum.order == 1)
    out = squared * inverse_roughness_ + (1 + spectrum.white);
  else
    out = (squared * inverse_roughness_).square() + (1 + spectrum.white);
  if (spectrum.season > 0) out += spectrum.season * lines_[static_cast<std::size_t>(spectrum.lines)];
  out = out.inverse();
  out[0] = 0;
}

}  // namespace chronoveil::post
