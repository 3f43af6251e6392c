// Short ways to ask for, plan and run mechanisms for one series of its owner.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chronoveil/mechanisms/catalogue.h"
#include "setting.h"

namespace chronoveil::mechanisms::testing {

// What every row can be asked: within (ε, δ) = (2, 0.6) of swaps within 4 steps, or of one value.
inline TemporalRequest temporal_request(const TemporalMechanism& row) {
  TemporalRequest request;
  request.epsilon = 2;
  request.delta = 0.6;
  if (row.moves) request.window = 4;
  if (row.name == "noisy_sort") request.delta = 0.01;  // it needs little
  if (!row.certified) {
    request.analysis = accounting::Analysis::published;
    request.epsilon = 3;
  }
  if (row.name == "randomized_response") request.categories = {"up", "down", "same"};
  if (row.name == "piecewise" || row.name == "local_laplace") {
    request.lower = -10;
    request.upper = 30;
  }
  return request;
}

// The same, and with the choices that make a row run another way.
inline std::vector<TemporalRequest> temporal_requests(const TemporalMechanism& row) {
  const TemporalRequest usual = temporal_request(row);
  std::vector<TemporalRequest> all = {usual};
  const auto add = [&](auto change) {
    all.push_back(usual);
    change(all.back());
  };
  if (row.name == "noisy_sort") {
    add([](TemporalRequest& r) { r.delta = 0; });
    add([](TemporalRequest& r) { r.delta = 0, r.parameters["law"] = "laplace"; });
    add([](TemporalRequest& r) { r.delta = 0, r.parameters["law"] = "staircase"; });
    add([](TemporalRequest& r) { r.delta = 1e-3, r.streams = true; });
    add([](TemporalRequest& r) { r.delta = 1e-3, r.parameters["max_shift"] = std::int64_t{40}; });
  }
  if (row.moves && row.certified && row.name != "staswitch")
    add([](TemporalRequest& r) { r.lanes = 2, r.delta = 0.9; });
  if (!row.moves) {
    add([](TemporalRequest& r) { r.delta = 0; });
    add([](TemporalRequest& r) { r.delta = 0, r.lanes = 3; });
    add([](TemporalRequest& r) { r.delta = 1e-6, r.unit = Unit::user, r.length = 1000; });
  }
  return all;
}

// n values that the row takes; those that may be anything are all different.
inline std::vector<std::string> temporal_values(const TemporalMechanism& row, std::int64_t n) {
  std::vector<std::string> values;
  for (std::int64_t i = 0; i < n; ++i)
    values.push_back(row.name == "randomized_response" ? (i % 3 == 0 ? "up" : "down") : std::to_string(i));
  return values;
}

struct TemporalRun {
  std::vector<Released> released;
  std::int64_t missing = 0;
  std::string error;  // what ended it early
};

inline TemporalRun run_lane(Perturbation& run, std::size_t lane, const std::vector<std::string>& values) {
  TemporalRun book;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto done = run.push(lane, {values[i], static_cast<std::int64_t>(i)}, book.released);
    if (!done) {
      book.error = done.error().text();
      return book;
    }
  }
  const auto missing = run.finish(lane, book.released);
  if (missing)
    book.missing = *missing;
  else
    book.error = missing.error().text();
  return book;
}

inline TemporalRun run_seeded(const TemporalPlan& plan, std::uint64_t seed, const std::vector<std::string>& values) {
  Draws draws = Draws::seeded(seed);
  Perturbation run = value_of(Perturbation::start(plan, draws));
  return run_lane(run, 0, values);
}

inline std::vector<std::string> texts_of(const TemporalRun& run) {
  std::vector<std::string> texts;
  for (const Released& each : run.released) texts.push_back(each ? each->text : "-");
  return texts;
}

}  // namespace chronoveil::mechanisms::testing
