// Values in the order of step + noise X; ties in random order. Keys with more than `max_shift` of noise are drawn
// again. Neighbours are one series with two values swapped that are less than `window` steps apart. With D = k - 1, a
// swap of values d <= D steps apart shifts the two keys by d in opposite directions; the pair of keys is priced, for
// sorting them, breaking ties with fresh bits and releasing values by their keys and the clock are post-processing. One
// key's loss, at a shift of d:
//   Laplace    x <= 0: d/s;  0 < x < d: (d - 2x)/s;  x >= d: -d/s, with s = 2D/ε
//   Staircase  -ε/2, 0 or ε/2
//   |X| <= m   infinite where x - d < -m, with probability w_d = P(m - d < X <= m) / P(|X| <= m)
// The shift d = D is the worst of all, for each key and so for both: Laplace noise is log-concave, truncated or not, so
// the best tests are thresholds, whose power grows with d; a staircase's profile is a straight line in e^ε between its
// values at 0, P(|X| shifts by d past the middle), and at ε/2, w_d, and both grow with d as the law is symmetric and
// falls with |x|.
//   Edges   without m: pure, ε. With m: δ(ε) = 1 - (1 - w_D)^2 <= P(m - D < |X| <= m)/P(|X| <= m); 1 when 2m < D
#pragma once

#include "chronoveil/accounting/events/kind.h"

namespace chronoveil::accounting {

struct AtomicLaw;

struct NoisySort {
  enum class Law { laplace, staircase };  // discrete Laplace of scale 2 (window - 1) / ε; base/staircase.h
  static constexpr std::string_view kName = "noisy_sort";
  std::int64_t window;  // k
  double epsilon;
  Law law = Law::laplace;
  std::optional<std::int64_t> max_shift;  // m
  // The r of a staircase, 1 to window - 1; if absent, staircase_plateau(window, ε), which must never change.
  std::optional<std::int64_t> plateau = std::nullopt;

  static constexpr auto fields() {
    return std::tuple(field::required("window", &NoisySort::window, kWindow, kWindowHelp),
                      field::noise("epsilon", &NoisySort::epsilon, kPositive, kEpsilonHelp),
                      field::choice("law", &NoisySort::law, {{Law::laplace, "laplace"}, {Law::staircase, "staircase"}},
                                    "laplace or staircase"),
                      field::defaulted("max_shift", &NoisySort::max_shift, field::between(1, std::int64_t{1} << 40),
                                       "keys with more noise are drawn again"),
                      field::defaulted("plateau", &NoisySort::plateau, kAny,
                                       "of a staircase: noise smaller than this is equally likely"));
  }
  bool operator==(const NoisySort&) const = default;

  Result<void> check(bool open) const;
  MadeLoss loss() const;
  Result<Event> for_replacement() const;  // refused, as for all events that move values
  bool dominated_by(const NoisySort& slot) const;
  std::optional<PureEpsilon> pure() const { return max_shift ? std::nullopt : std::optional(PureEpsilon{epsilon}); }
  Result<ZcdpCost> zcdp(double count) const;
};

// The same event, with the plateau of a staircase filled in. Pure ε is the same for every plateau; what max_shift costs
// is not.
NoisySort with_plateau(NoisySort);

AtomicLaw noisy_sort_law(const NoisySort&);
// The P-mass of infinite losses, 1 - (1 - w_D)^2, rounded up; 0 only without max_shift.
double truncation_cost(const NoisySort&);

// The smallest max_shift at which the truncation costs at most `delta`; empty if there is none up to 2^40.
std::optional<std::int64_t> least_max_shift(NoisySort, double delta);

}  // namespace chronoveil::accounting
