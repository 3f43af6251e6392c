#include "chronoveil/accounting/events/event.h"

#include <algorithm>
#include <cmath>

namespace chronoveil::accounting {
namespace {

constexpr int kMaxNesting = 16;

bool is_open(double noise) { return std::isnan(noise); }
bool is_open(std::int64_t noise) { return noise == 0; }

// Words are valid by their types; check_event() checks events inside.
template <class E, class T, std::size_t N>
Result<void> check_field(const E&, const Choice<E, T, N>&, bool) {
  return {};
}
template <class E, class T>
Result<void> check_field(const E&, const Companion<E, T>&, bool) {
  return {};
}
template <class E, class T>
Result<void> check_field(const E& event, const Field<E, T>& field, bool open) {
  const T& value = event.*field.member;
  if constexpr (requires { is_open(value); }) {
    if (open && field.presence == Presence::noise && is_open(value)) return {};
  }
  if constexpr (requires { value.has_value(); })
    return value ? check_range(field.range, field.name, *value) : Result<void>();
  else if constexpr (requires { check_range(field.range, field.name, value); })
    return check_range(field.range, field.name, value);
  else
    return {};
}

Result<void> check_event(const Event& event, bool open, int depth);

Result<void> check_parts(const Compose& compose, bool open, int depth) {
  if (compose.events.empty()) return invalid("events", "an empty list", "a list of at least one event");
  if (depth >= kMaxNesting)
    return invalid("events", "a deeper nesting", "nested at most " + std::to_string(kMaxNesting) + " deep");
  for (const Event& part : compose.events) CV_CHECK(check_event(part, open, depth + 1));
  return {};
}

Result<void> check_event(const Event& event, bool open, int depth) {
  CV_CHECK(check_range(field::at_least(1), "count", event.count));
  return std::visit(
      [&]<class E>(const E& e) -> Result<void> {
        CV_CHECK(each_field<E>([&](const auto& field) { return check_field(e, field, open); }));
        if constexpr (requires { e.check(open); }) CV_CHECK(e.check(open));
        if constexpr (requires { e.inner; }) return check_event(*e.inner, open, 0);
        if constexpr (std::is_same_v<E, Compose>) return check_parts(e, open, depth);
        return {};
      },
      event.kind);
}

// How often an event happens in all, counts of compositions included; an error beyond 2^63.
Result<std::int64_t> total_count(const Event& event) {
  std::int64_t inside = 1;
  if (const auto* compose = std::get_if<Compose>(&event.kind)) {
    inside = 0;
    for (const Event& part : compose->events) {
      CV_TRY(const std::int64_t count, total_count(part));
      if (__builtin_add_overflow(inside, count, &inside))
        return invalid("count", "a sum over 2^63", "below 2^63 in all");
    }
  }
  if (__builtin_mul_overflow(inside, event.count, &inside))
    return invalid("count", "a product over 2^63", "below 2^63 in all");
  return inside;
}

// Calls f(value, name) with the noise parameter of a simple event; `compose` and sampled events have it inside.
template <class E, class F>
void at_noise(E& event, F f) {
  std::visit(
      [&]<class K>(K& e) {
        const auto look = [&](const auto& field) {
          if constexpr (requires { field.presence, is_open(e.*field.member); })
            if (field.presence == Presence::noise) f(e.*field.member, field.name);
        };
        std::apply([&](const auto&... field) { (look(field), ...); }, K::fields());
      },
      event.kind);
}

// A sampled event with another inner one; others as they are.
Event with_inner(Event event, Event inner) {
  std::visit(
      [&](auto& e) {
        if constexpr (requires { e.inner; }) e.inner = std::make_shared<const Event>(std::move(inner));
      },
      event.kind);
  return event;
}

}  // namespace

std::string_view name(const Event& event) {
  return std::visit([]<class E>(const E&) { return E::kName; }, event.kind);
}

Result<void> validate(const Event& event, bool open_noise) {
  auto checked = check_event(event, open_noise, 0);
  if (const auto total = checked ? total_count(event) : Result<std::int64_t>(0); !total)
    checked = Failure(total.error());
  return at(name(event), std::move(checked));
}

const Event* inner_of(const Event& event) {
  return std::visit(
      [](const auto& e) -> const Event* {
        if constexpr (requires { e.inner; }) return e.inner.get();
        return nullptr;
      },
      event.kind);
}

Event with_noise(Event event, double value) {
  if (const Event* inner = inner_of(event)) return with_inner(event, with_noise(*inner, value));
  if (auto* compose = std::get_if<Compose>(&event.kind))
    for (Event& part : compose->events) part = with_noise(std::move(part), value);
  at_noise(event, [&]<class T>(T& noise, std::string_view) {
    if (is_open(noise)) noise = static_cast<T>(value);
  });
  return event;
}

bool has_open_noise(const Event& event) {
  if (const Event* inner = inner_of(event)) return has_open_noise(*inner);
  if (const auto* compose = std::get_if<Compose>(&event.kind))
    return std::any_of(compose->events.begin(), compose->events.end(), has_open_noise);
  bool open = false;
  at_noise(event, [&](const auto& noise, std::string_view) { open = is_open(noise); });
  return open;
}

Event opened(Event event) {
  if (const Event* inner = inner_of(event)) return with_inner(event, opened(*inner));
  at_noise(event, []<class T>(T& noise, std::string_view) {
    noise = std::is_same_v<T, double> ? static_cast<T>(kToCalibrate) : T{};
  });
  return event;
}

std::vector<std::string> noise_names(const Event& event) {
  if (const Event* inner = inner_of(event)) return noise_names(*inner);
  std::vector<std::string> names;
  if (const auto* compose = std::get_if<Compose>(&event.kind)) {
    for (const Event& part : compose->events) {
      if (!has_open_noise(part)) continue;
      for (std::string& open : noise_names(part))
        if (std::find(names.begin(), names.end(), open) == names.end()) names.push_back(std::move(open));
    }
  }
  at_noise(event, [&](const auto&, std::string_view noise) { names.emplace_back(noise); });
  return names;
}

std::optional<Unit> unit_of(const Event& event) {
  return std::visit(
      [](const auto& e) -> std::optional<Unit> {
        if constexpr (requires { e.own_unit(); }) return e.own_unit();
        if constexpr (requires { e.window; }) return Unit::event;
        return std::nullopt;
      },
      event.kind);
}

std::optional<Relation> relation_of(const Event& event) {
  return std::visit(
      [](const auto& e) -> std::optional<Relation> {
        if constexpr (requires { e.own_relation(); }) return e.own_relation();
        if constexpr (requires { e.relation; }) return e.relation;
        if constexpr (requires { e.window; }) return Relation::swap;
        return std::nullopt;
      },
      event.kind);
}

std::optional<std::int64_t> window_of(const Event& event) {
  if (const auto* compose = std::get_if<Compose>(&event.kind)) {
    std::optional<std::int64_t> narrowest;
    for (const Event& part : compose->events)
      if (const auto window = window_of(part)) narrowest = narrowest ? std::min(*narrowest, *window) : *window;
    return narrowest;
  }
  return std::visit(
      [](const auto& e) -> std::optional<std::int64_t> {
        if constexpr (requires { e.window; }) return e.window;
        return std::nullopt;
      },
      event.kind);
}

}  // namespace chronoveil::accounting
