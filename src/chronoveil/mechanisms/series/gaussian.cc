#include "chronoveil/mechanisms/series/gaussian.h"

#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/mechanisms/parts/every_step_process.h"

namespace chronoveil::mechanisms {
namespace {

Result<SeriesPlan> plan_of(const Request& request) {
  CV_CHECK(check_request(request, gaussian()));
  CV_TRY(Parameters parameters, resolved(request, gaussian()));
  return calibrated(request, gaussian(), std::move(parameters), NoiseKind::gaussian,
                    {accounting::Gaussian{accounting::kToCalibrate}}, [&](double) { return request.shape.l2(); });
}

}  // namespace

const SeriesMechanism& gaussian() {
  static const SeriesMechanism row{
      .name = "gaussian",
      .summary = "Gaussian noise on every step",
      .units = {Unit::user, Unit::event, Unit::w_event},
      .needs_delta = true,
      .has_published = true,
      .measured = Measured::counts_by_series,
      .prepare = plan_of,
      .measure = measure_every_step,
      .reconstruct = reconstruct_every_step,
      .go_live = go_live_every_step,
  };
  return row;
}

}  // namespace chronoveil::mechanisms
