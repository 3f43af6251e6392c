#include "chronoveil/mechanisms/parts/filtered.h"

#include <algorithm>
#include <cmath>

#include "chronoveil/mechanisms/parts/calibrated.h"

namespace chronoveil::mechanisms {

std::vector<ParameterInfo> filter_parameters() {
  return {{"process_variance", "Q, how far the truth moves in a step: auto (from past answers) or a number",
           std::string("auto"), true},
          {"measurement_variance", "R, as the filter takes it: true (that of the noise) or a number",
           std::string("true"), true}};
}

Result<void> check_filter_parameters(const Parameters& parameters) {
  if (const auto q = auto_or_number(parameters, "process_variance"); q && !(*q >= 0 && std::isfinite(*q)))
    return invalid("mechanism.process_variance", *q, "auto or a finite number of at least 0");
  if (const auto r = auto_or_number(parameters, "measurement_variance"); r && !(*r > 0 && std::isfinite(*r)))
    return invalid("mechanism.measurement_variance", *r, "true or a finite number greater than 0");
  return {};
}

Result<SeriesPlan> calibrated_for_questions(const Request& request, const SeriesMechanism& mechanism,
                                            Parameters parameters, std::int64_t most, std::int64_t changes) {
  PublicShape asked = request.shape;
  const std::int64_t moved = std::min(asked.series * most, changes);
  // The norms of that many values are those of a person in that many slots.
  asked.unit = Unit::user;
  asked.relation = Relation::add_remove;
  asked.max_steps = moved;
  const bool laplace = request.delta == 0;
  const accounting::Event open = laplace ? accounting::Event{accounting::Laplace{accounting::kToCalibrate}}
                                         : accounting::Event{accounting::Gaussian{accounting::kToCalibrate}};
  CV_TRY(SeriesPlan plan,
         calibrated(request, mechanism, std::move(parameters), laplace ? NoiseKind::laplace : NoiseKind::gaussian, open,
                    [&](double) { return laplace ? asked.l1() : asked.l2(); }));
  plan.measured = request.shape.series * most;
  return plan;
}

namespace {

post::ScalarFilter filter_of(const SeriesPlan& plan) {
  const double deviation = standard_deviation(plan.noise, plan.scale);
  return {deviation * deviation, auto_or_number(plan.parameters, "process_variance"),
          auto_or_number(plan.parameters, "measurement_variance")};
}

}  // namespace

FilteredSeries::FilteredSeries(const SeriesPlan& plan)
    : widths_(combined_half_width(plan.noise, 1, plan.level)),
      maximum_(static_cast<double>(plan.shape.maximum)),
      filter_(filter_of(plan)) {}

LiveValue FilteredSeries::predict() {
  filter_.predict();
  return published(false);
}

LiveValue FilteredSeries::correct(double answer) {
  filter_.correct(answer);
  return published(true);
}

LiveValue FilteredSeries::published(bool sampled) const {
  const double value = filter_.estimate(), variance = filter_.error_variance();
  if (!std::isfinite(variance)) return {value, std::min(0.0, value), std::max(maximum_, value), sampled};
  const double half_width = widths_ * std::sqrt(variance);
  return {value, value - half_width, value + half_width, sampled};
}

}  // namespace chronoveil::mechanisms
