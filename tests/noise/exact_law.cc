#include "noise/exact_law.h"

#include <cmath>

namespace chronoveil::noise {
namespace {

constexpr long double kSummedScale = 5000;

}  // namespace

ExactLaw::ExactLaw(Law law, double scale) : law_(law), scale_(scale) {
  if (law == Law::discrete_gaussian && scale <= kSummedScale) sum_discrete_gaussian();
}

long double ExactLaw::tail(std::int64_t k) const {
  const auto m = static_cast<long double>(k);
  switch (law_) {
    case Law::rounded_laplace: return expl(-(m - 0.5L) / scale_) / 2;
    case Law::rounded_gaussian: return erfcl((m - 0.5L) / (scale_ * sqrtl(2.0L))) / 2;
    case Law::discrete_laplace: return expl(-m / scale_) / (1 + expl(-1 / scale_));
    case Law::discrete_gaussian: return discrete_gaussian_tail(k);
  }
  return 0;
}

long double ExactLaw::variance() const {
  const long double r = expl(-1 / scale_), q = -expm1l(-1 / scale_);
  switch (law_) {
    // The sum of (2m - 1) P(|N| >= m) over m >= 1.
    case Law::rounded_laplace: return expl(0.5L / scale_) * r * (2 / q - 1) / q;
    case Law::discrete_laplace: return 2 * r / (q * q);
    case Law::rounded_gaussian:
    case Law::discrete_gaussian: break;
  }
  if (scale_ > kSummedScale) return scale_ * scale_ + (law_ == Law::rounded_gaussian ? 1.0L / 12 : 0);
  long double sum = 0;
  for (std::int64_t m = 1; static_cast<long double>(m) < 12 * scale_ + 12; ++m) {
    sum += 2 * static_cast<long double>(2 * m - 1) * tail(m);
  }
  return sum;
}

void ExactLaw::sum_discrete_gaussian() {
  const auto terms = static_cast<std::int64_t>(15 * scale_ + 15);
  tails_.assign(static_cast<std::size_t>(terms) + 1, 0);
  for (std::int64_t k = terms - 1; k >= 0; --k) {
    const auto z = static_cast<long double>(k) / scale_;
    tails_[static_cast<std::size_t>(k)] = tails_[static_cast<std::size_t>(k) + 1] + expl(-z * z / 2);
  }
  const long double all = tails_[0] + tails_[1];
  for (long double& tail : tails_) tail /= all;
}

long double ExactLaw::discrete_gaussian_tail(std::int64_t k) const {
  if (!tails_.empty()) return static_cast<std::size_t>(k) < tails_.size() ? tails_[static_cast<std::size_t>(k)] : 0;
  // Euler-Maclaurin at the midpoints: the sum over m >= k is the integral from k - 1/2, less f'(k - 1/2) / -24; what
  // is left out is smaller by another factor of scale^2. The total is sqrt(2 pi) scale to far more digits.
  const long double z = (static_cast<long double>(k) - 0.5L) / scale_;
  const long double slope = z * expl(-z * z / 2) / scale_ / (scale_ * sqrtl(2 * acosl(-1.0L)));
  return erfcl(z / sqrtl(2.0L)) / 2 - slope / 24;
}

}  // namespace chronoveil::noise
