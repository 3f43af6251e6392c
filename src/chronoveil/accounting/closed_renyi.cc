#include "chronoveil/accounting/closed_renyi.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chronoveil/accounting/grid/extremes.h"

namespace chronoveil::accounting {
namespace {

double log_add(double a, double b) {
  const double high = std::max(a, b);
  return high + std::log1p(std::exp(std::min(a, b) - high));
}

// A divergence of an ε-DP event that was computed as a difference of logarithms. For a small ε the difference is lost
// in rounding, so the possible rounding error is added; there aε²/2 is the better bound [BunSteinke16, Prop. 3.3].
double rounded_up(double divergence, double epsilon, double a) {
  return std::min(divergence + 4e-15 * (1 + a * epsilon) / (a - 1), a * squared(epsilon) / 2);
}

}  // namespace

double squared(double x) { return x > 0 ? larger(x * x, std::numeric_limits<double>::min()) : 0.0; }

double pure_renyi(double epsilon, double a) {
  const double log_total = log_add(0, epsilon);  // log(1 + e^ε)
  return rounded_up(log_add(a * epsilon - log_total, (1 - a) * epsilon - log_total) / (a - 1), epsilon, a);
}

double laplace_renyi(double epsilon, double a) {
  return rounded_up(
      log_add(std::log(a / (2 * a - 1)) + (a - 1) * epsilon, std::log((a - 1) / (2 * a - 1)) - a * epsilon) / (a - 1),
      epsilon, a);
}

}  // namespace chronoveil::accounting
