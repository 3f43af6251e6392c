#include "joint/trials.h"

#include <cmath>
#include <numeric>

#include "chronoveil/noise/sampler.h"
#include "chronoveil/post/intervals.h"
#include "chronoveil/post/joint/joint.h"
#include "chronoveil/post/shrink/shrink.h"
#include "each_trial.h"
#include "joint/peers.h"

namespace chronoveil::joint {
namespace {

// Over the whole seasons of every series.
std::vector<double> sums_of_seasons(const std::vector<double>& values, std::size_t steps, std::int64_t season) {
  const auto length = static_cast<std::size_t>(season);
  std::vector<double> sums;
  for (std::size_t first = 0; first < values.size(); first += steps)
    for (std::size_t at = first; at + length <= first + steps; at += length) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(at);
      sums.push_back(std::accumulate(begin, begin + season, 0.0));
    }
  return sums;
}

// Step by step, of each run of `count` series.
std::vector<double> sums_of_series(const std::vector<double>& values, std::size_t steps, std::size_t count) {
  std::vector<double> sums(values.size() / (steps * count) * steps, 0);
  for (std::size_t i = 0; i < sums.size() * count; ++i) sums[i / (steps * count) * steps + i % steps] += values[i];
  return sums;
}

double mean_absolute(const std::vector<double>& errors) {
  double sum = 0;
  for (const double error : errors) sum += std::abs(error);
  return errors.empty() ? 0 : sum / static_cast<double>(errors.size());
}

double share_held(const Estimate& estimate, const std::vector<double>& truth) {
  double held = 0;
  for (std::size_t i = 0; i < estimate.value.size(); ++i)
    held += estimate.lower[i] <= truth[i] && truth[i] <= estimate.upper[i];
  return estimate.value.empty() ? 0 : held / static_cast<double>(truth.size());
}

Score scored(const Panel& panel, std::string contender, const std::vector<double>& values) {
  std::vector<double> errors = values;
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] -= panel.truth[i];
  const auto steps = static_cast<std::size_t>(panel.steps);
  const std::vector<double> of_total = sums_of_series(errors, steps, errors.size() / steps);
  Score score{.contender = std::move(contender), .cells = mean_absolute(errors), .total = mean_absolute(of_total)};
  const std::vector<double> of_tens = sums_of_series(errors, steps, 10);
  score.tens = mean_absolute(of_tens);
  if (panel.season > 0) {
    score.season = mean_absolute(sums_of_seasons(of_total, steps, panel.season));
    score.own_season = mean_absolute(sums_of_seasons(errors, steps, panel.season));
    score.tens_season = mean_absolute(sums_of_seasons(of_tens, steps, panel.season));
  }
  return score;
}

}  // namespace

std::vector<Score> score_all(const Panel& panel, double sigma, const std::vector<double>& noisy) {
  const double half_width = sigma * post::normal_half_width(0.95);
  std::vector<Score> all{scored(panel, "noisy", noisy)};
  const Estimate alone = post::shrink(noisy, {panel.steps, sigma, half_width, panel.season});
  all.push_back(scored(panel, "shrink", alone.value));
  all.back().held = share_held(alone, panel.truth);
  const post::JointEstimate joint = post::shrink_jointly(noisy, {panel.steps, sigma, half_width, panel.season});
  all.push_back(scored(panel, "joint", joint.cells.value));
  all.back().held = share_held(joint.cells, panel.truth);
  const auto steps = static_cast<std::size_t>(panel.steps);
  all.back().total_held = share_held(joint.total, sums_of_series(panel.truth, steps, panel.truth.size() / steps));
  if (panel.series() >= 10) {
    post::JointSpec spec{panel.steps, sigma, half_width, panel.season};
    for (std::int64_t s = 0; s < panel.series() / 10 * 10; ++s) {
      if (s % 10 == 0) spec.groups.emplace_back();
      spec.groups.back().push_back(s);
    }
    const post::JointEstimate grouped = post::shrink_jointly(noisy, spec);
    all.push_back(scored(panel, "groups", grouped.cells.value));
    all.back().held = share_held(grouped.cells, panel.truth);
  }
  all.push_back(scored(panel, "local level", local_levels(noisy, panel.steps, sigma)));
  all.push_back(scored(panel, "singular values", singular_values_shrunk(noisy, panel.steps, sigma)));
  return all;
}

double mean_distance(const std::vector<double>& values, const std::vector<double>& truth) {
  std::vector<double> errors = values;
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] -= truth[i];
  return mean_absolute(errors);
}

Result<std::vector<Score>> run_trials(const Panel& panel, double sigma, int trials, Scoring score) {
  constexpr double kGrid = 0x1p-20;  // in units of σ
  CV_TRY(const noise::Sampler sampler, noise::Sampler::make(noise::Law::rounded_gaussian, 1 / kGrid));
  const auto one = [&](std::uint64_t seed) -> Result<std::vector<Score>> {
    BitSource bits = BitSource::with_seed(seed);
    std::vector<std::int64_t> noise(panel.truth.size());
    sampler.fill(noise, bits);
    std::vector<double> noisy = panel.truth;
    for (std::size_t i = 0; i < noisy.size(); ++i) noisy[i] += sigma * kGrid * static_cast<double>(noise[i]);
    return score(panel, sigma, noisy);
  };
  CV_TRY(const std::vector<std::vector<Score>> all, experiments::each_trial(trials, one));
  std::vector<Score> means = all.front();
  const auto average = [&](double Score::*part) {
    for (std::size_t i = 0; i < means.size(); ++i) {
      double sum = 0;
      for (const std::vector<Score>& trial : all) sum += trial[i].*part;
      means[i].*part = sum / trials;
    }
  };
  for (const auto part : {&Score::cells, &Score::total, &Score::season, &Score::own_season, &Score::tens,
                          &Score::tens_season, &Score::held, &Score::total_held})
    average(part);
  return means;
}

}  // namespace chronoveil::joint
