#include <algorithm>
#include <cmath>

#include "chronoveil/accounting/grid/extremes.h"
#include "chronoveil/accounting/mixtures/gaussian_mixtures.h"
#include "chronoveil/accounting/mixtures/integrate.h"
#include "chronoveil/accounting/normal.h"

namespace chronoveil::accounting {

long double thinned_profile(long double mu, long double epsilon, long double rate) {
  return epsilon < 1000 ? gaussian_profile_at(mu, std::expm1(epsilon) / rate)
                        : gaussian_profile(mu, epsilon - std::log(rate));
}

BinMass gaussian_bin(double mu, double low, double high) {
  // With t = x − μ, standard normal under P: loss = μt + μ²/2.
  const double from = low / mu - mu / 2;
  if (std::isinf(high)) {
    const auto p = static_cast<double>(normal_tail(from));
    // e^low Φ(−from−μ) = φ(from) M(from + μ).
    const double q =
        from + mu > -10
            ? static_cast<double>(std::exp(log_normal_density(from)) * mills_ratio(static_cast<long double>(from) + mu))
            : static_cast<double>(std::exp(static_cast<long double>(low)) * normal_tail(from + mu));
    return {p, smaller(p, q)};
  }
  // Both integrands are at most e^{−t²/2}: beyond 39 neither has mass that a double could hold.
  const double to = std::min(high / mu - mu / 2, 39.0);
  BinMass mass;
  if (from >= to) return mass;
  const double begin = std::max(from, -39.0);
  // Q's falls by e^{−(t + μ)} per unit of t, at least e^{−(high − low)/2} over a bin: two tails do not cancel.
  if (high - low > 8) {
    mass.p = normal_interval(begin, to);
    auto q_above = [&](double t, double loss) {  // e^loss Φ(−t−μ)
      return std::exp(log_normal_density(t)) * mills_ratio(static_cast<long double>(t) + mu) *
             std::exp(static_cast<long double>(low) - loss);
    };
    mass.q = smaller(
        static_cast<double>(q_above(begin, std::max(low, mu * (begin + mu / 2))) - q_above(to, mu * (to + mu / 2))),
        mass.p);
    return mass;
  }
  integrate(begin, to, 0, -mu, [&](double t, double weight) {
    mass.p += weight * std::exp(-0.5 * t * t);
    mass.q += weight * std::exp(-0.5 * t * t - (mu * t + mu * mu / 2 - low));
  });
  mass.p *= kInvSqrtTwoPi;
  mass.q *= kInvSqrtTwoPi;
  return mass;
}

}  // namespace chronoveil::accounting
