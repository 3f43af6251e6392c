#include "chronoveil/mechanisms/series/laplace.h"

#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/mechanisms/parts/every_step_process.h"

namespace chronoveil::mechanisms {
namespace {

Result<SeriesPlan> plan_of(const Request& request) {
  CV_CHECK(check_request(request, laplace()));
  CV_TRY(Parameters parameters, resolved(request, laplace()));
  return pure_laplace(request, laplace(), std::move(parameters));
}

}  // namespace

const SeriesMechanism& laplace() {
  static const SeriesMechanism row{
      .name = "laplace",
      .summary = "Laplace noise on every step",
      .units = {Unit::user, Unit::event, Unit::w_event},
      .measured = Measured::counts_by_series,
      .prepare = plan_of,
      .measure = measure_every_step,
      .reconstruct = reconstruct_every_step,
      .go_live = go_live_every_step,
  };
  return row;
}

}  // namespace chronoveil::mechanisms
