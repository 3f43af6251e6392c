#include "chronoveil/accounting/moves/staswitch_bounds.h"

#include <algorithm>
#include <cmath>

namespace chronoveil::accounting {

long double staswitch_upper_bound(std::int64_t window, double stay, std::int64_t distance, long double alpha) {
  const long double p = stay, q = (1 - p) / static_cast<long double>(window - 1);
  const long double keep = std::log1p(-q), nu = -std::log1p(q / p);
  const long double swapped = p * q * std::min(1.0L, alpha * p * p / q);
  const long double a = p * std::min(p, alpha * q) + swapped, b = p * p * std::min(1.0L, alpha * q) + swapped;
  const auto d = static_cast<long double>(distance);
  const long double no_telling = std::exp(d * keep) * (p + d * q);
  const long double untouched = std::exp((d - 1) * keep) * (p + (d - 1) * q) * (p + d * q);
  const long double far = std::exp((d - 1) * nu);
  const long double moved = (p + q) * (1 - far) * a + q * static_cast<long double>(window - 1 - distance) * far * b;
  return 1 - (no_telling * a + untouched * moved);
}

long double staswitch_upper_bound(std::int64_t window, double stay, long double alpha) {
  long double largest = 0;
  for (std::int64_t distance = 1; distance < window; ++distance)
    largest = std::max(largest, staswitch_upper_bound(window, stay, distance, alpha));
  return largest;
}

PairLoss staswitch_attained(std::int64_t window, double stay) {
  const long double p = stay, moves = static_cast<long double>(window - 1), q = (1 - p) / moves;
  const long double s = std::exp(moves * std::log1p(-q)), m = (1 - p) * std::exp((moves - 1) * std::log1p(-q));
  PairLoss loss;
  loss.infinite = 1 - s + s * p * m;
  loss.zero = s * (1 - p - q);
  if (p * (1 - m) > q)
    loss.atoms.push_back({s * p * (1 - m), s * q});
  else
    loss.zero += s * (p * (1 - m) + q);
  return loss;
}

CoveredSwitch covered_staswitch(std::int64_t window, double stay) {
  const StaSwitchLaw law = staswitch_law(window, stay);
  const int k = law.window;
  CoveredSwitch covered;
  covered.attained.push_back(loss_from(swapped_pair(k - 1, k - 1, PairState::kNoEnd), law));
  auto keep = [&](std::vector<PairLoss>& kept, const PairLoss& loss) {
    for (const PairLoss& known : covered.attained)
      if (dominates(known, loss)) return;
    kept.push_back(loss);
  };
  const std::vector<std::uint64_t> all = backgrounds(k);
  auto middle = [&](int distance, int left, std::uint64_t background) {
    PairState state = swapped_pair(k - 1, distance, left);
    state.delays = background;
    return state;
  };
  for (int distance = 1; distance < k; ++distance) {
    PairLosses endless(law);
    int enough = 0;
    for (const std::uint64_t background : all) {
      const PairState state = middle(distance, PairState::kNoEnd, background);
      enough = std::max(enough, endless.steps(state) + k);
      keep(background == 0 ? covered.attained : covered.beyond, endless.from(state));
    }
    for (int first = 0; first < k - 1; ++first)
      keep(covered.attained, endless.from(swapped_pair(first, distance, PairState::kNoEnd)));
    // An end that comes k steps after the last difference changes nothing.
    for (int left = k + distance; left < enough; ++left) {
      PairLosses losses(law);
      for (int first = 0; first < k - 1; ++first)
        if (const int rest = left - (k - 1 - first); rest >= k)
          keep(covered.attained, losses.from(swapped_pair(first, distance, rest)));
      for (const std::uint64_t background : all)
        keep(background == 0 ? covered.attained : covered.beyond, losses.from(middle(distance, left, background)));
    }
  }
  // Drops what was kept before something larger was found.
  std::erase_if(covered.beyond, [&](const PairLoss& loss) {
    return std::any_of(covered.attained.begin(), covered.attained.end(),
                       [&](const PairLoss& known) { return dominates(known, loss); });
  });
  return covered;
}

}  // namespace chronoveil::accounting
