// What a program can do with models that are networks. They need libtorch, which neither the library nor the small
// program has: chronoveil-forecast brings networks/networks.h, and a program without hands such models on to it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "chronoveil/training/forecaster.h"
#include "chronoveil/training/train.h"

namespace chronoveil::training {

// A model that learns from a panel, seeded and so not private: for a backtest.
class Trainee {
 public:
  virtual ~Trainee() = default;
  // Goes on until so many steps are taken; fewer than before: nothing happens.
  virtual Result<void> train_to(std::int64_t steps) = 0;
  virtual Result<std::unique_ptr<Forecaster>> forecaster() const = 0;
};

struct TraineeRequest {
  const engine::Job* job = nullptr;
  const engine::TrainPlanned* planned = nullptr;
  bool noise = true;
  forecasting::Panel panel;
  std::uint64_t seed = 0;
  std::string device = "cpu";
};

class Networks {
 public:
  virtual ~Networks() = default;
  // Refuses a device that is not there.
  virtual Result<void> check_device(const std::string& name) const = 0;
  // The same, and how many threads of the processor to use; as many as it has cores unless given.
  virtual Result<void> use(const std::string& device, std::optional<std::int64_t> threads) const = 0;
  // From the debit, or the rehearsal, to the model that is stored. `training` is planned and described.
  virtual Result<void> train(const engine::Job&, const TrainOptions&, Training& training) const = 0;
  // Refused if the weights do not fit the configuration.
  virtual Result<std::unique_ptr<Forecaster>> forecaster(const TrainedModel&, const std::string& device) const = 0;
  virtual Result<std::unique_ptr<Trainee>> trainee(TraineeRequest) const = 0;
};

// The networks, or an error that says what such a model needs.
Result<const Networks*> needed(const Networks*, const std::string& model);

}  // namespace chronoveil::training
