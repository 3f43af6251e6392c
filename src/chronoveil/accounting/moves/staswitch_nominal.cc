#include <algorithm>
#include <cmath>
#include <vector>

#include "chronoveil/accounting/moves/staswitch_bounds.h"
#include "chronoveil/accounting/published.h"

namespace chronoveil::accounting {
namespace {

struct Marginals {
  double stays = 0;              // P_0
  double one_late = 0;           // P_1
  double one_early = 0;          // P_{-1}
  double most_likely_early = 0;  // max over P_{1-k}, ..., P_{-1}
};

// The fixed point of equations (10) and (11), then (12).
Marginals marginals(std::int64_t window, double p) {
  const auto k = static_cast<std::size_t>(window);
  const double q = (1 - p) / static_cast<double>(k - 1);
  std::vector<double> delayed(k), next(k), picked(k), spared(k);  // P_b^i, q_j and Π_{l<=j} (1 - q_l)
  delayed[0] = 1;
  constexpr int kMostRounds = 200;
  for (int round = 0; round < kMostRounds; ++round) {
    double sum = 0;
    for (std::size_t i = 0; i < k; ++i) {
      sum += delayed[i];
      if (i + 1 < k) picked[k - 1 - i] = q * sum;
    }
    spared[0] = 1;
    for (std::size_t j = 1; j < k; ++j) spared[j] = spared[j - 1] * (1 - picked[j]);
    next[0] = spared[k - 1];
    for (std::size_t i = 1; i < k; ++i) {
      double reached = 0;
      for (std::size_t j = 0; j < i; ++j) reached += next[j] * spared[i - 1 - j];
      next[i] = q * reached;
    }
    double change = 0;
    for (std::size_t i = 0; i < k; ++i) change = std::max(change, std::abs(next[i] - delayed[i]));
    delayed.swap(next);
    if (change < 1e-15) break;
  }
  double stay = 0;
  for (std::size_t i = 0; i < k; ++i) stay += delayed[i] * (p + static_cast<double>(i) * q);
  Marginals out;
  out.stays = p * delayed[0];
  out.one_late = delayed[0] * q * (p + q + 1 - stay - picked[k - 1]);
  double not_yet = 1;
  for (std::size_t j = k - 1; j > 0; --j) {
    out.one_early = picked[j] * not_yet;
    out.most_likely_early = std::max(out.most_likely_early, out.one_early);
    not_yet *= 1 - picked[j];
  }
  return out;
}

Nominal from_ratio(double ratio, double delta) { return {ratio > 1 ? std::log(ratio) : 0.0, delta}; }

}  // namespace

Nominal nominal_of(const StaSwitch& event) {
  const double p = event.stay, k = static_cast<double>(event.window), q = (1 - p) / (k - 1);
  if (event.window <= kWidestNominalWindow) {
    const Marginals at = marginals(event.window, p);
    return from_ratio((at.stays * at.stays - at.most_likely_early) / (at.one_late * at.one_early),
                      at.most_likely_early);
  }
  const double sigma = ((1 - p) * (1 + p + q) * (2 - p) - q) / (2 * (k - 2) * (1 + q) * (2 - p)) +
                       (k - 3) * q * q * std::exp((k - 1) * std::log1p(-q)) / 2;
  const double above = p * p / sigma - (p * p - p + 2);
  const double below = q * (1 + q - k * (1 - p) * q / (2 * (1 + q)) - q / (2 - p));
  return from_ratio(above / below, q);
}

}  // namespace chronoveil::accounting
