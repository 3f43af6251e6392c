// Student's law for a forecast: its parameters, its negative log-likelihood, and draws of it.
#pragma once

#include <cstdint>

#include "chronoveil/neural/torch.h"

namespace chronoveil::neural {

// In units of the window's scale; each [B, L_F, D], scale > 0, freedom > 2.
struct StudentT {
  torch::Tensor location, scale, freedom;
};
// Parameters of the law from three raw outputs: location as it is, softplus for the scale (and a floor), 2 + softplus.
StudentT student_t(const torch::Tensor& location, const torch::Tensor& scale, const torch::Tensor& freedom);
// - ln density of the target, averaged over the observed steps and channels of each window: [B]. 0 for a window without
// any.
torch::Tensor negative_log_likelihood(const StudentT&, const torch::Tensor& target, const torch::Tensor& observed);
// The same by libtorch's operations, as on other devices than the CPU; for tests.
torch::Tensor negative_log_likelihood_by_operations(const StudentT&, const torch::Tensor& target,
                                                    const torch::Tensor& observed);

// Draws of a law, [count, B, L_F, D]; the generator is of the law's device. A law that is not finite gives draws that
// are not finite.
torch::Tensor draw(const StudentT&, std::int64_t count, torch::Generator);
// A generator of its own for a device, from a public seed.
torch::Generator generator_for(const torch::Device&, std::uint64_t seed);

}  // namespace chronoveil::neural
