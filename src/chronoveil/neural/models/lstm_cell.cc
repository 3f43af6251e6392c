#include "chronoveil/neural/models/lstm_cell.h"

#include "chronoveil/neural/vector_math.h"

namespace chronoveil::neural {
namespace {

CHRONOVEIL_INLINE float sigmoid(float x) { return 1.0F / (1.0F + exp_within(-x)); }

// Near 0 by a polynomial (Cephes' tanhf), where 1 - 2 / (e^2x + 1) would cancel.
CHRONOVEIL_INLINE float hyperbolic_tangent(float x) {
  const float z = x * x;
  float p = -5.70498872745e-3F;
  p = p * z + 2.06390887954e-2F;
  p = p * z - 5.37397155531e-2F;
  p = p * z + 1.33314422036e-1F;
  p = p * z - 3.33332819422e-1F;
  p = p * z * x + x;
  const float far = 1.0F - 2.0F / (exp_within(2.0F * x) + 1.0F);
  return choose(z < 0.390625F, p, far);
}

CHRONOVEIL_INLINE void forward_loop(const LstmForward& at, std::int64_t windows, std::int64_t units) {
  for (std::int64_t b = 0; b < windows; ++b) {
    float* const __restrict i = at.gates + b * 4 * units;
    float* const __restrict f = i + units;
    float* const __restrict g = f + units;
    float* const __restrict o = g + units;
    const float* const __restrict before = at.before + b * units;
    float* const __restrict cell = at.cell + b * units;
    float* const __restrict tanh_cell = at.tanh_cell + b * units;
    float* const __restrict hidden = at.hidden + b * units;
    CHRONOVEIL_APART
    for (std::int64_t j = 0; j < units; ++j) {
      const float in = sigmoid(i[j]);
      const float forget = sigmoid(f[j]);
      const float candidate = hyperbolic_tangent(g[j]);
      const float out = sigmoid(o[j]);
      const float c = forget * before[j] + in * candidate;
      const float t = hyperbolic_tangent(c);
      i[j] = in;
      f[j] = forget;
      g[j] = candidate;
      o[j] = out;
      cell[j] = c;
      tanh_cell[j] = t;
      hidden[j] = out * t;
    }
  }
}

CHRONOVEIL_INLINE void backward_loop(const LstmBackward& at, std::int64_t windows, std::int64_t units) {
  for (std::int64_t b = 0; b < windows; ++b) {
    float* const __restrict i = at.gates + b * 4 * units;
    float* const __restrict f = i + units;
    float* const __restrict g = f + units;
    float* const __restrict o = g + units;
    const float* const __restrict before = at.before + b * units;
    const float* const __restrict tanh_cell = at.tanh_cell + b * units;
    const float* const __restrict hidden_gradient = at.hidden_gradient + b * units;
    float* const __restrict cell_gradient = at.cell_gradient + b * units;
    CHRONOVEIL_APART
    for (std::int64_t j = 0; j < units; ++j) {
      const float dh = hidden_gradient[j];
      const float t = tanh_cell[j];
      const float dc = cell_gradient[j] + dh * o[j] * (1.0F - t * t);
      const float in = i[j];
      const float forget = f[j];
      const float candidate = g[j];
      i[j] = dc * candidate * in * (1.0F - in);
      f[j] = dc * before[j] * forget * (1.0F - forget);
      g[j] = dc * in * (1.0F - candidate * candidate);
      o[j] = dh * t * o[j] * (1.0F - o[j]);
      cell_gradient[j] = dc * forget;
    }
  }
}

#if defined(CHRONOVEIL_WIDE)
CHRONOVEIL_WIDE void forward_wide(const LstmForward& at, std::int64_t windows, std::int64_t units) {
  forward_loop(at, windows, units);
}
CHRONOVEIL_WIDE void backward_wide(const LstmBackward& at, std::int64_t windows, std::int64_t units) {
  backward_loop(at, windows, units);
}
#endif

}  // namespace

void lstm_cell_forward(const LstmForward& at, std::int64_t windows, std::int64_t units) {
  CHRONOVEIL_RETURN_CHOSEN(forward_wide(at, windows, units), forward_loop(at, windows, units));
}

void lstm_cell_backward(const LstmBackward& at, std::int64_t windows, std::int64_t units) {
  CHRONOVEIL_RETURN_CHOSEN(backward_wide(at, windows, units), backward_loop(at, windows, units));
}

}  // namespace chronoveil::neural
