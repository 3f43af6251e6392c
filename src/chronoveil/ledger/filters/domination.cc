#include "chronoveil/ledger/filters/domination.h"

#include <algorithm>

namespace chronoveil::ledger {

using accounting::Event;

namespace {

bool is_pure_within(const Event& event, double epsilon) {
  const auto own = stated_epsilon(event);
  return own && *own <= Amount::stated_down(epsilon);
}

struct OneDominates {
  const Event& event;

  bool operator()(const accounting::Pure& slot) const { return is_pure_within(event, slot.epsilon); }
  bool operator()(const accounting::Approximate& slot) const {
    const auto* same = std::get_if<accounting::Approximate>(&event.kind);
    return same ? same->dominated_by(slot) : is_pure_within(event, slot.epsilon);
  }
  bool operator()(const accounting::Compose& slot) const {
    const auto* all = std::get_if<accounting::Compose>(&event.kind);
    return all &&
           std::equal(all->events.begin(), all->events.end(), slot.events.begin(), slot.events.end(), is_dominated_by);
  }
  template <class Slot>
  bool operator()(const Slot& slot) const {
    const auto* same = std::get_if<Slot>(&event.kind);
    if (!same || !same->dominated_by(slot)) return false;
    if constexpr (requires { slot.inner; }) return is_dominated_by(*same->inner, *slot.inner);
    return true;
  }
};

}  // namespace

std::optional<Amount> stated_epsilon(const Event& event) {
  return std::visit(
      [](const auto& e) -> std::optional<Amount> {
        if constexpr (requires { e.pure(); }) {
          const auto stated = e.pure();
          if (!stated) return std::nullopt;
          return stated->denominator > 0 ? Amount::ratio_up(stated->numerator, stated->denominator)
                                         : Amount::stated_up(stated->value);
        }
        return std::nullopt;
      },
      event.kind);
}

bool is_dominated_by(const Event& event, const Event& slot) {
  if (event.count > slot.count) return false;
  return std::visit(OneDominates{event}, slot.kind);
}

}  // namespace chronoveil::ledger
