#include <algorithm>

#include "chronoveil/engine/engine.h"
#include "chronoveil/engine/named_errors.h"
#include "chronoveil/engine/public_sample.h"
#include "chronoveil/engine/reading.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/guarantee.h"

namespace chronoveil::engine {
namespace {

// Every value is kept in memory several times over; beyond this a job is a mistake in its span or its slots.
constexpr std::int64_t kMostValues = std::int64_t{1} << 28;

mechanisms::PublicShape shape_of(const Job& job, std::int64_t steps) {
  mechanisms::PublicShape shape;
  shape.series = std::max<std::int64_t>(1, static_cast<std::int64_t>(job.keys.size()));
  shape.steps = steps;
  shape.unit = job.unit;
  shape.relation = job.relation;
  shape.width = job.unit == Unit::w_event ? std::min(job.width, steps) : 1;
  // Without a cap a person may be everywhere; declared to be in one series, at most in all of its steps.
  const std::int64_t everywhere = job.disjoint ? steps : shape.series * steps;
  shape.max_steps = std::min(job.max_steps.value_or(everywhere), everywhere);
  shape.max_per_slot = job.max_per_slot;
  if (job.maximum) shape.maximum = *job.maximum;
  return shape;
}

Result<const plan::Candidate*> recommended(const plan::Comparison& comparison) {
  for (const plan::Candidate& candidate : comparison.candidates) {
    if (candidate.mechanism == comparison.recommended && candidate.plan) return &candidate;
  }
  std::string refusals;
  for (const plan::Candidate& candidate : comparison.candidates)
    refusals.append(refusals.empty() ? "" : "; ").append(candidate.mechanism).append(": ").append(candidate.refusal);
  return fail(ErrorKind::usage, "mechanism.name: no mechanism fits this job (" + refusals + ")");
}

template <class T>
Result<T> named(Result<T> result) {
  return in_section("privacy",
                    {"unit", "relation", "width", "max_steps", "max_per_slot", "maximum", "epsilon", "delta"},
                    std::move(result));
}

}  // namespace

Result<Planned> plan_job(const Job& job, Compare compare) {
  Planned planned;
  CV_TRY(planned.axis, axis_of(job));
  const std::int64_t steps = planned.axis.steps();
  const std::int64_t series = std::max<std::int64_t>(1, static_cast<std::int64_t>(job.keys.size()));
  if (steps > kMostValues / series)
    return fail(ErrorKind::usage, "slots.length: " + std::to_string(series) + " series of " + std::to_string(steps) +
                                      " slots are more than " + std::to_string(kMostValues) + " values");
  mechanisms::Request& request = planned.request;
  request.shape = shape_of(job, steps);
  request.epsilon = job.epsilon;
  request.delta = job.delta;
  request.analysis = job.analysis;
  request.level = job.level;
  request.parameters = job.parameters;

  const bool ours_to_choose = job.mechanism == "auto";
  if (ours_to_choose || compare == Compare::always) {
    std::optional<plan::PublicSample> sample;
    if (!job.public_sample.empty()) {
      CV_TRY(sample, read_public_sample(job.public_sample));
    }
    CV_TRY(planned.comparison, named(plan::compare(request, sample)));
  }
  if (ours_to_choose) {
    CV_TRY(const plan::Candidate* candidate, recommended(*planned.comparison));
    planned.chosen = *candidate->plan;
    planned.reason = planned.comparison->reason;
  } else {
    CV_TRY(const mechanisms::SeriesMechanism* mechanism, mechanisms::find_series_mechanism(job.mechanism));
    CV_TRY(planned.chosen, named(mechanism->prepare(request)));
    planned.reason = "The job names this mechanism.";
  }
  planned.guarantee = mechanisms::guarantee_of(planned.chosen, job.source.user ? Basis::enforced : Basis::declared,
                                               job.disjoint && series > 1);
  if (ours_to_choose && !job.public_sample.empty())
    planned.guarantee.assumptions.push_back(
        {"the sample that helped to choose the mechanism is public", Basis::declared});
  return planned;
}

}  // namespace chronoveil::engine
