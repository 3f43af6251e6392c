// Forecasts, trainings and backtests to look at: made of formulas, nothing drawn, so that every test sees the same.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "chronoveil/report/forecast/backtested.h"
#include "chronoveil/report/forecast/forecasted.h"
#include "chronoveil/report/forecast/trained.h"
#include "report/sample.h"

namespace chronoveil::report::testing {

inline ModelFacts model_sample() {
  ModelFacts all;
  all.name = "deepar";
  all.context_length = 48;
  all.forecast_length = 24;
  all.parameters = 24'923;
  all.steps = 1'500;
  all.dataset = "households";
  all.guarantee = {
      .definition = "DP",
      .unit = Unit::event,
      .relation = Relation::replace_values,
      .epsilon = 0.99996,
      .delta = 1e-7,
      .assumptions = {{"which series there are, when each starts and how long it is, is public", Basis::declared},
                      {"at most 1500 steps are taken, none of them twice", Basis::enforced}},
      .certificate = Certificate::upper_bound};
  all.price.epsilon = 0.99996;
  all.price.delta = 1e-7;
  all.debit = ledger::DebitReference{{"households", 3, std::nullopt}, std::string(64, 'a')};
  all.not_protected = {"Tuning on the data is not covered."};
  return all;
}

// The k-th of nine quantiles of a step: a day's rhythm, and a spread that grows.
inline double quantile_at(std::int64_t series, std::size_t past, std::size_t step, std::size_t k) {
  const auto ahead = static_cast<double>(step + 1);
  return traffic(series, static_cast<std::int64_t>(past + step)) + (static_cast<double>(k) - 4) * 8 * std::sqrt(ahead);
}

// Two days of the past and a day ahead. A single series has no name.
inline Forecasted forecast_sample(std::int64_t series) {
  Forecasted all;
  all.title = "Load of tomorrow";
  all.model = model_sample();
  all.axis = hours(72);
  all.past = 48;
  for (std::int64_t i = 0; i < series; ++i) {
    ForecastSeries one;
    if (series > 1) one.key = "m" + std::to_string(i);
    for (std::int64_t t = 0; t < 48; ++t) one.history.push_back(traffic(i, t));
    for (std::size_t step = 0; step < 24; ++step) {
      std::vector<double>& quantiles = one.quantiles.emplace_back();
      for (std::size_t k = 0; k < 9; ++k) quantiles.push_back(quantile_at(i, 48, step, k));
    }
    all.series.push_back(std::move(one));
  }
  return all;
}

// Of a history that got noise first.
inline Forecasted private_forecast_sample(std::int64_t series) {
  Forecasted all = forecast_sample(series);
  Forecasted::PrivateInput input;
  input.guarantee = {.definition = "DP",
                     .unit = Unit::event,
                     .relation = Relation::replace_values,
                     .epsilon = 3.9991,
                     .delta = 1e-6,
                     .assumptions = {{"values are clamped to public bounds", Basis::enforced}},
                     .certificate = Certificate::upper_bound};
  input.price.epsilon = 3.9991;
  input.price.delta = 1e-6;
  input.event = {accounting::TimeSubsampling{1, 0.5, 1.25, {}, {}}};
  input.rate = 0.5;
  input.noise = 1250;
  input.debit = ledger::DebitReference{{"visitors", 9, std::nullopt}, std::string(64, 'b')};
  input.budget = BudgetLeft{"visitors", 8, 1e-5, 0.5124, "one more of these"};
  input.not_protected = {"When the history ends is public."};
  all.input = input;
  return all;
}

inline Trained trained_sample() {
  Trained all;
  all.title = "Load of households";
  all.model = model_sample();
  all.event = {accounting::StructuredSubsampling{.series = 200,
                                                 .length = {2016},
                                                 .context_length = 217,
                                                 .forecast_length = 24,
                                                 .batch_size = 64,
                                                 .noise_multiplier = 2.5},
               1'510};
  all.series = 200;
  all.least_windows = all.most_windows = 1'993;
  all.batch_size = 64;
  all.top_level = "without_replacement";
  all.bottom_level = "with_replacement";
  all.touched_share = 0.0363;
  all.series_rate = 0.32;
  all.noise_multiplier = 2.5;
  all.clip = 1e-4;
  all.lower = -0.5;
  all.upper = 1250.25;
  all.planned_steps = 1'500;
  all.spare_steps = 10;
  all.uses = 1'503;
  all.resumed = true;
  all.reason = "With this noise, this many steps are within epsilon and delta.";
  for (int i = 1; i <= 16; ++i) all.spent.push_back({1'510 * i / 16, 0.99996 * std::sqrt(i / 16.0)});
  all.budget = BudgetLeft{"households", 4, 1e-5, 0.7421, "a gaussian"};
  all.model_path = "load.cvm";
  return all;
}

inline Backtested backtest_sample() {
  Backtested all;
  all.title = "Backtest of households";
  all.series = 200;
  all.windows = 1'400;
  all.held_back = 168;
  all.season = 24;
  all.forecast_length = 24;
  all.delta = 1e-7;
  all.rows = {{"seasonal_naive", std::nullopt, 0, 0, 0.125, 0, 1}, {"auto_ets", std::nullopt, 0, 0, 0.1875, 0, 1}};
  for (const std::string model : {"deepar", "dlinear"}) {
    const double worse = model == "deepar" ? 0 : 0.03125;
    for (const double epsilon : {0.5, 2.0, 8.0})
      all.rows.push_back({model, epsilon, 4 / epsilon, 1'500, 0.0625 + worse + 0.03125 / epsilon, 0.00390625, 5});
    all.rows.push_back({model, std::numeric_limits<double>::infinity(), 0, 1'500, 0.0546875 + worse, 0.001953125, 5});
  }
  return all;
}

}  // namespace chronoveil::report::testing
