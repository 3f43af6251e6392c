// Events and their prices. Events cross as JSON, the form in which ledgers keep them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "chronoveil/chronoveil.h"
#include "errors.h"
#include "module.h"

namespace chronoveil::python {
namespace {

using accounting::Price;

template <class T>
constexpr const char* kForm = "number";
template <>
constexpr const char* kForm<std::int64_t> = "whole";
template <>
constexpr const char* kForm<std::vector<std::int64_t>> = "wholes";
template <>
constexpr const char* kForm<std::shared_ptr<const Event>> = "event";
template <>
constexpr const char* kForm<std::vector<Event>> = "events";
template <>
constexpr const char* kForm<accounting::GaussianMixture> = "mixture";
template <class T>
constexpr const char* kForm<std::optional<T>> = kForm<T>;

const char* word_of(accounting::Presence presence) {
  switch (presence) {
    case accounting::Presence::required: return "required";
    case accounting::Presence::noise: return "noise";
    default: return "defaulted";
  }
}

nb::dict field_of(std::string_view name, const char* form, const char* presence, std::string_view help) {
  nb::dict field;
  field["name"] = std::string(name);
  field["form"] = form;
  field["presence"] = presence;
  field["help"] = std::string(help);
  return field;
}

template <class E, class T>
nb::dict told(const accounting::Field<E, T>& field) {
  return field_of(field.name, kForm<T>, word_of(field.presence), field.help);
}
template <class E, class T>
nb::dict told(const accounting::Field<E, std::optional<T>>& field) {
  return field_of(field.name, kForm<T>, "defaulted", field.help);
}
template <class E, class T, std::size_t N>
nb::dict told(const accounting::Choice<E, T, N>& choice) {
  nb::dict field = field_of(choice.name, "word", word_of(choice.presence), choice.help);
  nb::list words;
  for (const auto& [value, word] : choice.words) words.append(std::string(word));
  field["words"] = words;
  return field;
}
template <class E, class T>
nb::dict told(const accounting::Companion<E, T>& companion) {
  nb::dict field = field_of(companion.name, "word", "defaulted", companion.help);
  nb::list words;
  words.append(std::string(companion.word));
  field["words"] = words;
  return field;
}

// Every kind of event with its fields, from the one list of the accountant.
nb::list event_kinds() {
  nb::list kinds;
  accounting::each_kind([&]<class E>() {
    nb::list fields;
    std::apply([&](const auto&... field) { (fields.append(told(field)), ...); }, E::fields());
    nb::dict kind;
    kind["name"] = std::string(E::kName);
    kind["fields"] = fields;
    kinds.append(kind);
  });
  return kinds;
}

nb::dict price_of(const Price& price) {
  nb::dict told;
  told["epsilon"] = price.epsilon;
  told["epsilon_lower"] = price.epsilon_lower;
  told["delta"] = price.delta;
  told["delta_lower"] = price.delta_lower;
  told["epsilon_attained"] = price.epsilon_attained;
  told["delta_attained"] = price.delta_attained;
  told["certificate"] = std::string(name(price.certificate));
  told["beta"] = price.beta;
  told["reason"] = price.reason;
  return told;
}

Result<accounting::Options> options_of(const std::string& analysis, double tolerance, bool attained) {
  if (analysis != "certified" && analysis != "published")
    return invalid("analysis", analysis, "certified or published");
  accounting::Options options;
  options.analysis = analysis == "published" ? accounting::Analysis::published : accounting::Analysis::certified;
  options.tolerance = tolerance;
  options.attained = attained;
  return options;
}

nb::dict epsilon(const std::string& event, double delta, const std::string& analysis, double tolerance, bool attained) {
  return price_of(patiently([&]() -> Result<Price> {
    CV_TRY(const accounting::Options options, options_of(analysis, tolerance, attained));
    CV_TRY(const Event parsed, parse_event(event));
    CV_TRY(const Delta at, Delta::make(delta));
    return epsilon_at(parsed, at, options);
  }));
}

nb::dict delta(const std::string& event, double epsilon, const std::string& analysis, double tolerance, bool attained) {
  return price_of(patiently([&]() -> Result<Price> {
    CV_TRY(const accounting::Options options, options_of(analysis, tolerance, attained));
    CV_TRY(const Event parsed, parse_event(event));
    CV_TRY(const Epsilon at, Epsilon::make(epsilon));
    return delta_at(parsed, at, options);
  }));
}

std::int64_t largest_count(const std::string& event, double epsilon, double delta) {
  return patiently([&]() -> Result<std::int64_t> {
    CV_TRY(const Event parsed, parse_event(event));
    CV_TRY(const Epsilon most, Epsilon::make(epsilon));
    CV_TRY(const Delta at, Delta::make(delta));
    return max_count(parsed, most, at);
  });
}

nb::dict calibrated(const std::string& event, double epsilon, double delta) {
  const accounting::Calibration found = patiently([&]() -> Result<accounting::Calibration> {
    CV_TRY(const Event open, parse_open_event(event));
    CV_TRY(const Epsilon most, Epsilon::make(epsilon));
    CV_TRY(const Delta at, Delta::make(delta));
    return calibrate(open, most, at);
  });
  nb::dict told;
  told["parameter"] = found.parameter;
  told["noise"] = found.noise;
  told["event"] = to_text(found.event);
  told["price"] = price_of(found.price);
  return told;
}

nb::dict others(const std::string& event, double delta) {
  const OtherPrices prices = patiently([&]() -> Result<OtherPrices> {
    CV_TRY(const Event parsed, parse_event(event));
    CV_TRY(const Delta at, Delta::make_positive(delta));
    return other_prices(parsed, at);
  });
  nb::dict told;
  told["renyi"] = prices.renyi;
  told["zcdp"] = prices.zcdp;
  told["black_box"] = prices.black_box;
  return told;
}

}  // namespace

void add_accounting(nb::module_& module) {
  using namespace nb::literals;
  module.def("event_kinds", &event_kinds);
  module.def("rounded_up", &ledger::rounded_up, "value"_a);
  module.def(
      "check_event",
      [](const std::string& event, bool open) {
        return to_text(value_of(open ? parse_open_event(event) : parse_event(event)));
      },
      "event"_a, "open"_a = false);
  module.def("epsilon", &epsilon, "event"_a, "delta"_a, "analysis"_a, "tolerance"_a, "attained"_a);
  module.def("delta", &delta, "event"_a, "epsilon"_a, "analysis"_a, "tolerance"_a, "attained"_a);
  module.def("max_count", &largest_count, "event"_a, "epsilon"_a, "delta"_a);
  module.def("calibrate", &calibrated, "event"_a, "epsilon"_a, "delta"_a);
  module.def("other_prices", &others, "event"_a, "delta"_a);
}

}  // namespace chronoveil::python
