#include "chronoveil/accounting/events/event_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

namespace chronoveil::accounting {
namespace {

using nlohmann::json;

constexpr int kMaxNesting = 16;

// Keys come from outside: keep the message on one line.
std::string printable(std::string_view text) {
  std::string out;
  for (char c : text.substr(0, 40)) out += (c >= ' ' && c != 0x7f) ? c : '?';
  return out;
}

Result<Event> read_event(const json& object, bool open_noise, int depth);

// Reads the fields of one JSON object and remembers which were read, so that the rest can be refused.
class Reader {
 public:
  Reader(const json& object, std::string where, bool open_noise = false, int depth = 0)
      : object_(object), where_(std::move(where)), open_noise_(open_noise), depth_(depth) {}

  template <class E, class T>
  Result<void> read(E& event, const Field<E, T>& field) {
    T& value = event.*field.member;
    const json* given = find(field.name);
    if constexpr (requires { value.has_value(); }) {
      return given ? convert(field.name, *given, value.emplace()) : Result<void>();
    } else {
      if (given) return convert(field.name, *given, value);
      if (field.presence == Presence::defaulted || field.presence == Presence::unsaid) return {};
      if constexpr (std::is_same_v<T, double>) value = kToCalibrate;
      if (field.presence == Presence::noise && open_noise_) return {};
      return missing(field.name, what(value));
    }
  }
  template <class E, class T, std::size_t N>
  Result<void> read(E& event, const Choice<E, T, N>& field) {
    CV_TRY(const auto text, text_of(field.name));
    if (!text) return {};
    std::string valid;
    for (const auto& [value, word] : field.words) {
      if (word == *text) {
        event.*field.member = value;
        return {};
      }
      valid += (valid.empty() ? "\"" : " or \"") + std::string(word) + "\"";
    }
    // The relation belongs to the unit, so it is named without the event.
    return invalid((std::is_same_v<T, Relation> ? "" : where_ + ": ") + std::string(field.name), printable(*text),
                   valid);
  }
  template <class E, class T>
  Result<void> read(E&, const Companion<E, T>& field) {
    CV_TRY(const auto text, text_of(field.name));
    const std::string word = "\"" + std::string(field.word) + "\"";
    const bool said = text && !text->empty(), has_other = object_.contains(field.of);
    if (said && *text != field.word) return invalid(where_ + ": " + std::string(field.name), printable(*text), word);
    if (has_other && !said) return missing(field.name, word + " when " + std::string(field.of) + " is given");
    if (said && !has_other) return missing(field.of, "given when there is a " + std::string(field.name));
    return {};
  }
  Result<std::int64_t> count() {
    std::int64_t count = 1;
    if (const json* given = find("count")) CV_CHECK(convert("count", *given, count));
    return count;
  }

  const json* find(std::string_view key) {
    read_.emplace(key);
    const auto it = object_.find(key);
    return it == object_.end() ? nullptr : &*it;
  }

  Result<void> nothing_else() const {
    for (const auto& [key, unused] : object_.items())
      if (!read_.contains(key)) return fail(ErrorKind::usage, where_, "unknown field \"" + printable(key) + "\"");
    return {};
  }

 private:
  static std::string_view what(double) { return "a number"; }
  static std::string_view what(std::int64_t) { return "a whole number"; }
  static std::string_view what(const std::vector<std::int64_t>&) { return "a whole number or a list of them"; }
  static std::string_view what(const std::vector<double>&) { return "a list of numbers"; }
  static std::string_view what(const GaussianMixture&) { return "an object with means and weights"; }
  static std::string_view what(const std::shared_ptr<const Event>&) { return "an event"; }
  static std::string_view what(const std::vector<Event>&) { return "a list of events"; }

  Result<void> convert(std::string_view key, const json& given, double& value) const {
    if (!given.is_number()) return wrong(key, given, what(value));
    value = given.get<double>();
    return {};
  }
  Result<void> convert(std::string_view key, const json& given, std::int64_t& value) const {
    constexpr std::string_view kValid = "a whole number below 2^63";
    if (!given.is_number()) return wrong(key, given, kValid);
    if (given.is_number_unsigned() && given.get<std::uint64_t>() > std::uint64_t{INT64_MAX})
      return not_valid(key, given.dump(), kValid);
    if (!given.is_number_float()) {
      value = given.get<std::int64_t>();
      return {};
    }
    const double real = given.get<double>();
    if (std::floor(real) != real || std::abs(real) >= 0x1p63) return not_valid(key, shortest(real), kValid);
    value = static_cast<std::int64_t>(real);
    return {};
  }
  // A number, or a list of numbers: made distinct and ascending.
  Result<void> convert(std::string_view key, const json& given, std::vector<std::int64_t>& values) const {
    values.resize(given.is_array() ? given.size() : 1);
    for (std::size_t i = 0; i < values.size(); ++i)
      CV_CHECK(convert(key, given.is_array() ? given[i] : given, values[i]));
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return {};
  }
  Result<void> convert(std::string_view key, const json& given, std::vector<double>& values) const {
    if (!given.is_array()) return wrong(key, given, what(values));
    for (const json& item : given) {
      if (!item.is_number()) return wrong(key, item, what(values));
      values.push_back(item.get<double>());
    }
    return {};
  }
  Result<void> convert(std::string_view key, const json& given, GaussianMixture& mixture) const {
    if (!given.is_object()) return wrong(key, given, what(mixture));
    Reader inside(given, where_ + ": " + std::string(key));
    for (auto [name, values] : {std::pair{"means", &mixture.means}, std::pair{"weights", &mixture.weights}}) {
      const json* list = inside.find(name);
      if (!list) return inside.missing(name, what(*values));
      CV_CHECK(inside.convert(name, *list, *values));
    }
    return inside.nothing_else();
  }
  Result<void> convert(std::string_view, const json& given, std::shared_ptr<const Event>& inner) const {
    CV_TRY(Event event, read_event(given, open_noise_, depth_ + 1));
    inner = std::make_shared<const Event>(std::move(event));
    return {};
  }
  Result<void> convert(std::string_view key, const json& given, std::vector<Event>& events) const {
    if (!given.is_array()) return wrong(key, given, what(events));
    for (const json& part : given) {
      CV_TRY(Event event, read_event(part, open_noise_, depth_ + 1));
      events.push_back(std::move(event));
    }
    return {};
  }

  Result<std::optional<std::string>> text_of(std::string_view key) {
    const json* given = find(key);
    if (!given) return std::nullopt;
    if (!given->is_string()) return wrong(key, *given, "a text");
    return given->get<std::string>();
  }

  Failure missing(std::string_view key, std::string_view valid) const {
    return fail(ErrorKind::usage, where_, std::string(key) + " is missing; it must be " + std::string(valid));
  }
  Failure wrong(std::string_view key, const json& value, std::string_view valid) const {
    return not_valid(key, value.type_name(), valid);
  }
  Failure not_valid(std::string_view key, std::string_view value, std::string_view valid) const {
    return invalid(where_ + ": " + std::string(key), value, valid);
  }

  const json& object_;
  std::string where_;
  bool open_noise_;
  int depth_;
  std::set<std::string, std::less<>> read_;
};

// Reads the kind of this name; empty if there is none.
Result<std::optional<Kind>> read_kind(std::string_view wanted, Reader& reader) {
  Result<std::optional<Kind>> found{std::optional<Kind>()};
  each_kind([&]<class E>() {
    if (E::kName != wanted) return;
    E event{};
    const auto read = each_field<E>([&](const auto& field) { return reader.read(event, field); });
    if (read)
      found = std::optional<Kind>(std::move(event));
    else
      found = Failure(read.error());
  });
  return found;
}

Failure unknown(std::string_view event) {
  std::string names;
  each_kind([&]<class E>() { names += (names.empty() ? "" : ", ") + std::string(E::kName); });
  return fail(ErrorKind::usage, "event", "\"" + printable(event) + "\" is not known; it must be one of " + names);
}

Result<Event> read_event(const json& object, bool open_noise, int depth) {
  if (!object.is_object())
    return fail(ErrorKind::usage, "event", std::string(object.type_name()) + " is not valid; it must be a JSON object");
  if (depth > kMaxNesting) return invalid("events", "a deeper nesting", "nested at most 16 deep");
  const auto it = object.find("event");
  if (it == object.end() || !it->is_string())
    return fail(ErrorKind::usage, "event", "the name is missing; write {\"event\": \"gaussian\", ...}");
  const auto event_name = it->get<std::string>();
  Reader reader(object, printable(event_name), open_noise, depth);
  reader.find("event");
  CV_TRY(auto kind, read_kind(event_name, reader));
  if (!kind) return unknown(event_name);
  CV_TRY(const auto count, reader.count());
  CV_CHECK(reader.nothing_else());
  return Event{std::move(*kind), count};
}

json value_to_json(double value) { return value; }
json value_to_json(std::int64_t value) { return value; }
json value_to_json(const std::vector<std::int64_t>& values) {
  return values.size() == 1 ? json(values[0]) : json(values);
}
json value_to_json(const GaussianMixture& mixture) { return {{"means", mixture.means}, {"weights", mixture.weights}}; }
json value_to_json(const std::shared_ptr<const Event>& inner) { return event_to_json(*inner); }
json value_to_json(const std::vector<Event>& events) {
  json out = json::array();
  for (const Event& part : events) out.push_back(event_to_json(part));
  return out;
}

template <class E, class T>
void write(json& out, const E& event, const Field<E, T>& field) {
  const T& value = event.*field.member;
  if constexpr (requires { value.has_value(); }) {
    if (value) out[std::string(field.name)] = value_to_json(*value);
  } else {
    if constexpr (std::is_arithmetic_v<T>)
      if (field.presence == Presence::unsaid && value == E{}.*field.member) return;
    out[std::string(field.name)] = value_to_json(value);
  }
}
template <class E, class T, std::size_t N>
void write(json& out, const E& event, const Choice<E, T, N>& field) {
  const T value = event.*field.member;
  if (field.presence == Presence::unsaid && value == E{}.*field.member) return;
  for (const auto& [known, word] : field.words)
    if (known == value) out[std::string(field.name)] = word;
}
template <class E, class T>
void write(json& out, const E& event, const Companion<E, T>& field) {
  if (event.*field.member) out[std::string(field.name)] = field.word;
}

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
    return fail(ErrorKind::usage, "event", "malformed JSON at byte " + std::to_string(error.byte));
  } catch (const json::exception&) {
    return fail(ErrorKind::usage, "event", "malformed JSON: a number is too large for a double");
  }
  if (duplicate) return fail(ErrorKind::usage, "event", "malformed JSON: a field is given twice");
  return event_from_json(object, open_noise);
}

json event_to_json(const Event& event) {
  json out = json::object();
  std::visit(
      [&]<class E>(const E& e) { std::apply([&](const auto&... field) { (write(out, e, field), ...); }, E::fields()); },
      event.kind);
  out["event"] = name(event);
  if (event.count != 1) out["count"] = event.count;
  return out;
}

std::string to_text(const Event& event) { return event_to_json(event).dump(); }

}  // namespace chronoveil::accounting
