#include "chronoveil/neural/models/parameters.h"

#include <utility>

namespace chronoveil::neural {

std::size_t Parameters::add(std::string name, torch::Tensor value) {
  offsets_.push_back(size_);
  size_ += value.numel();
  all_.push_back({std::move(name), value.detach().to(torch::kFloat32).contiguous()});
  return all_.size() - 1;
}

torch::Tensor Parameters::flat() const {
  std::vector<torch::Tensor> parts;
  for (const Parameter& parameter : all_) parts.push_back(parameter.value.reshape({-1}));
  return torch::cat(parts);
}

void Parameters::set_flat(const torch::Tensor& flat) {
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    torch::Tensor& value = all_[i].value;
    value.copy_(flat.narrow(0, offsets_[i], value.numel()).view(value.sizes()));
  }
}

void Parameters::to(const torch::Device& device) {
  for (Parameter& parameter : all_) parameter.value = parameter.value.to(device);
}

}  // namespace chronoveil::neural
