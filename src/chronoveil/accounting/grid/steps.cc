#include "chronoveil/accounting/grid/steps.h"

#include <cmath>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/accounting/events/neighbours.h"

namespace chronoveil::accounting {
namespace {

Result<void> add_times(const Event& event, std::int64_t times, Leaves& leaves) {
  std::int64_t count = 0;
  if (__builtin_mul_overflow(event.count, times, &count))
    return invalid("count", "a product over 2^63", "below 2^63 in all");
  if (const auto* compose = std::get_if<Compose>(&event.kind)) {
    for (const Event& part : compose->events) CV_CHECK(add_times(part, count, leaves));
    return {};
  }
  Event once = event;
  once.count = 1;
  Leaf& leaf = leaves.try_emplace(to_text(once), Leaf{once, 0, nullptr}).first->second;
  if (__builtin_add_overflow(leaf.count, count, &leaf.count))
    return invalid("count", "a sum over 2^63", "below 2^63 in all");
  return {};
}

// ρ of a selection is ε²/8, a quarter of that of pure ε [CesarRogers21]; its pair on the grid is less tight.
Result<std::optional<ZcdpCost>> zcdp_of(const Leaves& leaves) {
  Compose all;
  bool selects = false;
  for (const auto& [text, leaf] : leaves) {
    selects |= std::holds_alternative<Exponential>(leaf.once.kind);
    all.events.push_back({leaf.once.kind, leaf.count});
  }
  if (!selects) return std::optional<ZcdpCost>();
  const auto cost = zcdp_cost({std::move(all), 1});
  return cost ? std::optional(*cost) : std::optional<ZcdpCost>();
}

}  // namespace

Result<void> add_leaves(const Event& event, Leaves& leaves) { return add_times(event, 1, leaves); }

Result<Steps> steps_of(Leaves& leaves) {
  Steps out;
  long double mu_squared = 0, lost = 0;  // `lost`: the rounding error of all additions, added at the end
  CV_TRY(out.zcdp, zcdp_of(leaves));
  for (auto& [text, leaf] : leaves) {
    if (const auto* gaussian = std::get_if<Gaussian>(&leaf.once.kind)) {
      const long double sigma = gaussian->noise_multiplier;
      const long double more = static_cast<long double>(leaf.count) / (sigma * sigma), sum = mu_squared + more;
      lost += mu_squared > more ? more - (sum - mu_squared) : mu_squared - (sum - more);
      mu_squared = sum;
      continue;
    }
    if (!leaf.model) {
      CV_TRY(leaf.model, make_loss_model(leaf.once));
    }
    out.steps.push_back({leaf.model, leaf.count});
    out.total += static_cast<double>(leaf.count);
  }
  out.only_gaussian = out.steps.empty();
  if (mu_squared > 0) {
    out.steps.push_back({gaussian_model(std::sqrt(mu_squared + lost)), 1});
    out.total += 1;
  }
  return out;
}

Result<Steps> steps_of(const Event& event) {
  CV_CHECK(validate(event));
  CV_TRY(const Event one, in_one_relation(event));
  return fitted_steps_of(one);
}

Result<Steps> fitted_steps_of(const Event& event) {
  CV_CHECK(validate(event));
  Leaves leaves;
  CV_CHECK(add_leaves(event, leaves));
  return steps_of(leaves);
}

}  // namespace chronoveil::accounting
