#include "chronoveil/mechanisms/temporal/threshold.h"

#include "chronoveil/mechanisms/temporal/common.h"
#include "chronoveil/temporal/threshold_dispatch.h"

namespace chronoveil::mechanisms {
namespace {

using accounting::Event;
using accounting::Threshold;
using Kernel = temporal::ThresholdDispatch<TimedValue>;

constexpr std::int64_t kToCalibrateToo = 0;  // for a threshold, which is a whole number

Result<TemporalPlan> plan_of(const TemporalRequest& request) {
  CV_CHECK(check_moving(request, threshold()));
  if (analysis_of(request, threshold()) != accounting::Analysis::published)
    return fail(ErrorKind::cannot_certify, "mechanism.name",
                "threshold has no certified price at any delta; `privacy.analysis = \"published\"` runs it "
                "with its paper's number, which is for single outputs");
  CV_TRY(Parameters parameters, resolved(request.parameters, threshold().name, threshold().parameters));
  const std::optional<double> given = auto_or_number(parameters, "threshold");
  Event event{Threshold{request.window, kToCalibrateToo}, request.lanes};
  if (given) {
    CV_TRY(const std::int64_t whole, whole_number("mechanism.threshold", *given, 1, request.window - 1));
    event.kind = Threshold{request.window, whole};
    CV_TRY(accounting::Price price, priced(request, threshold(), event, "mechanism.threshold", std::to_string(whole)));
    return planned(request, threshold(), std::move(parameters), std::move(event), std::move(price));
  }
  CV_TRY(accounting::Calibration found, calibrated(request, threshold(), event));
  parameters["threshold"] = static_cast<double>(std::get<Threshold>(found.event.kind).threshold);
  return planned(request, threshold(), std::move(parameters), std::move(found.event), std::move(found.price));
}

Result<Threshold> dispatch_of(const TemporalPlan& plan) {
  const std::optional<double> given = auto_or_number(plan.parameters, "threshold");
  if (!given) return disagreement();
  CV_TRY(const std::int64_t whole, whole_number("mechanism.threshold", *given, 1, plan.window - 1));
  return Threshold{plan.window, whole};
}

Result<Event> event_of(const TemporalPlan& plan) {
  CV_TRY(const Threshold dispatch, dispatch_of(plan));
  return Event{dispatch, plan.lanes};
}

class Process final : public TemporalProcess {
 public:
  Process(Kernel kernel, std::int64_t window) : kernel_(std::move(kernel)), window_(window) {}

  Result<void> push(TimedValue value, DrawRight& right, std::vector<Released>& out) override {
    CV_TRY(BitSource* const bits, right.bits());
    ++values_;
    kernel_.push(std::move(value), *bits, [&](Released&& each) { out.push_back(std::move(each)); });
    return {};
  }
  Result<std::int64_t> finish(DrawRight&, std::vector<Released>&) override {
    CV_CHECK(check_long_enough(values_, window_));
    return kernel_.finish();
  }

 private:
  Kernel kernel_;
  std::int64_t window_;
  std::int64_t values_ = 0;
};

Result<std::unique_ptr<TemporalProcess>> make_process(const TemporalPlan& plan) {
  CV_TRY(const Threshold dispatch, dispatch_of(plan));
  CV_TRY(Kernel kernel, named(Kernel::make({.window = dispatch.window, .threshold = dispatch.threshold})));
  return std::make_unique<Process>(std::move(kernel), plan.window);
}

}  // namespace

const TemporalMechanism& threshold() {
  static const TemporalMechanism row{
      .name = "threshold",
      .summary = "values sent to empty slots of their window; a baseline without a certified price",
      .certified = false,
      .has_published = true,
      .parameters = {{.name = "threshold",
                      .meaning = "the number of empty slots up to which a step keeps its own; \"auto\": the largest "
                                 "within epsilon",
                      .standard = "auto",
                      .or_number = true}},
      .prepare = plan_of,
      .event = event_of,
      .start = make_process};
  return row;
}

}  // namespace chronoveil::mechanisms
