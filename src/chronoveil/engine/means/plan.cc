#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "chronoveil/engine/job/named_errors.h"
#include "chronoveil/engine/job/request.h"
#include "chronoveil/engine/means/means.h"
#include "chronoveil/engine/release/assumptions.h"
#include "chronoveil/engine/release/source.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/cells/parts/cell_guarantee.h"
#include "chronoveil/mechanisms/cells/parts/smoothing.h"
#include "chronoveil/plan/informative.h"

namespace chronoveil::engine {
namespace {

constexpr std::int64_t kMostCells = std::int64_t{1} << 24;  // report and release hold all of them

Result<mechanisms::CellShape> shape_of(const Job& job, std::int64_t places, std::int64_t steps) {
  if (steps > kMostCells / places)
    return fail(ErrorKind::usage, "slots.length",
                std::to_string(places) + " places in " + std::to_string(steps) + " slots are more than " +
                    std::to_string(kMostCells) + " cells");
  mechanisms::CellShape shape;
  shape.places = places;
  shape.steps = steps;
  if (!job.means().max_cells && shape.cells() > 1)
    return fail(ErrorKind::usage, "means.max_cells",
                fmt::format("it is missing; one person counts in at most so many of the {} cells (a place in a slot), "
                            "and the noise grows with it. Take it from what is publicly known: for example, a vehicle "
                            "that runs 12 hours a day through 3 places per hour needs 36 per day; {} keeps everything. "
                            "Or let chronoveil look find it in the data, under a small debit",
                            shape.cells(), shape.cells()));
  shape.max_cells = std::min(job.means().max_cells.value_or(shape.cells()), shape.cells());
  shape.max_records = job.means().max_records;
  shape.lower = job.means().lower;
  shape.upper = job.means().upper;
  shape.sparse_below = job.means().sparse_below;
  shape.registered = job.means().registered;
  return shape;
}

template <class T>
Result<T> named(Result<T> result) {
  return by_key({"means", "privacy", "mechanism"}, std::move(result));
}

bool says_people(const Job& job) { return !job.means().counts.empty() || job.means().users || job.means().registered; }

// People's records in a typical cell, as far as the job says it.
std::vector<std::uint32_t> typical_counts(const Job& job, std::int64_t people_unsaid) {
  const MeansSpec& means = job.means();
  const std::int64_t people =
      std::min(means.users.value_or(means.registered.value_or(people_unsaid)), plan::kMostUsers);
  const std::int64_t records = means.max_records.value_or(1);
  std::vector<std::uint32_t> counts = means.counts;
  if (counts.empty()) counts.assign(static_cast<std::size_t>(people), static_cast<std::uint32_t>(records));
  if (means.max_records)
    for (std::uint32_t& count : counts) count = static_cast<std::uint32_t>(std::min<std::int64_t>(count, records));
  std::sort(counts.begin(), counts.end(), std::greater<>());
  return counts;
}

constexpr std::string_view kWhatHelps =
    "a smaller `means.max_cells`, longer slots, fewer and larger places, a larger `privacy.epsilon`";

// A refusal must not depend on the data, and does not: this knows the plan and what the job declares public.
std::string why_it_tells_nothing(const Job& job, const mechanisms::CellsPlan& plan) {
  const std::vector<std::uint32_t> counts = typical_counts(job, plan::kPeopleUnsaid);
  const Result<plan::Informative> told = plan::informative(plan, counts);
  if (!told || told->holds()) return "";
  const bool said = says_people(job);
  return fmt::format(
      "in a cell of {} people{} an interval would be about ±{:.3g}, and the bounds are only {:.3g} apart, so the "
      "release would say nothing; what helps: {}{}",
      counts.size(), said ? "" : " (assumed, since the job does not say how many)", told->half_width, told->range,
      kWhatHelps, said ? "" : ", or `plan.users` if cells have more people");
}

// Few enough to be a warning.
constexpr std::int64_t kPeopleForExample = 100;

std::string outlook(const Job& job, const mechanisms::CellsPlan& plan) {
  const std::vector<std::uint32_t> counts = typical_counts(job, kPeopleForExample);
  const Result<plan::Informative> told = plan::informative(plan, counts);
  if (!told) return "";
  const bool said = says_people(job);
  // As on the page of the release: an interval wider than half of what a value can be.
  const bool vague = 2 * told->half_width > told->range / 2;
  return fmt::format("in a cell of {} people{} an interval would be about ±{:.3g}{}{}", counts.size(),
                     said ? "" : ", for example,", told->half_width,
                     vague ? fmt::format(", and the bounds are only {:.3g} apart: the report would call it vague; what "
                                         "helps: {}",
                                         told->range, kWhatHelps)
                           : "",
                     said ? "" : "; `plan.users` says how many yours have, from public knowledge");
}

// The choice when nothing is publicly known about how many records people have.
std::string_view usual(const Job& job) {
  if (job.means().counts_public) return "array_averaging";
  return job.means().registered ? "registered_mean" : "sum_over_count";
}

std::string usual_reason(const Job& job) {
  if (job.means().counts_public)
    return "No public counts were given (plan.counts, or plan.users with means.max_records); of the mechanisms whose "
           "error needs no guess, it has the least noise.";
  return job.means().registered ? "The counts are private and the number of registered people is public."
                                : "The counts are private.";
}

}  // namespace

Result<MeansPlanned> plan_means(const Job& job, Compare compare) {
  MeansPlanned planned;
  CV_TRY(planned.axis, axis_of(job));
  planned.places = job.keys;
  if (job.places.grid) {
    CV_TRY(planned.grid, by_key({"places"}, PlaceGrid::make(*job.places.grid)));
    planned.places = planned.grid->names();
  }
  mechanisms::CellRequest& request = planned.request;
  CV_TRY(request.shape, shape_of(job, std::max<std::int64_t>(1, static_cast<std::int64_t>(planned.places.size())),
                                 planned.axis.steps()));
  ask_as_job(job, request);

  const bool ours_to_choose = job.mechanism == "auto";
  const bool known = !job.means().counts.empty() || (job.means().users && job.means().max_records);
  if (known && (ours_to_choose || compare == Compare::always)) {
    CV_TRY(planned.comparison,
           named(plan::compare_means(request, {job.means().counts, job.means().users}, job.means().counts_public)));
  }
  std::string name = job.mechanism;
  planned.reason = "The job names this mechanism.";
  if (ours_to_choose && planned.comparison) {
    name = planned.comparison->recommended;
    planned.reason = planned.comparison->reason;
  } else if (ours_to_choose) {
    name = usual(job);
    planned.reason = usual_reason(job);
  }
  CV_TRY(const mechanisms::CellMechanism* mechanism, mechanisms::find_cell_mechanism(name));
  if (mechanism->public_counts && !job.means().counts_public)
    return invalid("mechanism.name", name,
                   "it must be sum_over_count or registered_mean where `means.counts` is \"private\"");
  CV_TRY(planned.chosen, named(mechanism->prepare(request)));
  if (job.means().smooth) CV_CHECK(mechanisms::check_smoothing(planned.chosen));
  planned.tells_nothing = why_it_tells_nothing(job, planned.chosen);
  if (!planned.comparison && planned.tells_nothing.empty()) planned.outlook = outlook(job, planned.chosen);
  planned.guarantee = mechanisms::guarantee_of(planned.chosen);
  planned.not_protected = mechanisms::not_protected(planned.chosen);
  add_reading(job.source, Reading::whole, planned.guarantee.assumptions);
  add_look(job.caps_from, planned.guarantee.assumptions);
  if (ours_to_choose && planned.comparison && !planned.comparison->from_caps)
    planned.guarantee.assumptions.push_back(
        {"the counts that helped to choose the mechanism are public", Basis::declared});
  return planned;
}

}  // namespace chronoveil::engine
