// Releases to look at: made of public facts and a formula, no noise drawn, so that every test sees the same.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "chronoveil/report/series/writers.h"

namespace chronoveil::report::testing {

// `steps` hours from midnight, Sunday 1 March 2026, in a zone two hours ahead of UTC.
inline SlotAxis hours(std::int64_t steps) {
  constexpr std::int64_t kStart = 1'772'316'000'000, kHour = 3'600'000;
  constexpr int kDays[] = {31, 30, 31, 30, 31, 31, 30, 31, 30, 31};  // March to December
  SlotAxis axis{.zone = "Africa/Cairo", .boundaries = {kStart}, .labels = {}};
  int month = 0, day = 0;
  for (std::int64_t i = 0; i < steps; ++i) {
    const auto two = [](int n) { return (n < 10 ? "0" : "") + std::to_string(n); };
    axis.labels.push_back("2026-" + two(month + 3) + "-" + two(day + 1) + "T" + two(static_cast<int>(i % 24)) +
                          ":00:00+02:00");
    axis.boundaries.push_back(kStart + (i + 1) * kHour);
    if (i % 24 == 23 && ++day == kDays[month]) day = 0, ++month;
  }
  return axis;
}

// Commuters: two peaks a day, quiet weekends, a ripple that stands for noise.
inline double traffic(std::int64_t series, std::int64_t step) {
  const double hour = static_cast<double>(step % 24), size = 60 + 340 / (1.0 + 0.35 * static_cast<double>(series));
  const auto peak = [&](double at, double width) { return std::exp(-std::pow((hour - at) / width, 2)); };
  const std::int64_t weekday = step / 24 % 7;  // 0 is Sunday
  const double week = weekday == 0 ? 0.4 : weekday == 6 ? 0.55 : 1;
  const double ripple = std::sin(static_cast<double>(step * 7919 + series * 104729)) * 14;
  return std::max(0.0, size * week * (peak(8, 2) + 0.9 * peak(17.5, 2.6) + 0.35 * peak(13, 5)) + ripple);
}

inline mechanisms::SeriesPlan plan_for(const std::string& mechanism, double scale, std::int64_t series,
                                       std::int64_t steps) {
  mechanisms::SeriesPlan plan;
  plan.mechanism = mechanism;
  plan.shape.series = series;
  plan.shape.steps = steps;
  plan.shape.max_steps = 20;
  plan.noise = NoiseKind::gaussian;
  plan.scale = scale;
  plan.grid = std::ldexp(1.0, -17);
  plan.sensitivity = std::sqrt(20.0);
  plan.measured = series * steps;
  plan.delta = 1e-6;
  plan.event = {accounting::Gaussian{scale / plan.sensitivity}};
  plan.price.epsilon = 0.99996;
  plan.price.epsilon_lower = 0.9996;
  plan.price.delta = 1e-6;
  plan.price.delta_lower = 9.99e-7;
  return plan;
}

// With `sampled_every` > 1 only those steps are measured and the interval widens between them.
inline Published sample(std::int64_t series, std::int64_t steps, std::int64_t sampled_every = 1) {
  Published all;
  all.title = "Boardings at tram stops, March 2026";
  Release& release = all.release;
  release.axis = hours(steps);
  for (std::int64_t i = 0; series > 1 && i < series; ++i)
    release.keys.push_back(i == 0   ? "Central Station"
                           : i == 1 ? "Harbour & Ferry <North>"
                           : i == 2 ? "\"Old\" Market, Gate 'B'"
                                    : "Stop " + std::to_string(i + 1));
  for (std::int64_t s = 0; s < series; ++s) {
    for (std::int64_t t = 0; t < steps; ++t) {
      const std::int64_t gap = t % sampled_every;
      const double value = traffic(s, t), half = 37.6 * std::sqrt(1.0 + 0.3 * static_cast<double>(gap));
      release.estimate.value.push_back(value);
      release.estimate.lower.push_back(std::max(0.0, value - half));
      release.estimate.upper.push_back(value + half);
      release.estimate.sampled.push_back(gap == 0);
    }
  }
  release.guarantee = {
      .definition = "DP",
      .unit = Unit::user,
      .relation = Relation::add_remove,
      .epsilon = 0.99996,
      .delta = 1e-6,
      .assumptions = {{"A person counts in at most 20 (series, slot) pairs, once in each.", Basis::enforced},
                      {"One value of the column 'card' is one person.", Basis::declared}},
      .certificate = Certificate::upper_bound};
  all.plan = plan_for(sampled_every > 1 ? "subsample" : "gaussian", 19.2, series, steps);
  if (sampled_every > 1) all.plan.parameters = {{"interpolation", std::string("linear")}, {"rate", 0.1}};
  plan::Candidate gaussian{.mechanism = "gaussian",
                           .plan = plan_for("gaussian", 19.2, series, steps),
                           .refusal = {},
                           .noise_error = 15.3,
                           .information = static_cast<double>(series * steps) / (19.2 * 19.2),
                           .expected_error = 14.9,
                           .expected_total_error = std::nullopt};
  plan::Candidate subsample = gaussian;
  subsample.mechanism = "subsample";
  subsample.information *= 0.9;
  subsample.expected_error = 21.7;
  plan::Candidate event{.mechanism = "event",
                        .plan = std::nullopt,
                        .refusal = {.message = "event does not protect user; it protects event"},
                        .noise_error = 0,
                        .information = 0,
                        .expected_error = std::nullopt,
                        .expected_total_error = std::nullopt};
  all.comparison = plan::Comparison{{gaussian, subsample, event}, "gaussian", "Noise on every step carries the most."};
  all.reason =
      "Noise on every step carries the most information at this ε and δ; sampling fewer steps would not lower the "
      "error.";
  all.debit = ledger::DebitReference{{"city", 17, std::nullopt}, std::string(64, 'a')};
  all.budget = BudgetLeft{"city", 4, 1e-5, 0.6874, "a gaussian with noise_multiplier >= 2.9, once"};
  all.caps = Basis::enforced;
  all.not_protected = {"Facts about a stop that do not depend on any one person, such as its busiest hour.",
                       "How often a person was above the cap: those records were left out before noise was added."};
  return all;
}

// The same counts with caps that the publisher vouches for.
inline Published declared_sample(std::int64_t series, std::int64_t steps) {
  Published all = sample(series, steps);
  all.caps = Basis::declared;
  all.release.guarantee.assumptions[0].basis = Basis::declared;
  all.cap_growth = {{2, 1.4631}, {3, 1.8302}, {4, 2.1477}};
  return all;
}

inline Evaluation evaluation(std::int64_t series, std::int64_t steps) {
  Evaluation all;
  all.published = sample(series, steps);
  for (std::int64_t s = 0; s < series; ++s) {
    for (std::int64_t t = 0; t < steps; ++t) {
      const double noisy = all.published.release.estimate.value[static_cast<std::size_t>(s * steps + t)];
      all.truth.push_back(std::max(0.0, std::round(noisy + 12 * std::sin(static_cast<double>(t) * 1.7))));
      all.bounded.push_back(std::max(0.0, all.truth.back() - 2));
    }
  }
  all.rows = 1'000'000;
  all.outside_span = 1200;
  all.unlisted_series = 340;
  all.over_caps = 20'511;
  all.clamped = 3;
  return all;
}

}  // namespace chronoveil::report::testing
