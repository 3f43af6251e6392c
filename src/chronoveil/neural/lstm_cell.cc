#include "chronoveil/neural/lstm_cell.h"

#include <bit>
#include <cstdint>

// The loops are written once and compiled twice on x86: for any processor, and for those with AVX2 and FMA, chosen at
// run time. They hold no call and no branch, so that the compiler can make vectors of them.
#define CHRONOVEIL_INLINE inline __attribute__((always_inline))
#if defined(__clang__)
#define CHRONOVEIL_APART _Pragma("clang loop vectorize(assume_safety)")
#else
#define CHRONOVEIL_APART _Pragma("GCC ivdep")
#endif
#if defined(__x86_64__)
#define CHRONOVEIL_WIDE __attribute__((target("avx2,fma")))
#endif

namespace chronoveil::neural {
namespace {

// yes ? a : b, by bits: a choice that the compiler cannot turn into a branch.
CHRONOVEIL_INLINE float choose(bool yes, float a, float b) {
  const std::uint32_t mask = 0U - static_cast<std::uint32_t>(yes);
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(a) & mask) | (std::bit_cast<std::uint32_t>(b) & ~mask));
}

// e^x for |x| <= 87, and the value at the end beyond: 2^n e^r with n = round(x / ln 2), ln 2 in two parts, and a
// polynomial for e^r (Cephes' expf). Adding 1.5 * 2^23 leaves n in the low bits of the sum.
CHRONOVEIL_INLINE float exp_within(float x) {
  x = choose(x < -87.0F, -87.0F, x);
  x = choose(x > 87.0F, 87.0F, x);
  const float shifted = x * 1.44269504088896341F + 12582912.0F;
  const float n = shifted - 12582912.0F;
  const float r = (x - n * 0.693359375F) - n * -2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * r * r + r + 1.0F;
  return p * std::bit_cast<float>((std::bit_cast<std::uint32_t>(shifted) << 23) + 0x3F800000U);
}

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
bool wide() {
  static const bool known = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return known;
}
#endif

}  // namespace

void lstm_cell_forward(const LstmForward& at, std::int64_t windows, std::int64_t units) {
#if defined(CHRONOVEIL_WIDE)
  if (wide()) return forward_wide(at, windows, units);
#endif
  forward_loop(at, windows, units);
}

void lstm_cell_backward(const LstmBackward& at, std::int64_t windows, std::int64_t units) {
#if defined(CHRONOVEIL_WIDE)
  if (wide()) return backward_wide(at, windows, units);
#endif
  backward_loop(at, windows, units);
}

}  // namespace chronoveil::neural
