#include "chronoveil/accounting/mixtures/binomial.h"

#include <algorithm>

namespace chronoveil::accounting {
namespace {

// Weights from their mode outward by the ratio w(k+1)/w(k), until negligible; then normalised.
template <class Ratio>
Binomial from_ratios(std::int64_t first, std::int64_t last, std::int64_t mode, Ratio ratio) {
  std::vector<long double> up{1.0L}, down;
  constexpr long double kStop = 1e-70L;
  for (std::int64_t k = mode; k < last && up.back() > kStop; ++k) up.push_back(up.back() * ratio(k));
  long double weight = 1;
  for (std::int64_t k = mode; k > first && weight > kStop; --k) {
    weight /= ratio(k - 1);
    down.push_back(weight);
  }
  long double sum = 0;
  for (auto it = up.rbegin(); it != up.rend(); ++it) sum += *it;
  long double below = 0;
  for (auto it = down.rbegin(); it != down.rend(); ++it) below += *it;
  sum += below;
  Binomial out;
  out.weights.assign(static_cast<std::size_t>(mode) + up.size(), 0.0);
  for (std::size_t k = 0; k < up.size(); ++k)
    out.weights[static_cast<std::size_t>(mode) + k] = static_cast<double>(up[k] / sum);
  for (std::size_t k = 0; k < down.size(); ++k)
    out.weights[static_cast<std::size_t>(mode) - 1 - k] = static_cast<double>(down[k] / sum);
  // Ratios fall along each side, so what was cut is less than (1e-70) × the number of terms cut.
  const std::int64_t kept = static_cast<std::int64_t>(up.size() + down.size());
  out.tail = static_cast<double>(kStop * static_cast<long double>(last - first + 1 - kept));
  return out;
}

}  // namespace

Binomial binomial(std::int64_t n, double p) {
  if (p <= 0) return {{1.0}, 0.0};
  if (p >= 1) {
    Binomial out{std::vector<double>(static_cast<std::size_t>(n) + 1), 0.0};
    out.weights.back() = 1;
    return out;
  }
  const long double odds = static_cast<long double>(p) / (1 - static_cast<long double>(p));
  const auto mode = std::min(n, static_cast<std::int64_t>((static_cast<long double>(n) + 1) * p));
  return from_ratios(0, n, mode, [=](std::int64_t k) {
    return static_cast<long double>(n - k) / static_cast<long double>(k + 1) * odds;
  });
}

Binomial hypergeometric(std::int64_t population, std::int64_t marked, std::int64_t draws) {
  const std::int64_t first = std::max<std::int64_t>(0, draws - (population - marked)), last = std::min(marked, draws);
  const auto mode = std::clamp(
      static_cast<std::int64_t>((static_cast<long double>(draws) + 1) * (marked + 1) / (population + 2)), first, last);
  return from_ratios(first, last, mode, [=](std::int64_t k) {
    return static_cast<long double>(marked - k) * (draws - k) /
           (static_cast<long double>(k + 1) * (population - marked - draws + k + 1));
  });
}

}  // namespace chronoveil::accounting
