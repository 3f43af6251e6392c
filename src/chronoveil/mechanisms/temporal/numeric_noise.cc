#include "chronoveil/mechanisms/temporal/numeric_noise.h"

#include <algorithm>
#include <limits>

#include "chronoveil/mechanisms/temporal/common.h"
#include "chronoveil/mechanisms/temporal/value_shares.h"
#include "chronoveil/temporal/value_noise.h"

namespace chronoveil::mechanisms {
namespace {

using accounting::Event;
using accounting::Laplace;
using accounting::Pure;

Result<void> check_numeric(const TemporalRequest& request, const TemporalMechanism& row) {
  CV_CHECK(check_changing(request, row));
  if (!request.categories.empty())
    return fail(ErrorKind::usage, "perturb.categories",
                std::string(row.name) + " takes `perturb.lower` and `perturb.upper`");
  return check_bounds(request.lower, request.upper, row.name);
}

template <class Kind>
Result<Event> priced_event(const TemporalPlan& plan) {
  const auto* said = std::get_if<Kind>(&plan.event.kind);
  if (said == nullptr) return disagreement();
  return Event{*said, answers(plan.unit, plan.length, plan.lanes)};
}

Result<temporal::Piecewise> piecewise_law(const TemporalPlan& plan) {
  const auto* said = std::get_if<Pure>(&plan.event.kind);
  if (said == nullptr) return disagreement();
  return named(temporal::Piecewise::make(said->epsilon));
}

Result<temporal::LocalLaplace> laplace_law(const TemporalPlan& plan) {
  const auto* said = std::get_if<Laplace>(&plan.event.kind);
  if (said == nullptr) return disagreement();
  // Rounded so that the noise is no less than the event says.
  const double epsilon = 1 / said->noise_multiplier * (1 - 4 * std::numeric_limits<double>::epsilon());
  return named(temporal::LocalLaplace::make(epsilon, *plan.lower, *plan.upper));
}

Result<TemporalPlan> prepare_piecewise(const TemporalRequest& request) {
  CV_CHECK(check_numeric(request, piecewise()));
  CV_TRY(TemporalPlan plan, with_shares(request, piecewise(), Pure{accounting::kToCalibrate}));
  CV_CHECK(piecewise_law(plan));
  return plan;
}

Result<TemporalPlan> prepare_laplace(const TemporalRequest& request) {
  CV_CHECK(check_numeric(request, local_laplace()));
  CV_TRY(TemporalPlan plan, with_shares(request, local_laplace(), Laplace{accounting::kToCalibrate}));
  CV_CHECK(laplace_law(plan));
  return plan;
}

Result<std::unique_ptr<TemporalProcess>> start_piecewise(const TemporalPlan& plan) {
  CV_CHECK(check_bounds(plan.lower, plan.upper, plan.mechanism));
  CV_TRY(const temporal::Piecewise law, piecewise_law(plan));
  const double lower = *plan.lower, upper = *plan.upper;
  return value_process(plan, [=](const std::string& value, BitSource& bits) -> Result<std::string> {
    CV_TRY(const double number, number_in(value));
    const double within = 2 * ((std::clamp(number, lower, upper) - lower) / (upper - lower)) - 1;
    return shortest(lower + (law(within, bits) + 1) / 2 * (upper - lower));
  });
}

Result<std::unique_ptr<TemporalProcess>> start_laplace(const TemporalPlan& plan) {
  CV_CHECK(check_bounds(plan.lower, plan.upper, plan.mechanism));
  CV_TRY(temporal::LocalLaplace made, laplace_law(plan));
  const auto law = std::make_shared<const temporal::LocalLaplace>(std::move(made));
  return value_process(plan, [law](const std::string& value, BitSource& bits) -> Result<std::string> {
    CV_TRY(const double number, number_in(value));
    return shortest((*law)(number, bits));
  });
}

}  // namespace

const TemporalMechanism& piecewise() {
  static const TemporalMechanism row{.name = "piecewise",
                                     .summary = "numbers answered from a bounded range around them; a baseline",
                                     .moves = false,
                                     .prepare = prepare_piecewise,
                                     .event = priced_event<Pure>,
                                     .start = start_piecewise};
  return row;
}

const TemporalMechanism& local_laplace() {
  static const TemporalMechanism row{.name = "local_laplace",
                                     .summary = "numbers with Laplace noise; a baseline",
                                     .moves = false,
                                     .prepare = prepare_laplace,
                                     .event = priced_event<Laplace>,
                                     .start = start_laplace};
  return row;
}

}  // namespace chronoveil::mechanisms
