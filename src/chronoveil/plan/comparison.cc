#include "chronoveil/plan/comparison.h"

#include <algorithm>

#include "chronoveil/base/interrupted.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/plan/expected_error.h"
#include "chronoveil/plan/noise_error.h"
#include "chronoveil/plan/recommendation.h"

namespace chronoveil::plan {
namespace {

using mechanisms::Request;
using mechanisms::SeriesMechanism;

// The request for this mechanism: with the parameters if it knows them all, else with its defaults.
Request asked_of(const SeriesMechanism& mechanism, const Request& request) {
  const auto known = [&](const auto& parameter) {
    return std::any_of(mechanism.parameters.begin(), mechanism.parameters.end(),
                       [&](const mechanisms::ParameterInfo& info) { return info.name == parameter.first; });
  };
  Request asked = request;
  if (!std::all_of(request.parameters.begin(), request.parameters.end(), known)) asked.parameters.clear();
  return asked;
}

Result<void> check_sample(const PublicSample& sample) {
  const bool whole =
      sample.series >= 1 && sample.steps >= 1 && sample.counts.size() % static_cast<std::size_t>(sample.steps) == 0 &&
      sample.counts.size() / static_cast<std::size_t>(sample.steps) == static_cast<std::size_t>(sample.series);
  if (!whole)
    return fail(ErrorKind::usage, "plan.sample",
                std::to_string(sample.counts.size()) + " counts are not " + std::to_string(sample.series) +
                    " series of " + std::to_string(sample.steps) + " steps");
  return {};
}

// What a release would see: counts within their range.
PublicSample as_seen(const PublicSample& sample, const Request& request) {
  PublicSample seen = thinned(sample);
  const std::int64_t maximum = std::max<std::int64_t>(0, request.shape.maximum);
  for (std::int64_t& count : seen.counts) count = std::clamp<std::int64_t>(count, 0, maximum);
  return seen;
}

Result<Candidate> consider(const SeriesMechanism& mechanism, const Request& request,
                           const std::optional<PublicSample>& sample, int trials, Audience audience) {
  Candidate candidate;
  candidate.mechanism = mechanism.name;
  const Request asked = asked_of(mechanism, request);
  Result<mechanisms::SeriesPlan> plan = mechanism.prepare(asked);
  if (!plan) {
    const ErrorKind kind = plan.error().kind;
    if (kind != ErrorKind::usage && kind != ErrorKind::cannot_certify) return Failure(std::move(plan).error());
    candidate.refusal = plan.error();
    return candidate;
  }
  candidate.noise_error = noise_error(mechanism, *plan);
  candidate.information = information(mechanism, *plan);
  if (sample) {
    CV_TRY(const std::optional<ExpectedError> error, expected_error(asked, *plan, *sample, trials, audience));
    if (error) candidate.expected_error = error->of_cell, candidate.expected_total_error = error->of_total;
  }
  candidate.plan = std::move(*plan);
  return candidate;
}

// A refusal that all share is about the request, not about a mechanism.
bool all_refuse_alike(const std::vector<Candidate>& all) {
  return std::all_of(all.begin(), all.end(), [&](const Candidate& candidate) {
    return !candidate.plan && candidate.refusal.text() == all.front().refusal.text();
  });
}

}  // namespace

Result<Comparison> compare(const Request& request, const std::optional<PublicSample>& sample, Audience audience,
                           int trials) {
  if (trials < 1) return invalid("trials", std::to_string(trials), "at least 1");
  std::optional<PublicSample> seen;
  if (sample) {
    CV_CHECK(check_sample(*sample));
    seen = as_seen(*sample, request);
  }
  Comparison comparison;
  for (const SeriesMechanism* mechanism : mechanisms::series_catalogue()) {
    if (audience == Audience::live && mechanism->go_live == nullptr) continue;
    CV_TRY(Candidate candidate, consider(*mechanism, request, seen, trials, audience));
    CV_CHECK(check_interrupted());  // its refusal would not be the mechanism's
    comparison.candidates.push_back(std::move(candidate));
  }
  if (all_refuse_alike(comparison.candidates)) return Failure(comparison.candidates.front().refusal);
  Recommendation found = recommend(request, comparison.candidates, audience, seen.has_value());
  comparison.recommended = std::move(found.mechanism);
  comparison.reason = std::move(found.reason);
  return comparison;
}

}  // namespace chronoveil::plan
