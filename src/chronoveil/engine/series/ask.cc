#include "chronoveil/engine/series/ask.h"

#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/plan/noise_error.h"

namespace chronoveil::engine {

Ask ask_of(const Planned& planned) {
  mechanisms::Request request = planned.request;
  request.parameters = planned.chosen.parameters;  // the request's may be another mechanism's when we chose
  return ask_for<mechanisms::SeriesMechanism, mechanisms::SeriesPlan>(
      planned.chosen, request, mechanisms::find_series_mechanism,
      [eviction = planned.eviction](const mechanisms::SeriesPlan& plan) {
        Ask made{"series release", plan.mechanism, plan.event, plan.delta, eviction};
        made.noise = noise_text(plan.noise, plan.scale);
        if (const auto mechanism = mechanisms::find_series_mechanism(plan.mechanism))
          made.error = plan::noise_error(**mechanism, plan);
        return made;
      });
}

}  // namespace chronoveil::engine
