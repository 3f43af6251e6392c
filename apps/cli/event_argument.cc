#include "event_argument.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "chronoveil/chronoveil.h"

namespace chronoveil::cli {
namespace {

using nlohmann::json;

using accounting::EventOption;
using Form = EventOption::Form;

// The ε and δ of an event are --event-epsilon and --event-delta: --epsilon and --delta belong to the command.
std::string option_of(const EventOption& field) {
  const bool asked = field.name == "epsilon" || field.name == "delta";
  std::string option = (asked ? "--event-" : "--") + std::string(field.name);
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

Result<json> read_whole(const EventOption& field, std::string_view text) {
  std::int64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error == std::errc() && end == text.data() + text.size()) return json(whole);
  // 1e5 is a whole number, too; the reader of events refuses numbers that are not whole.
  double real = 0;
  const auto [real_end, real_error] = std::from_chars(text.data(), text.data() + text.size(), real);
  if (real_error != std::errc() || real_end != text.data() + text.size() || !std::isfinite(real))
    return invalid(field.name, text, "a whole number below 2^63");
  return json(real);
}

Result<json> read_field(const EventOption& field, const std::string& text) {
  switch (field.form) {
    case Form::text: return json(text);
    case Form::event: {
      json object = json::parse(text, nullptr, false);
      if (object.is_discarded()) return invalid(field.name, text, "an event as JSON");
      return object;
    }
    case Form::whole: return read_whole(field, text);
    case Form::number: {
      CV_TRY(const double value, read_number(field.name, text));
      return json(value);
    }
    case Form::wholes: {
      json list = json::array();
      for (std::size_t at = 0; at <= text.size();) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        CV_TRY(json value, read_whole(field, std::string_view(text).substr(at, comma - at)));
        list.push_back(std::move(value));
        at = comma + 1;
      }
      return list.size() == 1 ? list[0] : list;
    }
  }
  return fail(ErrorKind::internal, "unknown form of a field");
}

Result<accounting::Event> parsed(std::string_view text, bool open_noise) {
  return open_noise ? parse_open_event(text) : parse_event(text);
}

}  // namespace

void add_event_argument(CLI::App& command, EventArgument& argument) {
  command.add_option("EVENT", argument.text, "Inline JSON, @FILE, - for stdin, or the name of an event with options")
      ->required();
  for (const EventOption& field : accounting::event_options()) {
    command
        .add_option_function<std::string>(
            option_of(field),
            [&argument, &field](const std::string& text) { argument.options[std::string(field.name)] = text; },
            field.help)
        ->group("Fields of an event given by name");
  }
}

Result<double> read_number(std::string_view option, const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || text.empty() || !std::isfinite(value))
    return invalid(option, text.empty() ? "an empty text" : text, "a finite number");
  return value;
}

Result<accounting::Event> read_event(const EventArgument& argument, bool open_noise) {
  const std::string& text = argument.text;
  const bool by_name = !text.empty() && text[0] != '{' && text[0] != '[' && text[0] != '@' && text != "-" &&
                       std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
  if (!by_name) {
    if (!argument.options.empty())
      return fail(ErrorKind::usage, argument.options.begin()->first,
                  "this option goes with an event given by name only");
    if (text == "-" || text.starts_with('@')) {
      CV_TRY(const std::string read, engine::read_text_file("event", text == "-" ? text : text.substr(1)));
      return parsed(read, open_noise);
    }
    return parsed(text, open_noise);
  }
  json object = {{"event", text}};
  for (const EventOption& field : accounting::event_options()) {
    const auto given = argument.options.find(std::string(field.name));
    if (given == argument.options.end()) continue;
    CV_TRY(object[std::string(field.name)], read_field(field, given->second));
  }
  return parsed(object.dump(-1, ' ', false, json::error_handler_t::replace), open_noise);
}

json event_json(const accounting::Event& event) { return json::parse(to_text(event)); }

}  // namespace chronoveil::cli
