// Short ways to plan, measure and take the noise off again.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::mechanisms::testing {

template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  return *std::move(result);
}

// One person in at most I = 3 slots of one series.
inline Request request_for(std::int64_t steps, double epsilon, double delta) {
  Request request;
  request.shape.steps = steps;
  request.shape.max_steps = std::min<std::int64_t>(3, steps);
  request.epsilon = epsilon;
  request.delta = delta;
  return request;
}

inline std::size_t cells(const SeriesPlan& plan) {
  return static_cast<std::size_t>(plan.shape.series * plan.shape.steps);
}

// As many draws as a release can need: one per cell and, if distances are asked, one more per step.
inline std::size_t most_draws(const SeriesPlan& plan) {
  return cells(plan) + static_cast<std::size_t>(plan.shape.steps);
}

// A tape of this noise, and of every step kept where steps are chosen.
inline Draws taped(const SeriesMechanism& row, const SeriesPlan& plan, std::vector<double> noise) {
  Replay replay;
  replay.noise = std::move(noise);
  if (row.keeps_steps) {
    replay.kept.emplace();
    for (std::size_t i = 0; i < cells(plan); ++i) replay.kept->push_back(static_cast<std::int64_t>(i));
  }
  return Draws::replayed(std::move(replay));
}

// What is measured when all noise is 0 and every step is kept.
inline std::vector<double> without_noise(const SeriesMechanism& row, const SeriesPlan& plan,
                                         const std::vector<std::int64_t>& counts) {
  Draws draws = taped(row, plan, std::vector<double>(most_draws(plan), 0.0));
  return value_of(row.measure(plan, counts, draws)).values;
}

}  // namespace chronoveil::mechanisms::testing
