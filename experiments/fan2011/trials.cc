#include "fan2011/trials.h"

#include <algorithm>
#include <cmath>

#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/rehearsal.h"
#include "chronoveil/post/adjust.h"
#include "each_trial.h"

namespace chronoveil::fan2011 {
namespace {

// Sums over the steps of one release, divided by their number.
Outcome compared(const Dataset& dataset, const Estimate& released) {
  Outcome outcome;
  const auto steps = static_cast<double>(dataset.counts.size());
  for (std::size_t t = 0; t < dataset.counts.size(); ++t) {
    const auto truth = static_cast<double>(dataset.counts[t]);
    const double off = std::abs(released.value[t] - truth);
    outcome.error += off / std::max(truth, kSanityBound) / steps;
    outcome.absolute += off / steps;
    outcome.coverage += released.lower[t] <= truth && truth <= released.upper[t] ? 1 / steps : 0;
    if (released.sampled[t] == 0) continue;
    ++outcome.asked;
    outcome.last = static_cast<double>(t + 1);
  }
  return outcome;
}

}  // namespace

Result<Outcome> run_trials(const Dataset& dataset, const Contender& contender, double epsilon, int trials) {
  mechanisms::Request request;
  request.shape.steps = request.shape.max_steps = static_cast<std::int64_t>(dataset.counts.size());
  request.epsilon = epsilon;
  request.delta = contender.delta;
  request.parameters = contender.parameters;
  CV_TRY(const mechanisms::SeriesMechanism* mechanism, mechanisms::find_series_mechanism(contender.mechanism));
  CV_TRY(const mechanisms::SeriesPlan plan, mechanism->prepare(request));
  CV_TRY(const std::vector<Outcome> all, experiments::each_trial(trials, [&](std::uint64_t seed) -> Result<Outcome> {
           CV_TRY(Estimate released, mechanisms::rehearse(plan, dataset.counts, seed));
           return compared(dataset, post::non_negative(std::move(released)));
         }));
  Outcome mean;
  mean.scale = plan.scale;
  for (const Outcome& one : all) {
    mean.error += one.error / trials;
    mean.absolute += one.absolute / trials;
    mean.coverage += one.coverage / trials;
    mean.asked += one.asked / trials;
    mean.last += one.last / trials;
  }
  for (const Outcome& one : all) mean.spread += (one.error - mean.error) * (one.error - mean.error) / trials;
  mean.spread = std::sqrt(mean.spread);
  return mean;
}

}  // namespace chronoveil::fan2011
