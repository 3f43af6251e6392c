#include "chronoveil/base/staircase.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "chronoveil/base/rounded_up.h"

namespace chronoveil {
namespace {

// Beyond this many different |x| both rules agree to a few in a thousand, and adding up takes too long.
constexpr std::int64_t kMostSizes = 1 << 14;
constexpr double kNegligible = 1e-12;

// How many levels are worth looking at: e^(-(ε/2) l) > kNegligible.
std::int64_t levels_of(double epsilon) {
  return 1 + static_cast<std::int64_t>(std::min(-2 * std::log(kNegligible) / epsilon, 1e9));
}

// E|rank - t| of the value with key t + x among many: given x, the rank is t + x plus the sum of independent coins, one
// for each other key that may cross, whose variance is V = Σ F(1 - F) over all integers, F(y) = P(X < y) + P(X = y)/2;
// taken as normal, E|N(x, V)| = √(2V/π) e^{-x²/2V} + |x| erf(|x|/√2V).
double sorted_distance(std::int64_t window, double epsilon, std::int64_t plateau) {
  const double fall = std::exp(-epsilon / 2);
  const auto width = static_cast<double>(window - 1);
  const double total = 2 * static_cast<double>(plateau) - 1 + 2 * width * fall / (1 - fall);
  const std::int64_t sizes = plateau + (window - 1) * levels_of(epsilon);
  double variance = 0.25, above = 0.5 - 0.5 / total;  // above: P(X > 0)
  for (std::int64_t x = 1; x < sizes; ++x) {
    const double share = std::pow(fall, static_cast<double>(staircase_level(x, window, plateau))) / total;
    const double beyond = above - share / 2;
    variance += 2 * beyond * (1 - beyond);
    above -= share;
  }
  const double spread = std::sqrt(variance);
  double distance = spread * std::sqrt(2 / std::numbers::pi) / total;
  for (std::int64_t x = 1; x < sizes; ++x) {
    const double share = std::pow(fall, static_cast<double>(staircase_level(x, window, plateau))) / total;
    const double size = static_cast<double>(x), z = size / spread;
    distance +=
        2 * share *
        (spread * std::sqrt(2 / std::numbers::pi) * std::exp(-z * z / 2) + size * std::erf(z / std::numbers::sqrt2));
  }
  return distance;
}

}  // namespace

// The plateau at which keys are nearest to their steps. With s = 1/(e^(ε/2) - 1) and y = 2r - 1 + 2Ds, summing the
// levels gives E|x| = y/4 + γ/y with 4γ = 4 D^2 (s + s^2) - 1. This is convex in r, and r + 1 is no better than r when
// 4γ <= y (y + 2), that is D^2 <= r^2 / s + 2 r D.
std::int64_t nearest_plateau(std::int64_t window, double epsilon) {
  const auto width = static_cast<double>(window - 1);
  const double fall = std::expm1(epsilon / 2);
  std::int64_t least = 1, enough = window / 2;  // 2 r D >= D^2 from r = D/2 on
  while (least < enough) {
    const std::int64_t middle = least + (enough - least) / 2;
    const auto r = static_cast<double>(middle);
    if (r * r * fall + 2 * r * width >= width * width) {
      enough = middle;
    } else {
      least = middle + 1;
    }
  }
  return least;
}

std::int64_t staircase_plateau(std::int64_t window, double epsilon) {
  std::int64_t plateau = nearest_plateau(window, epsilon);
  if (levels_of(epsilon) > kMostSizes / window) return plateau;
  // Sorting exchanges values less on a short plateau than on a few high steps: the best is at this plateau or just
  // above.
  double distance = sorted_distance(window, epsilon, plateau);
  while (plateau + 1 < window) {
    const double next = sorted_distance(window, epsilon, plateau + 1);
    if (next >= distance) break;
    distance = next;
    ++plateau;
  }
  return plateau;
}

double key_scale(std::int64_t window, double epsilon) {
  return quotient_up(2 * static_cast<double>(window - 1), epsilon);
}

}  // namespace chronoveil
