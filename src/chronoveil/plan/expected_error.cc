#include "chronoveil/plan/expected_error.h"

#include <algorithm>
#include <cmath>

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

}  // namespace

PublicSample thinned(const PublicSample& sample) {
  const std::int64_t most = std::max<std::int64_t>(1, kMostRehearsed / sample.steps);
  if (sample.series <= most) return sample;
  PublicSample few{.series = most, .steps = sample.steps, .counts = {}};
  for (std::int64_t i = 0; i < most; ++i) {
    const auto first = sample.counts.begin() + (i * sample.series / most) * sample.steps;
    few.counts.insert(few.counts.end(), first, first + sample.steps);
  }
  return few;
}

Result<std::optional<double>> expected_error(const mechanisms::Request& request, const SeriesPlan& plan,
                                             const PublicSample& sample, int trials) {
  CV_TRY(const mechanisms::SeriesMechanism* mechanism, mechanisms::find_series_mechanism(plan.mechanism));
  CV_TRY(const std::optional<SeriesPlan> fitting, plan_for_sample(request, plan, *mechanism, sample));
  if (!fitting) return std::optional<double>();
  const std::vector<double> truth = truth_of(sample, *mechanism);
  const auto values = static_cast<std::int64_t>(truth.size());
  const std::int64_t runs = std::clamp<std::int64_t>(kMostRehearsed / values, 1, trials);
  double sum = 0;
  for (std::int64_t run = 0; run < runs; ++run) {
    CV_CHECK(check_interrupted());
    CV_TRY(const Estimate estimate, mechanisms::rehearse(*fitting, sample.counts, static_cast<std::uint64_t>(run)));
    for (std::size_t i = 0; i < truth.size(); ++i) sum += std::abs(std::max(0.0, estimate.value[i]) - truth[i]);
  }
  return std::optional<double>(sum / static_cast<double>(runs * values));
}

}  // namespace chronoveil::plan
