#include "chronoveil/engine/perturb/ask.h"

#include "chronoveil/mechanisms/catalogue.h"

namespace chronoveil::engine {

// At another ε with the job's own parameters: calibrated ones must be found anew.
Ask ask_of(const PerturbPlanned& planned) {
  return ask_for<mechanisms::TemporalMechanism, mechanisms::TemporalPlan>(
      planned.chosen, planned.request, mechanisms::find_temporal_mechanism, [](const mechanisms::TemporalPlan& plan) {
        // Every value of the series stays, moved or noised: there is no cap.
        Ask made{"perturbed series", plan.mechanism, plan.event, plan.delta, ledger::Eviction::none};
        made.noise =
            plan.window > 0 ? "moves within " + std::to_string(plan.window) + " steps" : "values change in place";
        return made;
      });
}

}  // namespace chronoveil::engine
