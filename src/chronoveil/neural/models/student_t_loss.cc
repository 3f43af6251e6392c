#include "chronoveil/neural/models/student_t_loss.h"

#include <algorithm>
#include <vector>

#include "chronoveil/neural/vector_math.h"

namespace chronoveil::neural {
namespace {

constexpr float kHalfLogOfTwoPi = 0.918938533204673F;

CHRONOVEIL_INLINE void loss_loop(const StudentTLoss& at, std::int64_t windows, std::int64_t terms, float* parts) {
  float* const __restrict part = parts;
  for (std::int64_t b = 0; b < windows; ++b) {
    const float* const __restrict location = at.location + b * terms;
    const float* const __restrict scale = at.scale + b * terms;
    const float* const __restrict freedom = at.freedom + b * terms;
    const float* const __restrict target = at.target + b * terms;
    const float* const __restrict observed = at.observed + b * terms;
    float* const __restrict location_gradient = at.location_gradient + b * terms;
    float* const __restrict scale_gradient = at.scale_gradient + b * terms;
    float* const __restrict freedom_gradient = at.freedom_gradient + b * terms;
    double count = 0;
    for (std::int64_t j = 0; j < terms; ++j) count += static_cast<double>(observed[j]);
    count = std::max(count, 1.0);
    const auto share = static_cast<float>(1 / count);
    CHRONOVEIL_APART
    for (std::int64_t j = 0; j < terms; ++j) {
      const float inverse = 1.0F / scale[j], nu = freedom[j], u = 2.0F / nu;
      const float z = choose(observed[j] > 0.0F, target[j] - location[j], 0.0F) * inverse;
      const float square = z * z, ratio = (nu + 1.0F) / (nu + square);
      const float log_term = log1p_of(square / nu);
      // The slope of P, and P as its integral.
      const float slope = ((((((-6.51784835e-4F * u + 4.03080721e-3F) * u - 1.01891991e-2F) * u + 1.19681444e-2F) * u -
                             9.27915845e-4F) *
                                u -
                            1.55197025e-2F) *
                               u -
                           4.74340904e-6F) *
                              u +
                          1.25000037e-1F;
      const float p = (((((((-8.14731044e-5F * u + 5.75829602e-4F) * u - 1.69819986e-3F) * u + 2.39362887e-3F) * u -
                          2.31978961e-4F) *
                             u -
                         5.17323418e-3F) *
                            u -
                        2.37170452e-6F) *
                           u +
                       1.25000037e-1F) *
                      u;
      const float weight = observed[j] * share;
      part[j] = (0.5F * (nu + 1.0F) * log_term + log_of(scale[j]) + kHalfLogOfTwoPi + p) * observed[j];
      location_gradient[j] = -weight * ratio * z * inverse;
      scale_gradient[j] = weight * (1.0F - ratio * square) * inverse;
      freedom_gradient[j] = weight * 0.5F * (log_term - ratio * square / nu - u * u * slope);
    }
    double sum = 0;
    for (std::int64_t j = 0; j < terms; ++j) sum += static_cast<double>(part[j]);
    at.loss[b] = static_cast<float>(sum / count);
  }
}

#if defined(CHRONOVEIL_WIDE)
CHRONOVEIL_WIDE void loss_wide(const StudentTLoss& at, std::int64_t windows, std::int64_t terms, float* parts) {
  loss_loop(at, windows, terms, parts);
}
#endif

}  // namespace

void student_t_loss(const StudentTLoss& at, std::int64_t windows, std::int64_t terms) {
  std::vector<float> parts(static_cast<std::size_t>(terms));
  CHRONOVEIL_RETURN_CHOSEN(loss_wide(at, windows, terms, parts.data()), loss_loop(at, windows, terms, parts.data()));
}

}  // namespace chronoveil::neural
