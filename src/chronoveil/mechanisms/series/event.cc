#include "chronoveil/mechanisms/series/event.h"

#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/mechanisms/parts/every_step_process.h"

namespace chronoveil::mechanisms {
namespace {

Result<SeriesPlan> with_law(const Request& request, Parameters parameters, NoiseKind law) {
  if (law == NoiseKind::laplace) return pure_laplace(request, event(), std::move(parameters));
  return calibrated(request, event(), std::move(parameters), law, {accounting::Gaussian{accounting::kToCalibrate}},
                    [&](double) { return request.shape.l2(); });
}

Result<SeriesPlan> plan_of(const Request& request) {
  CV_CHECK(check_request(request, event()));
  CV_TRY(Parameters parameters, resolved(request, event()));
  const std::string law = text(parameters, "law");
  if (law == "laplace" || (law == "auto" && request.delta == 0))
    return with_law(request, std::move(parameters), NoiseKind::laplace);
  if (law == "gaussian") {
    if (request.delta == 0) return invalid("delta", 0.0, "greater than 0 for law gaussian");
    return with_law(request, std::move(parameters), NoiseKind::gaussian);
  }
  if (law != "auto") return invalid("mechanism.law", law, "auto, laplace or gaussian");
  CV_TRY(SeriesPlan laplace, with_law(request, parameters, NoiseKind::laplace));
  CV_TRY(SeriesPlan gaussian, with_law(request, std::move(parameters), NoiseKind::gaussian));
  const bool gaussian_is_less =
      standard_deviation(gaussian.noise, gaussian.scale) < standard_deviation(laplace.noise, laplace.scale);
  return gaussian_is_less ? gaussian : laplace;
}

}  // namespace

const SeriesMechanism& event() {
  static const SeriesMechanism row{
      .name = "event",
      .summary = "noise on every step that hides one person's slot",
      .units = {Unit::event},
      .measured = Measured::counts_by_series,
      .parameters = {{"law", "auto, laplace or gaussian; auto takes the one with the smaller variance",
                      std::string("auto")}},
      .prepare = plan_of,
      .measure = measure_every_step,
      .reconstruct = reconstruct_every_step,
      .go_live = go_live_every_step,
  };
  return row;
}

}  // namespace chronoveil::mechanisms
