// The network of a model file, ready to forecast.
#pragma once

#include <memory>

#include "chronoveil/neural/models/model.h"
#include "chronoveil/training/model_file.h"

namespace chronoveil::networks {

struct LoadedNetwork {
  std::unique_ptr<const neural::Model> model;
  neural::Parameters parameters;
};
// Refused (bad data) if the weights cannot be read or do not fit the configuration.
Result<LoadedNetwork> network_of(const training::TrainedModel&);

}  // namespace chronoveil::networks
