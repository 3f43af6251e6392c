#include "chronoveil/accounting/grid/composer.h"
#include "chronoveil/engine/job/request.h"
#include "chronoveil/engine/perturb/job.h"
#include "chronoveil/engine/perturb/perturb.h"
#include "chronoveil/engine/release/assumptions.h"
#include "chronoveil/mechanisms/catalogue.h"

namespace chronoveil::engine {
namespace {

// How many columns move independently. Their names are public, but a plan is made without looking at the source.
Result<std::int64_t> lanes_of(const Job& job, bool moves) {
  if (moves && !job.perturb().independent) return 1;
  if (job.perturb().columns.empty())
    return fail(ErrorKind::usage, "perturb.columns",
                "it is missing; where each column is perturbed on its own, the plan "
                "must know which there are");
  return static_cast<std::int64_t>(job.perturb().columns.size());
}

Result<mechanisms::TemporalRequest> request_of(const Job& job, bool moves) {
  mechanisms::TemporalRequest request;
  request.window = job.perturb().window.value_or(0);
  ask_as_job(job, request);
  request.streams = asks_for_stream(job);
  request.unit = job.unit;
  request.length = job.perturb().length;
  request.lower = job.perturb().lower;
  request.upper = job.perturb().upper;
  request.categories = job.perturb().categories;
  CV_TRY(request.lanes, lanes_of(job, moves));
  return request;
}

Result<void> check_use(const Job& job, const mechanisms::TemporalMechanism& mechanism) {
  const std::string name(mechanism.name);
  if (!mechanism.moves) {
    if (job.perturb().times_move)
      return fail(ErrorKind::usage, "perturb.move", name + " changes values and moves nothing");
    return {};
  }
  if (job.unit != Unit::event)
    return invalid("privacy.unit", chronoveil::name(job.unit),
                   "it must be event: " + name + " hides that two values were swapped");
  for (const auto& [key, given] : {std::pair{"lower", job.perturb().lower.has_value()},
                                   {"upper", job.perturb().upper.has_value()},
                                   {"categories", !job.perturb().categories.empty()},
                                   {"length", job.perturb().length.has_value()}}) {
    if (given) return fail(ErrorKind::usage, "perturb." + std::string(key), name + " leaves values as they are");
  }
  return {};
}

}  // namespace

Result<PerturbPlanned> plan_perturbation(const Job& job, Compare compare) {
  PerturbPlanned planned;
  const bool ours_to_choose = job.mechanism == "auto";
  const mechanisms::TemporalMechanism* mechanism = nullptr;
  if (!ours_to_choose) {
    CV_TRY(mechanism, mechanisms::find_temporal_mechanism(job.mechanism));
    CV_CHECK(check_use(job, *mechanism));
  }
  const bool moves = !mechanism || mechanism->moves;
  CV_TRY(planned.request, request_of(job, moves));
  if (moves && !job.perturb().window)
    return fail(
        ErrorKind::usage, "privacy.window",
        "it is missing; it is the number of steps within which it is hidden when a value was measured, for example 24");
  if (moves && (ours_to_choose || compare == Compare::always)) {
    CV_TRY(planned.comparison, plan::compare_temporal(planned.request));
  }
  planned.reason = "The job names this mechanism.";
  if (ours_to_choose) {
    planned.reason = planned.comparison->reason;
    if (planned.comparison->recommended.empty()) return fail(ErrorKind::cannot_certify, planned.reason);
    CV_TRY(mechanism, mechanisms::find_temporal_mechanism(planned.comparison->recommended));
    CV_CHECK(check_use(job, *mechanism));
  }
  CV_TRY(planned.chosen, mechanism->prepare(planned.request));
  planned.guarantee = mechanisms::temporal_guarantee(planned.chosen);
  add_reading(job.source, Reading::whole, planned.guarantee.assumptions);
  if (!job.perturb().keep.empty())
    planned.guarantee.assumptions.push_back({"the columns that are kept in place are public", Basis::declared});
  return planned;
}

Result<std::vector<report::CurvePoint>> certified_curve(const accounting::Event& event, double epsilon) {
  // A price of StaSwitch in a wide window takes a second; the curve is smooth enough for fewer points. A third of the
  // way is ε itself, so that what is promised lies on the curve.
  const auto* slow = std::get_if<accounting::StaSwitch>(&event.kind);
  const int points = slow && slow->window > 8 ? 13 : 43;
  constexpr double kFarthest = 3;  // times ε
  std::vector<report::CurvePoint> curve;
  Result<accounting::Steps> steps = accounting::steps_of(event);
  // What has no certified price has no curve.
  if (!steps && steps.error().kind == ErrorKind::cannot_certify) return curve;
  if (!steps) return tl::unexpected(std::move(steps.error()));
  for (int i = 0; i < points; ++i) {
    const double at = kFarthest * i / (points - 1) * epsilon;
    CV_TRY(const accounting::Price price, accounting::price_of(*steps, {false, at}, {}));
    curve.push_back({at, price.delta});
    if (price.delta <= 0) break;
  }
  return curve;
}

}  // namespace chronoveil::engine
