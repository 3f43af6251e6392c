#include "chronoveil/mechanisms/temporal/switching.h"

#include "chronoveil/mechanisms/temporal/common.h"
#include "chronoveil/temporal/switching.h"

namespace chronoveil::mechanisms {
namespace {

using accounting::Event;
using accounting::RanSwitch;
using accounting::StaSwitch;

ParameterInfo stay_info() {
  return {.name = "stay",
          .meaning = "the probability that a step keeps its value; \"auto\": the largest within epsilon and delta",
          .standard = "auto",
          .or_number = true};
}

template <class Kind>
constexpr bool kStateful = std::is_same_v<Kind, StaSwitch>;

template <class Kind>
Result<TemporalPlan> plan_of(const TemporalRequest& request) {
  const TemporalMechanism& row = kStateful<Kind> ? staswitch() : ranswitch();
  CV_CHECK(check_moving(request, row));
  CV_TRY(Parameters parameters, resolved(request.parameters, row.name, row.parameters));
  if (const std::optional<double> stay = auto_or_number(parameters, "stay")) {
    CV_CHECK(named(temporal::check({.window = request.window, .stay = *stay, .stateful = kStateful<Kind>})));
    const Event event{Kind{request.window, *stay}, request.lanes};
    CV_TRY(accounting::Price price, priced(request, row, event, "mechanism.stay", shortest(*stay)));
    return planned(request, row, std::move(parameters), event, std::move(price));
  }
  CV_TRY(accounting::Calibration found,
         calibrated(request, row, Event{Kind{request.window, accounting::kToCalibrate}, request.lanes}));
  parameters["stay"] = found.noise;
  return planned(request, row, std::move(parameters), std::move(found.event), std::move(found.price));
}

template <class Kind>
Result<Event> priced_event(const TemporalPlan& plan) {
  const std::optional<double> stay = auto_or_number(plan.parameters, "stay");
  if (!stay) return disagreement();
  return Event{Kind{plan.window, *stay}, plan.lanes};
}

template <class Kind>
Result<std::unique_ptr<TemporalProcess>> make_process(const TemporalPlan& plan) {
  using Kernel = temporal::Switching<TimedValue>;
  const std::optional<double> stay = auto_or_number(plan.parameters, "stay");
  if (!stay) return disagreement();
  CV_TRY(Kernel kernel, named(Kernel::make({.window = plan.window, .stay = *stay, .stateful = kStateful<Kind>})));
  return std::make_unique<MovingProcess<Kernel>>(std::move(kernel), plan.window);
}

}  // namespace

const TemporalMechanism& ranswitch() {
  static const TemporalMechanism row{.name = "ranswitch",
                                     .summary = "values exchanged with later ones of their window",
                                     .has_published = true,
                                     .parameters = {stay_info()},
                                     .prepare = plan_of<RanSwitch>,
                                     .event = priced_event<RanSwitch>,
                                     .start = make_process<RanSwitch>};
  return row;
}

const TemporalMechanism& staswitch() {
  static const TemporalMechanism row{.name = "staswitch",
                                     .summary = "the same, but no value is late by a window or more",
                                     .has_published = true,
                                     .parameters = {stay_info()},
                                     .prepare = plan_of<StaSwitch>,
                                     .event = priced_event<StaSwitch>,
                                     .start = make_process<StaSwitch>};
  return row;
}

}  // namespace chronoveil::mechanisms
