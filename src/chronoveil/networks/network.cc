#include "chronoveil/networks/network.h"

#include "chronoveil/neural/tensor_bytes.h"

namespace chronoveil::networks {

Result<LoadedNetwork> network_of(const training::TrainedModel& trained) {
  CV_TRY(const std::vector<neural::Parameter> weights, neural::from_bytes(trained.weights));
  LoadedNetwork network;
  CV_TRY(network.model, neural::make_model(trained.config));
  // The shapes are checked against the weights first: a small file that claims a large network must not allocate one.
  const std::vector<neural::ParameterShape> shapes = network.model->shapes();
  bool fits = shapes.size() == weights.size();
  for (std::size_t i = 0; fits && i < shapes.size(); ++i)
    fits = shapes[i].name == weights[i].name && weights[i].value.sizes() == shapes[i].sizes;
  if (!fits) return fail(ErrorKind::bad_data, "model", "its weights are not those of its configuration");
  for (const neural::Parameter& weight : weights) network.parameters.add(weight.name, weight.value.clone());
  return network;
}

}  // namespace chronoveil::networks
