#include "chronoveil/mechanisms/temporal/common.h"

#include <cmath>
#include <optional>
#include <utility>

#include "chronoveil/mechanisms/parts/budget_check.h"
#include "chronoveil/temporal/switching.h"

namespace chronoveil::mechanisms {
namespace {

constexpr std::int64_t kMostLanes = 1'000'000;

Result<void> check_budget_and_lanes(const TemporalRequest& request) {
  CV_CHECK(named(check_budget(request)));
  if (request.lanes < 1 || request.lanes > kMostLanes)
    return invalid("perturb.columns", std::to_string(request.lanes) + " columns",
                   "at least 1 and at most " + std::to_string(kMostLanes) + " that are perturbed on their own");
  return {};
}

Failure unused(std::string_view parameter, const TemporalMechanism& mechanism) {
  return fail(
      ErrorKind::usage, std::string(parameter),
      std::string(mechanism.name) + " has no use for it; it " +
          (mechanism.moves ? "moves values and never looks at them" : "changes values and leaves them in place"));
}

// As in calibrate(), a published analysis has a δ of its own if none is asked for.
Result<Delta> delta_for(double asked, const accounting::Event& event, const accounting::Options& options) {
  if (asked > 0 || options.analysis != accounting::Analysis::published) return Delta::make(asked);
  CV_TRY(const Delta any, Delta::make(std::nextafter(1.0, 0.0)));
  CV_TRY(const accounting::Price stated, named(accounting::epsilon_at(event, any, options)));
  CV_TRY(const Epsilon epsilon, Epsilon::make(stated.epsilon));
  CV_TRY(const accounting::Price own, named(accounting::delta_at(event, epsilon, options)));
  return Delta::make(own.delta);
}

std::string at(double epsilon, double delta) {
  return "epsilon = " + shortest(epsilon) + " at delta = " + shortest(delta);
}

}  // namespace

Error in_a_job(Error error) {
  constexpr std::pair<std::string_view, std::string_view> sections[] = {
      {"epsilon", "privacy."},     {"delta", "privacy."}, {"window", "privacy."},
      {"stay", "mechanism."},      {"law", "mechanism."}, {"max_shift", "mechanism."},
      {"threshold", "mechanism."}, {"lower", "perturb."}, {"upper", "perturb."}};
  for (const auto& [key, section] : sections) {
    if (error.parameter != key) continue;
    error.parameter.insert(0, section);
    break;
  }
  return error;
}

Result<void> check_moving(const TemporalRequest& request, const TemporalMechanism& mechanism) {
  CV_CHECK(check_budget_and_lanes(request));
  if (request.window == 0)
    return fail(ErrorKind::usage, "privacy.window",
                "it is missing; it must be the number of steps within which it is hidden when a value "
                "was recorded, at least 2");
  if (request.window < 2 || request.window > temporal::kLargestWindow)
    return invalid("privacy.window", std::to_string(request.window),
                   "a whole number between 2 and " + std::to_string(temporal::kLargestWindow));
  if (request.unit != Unit::event)
    return invalid("privacy.unit", name(request.unit),
                   "event for " + std::string(mechanism.name) + ", which hides a swap of two values");
  if (request.lower) return unused("perturb.lower", mechanism);
  if (request.upper) return unused("perturb.upper", mechanism);
  if (!request.categories.empty()) return unused("perturb.categories", mechanism);
  return {};
}

Result<void> check_changing(const TemporalRequest& request, const TemporalMechanism& mechanism) {
  CV_CHECK(check_budget_and_lanes(request));
  if (request.window != 0) return unused("privacy.window", mechanism);
  if (request.unit == Unit::w_event) return invalid("privacy.unit", name(request.unit), "event or user");
  if (request.unit == Unit::user && !request.length)
    return fail(ErrorKind::usage, "perturb.length",
                "it is missing; unit user covers all values of the series, so their number must be "
                "known beforehand, and public");
  if (request.length && (*request.length < 1 || *request.length > kLongestSeries))
    return invalid("perturb.length", std::to_string(*request.length),
                   "a whole number between 1 and " + std::to_string(kLongestSeries));
  return {};
}

accounting::Analysis analysis_of(const TemporalRequest& request, const TemporalMechanism& mechanism) {
  return mechanism.has_published ? request.analysis : accounting::Analysis::certified;
}

Result<accounting::Calibration> calibrated(const TemporalRequest& request, const TemporalMechanism& mechanism,
                                           const accounting::Event& open) {
  CV_TRY(const Epsilon epsilon, Epsilon::make(request.epsilon));
  CV_TRY(const Delta delta, Delta::make(request.delta));
  return named(accounting::calibrate(open, epsilon, delta, {.analysis = analysis_of(request, mechanism)}));
}

Result<accounting::Price> priced(const TemporalRequest& request, const TemporalMechanism& mechanism,
                                 const accounting::Event& event, std::string_view parameter, std::string_view value) {
  CV_TRY(const Epsilon epsilon, Epsilon::make(request.epsilon));
  const accounting::Options options{.analysis = analysis_of(request, mechanism)};
  CV_TRY(const Delta delta, delta_for(request.delta, event, options));
  CV_TRY(accounting::Price price, named(accounting::epsilon_at(event, delta, options)));
  if (price.epsilon <= request.epsilon) return price;
  if (std::isfinite(price.epsilon))
    return invalid(parameter, value,
                   "it costs " + at(price.epsilon, price.delta) +
                       ", which is more than `privacy.epsilon = " + shortest(request.epsilon) + "`");
  CV_TRY(const accounting::Price needed, named(accounting::delta_at(event, epsilon, options)));
  return fail(ErrorKind::cannot_certify, std::string(parameter),
              "with " + std::string(value) + ", no epsilon holds at delta = " + shortest(request.delta) +
                  "; epsilon = " + shortest(request.epsilon) + " takes a delta of " + shortest(needed.delta));
}

TemporalPlan planned(const TemporalRequest& request, const TemporalMechanism& mechanism, Parameters parameters,
                     accounting::Event event, accounting::Price price) {
  TemporalPlan plan;
  plan.mechanism = mechanism.name;
  plan.lanes = request.lanes;
  plan.unit = request.unit;
  if (mechanism.moves) {
    plan.window = request.window;
    plan.relation = Relation::swap;
  } else {
    plan.length = request.length;
    plan.lower = request.lower;
    plan.upper = request.upper;
    plan.categories = request.categories;
    plan.relation = Relation::replace;
  }
  plan.parameters = std::move(parameters);
  plan.delta = price.delta;
  plan.event = std::move(event);
  plan.price = std::move(price);
  return plan;
}

Result<void> check_long_enough(std::int64_t values, std::int64_t window) {
  if (values >= window) return {};
  return fail(ErrorKind::bad_data, "privacy.window",
              std::to_string(window) + " is larger than the series, which has " + std::to_string(values) +
                  (values == 1 ? " value" : " values"));
}

Result<std::int64_t> whole_number(std::string_view parameter, double value, std::int64_t least, std::int64_t most) {
  if (value >= static_cast<double>(least) && value <= static_cast<double>(most) && std::floor(value) == value)
    return static_cast<std::int64_t>(value);
  return invalid(parameter, value, "a whole number between " + std::to_string(least) + " and " + std::to_string(most));
}

Failure disagreement() {
  return fail(ErrorKind::internal, "perturb", "the event of the plan is not what its parameters say");
}

}  // namespace chronoveil::mechanisms
