#include "chronoveil/accounting/events/event.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace chronoveil::accounting {
namespace {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

constexpr int kMaxNesting = 16;
constexpr double kWeightTolerance = 1e-9;
constexpr std::string_view kPositive = "a finite number greater than 0";

Result<void> positive(std::string_view parameter, double value, bool open_allowed = false) {
  if (open_allowed && std::isnan(value)) return {};
  if (!std::isfinite(value) || value <= 0) return invalid(parameter, value, kPositive);
  // Beyond this the reciprocal leaves the range of a double.
  if (value < 1e-150 || value > 1e150) return invalid(parameter, value, "between 1e-150 and 1e150");
  return {};
}

Result<void> not_negative(std::string_view parameter, double value) {
  if (!std::isfinite(value) || value < 0) return invalid(parameter, value, "a finite number, at least 0");
  return {};
}

Result<void> at_least(std::string_view parameter, std::int64_t value, std::int64_t least) {
  if (value < least)
    return invalid(parameter, std::to_string(value), "a whole number, at least " + std::to_string(least));
  return {};
}

Result<void> check(const GaussianMixture& mixture, const std::string& side) {
  if (mixture.means.empty()) return invalid(side + ".means", "an empty list", "a list of at least one finite number");
  if (mixture.means.size() != mixture.weights.size())
    return invalid(side + ".weights", "a list of " + std::to_string(mixture.weights.size()),
                   "as long as means (" + std::to_string(mixture.means.size()) + ")");
  for (double mean : mixture.means)
    if (!std::isfinite(mean) || std::abs(mean) > 1e100)
      return invalid(side + ".means", mean, "finite, at most 1e100 in size");
  for (double weight : mixture.weights)
    if (!(weight >= 0 && weight <= 1)) return invalid(side + ".weights", weight, "between 0 and 1");
  const double sum = std::accumulate(mixture.weights.begin(), mixture.weights.end(), 0.0);
  if (std::abs(sum - 1) > kWeightTolerance)
    return invalid(side + ".weights", "a sum of " + shortest(sum), "a sum of one");
  return {};
}

Result<void> check(const TimeSubsampling& e, bool open) {
  CV_CHECK(at_least("participation", e.participation, 1));
  if (!(e.rate >= 0 && e.rate <= 1)) return invalid("rate", e.rate, "between 0 and 1");
  CV_CHECK(positive("noise_multiplier", e.noise_multiplier, open));
  if (e.length) CV_CHECK(at_least("length", *e.length, 1));
  if (e.length && e.participation > *e.length)
    return invalid("participation", std::to_string(e.participation),
                   "at most length (" + std::to_string(*e.length) + ")");
  if (e.filter_width) {
    CV_CHECK(positive("filter_width", *e.filter_width));
    if (!e.length) return invalid("length", "a missing value", "given when there is a filter");
    if (*e.length > (1 << 22))
      return invalid("length", std::to_string(*e.length), "at most 4194304 when there is a filter");
  }
  return {};
}

Result<void> check(const StructuredSubsampling& e, bool open) {
  CV_CHECK(at_least("series", e.series, 1));
  if (e.length.empty()) return invalid("length", "an empty list", "a number or a list of numbers");
  CV_CHECK(at_least("context_length", e.context_length, 0));
  CV_CHECK(at_least("forecast_length", e.forecast_length, 1));
  constexpr std::int64_t kLongest = std::int64_t{1} << 52;  // exact in a double
  for (auto [parameter, value] : {std::pair{"context_length", e.context_length},
                                  {"forecast_length", e.forecast_length},
                                  {"width", e.width},
                                  {"series", e.series},
                                  {"length", e.length.back()}})
    if (value > kLongest) return invalid(parameter, std::to_string(value), "at most 2^52");
  for (std::int64_t length : e.length)
    if (length < e.forecast_length)
      return invalid("length", std::to_string(length),
                     "at least forecast_length (" + std::to_string(e.forecast_length) + ")");
  CV_CHECK(at_least("batch_size", e.batch_size, 1));
  CV_CHECK(at_least("windows_per_series", e.windows_per_series, 1));
  if (e.windows_per_series > e.batch_size)
    return invalid("windows_per_series", std::to_string(e.windows_per_series),
                   "at most batch_size (" + std::to_string(e.batch_size) + ")");
  if (e.batch_size / e.windows_per_series > e.series)
    return invalid("batch_size", std::to_string(e.batch_size),
                   "such that batch_size / windows_per_series is at most series (" + std::to_string(e.series) + ")");
  CV_CHECK(positive("noise_multiplier", e.noise_multiplier, open));
  if (e.unit == Unit::w_event) return invalid("unit", "w-event", "event (with width for w events in a row) or user");
  CV_CHECK(at_least("width", e.width, 1));
  CV_CHECK(not_negative("context_noise", e.context_noise));
  CV_CHECK(not_negative("label_noise", e.label_noise));
  const bool augmented = e.context_noise > 0 || e.label_noise > 0;
  if (augmented && e.windows_per_series != 1)
    return invalid("windows_per_series", std::to_string(e.windows_per_series),
                   "1 when there is context or label noise");
  if (augmented && e.bottom_level != StructuredSubsampling::Bottom::with_replacement)
    return invalid("bottom_level", "poisson", "with_replacement when there is context or label noise");
  return {};
}

// What the kernels of temporal/ accept.
Result<void> check_window(std::int64_t window) {
  if (window < 2 || window > (std::int64_t{1} << 20))
    return invalid("window", std::to_string(window), "a whole number between 2 and 1048576");
  return {};
}

Result<void> check_switch(std::int64_t window, double stay, bool open) {
  CV_CHECK(check_window(window));
  if (open && std::isnan(stay)) return {};
  if (!(stay < 1 && stay * static_cast<double>(window) >= 1))
    return invalid("stay", stay,
                   "at least 1/window, so that a value stays at least as likely as it moves to any one other step, and "
                   "less than 1");
  return {};
}

Result<void> check(const NoisySort& e, bool open) {
  CV_CHECK(check_window(e.window));
  CV_CHECK(positive("epsilon", e.epsilon, open));
  if (e.max_shift && (*e.max_shift < 1 || *e.max_shift > (std::int64_t{1} << 40)))
    return invalid("max_shift", std::to_string(*e.max_shift), "a whole number between 1 and 2^40");
  if (e.plateau && e.law != NoisySort::Law::staircase)
    return invalid("plateau", std::to_string(*e.plateau), "left out where law is laplace, which has none");
  if (e.plateau && (*e.plateau < 1 || *e.plateau >= e.window))
    return invalid("plateau", std::to_string(*e.plateau),
                   "a whole number between 1 and window - 1 (" + std::to_string(e.window - 1) + ")");
  return {};
}

Result<void> check(const Threshold& e, bool open) {
  CV_CHECK(check_window(e.window));
  if (open && e.threshold == 0) return {};
  if (e.threshold < 1 || e.threshold >= e.window)
    return invalid("threshold", std::to_string(e.threshold),
                   "a whole number between 1 and window - 1 (" + std::to_string(e.window - 1) + ")");
  return {};
}

Result<void> check_event(const Event& event, bool open, int depth);

Result<void> check_rate(double rate) {
  return rate >= 0 && rate <= 1 ? Result<void>() : Result<void>(invalid("rate", rate, "between 0 and 1"));
}

// `wanted` is the relation that the inner event must be priced for. One sample is used once: what is done with it
// several times would be a composition inside, which no sampled price covers.
Result<void> check_inner(const std::shared_ptr<const Event>& inner, Relation relation, Relation wanted, bool open) {
  if (relation != Relation::add_remove && relation != Relation::replace)
    return invalid("relation", chronoveil::name(relation), "add_remove or replace");
  if (!inner) return invalid("inner", "a missing value", "an event");
  const bool samples = inner_of(*inner) || std::holds_alternative<DpSgd>(inner->kind) ||
                       std::holds_alternative<StructuredSubsampling>(inner->kind);
  if (samples || window_of(*inner) || std::holds_alternative<Compose>(inner->kind))
    return invalid("inner", name(*inner), "a simple event that does not sample units itself and does not move values");
  if (inner->count != 1)
    return invalid("inner.count", std::to_string(inner->count), "1; a count outside draws a new sample every time");
  if (const auto own = relation_of(*inner); own && *own != wanted)
    return invalid("inner", name(*inner), "for the relation " + std::string(chronoveil::name(wanted)));
  return check_event(*inner, open, 0);
}

template <class FixedSize>
Result<void> check_fixed_size(const FixedSize& e, bool open) {
  constexpr std::int64_t kMost = std::int64_t{1} << 52;  // exact in a double
  CV_CHECK(at_least("population", e.population, 1));
  CV_CHECK(at_least("batch_size", e.batch_size, 1));
  if (e.population > kMost) return invalid("population", std::to_string(e.population), "at most 2^52");
  if (e.batch_size > kMost) return invalid("batch_size", std::to_string(e.batch_size), "at most 2^52");
  return check_inner(e.inner, e.relation, Relation::replace, open);
}

Result<void> check(const SampledWithoutReplacement& e, bool open) {
  CV_CHECK(check_fixed_size(e, open));
  // Without the unit there must still be a whole sample.
  const std::int64_t most = e.relation == Relation::add_remove ? e.population - 1 : e.population;
  if (e.batch_size > most)
    return invalid(
        "batch_size", std::to_string(e.batch_size),
        e.relation == Relation::add_remove ? "less than population: one unit may be missing" : "at most population");
  return {};
}

Result<void> check(const SampledWithReplacement& e, bool open) {
  CV_CHECK(check_fixed_size(e, open));
  const Event& inner = *e.inner;
  const bool groups = std::holds_alternative<Gaussian>(inner.kind) || std::holds_alternative<Laplace>(inner.kind) ||
                      std::holds_alternative<DiscreteGaussian>(inner.kind) ||
                      std::holds_alternative<DiscreteLaplace>(inner.kind) || std::holds_alternative<Pure>(inner.kind) ||
                      std::holds_alternative<Exponential>(inner.kind);
  if (!groups)
    return invalid("inner", name(inner),
                   "gaussian, laplace, discrete_gaussian, discrete_laplace, pure or exponential: a unit may be drawn "
                   "several times, and only of these is known what that costs");
  if (e.relation == Relation::add_remove && e.population < 2)
    return invalid("population", std::to_string(e.population), "at least 2 under add_remove: one unit may be missing");
  return {};
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

Result<void> check_event(const Event& event, bool open, int depth) {
  CV_CHECK(at_least("count", event.count, 1));
  return std::visit(Overloaded{
                        [&](const Gaussian& e) { return positive("noise_multiplier", e.noise_multiplier, open); },
                        [&](const Laplace& e) { return positive("noise_multiplier", e.noise_multiplier, open); },
                        [&](const DiscreteGaussian& e) -> Result<void> {
                          CV_CHECK(at_least("sensitivity", e.sensitivity, 0));
                          return positive("scale", e.scale, open);
                        },
                        [&](const DiscreteLaplace& e) -> Result<void> {
                          CV_CHECK(at_least("sensitivity", e.sensitivity, 0));
                          return positive("scale", e.scale, open);
                        },
                        [&](const Exponential& e) {
                          return open && std::isnan(e.epsilon) ? Result<void>() : not_negative("epsilon", e.epsilon);
                        },
                        [&](const Pure& e) {
                          return open && std::isnan(e.epsilon) ? Result<void>() : not_negative("epsilon", e.epsilon);
                        },
                        [&](const Approximate& e) -> Result<void> {
                          if (!(open && std::isnan(e.epsilon))) CV_CHECK(not_negative("epsilon", e.epsilon));
                          if (!(e.delta >= 0 && e.delta <= 1)) return invalid("delta", e.delta, "between 0 and 1");
                          return {};
                        },
                        [&](const RandomizedResponse& e) -> Result<void> {
                          CV_CHECK(at_least("values", e.values, 2));
                          return open && std::isnan(e.epsilon) ? Result<void>() : not_negative("epsilon", e.epsilon);
                        },
                        [&](const Mixture& e) -> Result<void> {
                          CV_CHECK(check(e.p, "p"));
                          CV_CHECK(check(e.q, "q"));
                          return positive("noise_multiplier", e.noise_multiplier, open);
                        },
                        [&](const TimeSubsampling& e) { return check(e, open); },
                        [&](const StructuredSubsampling& e) { return check(e, open); },
                        [&](const RanSwitch& e) { return check_switch(e.window, e.stay, open); },
                        [&](const StaSwitch& e) { return check_switch(e.window, e.stay, open); },
                        [&](const NoisySort& e) { return check(e, open); },
                        [&](const Threshold& e) { return check(e, open); },
                        [&](const PoissonSampled& e) -> Result<void> {
                          CV_CHECK(check_rate(e.rate));
                          return check_inner(e.inner, e.relation, e.relation, open);
                        },
                        [&](const SampledWithoutReplacement& e) { return check(e, open); },
                        [&](const SampledWithReplacement& e) { return check(e, open); },
                        [&](const DpSgd& e) -> Result<void> {
                          CV_CHECK(check_rate(e.rate));
                          return positive("noise_multiplier", e.noise_multiplier, open);
                        },
                        [&](const Compose& e) -> Result<void> {
                          if (e.events.empty())
                            return invalid("events", "an empty list", "a list of at least one event");
                          if (depth >= kMaxNesting)
                            return invalid("events", "a deeper nesting",
                                           "nested at most " + std::to_string(kMaxNesting) + " deep");
                          for (const Event& part : e.events) CV_CHECK(check_event(part, open, depth + 1));
                          return {};
                        },
                    },
                    event.kind);
}

// The noise parameter of a simple event; nullptr for `compose` and what samples, which have it inside, and for
// `threshold`, whose own is a whole number.
double* noise_parameter(Event& event) {
  return std::visit(
      [](auto& e) -> double* {
        if constexpr (requires { e.noise_multiplier; }) return &e.noise_multiplier;
        if constexpr (requires { e.scale; }) return &e.scale;
        if constexpr (requires { e.epsilon; }) return &e.epsilon;
        if constexpr (requires { e.stay; }) return &e.stay;
        return nullptr;
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

// The window of a simple event that moves values in time.
std::optional<std::int64_t> own_window(const Event& event) {
  return std::visit(
      [](const auto& e) -> std::optional<std::int64_t> {
        if constexpr (requires { e.window; }) return e.window;
        return std::nullopt;
      },
      event.kind);
}

}  // namespace

std::string_view name(const Event& event) {
  static constexpr std::string_view kNames[] = {"gaussian",
                                                "laplace",
                                                "discrete_gaussian",
                                                "discrete_laplace",
                                                "exponential",
                                                "pure",
                                                "approximate",
                                                "randomized_response",
                                                "mixture",
                                                "time_subsampling",
                                                "structured_subsampling",
                                                "ranswitch",
                                                "staswitch",
                                                "noisy_sort",
                                                "threshold",
                                                "poisson_sampled",
                                                "sampled_without_replacement",
                                                "sampled_with_replacement",
                                                "dp_sgd",
                                                "compose"};
  static_assert(std::size(kNames) == std::variant_size_v<Kind>);
  return kNames[event.kind.index()];
}

Result<void> validate(const Event& event, bool open_noise) {
  auto checked = check_event(event, open_noise, 0);
  if (const auto total = checked ? total_count(event) : Result<std::int64_t>(0); !total)
    checked = Failure(total.error());
  if (!checked) checked.error().message.insert(0, std::string(name(event)) + ": ");
  return checked;
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
  if (auto* compose = std::get_if<Compose>(&event.kind)) {
    for (Event& part : compose->events) part = with_noise(std::move(part), value);
  } else if (auto* dispatch = std::get_if<Threshold>(&event.kind)) {
    if (dispatch->threshold == 0) dispatch->threshold = static_cast<std::int64_t>(value);
  } else if (double* noise = noise_parameter(event); std::isnan(*noise)) {
    *noise = value;
  }
  return event;
}

bool has_open_noise(const Event& event) {
  if (const Event* inner = inner_of(event)) return has_open_noise(*inner);
  if (const auto* compose = std::get_if<Compose>(&event.kind))
    return std::any_of(compose->events.begin(), compose->events.end(), has_open_noise);
  if (const auto* dispatch = std::get_if<Threshold>(&event.kind)) return dispatch->threshold == 0;
  return std::isnan(*noise_parameter(const_cast<Event&>(event)));
}

Event opened(Event event) {
  if (const Event* inner = inner_of(event)) return with_inner(event, opened(*inner));
  if (double* noise = noise_parameter(event)) *noise = kToCalibrate;
  if (auto* dispatch = std::get_if<Threshold>(&event.kind)) dispatch->threshold = 0;
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
    return names;
  }
  names.push_back(std::visit(
      [](const auto& e) -> std::string {
        if constexpr (requires { e.noise_multiplier; }) return "noise_multiplier";
        if constexpr (requires { e.scale; }) return "scale";
        if constexpr (requires { e.epsilon; }) return "epsilon";
        if constexpr (requires { e.stay; }) return "stay";
        return "threshold";
      },
      event.kind));
  return names;
}

std::optional<Unit> unit_of(const Event& event) {
  if (const auto* e = std::get_if<StructuredSubsampling>(&event.kind))
    return e->unit == Unit::event && e->width > 1 ? Unit::w_event : e->unit;
  if (std::holds_alternative<TimeSubsampling>(event.kind)) return Unit::user;
  if (own_window(event)) return Unit::event;
  if (const auto* compose = std::get_if<Compose>(&event.kind)) {
    // The composition protects only what every part protects.
    std::optional<Unit> narrowest;
    for (const Event& part : compose->events)
      if (const auto unit = unit_of(part)) narrowest = narrowest ? std::min(*narrowest, *unit) : *unit;
    return narrowest;
  }
  return std::nullopt;
}

std::optional<Relation> relation_of(const Event& event) {
  if (std::holds_alternative<TimeSubsampling>(event.kind) || std::holds_alternative<DpSgd>(event.kind))
    return Relation::add_remove;
  if (inner_of(event))
    return std::visit(
        [](const auto& e) -> std::optional<Relation> {
          if constexpr (requires { e.relation; }) return e.relation;
          return std::nullopt;
        },
        event.kind);
  if (std::holds_alternative<StructuredSubsampling>(event.kind) ||
      std::holds_alternative<RandomizedResponse>(event.kind))
    return Relation::replace;
  if (window_of(event)) return Relation::swap;
  if (const auto* compose = std::get_if<Compose>(&event.kind)) {
    std::optional<Relation> common;
    for (const Event& part : compose->events) {
      const auto relation = relation_of(part);
      if (!relation) continue;
      // A removal and an addition are a replacement; the reverse does not hold.
      common = common && *common != *relation ? Relation::replace : *relation;
    }
    return common;
  }
  return std::nullopt;
}

std::optional<std::int64_t> window_of(const Event& event) {
  if (const auto* compose = std::get_if<Compose>(&event.kind)) {
    std::optional<std::int64_t> narrowest;
    for (const Event& part : compose->events)
      if (const auto window = window_of(part)) narrowest = narrowest ? std::min(*narrowest, *window) : *window;
    return narrowest;
  }
  return own_window(event);
}

}  // namespace chronoveil::accounting
