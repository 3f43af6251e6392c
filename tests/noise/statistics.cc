#include "noise/statistics.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <numeric>

namespace chronoveil::noise {

double binomial_p_value(std::int64_t successes, std::int64_t trials, double probability) {
  if (probability > 1 - 1e-12) return successes == trials ? 1 : 0;  // a sum over all cells, but for rounding
  const boost::math::binomial law(static_cast<double>(trials), probability);
  const double below = boost::math::cdf(law, static_cast<double>(successes));
  const double above =
      successes == 0 ? 1 : boost::math::cdf(boost::math::complement(law, static_cast<double>(successes - 1)));
  return std::min(1.0, 2 * std::min(below, above));
}

double chi_squared_p_value(const std::vector<std::int64_t>& counts, const std::vector<double>& probabilities) {
  constexpr double kLeast = 1000;
  const std::int64_t draws = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  double statistic = 0, pooled_probability = 0, pool_p_value = 1;
  std::int64_t pooled_count = 0;
  int cells = 0;
  const auto add = [&](std::int64_t count, double expectation) {
    const double difference = static_cast<double>(count) - expectation;
    statistic += difference * difference / expectation;
    ++cells;
  };
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (const double expectation = probabilities[i] * static_cast<double>(draws); expectation >= kLeast) {
      add(counts[i], expectation);
    } else {
      pooled_count += counts[i];
      pooled_probability += probabilities[i];
    }
  }
  if (const double expectation = pooled_probability * static_cast<double>(draws); expectation >= kLeast) {
    add(pooled_count, expectation);
  } else {
    pool_p_value = binomial_p_value(pooled_count, draws, pooled_probability);
  }
  if (cells < 2) return pool_p_value;
  return std::min(pool_p_value,
                  boost::math::cdf(boost::math::complement(boost::math::chi_squared(cells - 1), statistic)));
}

}  // namespace chronoveil::noise
