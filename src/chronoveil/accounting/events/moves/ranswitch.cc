#include "chronoveil/accounting/events/moves/ranswitch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/grid/loss_model.h"
#include "chronoveil/accounting/moments.h"

namespace chronoveil::accounting {
namespace {

// Rounded up by the errors of a few operations in long double and of the conversion to double.
double above(long double value) {
  const long double raised = value * (1 + 1e-18L);
  const auto rounded = static_cast<double>(raised);
  return rounded < raised ? std::nextafter(rounded, std::numeric_limits<double>::infinity()) : rounded;
}

std::unique_ptr<const LossModel> coin_of(const RanSwitch& e) {
  const ResponsePair pair = ranswitch_pair(e);
  return response_model({.epsilon = pair.epsilon, .delta = pair.delta});
}

}  // namespace

ResponsePair ranswitch_pair(const RanSwitch& e) {
  const long double p = e.stay, k = static_cast<long double>(e.window), q = (1 - p) / (k - 1);
  // p/q = 1 + (pk - 1)/(1 - p), with pk - 1 rounded once: ε0 keeps its digits near 0. A `stay` that is 1/k up to its
  // last digit may lie below q; the loss is then ln(q/p).
  const long double epsilon = std::abs(std::log1p(std::fma(p, k, -1.0L) / (1 - p)));
  const long double delta = -std::expm1((k - 1) * std::log1p(-q));
  return {above(epsilon), std::min(1.0, above(delta))};
}

BestSwitch best_ranswitch(std::int64_t window, double epsilon) {
  const long double k = static_cast<long double>(window);
  const long double q = 1 / (std::exp(static_cast<long double>(epsilon)) + k - 1);
  // Inside the range of `stay` whatever the rounding.
  const double least = 1 / static_cast<double>(window);
  double stay = std::clamp(static_cast<double>(1 - (k - 1) * q), least, std::nextafter(1.0, 0.0));
  while (!validate({RanSwitch{window, stay}, 1})) stay = std::nextafter(stay, 1.0);
  const auto model = coin_of({window, stay});
  return {stay, std::min(1.0, above(model->delta(epsilon) * (1 + kProfileError)))};
}

Result<void> check_stay(std::int64_t window, double stay, bool open) {
  if (open && std::isnan(stay)) return {};
  if (!(stay < 1 && stay * static_cast<double>(window) >= 1))
    return invalid("stay", stay,
                   "at least 1/window, so that a value stays at least as likely as it moves to any one other step, and "
                   "less than 1");
  return {};
}

MadeLoss RanSwitch::loss() const { return coin_of(*this); }

Result<Event> RanSwitch::for_replacement() const { return not_convertible(kName); }

Result<ZcdpCost> RanSwitch::zcdp(double count) const { return zcdp_of_losses(*coin_of(*this), kName, count); }

}  // namespace chronoveil::accounting
