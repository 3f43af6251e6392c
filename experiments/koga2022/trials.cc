#include "koga2022/trials.h"

#include <algorithm>
#include <cmath>

#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/draws.h"
#include "each_trial.h"

namespace chronoveil::koga2022 {
namespace {

mechanisms::Request request_for(const Dataset& dataset, const Contender& contender, accounting::Analysis analysis) {
  mechanisms::Request request;
  request.shape.steps = static_cast<std::int64_t>(dataset.counts.size());
  request.shape.max_steps = dataset.max_steps;
  request.epsilon = kEpsilon;
  request.delta = kDelta;
  request.analysis = analysis;
  if (contender.mechanism == "dft") request.parameters["coefficients"] = std::int64_t{30};
  if (contender.mechanism == "subsample" || contender.mechanism == "filter_subsample")
    request.parameters["rate"] = dataset.rate;
  if (contender.mechanism == "filter_subsample") request.parameters["filter_width"] = dataset.filter_width;
  if (contender.trend) request.parameters["trend"] = true;
  if (contender.season) request.parameters["season"] = dataset.season;
  return request;
}

double mean_absolute_error(const Dataset& dataset, const std::vector<double>& released) {
  double sum = 0;
  for (std::size_t t = 0; t < released.size(); ++t)
    sum += std::abs((dataset.clip ? std::max(0.0, released[t]) : released[t]) - dataset.truth[t]);
  return sum / static_cast<double>(released.size());
}

}  // namespace

std::vector<Contender> contenders(const Dataset& dataset) {
  std::vector<Contender> all;
  for (const char* name : {"gaussian", "dft", "subsample", "filter_subsample", "shrink"}) all.push_back({name, name});
  if (dataset.season > 0) all.push_back({"shrink, season", "shrink", true, false});
  if (dataset.trend) all.push_back({"shrink, trend", "shrink", false, true});
  return all;
}

Result<Errors> run_trials(const Dataset& dataset, const Contender& contender, accounting::Analysis analysis,
                          int trials) {
  CV_TRY(const mechanisms::SeriesMechanism* mechanism, mechanisms::find_series_mechanism(contender.mechanism));
  CV_TRY(const mechanisms::SeriesPlan plan, mechanism->prepare(request_for(dataset, contender, analysis)));
  const auto one = [&](std::uint64_t seed) -> Result<double> {
    mechanisms::Draws draws = mechanisms::Draws::seeded(seed);
    CV_TRY(const Measurement measurement, mechanism->measure(plan, dataset.counts, draws));
    CV_TRY(const Estimate estimate, mechanism->reconstruct(plan, measurement));
    return mean_absolute_error(dataset, estimate.value);
  };
  CV_TRY(const std::vector<double> errors, experiments::each_trial(trials, one));
  Errors result;
  result.scale = plan.scale;
  for (const double error : errors) result.mean += error / trials;
  for (const double error : errors) result.deviation += (error - result.mean) * (error - result.mean) / trials;
  result.deviation = std::sqrt(result.deviation);
  return result;
}

}  // namespace chronoveil::koga2022
