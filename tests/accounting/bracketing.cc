#include "accounting/bracketing.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace chronoveil::accounting {
namespace {

// Room for the rounding of the oracle itself.
const Real kOracleError = Real(1e-20);

std::string digits(const Real& x) { return x.str(20); }

}  // namespace

testing::AssertionResult encloses_epsilon(double lower, double upper, double delta, const Profile& truth) {
  if (!(lower >= 0 && lower <= upper))
    return testing::AssertionFailure() << "bounds out of order: " << lower << " .. " << upper;
  if (std::isfinite(upper))
    if (const Real at = truth(Real(upper)); at > delta * (1 + kOracleError))
      return testing::AssertionFailure() << "epsilon " << shortest(upper) << " is too small: its delta is "
                                         << digits(at) << ", not " << delta;
  if (lower > 0 && std::isfinite(lower))
    if (const Real at = truth(Real(lower)); at < delta * (1 - kOracleError))
      return testing::AssertionFailure() << "the lower bound " << shortest(lower) << " is too large: its delta is "
                                         << digits(at) << ", not " << delta;
  if (std::isinf(lower) && truth(Real(1e4)) < delta)
    return testing::AssertionFailure() << "infinite, although a finite epsilon holds";
  return testing::AssertionSuccess();
}

testing::AssertionResult encloses_delta(double lower, double upper, double epsilon, const Profile& truth) {
  if (!(lower >= 0 && lower <= upper && upper <= 1))
    return testing::AssertionFailure() << "bounds out of order: " << lower << " .. " << upper;
  const Real exact = truth(Real(epsilon));
  // Below the range of normal doubles only the direction counts.
  if (upper < exact * (1 - kOracleError))
    return testing::AssertionFailure() << "delta " << shortest(upper) << " is below the truth " << digits(exact);
  if (lower > exact * (1 + kOracleError))
    return testing::AssertionFailure() << "the lower bound " << shortest(lower) << " is above the truth "
                                       << digits(exact);
  return testing::AssertionSuccess();
}

bool gap_is_allowed(const Price& price) {
  if (std::isinf(price.epsilon)) return std::isinf(price.epsilon_lower);
  return price.epsilon - price.epsilon_lower <= std::max(1.0001e-3 * price.epsilon, 1.0001e-6);
}

testing::AssertionResult is_exact_epsilon(const Event& event, double delta, const Profile& truth) {
  const auto price = epsilon_at(event, *Delta::make(delta));
  if (!price) return testing::AssertionFailure() << to_text(event) << ": " << price.error().text();
  if (auto enclosed = encloses_epsilon(price->epsilon_lower, price->epsilon, delta, truth); !enclosed)
    return enclosed << " for " << to_text(event);
  if (std::isinf(price->epsilon)) return testing::AssertionSuccess();
  // ε cannot be determined better than by the slope of the profile at 0: 1e-15 absolute.
  const Real below = Real(price->epsilon) * (1 - Real(1e-9)) - Real(1e-15);
  if (below > 0 && truth(below) < delta * (1 - kOracleError))
    return testing::AssertionFailure() << "epsilon " << shortest(price->epsilon) << " is more than 1e-9 too large for "
                                       << to_text(event) << " at delta " << delta;
  const Real above = Real(price->epsilon_lower) * (1 + Real(1e-9)) + Real(1e-15);
  if (truth(above) > delta * (1 + kOracleError))
    return testing::AssertionFailure() << "the lower bound " << shortest(price->epsilon_lower)
                                       << " is more than 1e-9 too small for " << to_text(event) << " at delta "
                                       << delta;
  return testing::AssertionSuccess();
}

testing::AssertionResult is_exact_delta(const Event& event, double epsilon, const Profile& truth) {
  const auto price = delta_at(event, *Epsilon::make(epsilon));
  if (!price) return testing::AssertionFailure() << to_text(event) << ": " << price.error().text();
  if (auto enclosed = encloses_delta(price->delta_lower, price->delta, epsilon, truth); !enclosed)
    return enclosed << " for " << to_text(event) << " at epsilon " << shortest(epsilon);
  const Real exact = truth(Real(epsilon));
  if (exact > Real(1e-290) && abs(price->delta - exact) > Real(1e-9) * exact)
    return testing::AssertionFailure() << "delta " << shortest(price->delta) << " is not " << digits(exact) << " for "
                                       << to_text(event) << " at epsilon " << shortest(epsilon);
  if (exact <= Real(1e-290) && price->delta > 1.1e-290)
    return testing::AssertionFailure() << "delta " << shortest(price->delta) << " is not negligible for "
                                       << to_text(event) << " at epsilon " << shortest(epsilon);
  return testing::AssertionSuccess();
}

testing::AssertionResult is_certified_epsilon(const Event& event, double delta, const Profile& truth) {
  const auto price = epsilon_at(event, *Delta::make(delta));
  if (!price)
    return testing::AssertionFailure() << to_text(event) << " at delta " << delta << ": " << price.error().text();
  if (auto enclosed = encloses_epsilon(price->epsilon_lower, price->epsilon, delta, truth); !enclosed)
    return enclosed << " for " << to_text(event);
  if (!gap_is_allowed(*price))
    return testing::AssertionFailure() << "gap " << shortest(price->epsilon_lower) << " .. " << shortest(price->epsilon)
                                       << " for " << to_text(event) << " at delta " << delta;
  return testing::AssertionSuccess();
}

testing::AssertionResult is_certified_delta(const Event& event, double epsilon, const Profile& truth) {
  const auto price = delta_at(event, *Epsilon::make(epsilon));
  if (!price)
    return testing::AssertionFailure() << to_text(event) << " at epsilon " << epsilon << ": " << price.error().text();
  if (auto enclosed = encloses_delta(price->delta_lower, price->delta, epsilon, truth); !enclosed)
    return enclosed << " for " << to_text(event) << " at epsilon " << shortest(epsilon);
  return testing::AssertionSuccess();
}

}  // namespace chronoveil::accounting
