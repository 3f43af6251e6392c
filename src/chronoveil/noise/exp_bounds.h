// exp(-x) with proven error, in double and in fixed point of any precision. Nothing here relies on the accuracy of a
// mathematical library: only on IEEE 754 addition and multiplication, and on integers.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

namespace chronoveil::noise {

// The largest argument of near_exp_minus().
inline constexpr double kNearExpLimit = 690.0;

// exp(-x) for 0 <= x <= kNearExpLimit, with a relative error of at most 2^-36.
// Proof. r = x / 2^k <= 1/2 exactly, with k <= 11. The Taylor polynomial of degree 13 misses exp(-r) by at most
// r^14/14! < 2^-50; evaluating it by Horner's rule, where every intermediate result lies in [1/2, 1], loses less than
// 2^-50 (each of 13 steps adds at most 2^-53 for its sum and 3 r/j times 2^-53 for its two products and the rounded
// 1/j, and what it adds is multiplied by r/j <= 1/2 in the next). Relative to exp(-r) > 0.6 that is below 2^-47.5.
// Squaring k times multiplies the relative error by 2^k and adds at most 2^k 2^-53: at most 2^11 (2^-47.5 + 2^-53) <
// 2^-36.
double near_exp_minus(double x);

// lower <= 2^fraction_bits exp(-x) <= upper for every x with least <= 2^fraction_bits x <= greatest;
// 0 <= least <= greatest. The gap shrinks to a few units as least and greatest meet.
struct FixedInterval {
  boost::multiprecision::cpp_int lower;
  boost::multiprecision::cpp_int upper;
};
FixedInterval fixed_exp_minus(const boost::multiprecision::cpp_int& least,
                              const boost::multiprecision::cpp_int& greatest, unsigned fraction_bits);

}  // namespace chronoveil::noise
