// - ln density of Student's law and its gradient, for B windows of n terms each, on contiguous memory of the CPU.
//   With z = (y - location) / scale, ν the freedom and u = 2/ν <= 1, a term is
//     (ν + 1)/2 ln(1 + z²/ν) + ln scale + ½ ln 2π + P(u),   P(u) = lnΓ(1/u) - ½ ln u - lnΓ(1/u + ½)
//   P is smooth, from 0 at u = 0 (the normal law) to 0.121 at u = 1: a polynomial, within 2e-9, its slope within 4e-8.
//   A window's loss is the mean of its observed terms; 0 without any. An unobserved y may be anything.
// The result for a window does not depend on its place or on its neighbours in the batch.
#pragma once

#include <cstdint>

namespace chronoveil::neural {

struct StudentTLoss {
  const float *location, *scale, *freedom;                       // [B, n]; scale a normal float > 0, freedom >= 2
  const float *target, *observed;                                // [B, n]
  float* loss;                                                   // [B]
  float *location_gradient, *scale_gradient, *freedom_gradient;  // of the window's loss, [B, n]
};
void student_t_loss(const StudentTLoss&, std::int64_t windows, std::int64_t terms);

}  // namespace chronoveil::neural
