#include "chronoveil/engine/series/cap_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "chronoveil/engine/look/questions.h"
#include "chronoveil/engine/release/source.h"
#include "chronoveil/engine/series/public_sample.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/plan/expected_error.h"
#include "chronoveil/plan/noise_error.h"

namespace chronoveil::engine {
namespace {

constexpr std::int64_t kMostTried = 20'000;  // values, for each of many choices
constexpr std::int64_t kFewestSteps = 4;

// Around the cap at hand: from a quarter of it to four times it.
std::vector<std::int64_t> caps_around(std::int64_t cap, std::int64_t most) {
  std::set<std::int64_t> all;
  for (const std::int64_t quarters : {1, 2, 4, 8, 16})
    all.insert(std::clamp<std::int64_t>(cap * quarters / 4, 1, most));
  return {all.begin(), all.end()};
}

double mean_of(const plan::PublicSample& sample) {
  return std::accumulate(sample.counts.begin(), sample.counts.end(), 0.0) /
         static_cast<double>(std::max<std::size_t>(1, sample.counts.size()));
}

plan::Audience audience_of(const Job& job) { return job.is<LiveSpec>() ? plan::Audience::live : plan::Audience::any; }

}  // namespace

Result<double> error_of_cell(const Job& job, const Horizon& horizon, plan::Audience audience,
                             const std::optional<plan::PublicSample>& sample) {
  CV_TRY(const Planned planned, plan_over(job, horizon, Compare::when_needed, audience));
  const mechanisms::SeriesPlan& chosen = planned.chosen;
  if (sample) {
    mechanisms::Request request = planned.request;
    request.parameters = chosen.parameters;
    CV_TRY(const std::optional<plan::ExpectedError> error, plan::expected_error(request, chosen, *sample, 1, audience));
    if (error) return error->of_cell;
  }
  CV_TRY(const mechanisms::SeriesMechanism* mechanism, mechanisms::find_series_mechanism(chosen.mechanism));
  return plan::noise_error(*mechanism, chosen);
}

Result<std::optional<plan::PublicSample>> small_sample(const Job& job) {
  if (job.series().public_sample.empty()) return std::optional<plan::PublicSample>();
  CV_TRY(const plan::PublicSample sample, read_public_sample(job.series().public_sample));
  return std::optional(plan::thinned(sample, kMostTried));
}

std::optional<plan::PublicSample> in_slots_of(const std::optional<plan::PublicSample>& sample, const Horizon& own,
                                              const Horizon& longer) {
  if (!sample) return std::nullopt;
  const std::int64_t times = std::max<std::int64_t>(1, (longer.usual_length + own.usual_length / 2) / own.usual_length);
  if (sample->steps / times < kFewestSteps) return std::nullopt;
  return plan::in_longer_slots(*sample, times);
}

Result<std::optional<CapTable>> cap_table(const Job& job, const Planned& planned) {
  const mechanisms::PublicShape& shape = planned.chosen.shape;
  if (shape.unit != Unit::user) return std::optional<CapTable>();
  CV_TRY(const std::optional<plan::PublicSample> sample, small_sample(job));
  CV_TRY(const SlotAxis axis, axis_of(job));
  CV_TRY(const std::vector<LookLength> lengths, lengths_of(job, axis, LookOptions()));
  const Horizon own{axis.steps(), usual_length(axis)};
  CapTable table{.caps = caps_around(shape.max_steps, shape.steps * shape.series), .smoothed = sample.has_value()};
  for (const LookLength& length : lengths) {
    const Horizon horizon{length.axis.steps(), usual_length(length.axis)};
    const std::optional<plan::PublicSample> longer = in_slots_of(sample, own, horizon);
    if (sample && !longer) continue;
    table.lengths.push_back(length.length);
    if (longer) table.typical.push_back(mean_of(*longer));
    for (const std::int64_t cap : table.caps) {
      Job tried = job;
      tried.slots.length = length.length;
      tried.max_steps = cap;
      tried.mechanism = planned.chosen.mechanism;
      if (job.mechanism == "auto") tried.parameters.clear();
      tried.series().public_sample.clear();
      const Result<double> error = error_of_cell(tried, horizon, audience_of(job), longer);
      if (!error && error.error().kind == ErrorKind::interrupted) return Failure(error.error());
      table.errors.push_back(error ? *error : std::nan(""));
    }
  }
  return std::optional(std::move(table));
}

}  // namespace chronoveil::engine
