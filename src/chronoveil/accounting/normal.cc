#include "chronoveil/accounting/normal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

namespace chronoveil::accounting {
namespace {

constexpr long double kSqrtHalf = 0.70710678118654752440084436210484904L;
constexpr long double kHalfLogTwoPi = 0.91893853320467274178032973640561764L;

template <class T>
T mills(T x) {
  if (x < 9) return T(0.5) * std::erfc(x * T(kSqrtHalf)) * std::exp(T(0.5) * x * x + T(kHalfLogTwoPi));
  // Laplace's continued fraction 1/(x + 1/(x + 2/(x + 3/(x + ...)))), from the inside out; its error falls like
  // e^{−2x√(2k)}, so a few terms are enough from x = 9 on.
  T tail = x;
  for (int k = 24; k >= 1; --k) tail = x + T(k) / tail;
  return 1 / tail;
}

// (1 − t M(t)) by Mills' ratio; |t| <= 150 keeps it to 1e-15 or better.
long double mills_slope(long double t) { return 1 - t * mills(t); }

// M(t − h) − M(t + h) = −2 Σ_{n odd} h^n/n! M⁽ⁿ⁾(t) for −11 <= t <= 20 and h <= ¼, from M(t): M' = tM − 1 and
// M⁽ⁿ⁺¹⁾ = t M⁽ⁿ⁾ + n M⁽ⁿ⁻¹⁾. All terms are positive. Above t = 0 the recurrence loses digits, t² each time, and its
// terms fall faster than that.
template <class T>
T mills_difference(T t, T h, T ratio) {
  constexpr T kNothing = std::is_same_v<T, double> ? T(1e-14) : T(1e-20);
  T before = ratio, derivative = t * before - 1;  // M⁽ⁿ⁻¹⁾ and M⁽ⁿ⁾, n = 1
  T power = h, sum = 0;                           // h^n/n!
  for (int n = 1; n < 80; n += 2) {
    const T term = -power * derivative;
    sum += term;
    if (term < kNothing * sum) break;
    const T next = t * derivative + T(n) * before;  // n + 1
    before = next;
    derivative = t * next + T(n + 1) * derivative;  // n + 2
    power *= h * h / T((n + 1) * (n + 2));
  }
  return 2 * sum;
}

// M(t) for 0 <= t <= 20 by Taylor's series around the nearest multiple of 1/8: a fraction of the time of erfc. With
// |d| <= 1/16 the first omitted term is below 1e-16 M; the recurrence loses (td)^n/n! units, e^1.25 in all.
class QuickMills {
 public:
  QuickMills() {
    for (int i = 0; i < kNodes; ++i) {
      const long double t = static_cast<long double>(i) / kInOne;
      long double before = 0, here = mills(t), factorial = 1;
      for (int n = 0; n < kTerms; ++n) {
        terms_[i][n] = static_cast<double>(here / factorial);
        const long double next = t * here + (n == 0 ? -1 : static_cast<long double>(n) * before);
        before = here;
        here = next;
        factorial *= n + 1;
      }
    }
  }

  double at(double t) const {
    const int i = static_cast<int>(kInOne * t + 0.5);
    const double d = t - static_cast<double>(i) / kInOne;
    const double* const term = terms_[i];
    double sum = term[kTerms - 1];
    for (int n = kTerms - 1; n-- > 0;) sum = sum * d + term[n];
    return sum;
  }

 private:
  static constexpr int kInOne = 8, kNodes = 20 * kInOne + 1, kTerms = 11;
  double terms_[kNodes][kTerms];
};

}  // namespace

long double normal_tail(long double x) { return 0.5L * std::erfc(x * kSqrtHalf); }

long double log_normal_density(long double x) { return -0.5L * x * x - kHalfLogTwoPi; }

long double mills_ratio(long double x) { return mills(x); }

double normal_quantile_above(double tail) {
  double low = 0, high = 40;
  for (int i = 0; i < 60; ++i) {
    const double mid = 0.5 * (low + high);
    (normal_tail(mid) > tail ? low : high) = mid;
  }
  return high;
}

double gauss_width(double x) { return std::min(0.25, 3.0 / std::max(1.0, std::abs(x))); }

double normal_interval(double lo, double hi) {
  if (!(hi > lo)) return 0;
  if (lo < 0 && hi > 0) return normal_interval(0, -lo) + normal_interval(0, hi);
  if (hi <= 0) return normal_interval(-hi, -lo);
  const double width = hi - lo;
  if (width > gauss_width(lo)) return static_cast<double>(normal_tail(lo) - normal_tail(hi));
  const double mid = 0.5 * (lo + hi), half = 0.5 * width;
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    const double left = mid - half * kGaussNodes[i], right = mid + half * kGaussNodes[i];
    sum += kGaussWeights[i] * (std::exp(-0.5 * left * left) + std::exp(-0.5 * right * right));
  }
  return sum * half * (std::numbers::inv_sqrtpi / std::numbers::sqrt2);
}

long double gaussian_profile(long double mu, long double epsilon) {
  if (mu <= 0) return std::max(0.0L, -std::expm1(epsilon));
  const long double x = epsilon / mu - mu / 2;
  if (x > 150) return 0;  // below the range of a long double
  if (x < -10) {
    const long double y = x + mu;
    const long double second =
        y < -10 ? std::exp(epsilon) * normal_tail(y) : std::exp(log_normal_density(x)) * mills_ratio(y);
    return normal_tail(x) - second;
  }
  const long double density = std::exp(log_normal_density(x));
  if (mu > 0.5L) return density * (mills_ratio(x) - mills_ratio(x + mu));
  // M(x) − M(x+μ) = ∫ (1 − t M(t)) dt, smooth and positive: no cancellation for small μ.
  const long double half = mu / 2, mid = x + half;
  if (mid <= 20) return density * mills_difference(mid, half, mills(mid));
  long double sum = 0;
  for (int i = 0; i < 4; ++i) {
    const long double step = half * kGaussNodes[i];
    sum += kGaussWeights[i] * (mills_slope(mid - step) + mills_slope(mid + step));
  }
  return density * sum * half;
}

double quick_gaussian_profile(double mu, double epsilon) {
  const double half = mu / 2, middle = epsilon / mu, x = middle - half;
  if (!(mu > 0 && mu <= 0.5 && middle >= 0 && middle < 20))
    return std::max(static_cast<double>(gaussian_profile(mu, epsilon)), std::numeric_limits<double>::min());
  static const QuickMills ratios;
  return std::exp(-0.5 * x * x - static_cast<double>(kHalfLogTwoPi)) *
         mills_difference(middle, half, ratios.at(middle));
}

long double gaussian_profile_at(long double mu, long double alpha_minus_one) {
  if (alpha_minus_one <= -1) return 1;
  return gaussian_profile(mu, std::log1p(alpha_minus_one));
}

long double gaussian_profile_slope(long double mu, long double epsilon) {
  const long double x = epsilon / mu - mu / 2;
  return std::exp(log_normal_density(x)) / (2 * mu);
}

}  // namespace chronoveil::accounting
