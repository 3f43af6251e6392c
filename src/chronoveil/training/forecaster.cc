#include "chronoveil/training/forecaster.h"

#include "chronoveil/training/networks.h"
#include "chronoveil/training/sign_lags/model.h"

namespace chronoveil::training {

Result<const Networks*> needed(const Networks* networks, const std::string& model) {
  if (networks != nullptr) return networks;
  return fail(ErrorKind::usage, "model", model + " is a network, which this program cannot train or run");
}

Result<void> use_machine(const Networks* networks, const std::string& device, std::optional<std::int64_t> threads) {
  if (networks == nullptr) return {};
  return networks->use(device, threads);
}

Result<std::unique_ptr<Forecaster>> forecaster_of(const TrainedModel& model, const Networks* given,
                                                  const std::string& device) {
  if (!forecasting::is_network(model.config.model)) return sign_lags_forecaster(model);
  CV_TRY(const Networks* networks, needed(given, model.config.model));
  return networks->forecaster(model, device);
}

}  // namespace chronoveil::training
