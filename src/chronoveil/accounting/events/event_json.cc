#include "chronoveil/accounting/events/event_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

namespace chronoveil::accounting {
namespace {

using nlohmann::json;

// Reads the fields of one JSON object and remembers which were read, so that the rest can be refused.
class Fields {
 public:
  Fields(const json& object, std::string where, bool open_noise)
      : object_(object), where_(std::move(where)), open_noise_(open_noise) {}

  const json* find(std::string_view key) {
    read_.emplace(key);
    const auto it = object_.find(key);
    return it == object_.end() ? nullptr : &*it;
  }

  Result<double> number(std::string_view key) {
    const json* field = find(key);
    if (!field) return missing(key, "a number");
    if (!field->is_number()) return wrong(key, *field, "a number");
    return field->get<double>();
  }
  Result<double> number_or(std::string_view key, double fallback) {
    return object_.contains(key) ? number(key) : (find(key), Result<double>(fallback));
  }
  // A noise parameter: calibrate() may leave it open.
  Result<double> noise(std::string_view key) {
    if (open_noise_ && !object_.contains(key)) return kToCalibrate;
    return number(key);
  }

  Result<std::int64_t> integer(std::string_view key) {
    const json* field = find(key);
    if (!field) return missing(key, "a whole number");
    return as_integer(key, *field);
  }
  Result<std::int64_t> integer_or(std::string_view key, std::int64_t fallback) {
    return object_.contains(key) ? integer(key) : (find(key), Result<std::int64_t>(fallback));
  }

  Result<std::string> text_or(std::string_view key, std::string fallback) {
    const json* field = find(key);
    if (!field) return fallback;
    if (!field->is_string()) return wrong(key, *field, "a text");
    return field->get<std::string>();
  }

  Result<std::vector<double>> numbers(std::string_view key) {
    const json* field = find(key);
    if (!field || !field->is_array()) return missing_or_wrong(key, field, "a list of numbers");
    std::vector<double> values;
    for (const json& item : *field) {
      if (!item.is_number()) return wrong(key, item, "a list of numbers");
      values.push_back(item.get<double>());
    }
    return values;
  }

  // A number, or a list of numbers.
  Result<std::vector<std::int64_t>> integers(std::string_view key) {
    const json* field = find(key);
    if (!field) return missing(key, "a whole number or a list of them");
    std::vector<std::int64_t> values;
    if (!field->is_array()) {
      CV_TRY(const auto value, as_integer(key, *field));
      return std::vector<std::int64_t>{value};
    }
    for (const json& item : *field) {
      CV_TRY(const auto value, as_integer(key, item));
      values.push_back(value);
    }
    return values;
  }

  Result<void> nothing_else() const {
    for (const auto& [key, unused] : object_.items())
      if (!read_.contains(key)) return fail(ErrorKind::usage, where_ + ": unknown field \"" + printable(key) + "\"");
    return {};
  }

  Failure missing(std::string_view key, std::string_view valid) const {
    return fail(ErrorKind::usage, where_ + ": " + std::string(key) + " is missing; it must be " + std::string(valid));
  }
  Failure wrong(std::string_view key, const json& value, std::string_view valid) const {
    return fail(ErrorKind::usage, where_ + ": " + std::string(key) + ": " + value.type_name() +
                                      " is not valid; it must be " + std::string(valid));
  }

  // Keys come from outside: keep the message on one line.
  static std::string printable(std::string_view text) {
    std::string out;
    for (char c : text.substr(0, 40)) out += (c >= ' ' && c != 0x7f) ? c : '?';
    return out;
  }

 private:
  Failure missing_or_wrong(std::string_view key, const json* field, std::string_view valid) const {
    return field ? wrong(key, *field, valid) : missing(key, valid);
  }
  Result<std::int64_t> as_integer(std::string_view key, const json& value) const {
    constexpr std::string_view kValid = "a whole number below 2^63";
    if (!value.is_number()) return wrong(key, value, kValid);
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX})
      return fail(ErrorKind::usage, where_ + ": " + std::string(key) + ": " + value.dump() +
                                        " is not valid; it must be " + std::string(kValid));
    if (value.is_number_float()) {
      const double real = value.get<double>();
      if (std::floor(real) != real || std::abs(real) >= 0x1p63)
        return fail(ErrorKind::usage, where_ + ": " + std::string(key) + ": " + shortest(real) +
                                          " is not valid; it must be " + std::string(kValid));
      return static_cast<std::int64_t>(real);
    }
    return value.get<std::int64_t>();
  }

  const json& object_;
  std::string where_;
  bool open_noise_;
  std::set<std::string, std::less<>> read_;
};

Result<GaussianMixture> read_mixture(Fields& fields, std::string_view key) {
  const json* side = fields.find(key);
  if (!side) return fields.missing(key, "an object with means and weights");
  if (!side->is_object()) return fields.wrong(key, *side, "an object with means and weights");
  Fields inner(*side, "mixture: " + std::string(key), false);
  GaussianMixture mixture;
  CV_TRY(mixture.means, inner.numbers("means"));
  CV_TRY(mixture.weights, inner.numbers("weights"));
  CV_CHECK(inner.nothing_else());
  return mixture;
}

Result<Kind> read_time_subsampling(Fields& fields) {
  TimeSubsampling e{};
  CV_TRY(e.participation, fields.integer("participation"));
  CV_TRY(e.rate, fields.number("rate"));
  CV_TRY(e.noise_multiplier, fields.noise("noise_multiplier"));
  if (fields.find("length")) {
    CV_TRY(e.length, fields.integer("length"));
  }
  CV_TRY(const auto filter, fields.text_or("filter", ""));
  if (!filter.empty() && filter != "gaussian")
    return invalid("time_subsampling: filter", Fields::printable(filter), "\"gaussian\"");
  if (fields.find("filter_width")) {
    if (filter.empty()) return fields.missing("filter", "\"gaussian\" when filter_width is given");
    CV_TRY(e.filter_width, fields.number("filter_width"));
  } else if (!filter.empty()) {
    return fields.missing("filter_width", "given when there is a filter");
  }
  return e;
}

Result<Kind> read_structured_subsampling(Fields& fields) {
  using Top = StructuredSubsampling::Top;
  using Bottom = StructuredSubsampling::Bottom;
  StructuredSubsampling e{};
  CV_TRY(e.series, fields.integer("series"));
  CV_TRY(e.length, fields.integers("length"));
  std::sort(e.length.begin(), e.length.end());
  e.length.erase(std::unique(e.length.begin(), e.length.end()), e.length.end());
  CV_TRY(e.context_length, fields.integer("context_length"));
  CV_TRY(e.forecast_length, fields.integer("forecast_length"));
  CV_TRY(e.batch_size, fields.integer("batch_size"));
  CV_TRY(e.windows_per_series, fields.integer_or("windows_per_series", 1));
  CV_TRY(e.noise_multiplier, fields.noise("noise_multiplier"));
  CV_TRY(const auto top, fields.text_or("top_level", "without_replacement"));
  if (top != "iterate" && top != "without_replacement")
    return invalid("structured_subsampling: top_level", Fields::printable(top),
                   "\"iterate\" or \"without_replacement\"");
  e.top_level = top == "iterate" ? Top::iterate : Top::without_replacement;
  CV_TRY(const auto bottom, fields.text_or("bottom_level", "with_replacement"));
  if (bottom != "with_replacement" && bottom != "poisson")
    return invalid("structured_subsampling: bottom_level", Fields::printable(bottom),
                   "\"with_replacement\" or \"poisson\"");
  e.bottom_level = bottom == "poisson" ? Bottom::poisson : Bottom::with_replacement;
  CV_TRY(const auto unit, fields.text_or("unit", "event"));
  if (unit != "event" && unit != "user")
    return invalid("structured_subsampling: unit", Fields::printable(unit), "\"event\" or \"user\"");
  e.unit = unit == "user" ? Unit::user : Unit::event;
  CV_TRY(e.width, fields.integer_or("width", 1));
  CV_TRY(e.context_noise, fields.number_or("context_noise", 0));
  CV_TRY(e.label_noise, fields.number_or("label_noise", 0));
  return e;
}

Result<Kind> read_noisy_sort(Fields& fields) {
  NoisySort e{};
  CV_TRY(e.window, fields.integer("window"));
  CV_TRY(e.epsilon, fields.noise("epsilon"));
  CV_TRY(const auto law, fields.text_or("law", "laplace"));
  if (law != "laplace" && law != "staircase")
    return invalid("noisy_sort: law", Fields::printable(law), "\"laplace\" or \"staircase\"");
  e.law = law == "staircase" ? NoisySort::Law::staircase : NoisySort::Law::laplace;
  if (fields.find("max_shift")) {
    CV_TRY(e.max_shift, fields.integer("max_shift"));
  }
  if (fields.find("plateau")) {
    CV_TRY(e.plateau, fields.integer("plateau"));
  }
  return e;
}

Result<Event> read_event(const json& object, bool open_noise, int depth);

Result<std::shared_ptr<const Event>> read_inner(Fields& fields, bool open_noise, int depth) {
  const json* inner = fields.find("inner");
  if (!inner) return fields.missing("inner", "an event");
  CV_TRY(Event event, read_event(*inner, open_noise, depth + 1));
  return std::make_shared<const Event>(std::move(event));
}

Result<Relation> read_relation(Fields& fields, Relation fallback) {
  CV_TRY(const auto text, fields.text_or("relation", std::string(chronoveil::name(fallback))));
  for (const Relation relation : {Relation::add_remove, Relation::replace})
    if (chronoveil::name(relation) == text) return relation;
  return invalid("relation", Fields::printable(text), "\"add_remove\" or \"replace\"");
}

Result<Kind> read_poisson_sampled(Fields& fields, bool open_noise, int depth) {
  PoissonSampled e{};
  CV_TRY(e.rate, fields.number("rate"));
  CV_TRY(e.inner, read_inner(fields, open_noise, depth));
  CV_TRY(e.relation, read_relation(fields, Relation::add_remove));
  return e;
}

template <class FixedSize>
Result<Kind> read_fixed_size(Fields& fields, bool open_noise, int depth) {
  FixedSize e{};
  CV_TRY(e.population, fields.integer("population"));
  CV_TRY(e.batch_size, fields.integer("batch_size"));
  CV_TRY(e.inner, read_inner(fields, open_noise, depth));
  CV_TRY(e.relation, read_relation(fields, Relation::replace));
  return e;
}

Result<Kind> read_kind(std::string_view event, Fields& fields, bool open_noise, int depth) {
  if (event == "gaussian" || event == "laplace") {
    CV_TRY(const double noise, fields.noise("noise_multiplier"));
    return event == "gaussian" ? Kind(Gaussian{noise}) : Kind(Laplace{noise});
  }
  if (event == "discrete_gaussian" || event == "discrete_laplace") {
    CV_TRY(const double scale, fields.noise("scale"));
    CV_TRY(const auto sensitivity, fields.integer("sensitivity"));
    return event == "discrete_gaussian" ? Kind(DiscreteGaussian{scale, sensitivity})
                                        : Kind(DiscreteLaplace{scale, sensitivity});
  }
  if (event == "exponential" || event == "pure") {
    CV_TRY(const double epsilon, fields.noise("epsilon"));
    return event == "pure" ? Kind(Pure{epsilon}) : Kind(Exponential{epsilon});
  }
  if (event == "approximate") {
    Approximate e{};
    CV_TRY(e.epsilon, fields.noise("epsilon"));
    CV_TRY(e.delta, fields.number("delta"));
    return e;
  }
  if (event == "randomized_response") {
    RandomizedResponse e{};
    CV_TRY(e.epsilon, fields.noise("epsilon"));
    CV_TRY(e.values, fields.integer("values"));
    return e;
  }
  if (event == "mixture") {
    Mixture e{};
    CV_TRY(e.p, read_mixture(fields, "p"));
    CV_TRY(e.q, read_mixture(fields, "q"));
    CV_TRY(e.noise_multiplier, fields.noise("noise_multiplier"));
    return e;
  }
  if (event == "time_subsampling") return read_time_subsampling(fields);
  if (event == "structured_subsampling") return read_structured_subsampling(fields);
  if (event == "ranswitch" || event == "staswitch") {
    CV_TRY(const auto window, fields.integer("window"));
    CV_TRY(const double stay, fields.noise("stay"));
    return event == "ranswitch" ? Kind(RanSwitch{window, stay}) : Kind(StaSwitch{window, stay});
  }
  if (event == "noisy_sort") return read_noisy_sort(fields);
  if (event == "threshold") {
    Threshold e{};
    CV_TRY(e.window, fields.integer("window"));
    if (!(open_noise && !fields.find("threshold"))) {
      CV_TRY(e.threshold, fields.integer("threshold"));
    }
    return e;
  }
  if (event == "poisson_sampled") return read_poisson_sampled(fields, open_noise, depth);
  if (event == "sampled_without_replacement")
    return read_fixed_size<SampledWithoutReplacement>(fields, open_noise, depth);
  if (event == "sampled_with_replacement") return read_fixed_size<SampledWithReplacement>(fields, open_noise, depth);
  if (event == "dp_sgd") {
    DpSgd e{};
    CV_TRY(e.rate, fields.number("rate"));
    CV_TRY(e.noise_multiplier, fields.noise("noise_multiplier"));
    return e;
  }
  if (event == "compose") {
    const json* events = fields.find("events");
    if (!events) return fields.missing("events", "a list of events");
    if (!events->is_array()) return fields.wrong("events", *events, "a list of events");
    Compose e;
    for (const json& part : *events) {
      CV_TRY(auto parsed, read_event(part, open_noise, depth + 1));
      e.events.push_back(std::move(parsed));
    }
    return e;
  }
  return fail(ErrorKind::usage,
              "event: \"" + Fields::printable(event) +
                  "\" is not known; it must be one of gaussian, laplace, discrete_gaussian, "
                  "discrete_laplace, exponential, pure, approximate, randomized_response, mixture, "
                  "time_subsampling, structured_subsampling, ranswitch, staswitch, noisy_sort, "
                  "threshold, poisson_sampled, sampled_without_replacement, sampled_with_replacement, dp_sgd, "
                  "compose");
}

Result<Event> read_event(const json& object, bool open_noise, int depth) {
  if (!object.is_object())
    return fail(ErrorKind::usage,
                std::string("event: ") + object.type_name() + " is not valid; it must be a JSON object");
  if (depth > 16) return invalid("events", "a deeper nesting", "nested at most 16 deep");
  const auto it = object.find("event");
  if (it == object.end() || !it->is_string())
    return fail(ErrorKind::usage, "event: the name is missing; write {\"event\": \"gaussian\", ...}");
  const auto event_name = it->get<std::string>();
  Fields fields(object, Fields::printable(event_name), open_noise);
  fields.find("event");
  CV_TRY(auto kind, read_kind(event_name, fields, open_noise, depth));
  CV_TRY(const auto count, fields.integer_or("count", 1));
  CV_CHECK(fields.nothing_else());
  return Event{std::move(kind), count};
}

json mixture_to_json(const GaussianMixture& mixture) {
  return {{"means", mixture.means}, {"weights", mixture.weights}};
}

struct ToJson {
  json operator()(const Gaussian& e) const { return {{"noise_multiplier", e.noise_multiplier}}; }
  json operator()(const Laplace& e) const { return {{"noise_multiplier", e.noise_multiplier}}; }
  json operator()(const DiscreteGaussian& e) const { return {{"scale", e.scale}, {"sensitivity", e.sensitivity}}; }
  json operator()(const DiscreteLaplace& e) const { return {{"scale", e.scale}, {"sensitivity", e.sensitivity}}; }
  json operator()(const Exponential& e) const { return {{"epsilon", e.epsilon}}; }
  json operator()(const Pure& e) const { return {{"epsilon", e.epsilon}}; }
  json operator()(const Approximate& e) const { return {{"epsilon", e.epsilon}, {"delta", e.delta}}; }
  json operator()(const RandomizedResponse& e) const { return {{"epsilon", e.epsilon}, {"values", e.values}}; }
  json operator()(const Mixture& e) const {
    return {{"p", mixture_to_json(e.p)}, {"q", mixture_to_json(e.q)}, {"noise_multiplier", e.noise_multiplier}};
  }
  json operator()(const TimeSubsampling& e) const {
    json out = {{"participation", e.participation}, {"rate", e.rate}, {"noise_multiplier", e.noise_multiplier}};
    if (e.length) out["length"] = *e.length;
    if (e.filter_width) {
      out["filter"] = "gaussian";
      out["filter_width"] = *e.filter_width;
    }
    return out;
  }
  json operator()(const StructuredSubsampling& e) const {
    json out = {
        {"series", e.series},
        {"context_length", e.context_length},
        {"forecast_length", e.forecast_length},
        {"batch_size", e.batch_size},
        {"windows_per_series", e.windows_per_series},
        {"noise_multiplier", e.noise_multiplier},
        {"top_level", e.top_level == StructuredSubsampling::Top::iterate ? "iterate" : "without_replacement"},
        {"bottom_level", e.bottom_level == StructuredSubsampling::Bottom::poisson ? "poisson" : "with_replacement"},
        {"unit", chronoveil::name(e.unit)},
        {"width", e.width}};
    if (e.length.size() == 1) {
      out["length"] = e.length[0];
    } else {
      out["length"] = e.length;
    }
    if (e.context_noise > 0) out["context_noise"] = e.context_noise;
    if (e.label_noise > 0) out["label_noise"] = e.label_noise;
    return out;
  }
  json operator()(const RanSwitch& e) const { return {{"window", e.window}, {"stay", e.stay}}; }
  json operator()(const StaSwitch& e) const { return {{"window", e.window}, {"stay", e.stay}}; }
  json operator()(const NoisySort& e) const {
    json out = {{"window", e.window},
                {"epsilon", e.epsilon},
                {"law", e.law == NoisySort::Law::staircase ? "staircase" : "laplace"}};
    if (e.max_shift) out["max_shift"] = *e.max_shift;
    if (e.plateau) out["plateau"] = *e.plateau;
    return out;
  }
  json operator()(const Threshold& e) const { return {{"window", e.window}, {"threshold", e.threshold}}; }
  json operator()(const PoissonSampled& e) const {
    json out = {{"rate", e.rate}, {"inner", event_to_json(*e.inner)}};
    if (e.relation != Relation::add_remove) out["relation"] = chronoveil::name(e.relation);
    return out;
  }
  template <class FixedSize>
  static json fixed_size(const FixedSize& e) {
    json out = {{"population", e.population}, {"batch_size", e.batch_size}, {"inner", event_to_json(*e.inner)}};
    if (e.relation != Relation::replace) out["relation"] = chronoveil::name(e.relation);
    return out;
  }
  json operator()(const SampledWithoutReplacement& e) const { return fixed_size(e); }
  json operator()(const SampledWithReplacement& e) const { return fixed_size(e); }
  json operator()(const DpSgd& e) const { return {{"rate", e.rate}, {"noise_multiplier", e.noise_multiplier}}; }
  json operator()(const Compose& e) const {
    json events = json::array();
    for (const Event& part : e.events) events.push_back(event_to_json(part));
    return {{"events", std::move(events)}};
  }
};

// Rejects an object that names a key twice: which of the two would be priced?
class DuplicateKeys {
 public:
  bool operator()(int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) open_.emplace_back();
    if (event == json::parse_event_t::object_end) open_.pop_back();
    if (event == json::parse_event_t::key && !open_.back().insert(parsed.get<std::string>()).second) *found_ = true;
    return true;
  }
  explicit DuplicateKeys(bool* found) : found_(found) {}

 private:
  std::vector<std::set<std::string>> open_;
  bool* found_;
};

}  // namespace

Result<Event> event_from_json(const json& object, bool open_noise) {
  CV_TRY(auto event, read_event(object, open_noise, 0));
  CV_CHECK(validate(event, open_noise));
  return event;
}

Result<Event> parse_event(std::string_view json_text, bool open_noise) {
  bool duplicate = false;
  json object;
  try {
    object = json::parse(json_text, DuplicateKeys(&duplicate));
  } catch (const json::parse_error& error) {
    return fail(ErrorKind::usage, "event: malformed JSON at byte " + std::to_string(error.byte));
  } catch (const json::exception&) {
    return fail(ErrorKind::usage, "event: malformed JSON: a number is too large for a double");
  }
  if (duplicate) return fail(ErrorKind::usage, "event: malformed JSON: a field is given twice");
  return event_from_json(object, open_noise);
}

json event_to_json(const Event& event) {
  json out = std::visit(ToJson{}, event.kind);
  out["event"] = name(event);
  if (event.count != 1) out["count"] = event.count;
  return out;
}

std::string to_text(const Event& event) { return event_to_json(event).dump(); }

}  // namespace chronoveil::accounting
