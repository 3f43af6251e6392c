#include "chronoveil/accounting/events/moves/noisy_sort.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chronoveil/accounting/closed_renyi.h"
#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/grid/atomic_model.h"
#include "chronoveil/accounting/moments.h"
#include "chronoveil/base/staircase.h"

namespace chronoveil::accounting {
namespace {

constexpr std::int64_t kUntruncated = std::numeric_limits<std::int64_t>::max();

// Σ_{y=first}^{last} e^(-rate y); `last` may be kUntruncated. 0 when empty.
long double geometric(std::int64_t first, std::int64_t last, long double rate) {
  if (last < first) return 0;
  const long double start = std::exp(-rate * static_cast<long double>(first));
  const long double terms = last == kUntruncated ? 1 : -std::expm1(-rate * static_cast<long double>(last - first + 1));
  return start * terms / -std::expm1(-rate);
}

// The weight of the steps first..last, 0 <= first, of a staircase with plateau r and fall h per level.
class Staircase {
 public:
  explicit Staircase(const NoisySort& e)
      : window_(e.window), plateau_(*with_plateau(e).plateau), fall_(e.epsilon / 2) {}

  std::int64_t plateau() const { return plateau_; }

  long double weight(std::int64_t first, std::int64_t last) const {
    if (last < first) return 0;
    const std::int64_t D = window_ - 1, low = staircase_level(first, window_, plateau_);
    const std::int64_t end = plateau_ + low * D - 1;  // the last step of that level
    if (last != kUntruncated && last <= end) return level(low) * static_cast<long double>(last - first + 1);
    const long double started = level(low) * static_cast<long double>(end - first + 1);
    if (last == kUntruncated) return started + static_cast<long double>(D) * geometric(low + 1, last, fall_);
    const std::int64_t high = staircase_level(last, window_, plateau_);
    return started + static_cast<long double>(D) * geometric(low + 1, high - 1, fall_) +
           level(high) * static_cast<long double>(last - (plateau_ + (high - 1) * D) + 1);
  }
  // The same from a first step that may be negative.
  long double around(std::int64_t first, std::int64_t last) const {
    if (first >= 0) return weight(first, last);
    return weight(1, -first) + weight(0, last);
  }

 private:
  long double level(std::int64_t n) const { return std::exp(-fall_ * static_cast<long double>(n)); }
  std::int64_t window_, plateau_;
  long double fall_;
};

// w: the P-mass of one key's infinite loss at a shift of D, x in D - m - 1 and below, the same as above m - D.
long double one_key_cost(const NoisySort& e) {
  const std::int64_t D = e.window - 1, m = *e.max_shift, first = std::max(-m, m - D + 1);
  if (2 * m < D) return 1;
  if (e.law == NoisySort::Law::staircase) {
    const Staircase stairs(e);
    return stairs.around(first, m) / (stairs.weight(0, m) + stairs.weight(1, m));
  }
  const long double rate = static_cast<long double>(e.epsilon) / (2 * static_cast<long double>(D));
  const long double above = first >= 0 ? geometric(first, m, rate) : geometric(1, -first, rate) + geometric(0, m, rate);
  return above / (1 + 2 * geometric(1, m, rate));
}

// The weight of |x| = y is e^(-y/s), s = 2D/ε. Key losses are (D - 2x)/s at x clamped to 0..D, so that those of both
// keys are ε (D - n)/D at n = x1 + x2.
AtomicLaw laplace_law(const NoisySort& e) {
  const std::int64_t D = e.window - 1, m = e.max_shift.value_or(kUntruncated);
  const long double wide = static_cast<long double>(D), rate = e.epsilon / (2 * wide);
  const long double total = 1 + 2 * geometric(1, m, rate);
  AtomicLaw law;
  law.tight = false;
  law.lattice = {e.epsilon / static_cast<double>(D), true};
  const long double c = 1 / total;
  auto power = [&](std::int64_t n) { return std::exp(-rate * static_cast<long double>(n)); };
  auto add = [&](std::int64_t n, long double mass) {
    if (n < D) {
      const double loss = static_cast<double>(e.epsilon * static_cast<long double>(D - n) / wide);
      if (mass > 0) law.atoms.push_back({loss, mass});
    } else {
      law.zero = static_cast<double>(mass);
    }
  };
  law.infinite = truncation_cost(e);
  if (m < D) {
    // Finite losses have x in D - m .. m, all of them strictly between 0 and D.
    const std::int64_t least = D - m;
    for (std::int64_t n = 2 * least; n <= D; ++n)
      add(n, c * c * power(n) * static_cast<long double>(n - 2 * least + 1));
    return law;
  }
  // x <= 0: one atom. x >= D: e^(-D/s) times it.
  const long double g0 = geometric(0, m == kUntruncated ? m : m - D, rate) / total;
  add(0, g0 * g0);
  for (std::int64_t n = 1; n < D; ++n) add(n, c * power(n) * (2 * g0 + static_cast<long double>(n - 1) * c));
  add(D, power(D) * (2 * g0 * g0 + static_cast<long double>(D - 1) * c * c));
  return law;
}

AtomicLaw staircase_law(const NoisySort& e) {
  const std::int64_t D = e.window - 1, m = e.max_shift.value_or(kUntruncated);
  const Staircase stairs(e);
  const std::int64_t r = stairs.plateau();
  const long double h = static_cast<long double>(e.epsilon) / 2, b = std::exp(-h);
  const long double total = stairs.weight(0, m) + stairs.weight(1, m);
  const long double w = e.max_shift ? one_key_cost(e) : 0;
  // Loss h: every x <= 0 whose shifted place x - D is in range; and of 0 < x < D those on the plateau whose place is
  // not: x < r <= D - x.
  const std::int64_t least = m == kUntruncated ? 1 : std::max<std::int64_t>(1, D - m);
  const std::int64_t between = std::max<std::int64_t>(0, std::min({r - 1, D - r, m}) - least + 1);
  const std::int64_t reach = m == kUntruncated ? m : m - D;
  const long double u = w >= 1 ? 0 : (stairs.weight(0, reach) + static_cast<long double>(between)) / total;
  const long double z = std::max(0.0L, 1 - w - u * (1 + b));
  AtomicLaw law;
  law.tight = false;
  law.lattice = {e.epsilon / 2, true};
  law.infinite = truncation_cost(e);
  law.zero = static_cast<double>(z * z + 2 * u * u * b);
  if (u > 0) law.atoms.push_back({e.epsilon, u * u});
  if (u > 0 && z > 0) law.atoms.push_back({e.epsilon / 2, 2 * u * z});
  return law;
}

}  // namespace

NoisySort with_plateau(NoisySort e) {
  if (e.law == NoisySort::Law::staircase && !e.plateau) e.plateau = staircase_plateau(e.window, e.epsilon);
  return e;
}

double truncation_cost(const NoisySort& e) {
  if (!e.max_shift) return 0;
  // Noise is drawn at the scale of key_scale(), rounded up by at most 2^-52 relatively: this makes a tail at m heavier
  // by m/s times as much, less than 2e-13 wherever the tail is a double above 0.
  const long double w = one_key_cost(e), both = std::min(1.0L, w * (2 - w) * (1 + 1e-12L));
  // Rounded up, and never 0: a truncated law is not pure.
  return std::max(std::nextafter(static_cast<double>(both), 1.0), std::numeric_limits<double>::min());
}

AtomicLaw noisy_sort_law(const NoisySort& e) {
  return e.law == NoisySort::Law::staircase ? staircase_law(e) : laplace_law(e);
}

std::optional<std::int64_t> least_max_shift(NoisySort e, double delta) {
  e = with_plateau(e);  // found once for all shifts
  auto costs = [&](std::int64_t shift) {
    e.max_shift = shift;
    return truncation_cost(e);
  };
  std::int64_t low = 0, high = std::int64_t{1} << 40;  // costs(low) > delta
  if (!(costs(high) <= delta)) return std::nullopt;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (costs(middle) <= delta ? high : low) = middle;
  }
  return high;
}

Result<void> NoisySort::check(bool) const {
  if (plateau && law != Law::staircase)
    return invalid("plateau", std::to_string(*plateau), "left out where law is laplace, which has none");
  if (plateau && (*plateau < 1 || *plateau >= window))
    return invalid("plateau", std::to_string(*plateau),
                   "a whole number between 1 and window - 1 (" + std::to_string(window - 1) + ")");
  return {};
}

MadeLoss NoisySort::loss() const { return atomic_model(noisy_sort_law(*this)); }

Result<Event> NoisySort::for_replacement() const { return not_convertible(kName); }

// Whether other parameters disclose less depends on all of them.
bool NoisySort::dominated_by(const NoisySort& slot) const { return with_plateau(*this) == with_plateau(slot); }

Result<ZcdpCost> NoisySort::zcdp(double count) const {
  if (!max_shift) return ZcdpCost{count * squared(epsilon) / 2 * kRoundedUp, 0};
  return zcdp_of_losses(*atomic_model(noisy_sort_law(*this)), kName, count);
}

}  // namespace chronoveil::accounting
