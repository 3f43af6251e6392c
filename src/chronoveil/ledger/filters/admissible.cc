#include <algorithm>
#include <cmath>

#include "chronoveil/ledger/filters/filter.h"
#include "chronoveil/ledger/filters/union_places.h"

namespace chronoveil::ledger {

using accounting::Event;

namespace {

// The smallest x in [low, high] that fits, to 12 digits; fits(high) must hold.
template <class Fits>
double smallest_that_fits(double low, double high, const Fits& fits) {
  for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
    const double middle = std::sqrt(low) * std::sqrt(high);
    (fits(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

Admissible admissible(const Filter& filter, const Cost& admitted) {
  const auto fits = [&](const Event& event) {
    const Result<Cost> cost = cost_of(filter, event, std::nullopt);
    if (!cost) return false;
    Cost total = admitted;
    total += *cost;
    return holds(filter, total);
  };
  const auto gaussian = [](double noise) { return Event{accounting::Gaussian{noise}}; };
  const auto pure = [](double inverse) { return Event{accounting::Pure{1 / inverse}}; };
  Admissible result;
  const Cost left = admitted.left_of(filter.budget);
  if (share_left(filter, left) == 0) return result;
  constexpr double kLow = 1e-6, kHigh = 1e12;
  if (fits(gaussian(kHigh))) {
    result.gaussian_noise_multiplier =
        smallest_that_fits(kLow, kHigh, [&](double noise) { return fits(gaussian(noise)); });
  }
  if (filter.kind != FilterKind::sum && fits(pure(kHigh))) {
    result.pure_epsilon = 1 / smallest_that_fits(kLow, kHigh, [&](double inverse) { return fits(pure(inverse)); });
  }
  // Where ε are added up, the rest is known exactly.
  if (filter.kind == FilterKind::sum || filter.kind == FilterKind::united) {
    const double exact = left.values[kSum].value();
    if (exact > 0) result.pure_epsilon = std::max(exact, result.pure_epsilon.value_or(0));
  }
  return result;
}

}  // namespace chronoveil::ledger
