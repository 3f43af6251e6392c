// The weights of a model, in one fixed order. They carry no autograd: gradients come from a Tape.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chronoveil/neural/torch.h"

namespace chronoveil::neural {

struct Parameter {
  std::string name;     // "hidden.0.weight"
  torch::Tensor value;  // float32
};

// Name and size of a parameter that does not exist yet.
struct ParameterShape {
  std::string name;
  std::vector<std::int64_t> sizes;
};

class Parameters {
 public:
  // The place of a new parameter in the order.
  std::size_t add(std::string name, torch::Tensor value);

  std::size_t count() const { return all_.size(); }
  std::int64_t size() const { return size_; }  // numbers in all, d
  const Parameter& operator[](std::size_t i) const { return all_[i]; }
  std::int64_t offset(std::size_t i) const { return offsets_[i]; }  // in a flat vector of d numbers

  torch::Tensor flat() const;                // a copy, [d]
  void set_flat(const torch::Tensor& flat);  // copies
  void to(const torch::Device&);

 private:
  std::vector<Parameter> all_;
  std::vector<std::int64_t> offsets_;
  std::int64_t size_ = 0;
};

}  // namespace chronoveil::neural
