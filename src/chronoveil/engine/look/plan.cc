#include <algorithm>
#include <cmath>

#include "chronoveil/engine/job/named_errors.h"
#include "chronoveil/engine/look/means.h"
#include "chronoveil/engine/look/questions.h"
#include "chronoveil/engine/release/assumptions.h"
#include "chronoveil/engine/release/source.h"
#include "chronoveil/engine/series/cap_table.h"
#include "chronoveil/engine/series/read.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/plan/noise_error.h"

namespace chronoveil::engine {
namespace {

// The job as it would be with that length and that cap.
Job with_caps(const Job& job, const std::string& length, std::int64_t cap) {
  Job tried = job;
  tried.slots.length = length;
  tried.max_steps = cap;
  tried.series().max_per_slot = 1;  // noise grows in proportion to it
  tried.series().public_sample.clear();
  return tried;
}

Horizon horizon_of(const SlotAxis& axis) { return {axis.steps(), usual_length(axis)}; }

// A cap that the job's mechanism cannot have is no choice; the last refusal is told where there is none at all.
Result<void> add_choices(const Job& job, const LookLength& length, const report::LookQuestion& question,
                         const std::optional<plan::PublicSample>& sample, std::vector<report::LookChoice>& choices) {
  const std::size_t before = choices.size();
  const plan::Audience audience = job.is<LiveSpec>() ? plan::Audience::live : plan::Audience::any;
  Result<double> noise = 0.0;
  for (const double last : question.last) {
    const auto cap = static_cast<std::int64_t>(last);
    noise = error_of_cell(with_caps(job, length.length, cap), horizon_of(length.axis), audience, sample);
    if (noise) choices.push_back({.length = length.length, .cap = cap, .noise = *noise});
  }
  if (choices.size() == before && !noise) return Failure(std::move(noise).error());
  return {};
}

// The bins of all questions as the slots of one series: a person fills one of each question.
mechanisms::Request request_of(Relation relation, const LookOptions& options, const LookPlanned& planned) {
  mechanisms::Request request;
  request.shape.steps = 0;
  for (const report::LookQuestion& each : planned.questions)
    request.shape.steps += static_cast<std::int64_t>(each.first.size());
  request.shape.unit = Unit::user;
  request.shape.relation = relation;
  request.shape.max_steps = static_cast<std::int64_t>(planned.questions.size());
  request.epsilon = options.epsilon;
  request.delta = options.delta;
  return request;
}

Result<mechanisms::SeriesPlan> cheapest(const mechanisms::Request& request) {
  Result<mechanisms::SeriesPlan> best = fail(ErrorKind::internal, "look", "no mechanism was tried");
  double least = 0;
  for (const char* name : {"laplace", "gaussian"}) {
    CV_TRY(const mechanisms::SeriesMechanism* mechanism, mechanisms::find_series_mechanism(name));
    if (mechanism->needs_delta && request.delta == 0) continue;
    Result<mechanisms::SeriesPlan> plan = mechanism->prepare(request);
    const double noise = plan ? plan::noise_error(*mechanism, *plan) : 0;
    if (!best || (plan && noise < least)) best = std::move(plan), least = noise;
  }
  return best;
}

Guarantee guarantee_of(const Job& job, const LookPlanned& planned) {
  Guarantee guarantee;
  guarantee.unit = Unit::user;
  guarantee.relation = planned.chosen.shape.relation;
  guarantee.epsilon = planned.chosen.price.epsilon;
  guarantee.delta = planned.chosen.delta;
  guarantee.certificate = planned.chosen.price.certificate;
  guarantee.assumptions = {
      {"one person counts in one bin of each of the " + std::to_string(planned.questions.size()) + " questions",
       Basis::enforced},
      {"one person has one identifier", Basis::declared},
      {"the bins, the list of series or places, the span of time and the slots come from the job, never from the data",
       Basis::enforced},
      {std::string(kJobIsPublic), Basis::declared},
      {"the noise is exact: whole steps of a grid, drawn from a cryptographic generator", Basis::enforced}};
  add_reading(job.source, Reading::whole, guarantee.assumptions);
  return guarantee;
}

Result<void> ask_of_counts(const Job& job, const std::vector<LookLength>& lengths, LookPlanned& planned) {
  const std::int64_t series = job.series().disjoint ? 1 : std::max<std::int64_t>(1, std::ssize(job.keys));
  CV_TRY(const std::optional<plan::PublicSample> sample, small_sample(job));
  for (const LookLength& length : lengths) {
    report::LookQuestion question{.of = "slots", .length = length.length};
    add_bins(series * length.axis.steps(), question);
    const auto longer = in_slots_of(sample, horizon_of(planned.axis), horizon_of(length.axis));
    CV_CHECK(add_choices(job, length, question, longer, planned.choices));
    planned.questions.push_back(std::move(question));
    planned.longer.push_back(length.holds);
  }
  if (!counts_records(job)) return {};
  report::LookQuestion question{.of = "records"};
  add_bins(kMostRecords, question);
  planned.questions.push_back(std::move(question));
  planned.longer.emplace_back();
  return {};
}

Result<void> check_looked_at(const Job& job, const LookOptions& options) {
  if (!is_of_counts(job) && !job.is<MeansSpec>())
    return fail(ErrorKind::usage, "look", "it finds the caps of a job of counts or of means");
  if (job.is<LiveSpec>())
    return fail(ErrorKind::usage, "live",
                "the rows of a live release are not there yet; look at rows of the past, with a job without [live]");
  if (!job.source.user)
    return fail(ErrorKind::usage, "source.user", "it is missing; without it nobody's slots can be told apart");
  if (job.unit != Unit::user)
    return invalid("privacy.unit", name(job.unit), "it must be user for a look: other units have no cap on slots");
  if (!(options.epsilon > 0) || !std::isfinite(options.epsilon))
    return invalid("epsilon", options.epsilon, "a finite number greater than 0");
  if (!(options.delta >= 0) || !(options.delta < 1))
    return invalid("delta", options.delta, "at least 0 and less than 1");
  return {};
}

}  // namespace

Result<LookPlanned> plan_look(const Job& job, const LookOptions& options) {
  CV_CHECK(check_looked_at(job, options));
  LookPlanned planned;
  CV_TRY(planned.axis, axis_of(job));
  CV_TRY(const std::vector<LookLength> lengths, lengths_of(job, planned.axis, options));
  Relation relation = job.relation;
  if (job.is<MeansSpec>()) {
    CV_TRY(relation, relation_of_means(job));
    CV_CHECK(ask_of_means(job, lengths, planned));
  } else {
    CV_CHECK(ask_of_counts(job, lengths, planned));
  }
  CV_TRY(planned.chosen, by_key({}, cheapest(request_of(relation, options, planned))));
  planned.guarantee = guarantee_of(job, planned);
  return planned;
}

}  // namespace chronoveil::engine
