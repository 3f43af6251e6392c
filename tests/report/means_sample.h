// Means to look at: made of public facts and a formula, no noise drawn, so that every test sees the same.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "chronoveil/report/means/published.h"
#include "report/sample.h"

namespace chronoveil::report::testing {

// Speeds of buses: slow in the middle of the list and at the peaks of a day.
inline double speed(std::int64_t place, std::int64_t places, std::int64_t step) {
  const double hour = static_cast<double>(step % 24), where = static_cast<double>(place) / static_cast<double>(places);
  const auto peak = [](double at, double width) { return std::exp(-std::pow(at / width, 2)); };
  const double ripple = std::sin(static_cast<double>(step * 7919 + place * 104729));
  return 30 - 12 * peak(where - 0.5, 0.25) - 6 * peak(hour - 8, 2) - 5 * peak(hour - 17.5, 2.5) + 1.5 * ripple;
}

inline mechanisms::CellsPlan cells_plan(const std::string& mechanism, std::int64_t places, std::int64_t steps) {
  mechanisms::CellsPlan plan;
  plan.mechanism = mechanism;
  plan.shape = {.places = places,
                .steps = steps,
                .max_cells = std::min<std::int64_t>(20, places * steps),
                .max_records = 50,
                .lower = 0,
                .upper = 65,
                .sparse_below = 5,
                .registered = std::nullopt};
  plan.parameters = {
      {"grouping", std::string("best_fit")}, {"m_ub", std::string("optimised")}, {"noise", std::string("auto")}};
  plan.share = 0.05;
  plan.noise_multiplier = 20;
  plan.event = {accounting::Laplace{20}, 20};
  plan.price.epsilon = 1;
  plan.price.epsilon_lower = 0.9999;
  return plan;
}

inline plan::MeansComparison means_comparison(std::int64_t places, std::int64_t steps) {
  plan::MeansComparison all;
  all.counts = {9, 7, 4, 4, 1};
  all.records = 25;
  all.m_ub_median = 4;
  all.m_ub_optimised = 7;
  all.m_ub = 7;
  all.arrays_best_fit = 4;
  all.arrays_wrap_around = 3;
  all.fills = {7, 7, 5, 4};
  const auto row = [&](const std::string& mechanism, const std::string& variant, std::int64_t arrays, double noise) {
    plan::MeansCandidate candidate;
    candidate.mechanism = mechanism;
    candidate.variant = variant;
    candidate.plan = cells_plan(mechanism, places, steps);
    candidate.facts = {.users = 5,
                       .m_ub = 7,
                       .arrays = arrays,
                       .fills = {},
                       .sensitivity = noise / 20,
                       .scale = noise,
                       .expected_noise = noise};
    all.candidates.push_back(std::move(candidate));
  };
  row("baseline", "", 0, 468);
  row("array_averaging", "", 4, 325);
  row("array_averaging", "wrap_around", 3, 433.25);
  plan::MeansCandidate refused;
  refused.mechanism = "registered_mean";
  refused.refusal.message = "registered_mean needs the number of registered users";
  all.candidates.push_back(std::move(refused));
  all.recommended = "array_averaging";
  all.regime = "many users";
  all.reason = "Many users with few records each: arrays make the noise smallest.";
  return all;
}

// Every 7th cell is empty and every 11th sparse; intervals widen along the list and reach across the bounds at its end.
inline MeansPublished means_of(MeansRelease release) {
  MeansPublished all;
  all.title = "Speeds of buses";
  all.measure = "speed";
  const std::int64_t places = release.place_count(), steps = release.axis.steps();
  release.lower = 0;
  release.upper = 65;
  for (std::int64_t at = 0; at < places * steps; ++at) {
    CellEstimate cell;
    if (at % 7 == 6) {
      cell.state = CellEstimate::State::empty;
    } else if (at % 11 == 10) {
      cell.state = CellEstimate::State::sparse;
    } else {
      const double half = 2 + 20 * static_cast<double>(at / steps) / static_cast<double>(places);
      cell.state = CellEstimate::State::published;
      cell.mean = speed(at / steps, places, at % steps);
      cell.lower = std::max(0.0, cell.mean - half);
      cell.upper = std::min(65.0, cell.mean + half);
    }
    release.cells.push_back(cell);
  }
  release.guarantee = {.definition = "DP",
                       .unit = Unit::user,
                       .relation = Relation::replace_values,
                       .epsilon = 1,
                       .delta = 0,
                       .assumptions = {{"A person is in at most 20 cells.", Basis::enforced},
                                       {"One value of the column 'bus' is one person.", Basis::declared}},
                       .certificate = Certificate::upper_bound};
  all.release = std::move(release);
  all.plan = cells_plan("array_averaging", places, steps);
  all.comparison = means_comparison(places, steps);
  all.reason = all.comparison->reason;
  all.debit = ledger::DebitReference{{"buses", 17, std::nullopt}, std::string(64, 'a')};
  all.budget = BudgetLeft{"buses", 4, 1e-5, 0.6874, "a laplace with noise_multiplier >= 2.9, once"};
  all.not_protected = {"Where and when a person was is not protected.", "What holds for many people at once."};
  return all;
}

// Places of a list; 0: one without a name.
inline MeansPublished means_sample(std::int64_t places, std::int64_t steps) {
  MeansRelease release;
  release.axis = hours(steps);
  for (std::int64_t i = 0; i < places; ++i)
    release.places.push_back(i == 0   ? "Central Station"
                             : i == 1 ? "Harbour & Ferry <North>"
                             : i == 2 ? "\"Old\" Market, Gate 'B'"
                                      : "Stop " + std::to_string(i + 1));
  return means_of(std::move(release));
}

// Places of a grid over Surat.
inline MeansPublished means_on_grid(PlaceShape shape, double size, std::int64_t steps) {
  MeansRelease release;
  release.axis = hours(steps);
  release.grid =
      *PlaceGrid::make({.shape = shape, .west = 72.75, .south = 21.1, .east = 72.95, .north = 21.25, .size = size});
  release.places = release.grid->names();
  return means_of(std::move(release));
}

inline MeansEvaluation means_evaluation(std::int64_t places, std::int64_t steps) {
  MeansEvaluation all;
  all.published = means_sample(places, steps);
  for (std::size_t i = 0; i < all.published.release.cells.size(); ++i) {
    const CellEstimate& cell = all.published.release.cells[i];
    const bool empty = cell.state == CellEstimate::State::empty;
    all.truth.push_back(empty                   ? std::nan("")
                        : std::isnan(cell.mean) ? 12
                                                : cell.mean + 3 * std::sin(1.7 * static_cast<double>(i)));
    all.users.push_back(empty ? 0 : std::isnan(cell.mean) ? 2 : 37);
  }
  all.rows = 1'000'000;
  all.outside_span = 1200;
  all.unlisted_places = 340;
  all.over_cells = 20'511;
  all.over_records = 7'013;
  all.clamped = 99;
  return all;
}

}  // namespace chronoveil::report::testing
