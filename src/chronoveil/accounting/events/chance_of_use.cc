#include "chronoveil/accounting/events/chance_of_use.h"

#include <cmath>

namespace chronoveil::accounting {

double at_least_once(double chance, double times) { return -std::expm1(times * std::log1p(-chance)); }

double chance_of_use(const Event& event) {
  const auto count = static_cast<double>(event.count);
  return std::visit(
      [&](const auto& e) {
        if constexpr (requires { e.chance_of_use(count); })
          return e.chance_of_use(count);
        else if constexpr (requires { e.share(); })
          return at_least_once(e.share(), count);
        else
          return at_least_once(1, count);  // nothing is left out
      },
      event.kind);
}

bool delta_covers_use(const Event& event, double delta) { return !(chance_of_use(event) * (1 - 1e-12) > delta); }

}  // namespace chronoveil::accounting
