#include <fmt/format.h>

#include <algorithm>

#include "chronoveil/engine/job/named_errors.h"
#include "chronoveil/engine/job/request.h"
#include "chronoveil/engine/release/assumptions.h"
#include "chronoveil/engine/release/source.h"
#include "chronoveil/engine/series/public_sample.h"
#include "chronoveil/engine/series/series.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/guarantee.h"
#include "chronoveil/plan/informative.h"

namespace chronoveil::engine {
namespace {

// Every value is kept in memory several times over; beyond this a job is a mistake in its span or its slots.
constexpr std::int64_t kMostValues = std::int64_t{1} << 28;

std::int64_t series_of(const Job& job) { return std::max<std::int64_t>(1, static_cast<std::int64_t>(job.keys.size())); }

// The number of pairs (series, slot) that one person can have; with `disjoint`, all steps of one series.
std::int64_t everywhere(const Job& job, std::int64_t steps) {
  return job.series().disjoint ? steps : series_of(job) * steps;
}

// Under `event` and `w-event` each slot is bounded by itself. A declared cap may have been met by leaving records out.
ledger::Eviction eviction_of(const Job& job, std::int64_t steps) {
  const bool capped = job.unit == Unit::user && job.max_steps && *job.max_steps < everywhere(job, steps);
  return capped ? ledger::Eviction::possible : ledger::Eviction::none;
}

mechanisms::PublicShape shape_of(const Job& job, std::int64_t steps) {
  mechanisms::PublicShape shape;
  shape.series = series_of(job);
  shape.steps = steps;
  shape.unit = job.unit;
  shape.relation = job.relation;
  shape.width = job.unit == Unit::w_event ? std::min(job.width, steps) : 1;
  const std::int64_t most = everywhere(job, steps);
  shape.max_steps = std::min(job.max_steps.value_or(most), most);
  shape.max_per_slot = job.series().max_per_slot;
  if (job.series().maximum) shape.maximum = *job.series().maximum;
  return shape;
}

// The shortest public rhythm that slots can show: a day where it has at least eight of them, else a week. Empty for
// slots of other lengths, and if the span has no room for two rhythms.
std::optional<std::int64_t> public_season(const Horizon& horizon) {
  constexpr std::int64_t day = 86'400'000, week = 7 * day;
  const std::int64_t rhythm = day / horizon.usual_length >= 8 ? day : week;
  const std::int64_t season = rhythm / horizon.usual_length;
  if (rhythm % horizon.usual_length != 0 || season < 2 || season > horizon.steps / 2) return std::nullopt;
  return season;
}

Result<const plan::Candidate*> recommended(const plan::Comparison& comparison) {
  for (const plan::Candidate& candidate : comparison.candidates) {
    if (candidate.mechanism == comparison.recommended && candidate.plan) return &candidate;
  }
  std::string refusals;
  for (const plan::Candidate& candidate : comparison.candidates)
    refusals.append(refusals.empty() ? "" : "; ")
        .append(candidate.mechanism)
        .append(": ")
        .append(candidate.refusal.marked());
  return fail(ErrorKind::usage, "mechanism.name", "no mechanism fits this job (" + refusals + ")");
}

// Whether the mechanism, or one that may be chosen, has a parameter for the public rhythm.
Result<bool> knows_season(const std::string& name) {
  if (name == "auto") return true;
  CV_TRY(const mechanisms::SeriesMechanism* mechanism, mechanisms::find_series_mechanism(name));
  return std::any_of(mechanism->parameters.begin(), mechanism->parameters.end(),
                     [](const mechanisms::ParameterInfo& info) { return info.name == "season"; });
}

template <class T>
Result<T> named(Result<T> result) {
  return by_key({"privacy"}, std::move(result));
}

// Who decides that a step of a live release exists. If a person's row did, its presence would show with certainty.
void add_who_decides(bool rows_are_people, std::vector<Assumption>& all) {
  if (!rows_are_people) {
    all.push_back(
        {"which steps are published, which series report at each, and when, is public: it depends on no person",
         Basis::declared});
    return;
  }
  all.push_back(
      {"a clock alone decides which steps and spans are asked, published and debited, never a row", Basis::enforced});
  all.push_back(
      {"the times given to --until depend on no person; whether a row is there when its step is closed depends on no "
       "other person",
       Basis::declared});
}

// A refusal must not depend on the data, and does not: this knows the plan and what the job declares public.
Result<std::string> why_it_tells_nothing(const Job& job, const mechanisms::SeriesPlan& plan) {
  const std::optional<std::int64_t>& users = job.series().users;
  const std::int64_t people = users.value_or(plan::kPeopleUnsaid);
  CV_TRY(const plan::Informative told, plan::informative(plan, people));
  if (told.holds()) return std::string();
  const bool by_people = plan::largest_count(plan.shape, people) < plan.shape.maximum;
  std::string if_people = fmt::format(" if a slot of a series has {} people", people);
  if (!users) if_people += ", which is assumed since the job does not say it";
  return fmt::format(
      "an interval would be about ±{:.3g}, and no count is above {:.0f}{}, so the release would say nothing; what "
      "helps: {}longer slots, fewer series, a larger `privacy.epsilon`{}",
      told.half_width, told.range, by_people ? if_people : " anyway",
      job.unit == Unit::user ? "a smaller `privacy.max_steps`, " : "",
      by_people ? ", or `plan.users` if there are more people" : "");
}

}  // namespace

Result<Planned> plan_job(const Job& job, Compare compare) {
  CV_TRY(SlotAxis axis, axis_of(job));
  CV_TRY(Planned planned, plan_over(job, {axis.steps(), usual_length(axis)}, compare,
                                    job.is<LiveSpec>() ? plan::Audience::live : plan::Audience::any));
  planned.axis = std::move(axis);
  return planned;
}

Result<Planned> plan_over(const Job& job, const Horizon& horizon, Compare compare, plan::Audience audience) {
  if (job.is<MeansSpec>()) return fail(ErrorKind::usage, "means", "this job releases means, not counts");
  if (job.is<PerturbSpec>())
    return fail(ErrorKind::usage, "perturb", "this job moves values in time; it releases no counts");
  if (job.is<TrainSpec>()) return fail(ErrorKind::usage, "train", "this job trains a model; it releases no counts");
  Planned planned;
  const std::int64_t steps = horizon.steps;
  const std::int64_t series = series_of(job);
  if (steps > kMostValues / series)
    return fail(ErrorKind::usage, "slots.length",
                std::to_string(series) + " series of " + std::to_string(steps) + " slots are more than " +
                    std::to_string(kMostValues) + " values");
  mechanisms::Request& request = planned.request;
  request.shape = shape_of(job, steps);
  planned.eviction = eviction_of(job, steps);
  ask_as_job(job, request);

  const bool ours_to_choose = job.mechanism == "auto";
  const bool compares = ours_to_choose || compare == Compare::always;
  std::optional<plan::PublicSample> sample;
  if (compares && !job.series().public_sample.empty()) {
    CV_TRY(sample, read_public_sample(job.series().public_sample));
  }
  // Calendars are public: a mechanism that can use the day or the week is told it unless the job says otherwise.
  CV_TRY(const bool may_use, knows_season(job.mechanism));
  if (const auto season = public_season(horizon);
      may_use && season && !job.parameters.contains("season") && (!sample || sample->steps >= 2 * *season))
    request.parameters["season"] = *season;
  if (compares) {
    CV_TRY(planned.comparison, named(plan::compare(request, sample, audience)));
  }
  if (ours_to_choose) {
    CV_TRY(const plan::Candidate* candidate, recommended(*planned.comparison));
    planned.chosen = *candidate->plan;
    planned.reason = planned.comparison->reason;
  } else {
    CV_TRY(const mechanisms::SeriesMechanism* mechanism, mechanisms::find_series_mechanism(job.mechanism));
    if (audience == plan::Audience::live && mechanism->go_live == nullptr)
      return invalid("mechanism.name", job.mechanism, "it must be one that needs no later steps; see plan");
    CV_TRY(planned.chosen, named(mechanism->prepare(request)));
    planned.reason = "The job names this mechanism.";
  }
  CV_TRY(planned.tells_nothing, why_it_tells_nothing(job, planned.chosen));
  const bool may_be_missing = audience == plan::Audience::live && !rows_are_people(job);
  planned.guarantee = mechanisms::guarantee_of(
      planned.chosen, job.source.user ? Basis::enforced : Basis::declared, job.series().disjoint && series > 1,
      may_be_missing ? mechanisms::EmptySlot::is_missing : mechanisms::EmptySlot::counts_zero);
  if (ours_to_choose && !job.series().public_sample.empty())
    planned.guarantee.assumptions.push_back(
        {"the sample that helped to choose the mechanism is public", Basis::declared});
  if (job.series().may_be_empty)  // an erratum: that it exists is seen by everybody
    planned.guarantee.assumptions.push_back(
        {"that this step is corrected, and how often, depends on no person", Basis::declared});
  const bool live = audience == plan::Audience::live;
  add_reading(job.source, live ? Reading::live : Reading::whole, planned.guarantee.assumptions);
  add_look(job.caps_from, planned.guarantee.assumptions);
  if (live) add_who_decides(rows_are_people(job), planned.guarantee.assumptions);
  return planned;
}

}  // namespace chronoveil::engine
