#include "chronoveil/accounting/events/stated/approximate.h"

#include <cmath>

#include "chronoveil/accounting/closed_renyi.h"
#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/grid/loss_model.h"
#include "chronoveil/accounting/moments.h"

namespace chronoveil::accounting {

MadeLoss Approximate::loss() const { return response_model({.epsilon = epsilon, .delta = delta}); }

Result<Event> Approximate::for_replacement() const {
  const double growth = std::nextafter(1 + std::nextafter(std::exp(epsilon), HUGE_VAL), HUGE_VAL);
  const double twice = delta == 0 ? 0 : std::nextafter(growth * delta, HUGE_VAL);
  if (!(twice < 1)) return not_convertible(kName);
  return Event{Approximate{2 * epsilon, twice}};
}

double Approximate::renyi(double order) const { return pure_renyi(epsilon, order); }

Result<ZcdpCost> Approximate::zcdp(double count) const {
  return ZcdpCost{count * squared(epsilon) / 2 * kRoundedUp, count * delta};
}

}  // namespace chronoveil::accounting
