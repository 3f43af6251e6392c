#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "chronoveil/report/series/error_sums.h"
#include "chronoveil/report/series/writers.h"

namespace chronoveil::report {

Errors errors_between(const Evaluation& evaluation, std::size_t from, std::size_t to) {
  const Estimate& estimate = evaluation.published.release.estimate;
  Errors errors;
  if (from == to) return errors;
  for (std::size_t i = from; i < to; ++i) {
    const double off = std::fabs(estimate.value[i] - evaluation.truth[i]);
    errors.mean_absolute += off;
    errors.root_mean_square += off * off;
    errors.mean_relative += off / std::max(std::fabs(evaluation.truth[i]), 1.0);
    errors.coverage += estimate.lower[i] <= evaluation.truth[i] && evaluation.truth[i] <= estimate.upper[i] ? 1 : 0;
    errors.mean_absolute_bounded += std::fabs(estimate.value[i] - evaluation.bounded[i]);
    errors.coverage_bounded +=
        estimate.lower[i] <= evaluation.bounded[i] && evaluation.bounded[i] <= estimate.upper[i] ? 1 : 0;
  }
  const double count = static_cast<double>(to - from);
  errors.mean_absolute /= count;
  errors.root_mean_square = std::sqrt(errors.root_mean_square / count);
  errors.mean_relative /= count;
  errors.coverage /= count;
  errors.mean_absolute_bounded /= count;
  errors.coverage_bounded /= count;
  return errors;
}

Errors errors_of(const Evaluation& evaluation) { return errors_between(evaluation, 0, evaluation.truth.size()); }

std::string evaluation_json(const Evaluation& evaluation) {
  using json = nlohmann::ordered_json;
  const Release& release = evaluation.published.release;
  const auto errors_json = [](const Errors& errors) {
    return json{{"mean_absolute", errors.mean_absolute},
                {"root_mean_square", errors.root_mean_square},
                {"mean_relative", errors.mean_relative},
                {"coverage", errors.coverage},
                {"mean_absolute_bounded", errors.mean_absolute_bounded},
                {"coverage_bounded", errors.coverage_bounded}};
  };
  json all{{"internal", "reveals the data"},
           {"title", evaluation.published.title},
           {"mechanism", evaluation.published.plan.mechanism},
           {"level", release.level},
           {"errors", errors_json(errors_of(evaluation))},
           {"left_out",
            {{"rows", evaluation.rows},
             {"outside_span", evaluation.outside_span},
             {"unlisted_series", evaluation.unlisted_series},
             {"over_caps", evaluation.over_caps},
             {"clamped", evaluation.clamped}}},
           {"time", release.axis.labels},
           {"series", json::array()}};
  const std::size_t steps = static_cast<std::size_t>(release.axis.steps());
  const auto part = [&](const std::vector<double>& values, std::size_t series) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(series * steps);
    return json(std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(steps)));
  };
  for (std::size_t i = 0; i < static_cast<std::size_t>(release.series()); ++i)
    all["series"].push_back({{"key", release.keys.empty() ? json(nullptr) : json(release.keys[i])},
                             {"errors", errors_json(errors_between(evaluation, i * steps, (i + 1) * steps))},
                             {"truth", part(evaluation.truth, i)},
                             {"bounded", part(evaluation.bounded, i)},
                             {"value", part(release.estimate.value, i)}});
  return all.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace chronoveil::report
