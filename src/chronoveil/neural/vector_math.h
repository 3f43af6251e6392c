// Functions of a float for loops that the compiler vectorises: without calls and branches. NaN stays NaN.
//   A loop is written once, in a function marked CHRONOVEIL_INLINE, and compiled twice on x86: for any processor, and
//   inside one marked CHRONOVEIL_WIDE for those with AVX2 and FMA, chosen at run time by CHRONOVEIL_RETURN_CHOSEN.
#pragma once

#include <bit>
#include <cstdint>

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

#if defined(CHRONOVEIL_WIDE)
inline bool wide_vectors() {
  static const bool known = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return known;
}
// Returns one of two calls.
#define CHRONOVEIL_RETURN_CHOSEN(wide, plain) return wide_vectors() ? (wide) : (plain)
#else
#define CHRONOVEIL_RETURN_CHOSEN(wide, plain) return plain
#endif

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

// ln x for a normal x > 0, to 2 units in the last place (Cephes' logf): x = 2^e m with m in [√½, √2). Infinity stays.
CHRONOVEIL_INLINE float log_of(float x) {
  constexpr std::uint32_t kRootOfHalf = 0x3F3504F3U;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const std::int32_t e = static_cast<std::int32_t>(bits - kRootOfHalf) >> 23;
  const float z = std::bit_cast<float>(bits - (static_cast<std::uint32_t>(e) << 23)) - 1.0F;
  const auto n = static_cast<float>(e);
  float p = 7.0376836292e-2F;
  p = p * z - 1.1514610310e-1F;
  p = p * z + 1.1676998740e-1F;
  p = p * z - 1.2420140846e-1F;
  p = p * z + 1.4249322787e-1F;
  p = p * z - 1.6668057665e-1F;
  p = p * z + 2.0000714765e-1F;
  p = p * z - 2.4999993993e-1F;
  p = p * z + 3.3333331174e-1F;
  const float y = p * z * z * z - n * 2.12194440e-4F - 0.5F * z * z;
  return choose(x - x == 0.0F, z + y + n * 0.693359375F, x);
}

// ln(1 + x) for x >= 0, corrected for the rounding of 1 + x. NaN for infinity.
CHRONOVEIL_INLINE float log1p_of(float x) {
  const float whole = 1.0F + x;
  return log_of(whole) + (x - (whole - 1.0F)) / whole;
}

}  // namespace chronoveil::neural
