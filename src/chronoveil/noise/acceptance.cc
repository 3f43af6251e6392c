#include "chronoveil/noise/acceptance.h"

#include <cmath>
#include <optional>

#include "chronoveil/noise/exp_bounds.h"

namespace chronoveil::noise {

using boost::multiprecision::cpp_int;

double near_density(const Curve& curve, double x) {
  // x / scale is off by at most 2^-50 relatively, phi by at most 2^-48.9, which is at most 2^-39 absolutely as
  // phi <= 690 < 2^9.5; so exp(-phi) is off by 2^-38.9 for that and by 2^-36 for near_exp_minus: less than 2^-35 in
  // all, and the bound of 2^-34 leaves room for a few products with exact factors.
  const double z = x / curve.scale;
  const double phi = curve.gaussian ? 0.5 * z * z : z;
  return phi <= kNearExpLimit ? near_exp_minus(phi) : 0.0;
}

namespace {

// The first 64 bits of both fractions and double precision decide almost always.
std::optional<bool> quick_decision(const Curve& curve, const Candidate& candidate, std::uint64_t height_bits,
                                   std::uint64_t position_bits) {
  if (candidate.exponent > 256 || candidate.position >> 96 != 0) return std::nullopt;
  const double height = static_cast<double>(candidate.height) + std::ldexp(static_cast<double>(height_bits), -64);
  double position = static_cast<double>(candidate.position);
  if (!candidate.position_is_exact) position += std::ldexp(static_cast<double>(position_bits), -64);
  // The fraction of a position is known to 2^-64 of a unit, and a scale is at least 2^-40 units where positions are
  // exact and at least 1 unit where they are not: that adds less than 2^-63 to phi near 0 and less than a relative
  // 2^-63 elsewhere, both within the room that kNearDensityError leaves.
  const double density = near_density(curve, position);
  const double scaled = std::ldexp(static_cast<double>(candidate.factor), static_cast<int>(candidate.exponent));
  // 1e-299 covers a density beyond the limit of near_exp_minus; the product stays below 2^(40 + 256) 1e-299.
  const double least = scaled * density * (1 - kNearDensityError);
  const double greatest = scaled * (density * (1 + kNearDensityError) + 1e-299);
  if ((height + 0x1p-64) * (1 + 0x1p-50) < least) return true;
  if (height * (1 - 0x1p-50) > greatest) return false;
  return std::nullopt;
}

cpp_int to_cpp_int(Uint128 value) {
  return (cpp_int(static_cast<std::uint64_t>(value >> 64)) << 64) + static_cast<std::uint64_t>(value);
}

// floor or ceiling of numerator 2^shift / denominator
cpp_int scaled_quotient(cpp_int numerator, cpp_int denominator, std::int64_t shift, bool up) {
  if (shift >= 0) {
    numerator <<= static_cast<unsigned>(shift);
  } else {
    denominator <<= static_cast<unsigned>(-shift);
  }
  if (up) numerator += denominator - 1;
  return numerator / denominator;
}

// phi(numerator / 2^bits) 2^fraction_bits, rounded down or up.
cpp_int fixed_phi(const Curve& curve, const cpp_int& numerator, unsigned bits, unsigned fraction_bits, bool up) {
  int scale_exponent = 0;
  const double mantissa = std::frexp(curve.scale, &scale_exponent);
  const cpp_int scale(
      static_cast<std::int64_t>(std::ldexp(mantissa, 53)));  // the scale is this times 2^(exponent - 53)
  const std::int64_t unit = scale_exponent - 53;
  const std::int64_t shift = std::int64_t{fraction_bits} - bits - unit;
  if (!curve.gaussian) return scaled_quotient(numerator, scale, shift, up);
  return scaled_quotient(numerator * numerator, scale * scale, shift - bits - unit - 1, up);
}

bool wide_decision(const Curve& curve, const Candidate& candidate, std::uint64_t height_bits,
                   std::uint64_t position_bits, BitSource& bits) {
  constexpr unsigned kGuardBits = 64;
  cpp_int height = (cpp_int(candidate.height) << 64) + height_bits;
  cpp_int position = to_cpp_int(candidate.position);
  if (!candidate.position_is_exact) position = (position << 64) + position_bits;
  unsigned position_fraction = candidate.position_is_exact ? 0 : 64;
  for (unsigned drawn = 64;; drawn += 64) {
    const cpp_int position_end = candidate.position_is_exact ? position : position + 1;
    // factor 2^exponent exp(-phi) 2^drawn = factor (exp(-phi) 2^fraction_bits) / 2^kGuardBits
    const std::int64_t fraction_bits = candidate.exponent + drawn + kGuardBits;
    FixedInterval density{0, 1};
    // As in fixed_exp_minus: with phi >= 0.7 fraction_bits, exp(-phi) is less than a unit. Looking first keeps huge
    // exponents from asking for huge numbers.
    if (fixed_phi(curve, position, position_fraction, 0, false) < cpp_int(fraction_bits) * 7 / 10 + 1) {
      const auto precision = static_cast<unsigned>(fraction_bits);
      density = fixed_exp_minus(fixed_phi(curve, position, position_fraction, precision, false),
                                fixed_phi(curve, position_end, position_fraction, precision, true), precision);
    }
    const cpp_int least = (density.lower * candidate.factor) >> kGuardBits;
    const cpp_int greatest = ((density.upper * candidate.factor) >> kGuardBits) + 1;
    if (height + 1 <= least) return true;
    if (height >= greatest) return false;
    height = (height << 64) + bits.next_u64();
    if (!candidate.position_is_exact) {
      position = (position << 64) + bits.next_u64();
      position_fraction += 64;
    }
  }
}

}  // namespace

bool accepts(const Curve& curve, const Candidate& candidate, BitSource& bits, Route route) {
  const std::uint64_t height_bits = bits.next_u64();
  const std::uint64_t position_bits = candidate.position_is_exact ? 0 : bits.next_u64();
  if (route == Route::quick_then_wide) {
    const std::optional<bool> decision = quick_decision(curve, candidate, height_bits, position_bits);
    if (decision) return *decision;
  }
  return wide_decision(curve, candidate, height_bits, position_bits, bits);
}

}  // namespace chronoveil::noise
