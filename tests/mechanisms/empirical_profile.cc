#include "mechanisms/empirical_profile.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "chronoveil/mechanisms/draws.h"

namespace chronoveil::mechanisms {

Attained attained_delta(const SeriesMechanism& mechanism, const SeriesPlan& plan,
                        const std::vector<std::int64_t>& without, const std::vector<std::int64_t>& with,
                        const std::vector<double>& difference, double epsilon) {
  const auto length = static_cast<std::int64_t>(without.size());
  const auto in_set = [&](const std::vector<std::int64_t>& counts, const std::vector<double>& base,
                          std::uint64_t seed) {
    std::vector<std::int64_t> many;
    for (std::int64_t r = 0; r < kReplicas; ++r) many.insert(many.end(), counts.begin(), counts.end());
    Draws draws = Draws::seeded(seed);
    const auto measured = mechanism.measure(plan, many, draws);
    EXPECT_TRUE(measured);
    std::vector<double> ratio(static_cast<std::size_t>(kReplicas), 0.0);
    for (std::size_t i = 0; i < measured->values.size(); ++i) {
      const std::int64_t position = (*measured->kept)[i];
      const auto t = static_cast<std::size_t>(position % length);
      ratio[static_cast<std::size_t>(position / length)] +=
          difference[t] * (measured->values[i] - base[t] - difference[t] / 2) / (plan.scale * plan.scale);
    }
    std::int64_t inside = 0;
    for (const double each : ratio) inside += each > epsilon;
    return static_cast<double>(inside);
  };
  // The noise-free values without the person, from a tape of zeros that keeps everything.
  const std::vector<double> base = [&] {
    SeriesPlan one = plan;
    one.shape.series = 1;
    std::vector<std::int64_t> all(without.size());
    for (std::size_t t = 0; t < all.size(); ++t) all[t] = static_cast<std::int64_t>(t);
    Draws draws = Draws::replayed({.noise = std::vector<double>(without.size(), 0.0), .kept = all});
    return mechanism.measure(one, without, draws)->values;
  }();
  const double p = in_set(with, base, 101), q = in_set(without, base, 102), n = kReplicas;
  using Binomial = boost::math::binomial;
  constexpr double kTail = 5e-8;
  const double scale = std::exp(epsilon);
  return {Binomial::find_lower_bound_on_p(n, p, kTail) - scale * Binomial::find_upper_bound_on_p(n, q, kTail),
          Binomial::find_upper_bound_on_p(n, p, kTail) - scale * Binomial::find_lower_bound_on_p(n, q, kTail)};
}

}  // namespace chronoveil::mechanisms
