#include "chronoveil/plan/expected_error.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "chronoveil/base/interrupted.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/rehearsal.h"

namespace chronoveil::plan {
namespace {

using mechanisms::SeriesPlan;

// The plan for the shape of the sample, with the noise of the release.
Result<std::optional<SeriesPlan>> plan_for_sample(const mechanisms::Request& request, const SeriesPlan& plan,
                                                  const mechanisms::SeriesMechanism& mechanism,
                                                  const PublicSample& sample) {
  if (plan.shape.series == sample.series && plan.shape.steps == sample.steps) return std::optional<SeriesPlan>(plan);
  mechanisms::Request other = request;
  other.shape.series = sample.series;
  other.shape.steps = sample.steps;
  Result<SeriesPlan> found = mechanism.prepare(other);
  if (!found) return std::optional<SeriesPlan>();
  found->scale = plan.scale;
  found->grid = plan.grid;
  // The sample is public: its own shape may need more noise, which does not matter.
  found->sensitivity = plan.sensitivity;
  found->event = plan.event;
  return std::optional<SeriesPlan>(std::move(*found));
}

// What the released values estimate.
std::vector<double> truth_of(const PublicSample& sample, const mechanisms::SeriesMechanism& mechanism) {
  std::vector<double> truth(sample.counts.begin(), sample.counts.end());
  if (!mechanism.totals) return truth;
  for (std::size_t i = 0; i < truth.size(); ++i)
    if (i % static_cast<std::size_t>(sample.steps) != 0) truth[i] += truth[i - 1];
  return truth;
}

// Over all series, series-major.
std::vector<double> sums_by_step(const std::vector<double>& cells, std::size_t steps) {
  std::vector<double> sums(steps, 0.0);
  for (std::size_t i = 0; i < cells.size(); ++i) sums[i % steps] += cells[i];
  return sums;
}

// What a release says, before it is cut at 0.
struct Published {
  std::vector<double> cells, totals;
};

Result<Published> as_whole(const SeriesPlan& plan, const PublicSample& sample, std::int64_t run) {
  CV_TRY(const mechanisms::Summed made,
         mechanisms::rehearse_summed(plan, sample.counts, static_cast<std::uint64_t>(run)));
  return Published{made.estimate.value,
                   sums_by_step(made.summands.cells.value, static_cast<std::size_t>(sample.steps))};
}

Result<Published> as_live(const SeriesPlan& plan, const std::vector<std::int64_t>& counts, std::int64_t run) {
  CV_TRY(mechanisms::LiveReplay made, mechanisms::rehearse_live(plan, counts, static_cast<std::uint64_t>(run)));
  return Published{std::move(made.estimate.value), std::move(made.total)};
}

double off_by(const std::vector<double>& values, const std::vector<double>& truth) {
  double sum = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) sum += std::abs(std::max(0.0, values[i]) - truth[i]);
  return sum;
}

}  // namespace

PublicSample thinned(const PublicSample& sample, std::int64_t most_values) {
  const std::int64_t most = std::max<std::int64_t>(1, most_values / sample.steps);
  if (sample.series <= most) return sample;
  PublicSample few{.series = most, .steps = sample.steps, .counts = {}};
  for (std::int64_t i = 0; i < most; ++i) {
    const auto first = sample.counts.begin() + (i * sample.series / most) * sample.steps;
    few.counts.insert(few.counts.end(), first, first + sample.steps);
  }
  return few;
}

PublicSample in_longer_slots(const PublicSample& sample, std::int64_t times) {
  PublicSample longer{.series = sample.series, .steps = sample.steps / times, .counts = {}};
  for (std::int64_t s = 0; s < longer.series; ++s)
    for (std::int64_t t = 0; t < longer.steps; ++t) {
      const auto first = sample.counts.begin() + s * sample.steps + t * times;
      longer.counts.push_back(std::accumulate(first, first + times, std::int64_t{0}));
    }
  return longer;
}

Result<std::optional<ExpectedError>> expected_error(const mechanisms::Request& request, const SeriesPlan& plan,
                                                    const PublicSample& sample, int trials, Audience audience) {
  CV_TRY(const mechanisms::SeriesMechanism* mechanism, mechanisms::find_series_mechanism(plan.mechanism));
  CV_TRY(const std::optional<SeriesPlan> fitting, plan_for_sample(request, plan, *mechanism, sample));
  if (!fitting) return std::optional<ExpectedError>();
  const std::vector<double> truth = truth_of(sample, *mechanism);
  const auto steps = static_cast<std::size_t>(sample.steps);
  const bool live = audience == Audience::live && mechanism->causal;
  const auto values = static_cast<std::int64_t>(truth.size());
  const std::int64_t runs = std::clamp<std::int64_t>(kMostRehearsed / values, 1, trials);
  double of_cells = 0, of_totals = 0;
  bool has_totals = plan.shape.series > 1 && sample.series > 1;
  for (std::int64_t run = 0; run < runs; ++run) {
    CV_CHECK(check_interrupted());
    CV_TRY(const Published published, live ? as_live(*fitting, sample.counts, run) : as_whole(*fitting, sample, run));
    of_cells += off_by(published.cells, truth);
    has_totals = has_totals && !published.totals.empty() && (live || audience == Audience::any);
    if (has_totals) of_totals += off_by(published.totals, sums_by_step(truth, steps));
  }
  ExpectedError error{of_cells / static_cast<double>(runs * values), std::nullopt};
  if (has_totals)
    error.of_total = of_totals / static_cast<double>(runs * sample.steps) *
                     std::sqrt(static_cast<double>(plan.shape.series) / static_cast<double>(sample.series));
  return std::optional(error);
}

}  // namespace chronoveil::plan
