#include "chronoveil/post/causal/filter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "chronoveil/post/causal/levels.h"
#include "chronoveil/post/causal/seasons.h"
#include "chronoveil/post/causal/trends.h"

namespace chronoveil::post {
namespace {

constexpr double kSwitch = 1e-3;      // κ
constexpr double kNegligible = 1e-3;  // of the weight: too little to count in a prediction
constexpr std::size_t kMost = CausalLevels::kCount + CausalTrends::kCount + CausalSeasons::kCount;

}  // namespace

struct CausalFilter::Inside {
  explicit Inside(const CausalSpec& spec)
      : noise_variance(spec.noise_variance),
        season(spec.season >= 2 ? spec.season : 0),
        levels(spec.noise_variance),
        trends(spec.noise_variance) {
    if (season > 0) seasons.emplace(spec.noise_variance, season);
    constexpr std::array kFamilies{CausalLevels::kLevel, CausalLevels::kRelative, CausalLevels::kIrregular,
                                   CausalLevels::kSmall, CausalTrends::kCount,    CausalSeasons::kCount};
    const std::span families = std::span(kFamilies).first(kFamilies.size() - (seasons ? 0 : 1));
    for (const std::size_t size : families) {
      const std::span part = std::span(prior).subspan(models, size);
      std::fill(part.begin(), part.end(), 1 / static_cast<double>(families.size() * size));
      models += size;
    }
    weight = prior;
  }

  CausalViews views(std::size_t from, std::size_t count) {
    const auto part = [&](std::array<double, kMost>& all) { return std::span(all).subspan(from, count); };
    return {part(mean), part(variance), part(spread), part(surprise)};
  }
  CausalViews level_views() { return views(0, CausalLevels::kCount); }
  CausalViews trend_views() { return views(CausalLevels::kCount, CausalTrends::kCount); }
  CausalViews season_views() { return views(CausalLevels::kCount + CausalTrends::kCount, CausalSeasons::kCount); }

  std::int64_t next_phase() {
    const std::int64_t here = phase;
    if (season > 0) phase = here + 1 == season ? 0 : here + 1;
    return here;
  }

  void start(double measured) {
    started = true;
    levels.start(measured);
    trends.start(measured);
    if (seasons) seasons->start(measured, next_phase());
  }

  void advance() {
    levels.advance();
    trends.advance();
    if (seasons) seasons->advance(next_phase());
  }

  void correct(double measured) {
    levels.correct(measured, level_views());
    trends.correct(measured, trend_views());
    if (seasons) seasons->correct(measured, season_views());
  }

  void predicted() {
    levels.predicted(level_views());
    trends.predicted(trend_views());
    if (seasons) seasons->predicted(season_views());
  }

  // Densities are taken relative to the least surprised model, so that at least one does not underflow; its weight is
  // at least κ π, and its spread finite, so the sum is positive.
  void weigh() {
    const double least = *std::min_element(surprise.begin(), surprise.begin() + static_cast<std::ptrdiff_t>(models));
    double sum = 0;
    for (std::size_t i = 0; i < models; ++i) {
      weight[i] =
          ((1 - kSwitch) * weight[i] + kSwitch * prior[i]) * std::exp(least - surprise[i]) / std::sqrt(spread[i]);
      sum += weight[i];
    }
    const double share = 1 / sum;
    for (std::size_t i = 0; i < models; ++i) weight[i] *= share;
  }

  CausalValue mixture(double least_weight) const {
    std::size_t best = 0;
    double sum = 0, mixed = 0;
    for (std::size_t i = 0; i < models; ++i) {
      if (weight[i] > weight[best]) best = i;
      if (weight[i] < least_weight) continue;
      sum += weight[i];
      mixed += weight[i] * mean[i];
    }
    mixed /= sum;
    double total = 0;
    const auto around = [&](std::size_t i) {
      return variance[i] + (mean[i] - mixed) * (mean[i] - mixed) / noise_variance;
    };
    for (std::size_t i = 0; i < models; ++i)
      if (weight[i] >= least_weight) total += weight[i] * around(i);
    return {mixed, std::max(total / sum, around(best)) * noise_variance};
  }

  double noise_variance;
  std::int64_t season;  // 0: none
  CausalLevels levels;
  CausalTrends trends;
  std::optional<CausalSeasons> seasons;

  bool started = false;
  std::int64_t phase = 0;
  std::size_t models = 0;
  std::array<double, kMost> prior{}, weight{};
  std::array<double, kMost> mean{}, variance{}, spread{}, surprise{};  // of the step at hand
};

CausalFilter::CausalFilter(const CausalSpec& spec) : inside_(std::make_unique<Inside>(spec)) {}
CausalFilter::CausalFilter(CausalFilter&&) noexcept = default;
CausalFilter::~CausalFilter() = default;

CausalValue CausalFilter::update(double measured) {
  if (!inside_->started) {
    inside_->start(measured);
    return {measured, inside_->noise_variance};
  }
  inside_->advance();
  inside_->correct(measured);
  inside_->weigh();
  return inside_->mixture(0);
}

CausalValue CausalFilter::predict() {
  if (!inside_->started) {
    inside_->next_phase();
    return {0, std::numeric_limits<double>::infinity()};
  }
  inside_->advance();
  inside_->predicted();
  return inside_->mixture(kNegligible);
}

void CausalFilter::save(StateWriter& out) const {
  const Inside& inside = *inside_;
  out.put(inside.started);
  out.put(inside.phase);
  for (std::size_t i = 0; i < inside.models; ++i) out.put(inside.weight[i]);
  inside.levels.save(out);
  inside.trends.save(out);
  if (inside.seasons) inside.seasons->save(out);
}

void CausalFilter::load(StateReader& in) {
  Inside& inside = *inside_;
  inside.started = in.flag();
  inside.phase = in.integer();
  for (std::size_t i = 0; i < inside.models; ++i) inside.weight[i] = in.number();
  inside.levels.load(in);
  inside.trends.load(in);
  if (inside.seasons) inside.seasons->load(in);
}

}  // namespace chronoveil::post
