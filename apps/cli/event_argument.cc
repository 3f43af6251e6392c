#include "event_argument.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/engine/job/text_file.h"

namespace chronoveil::cli {
namespace {

using nlohmann::json;

enum class Kind { number, whole, wholes, text, event };

struct Field {
  const char* option;
  const char* name;
  Kind kind;
  const char* help;
};

constexpr Field kFields[] = {
    {"--noise-multiplier", "noise_multiplier", Kind::number, "Scale of the noise over the sensitivity"},
    {"--count", "count", Kind::whole, "How often, decided before the first output"},
    {"--scale", "scale", Kind::number, "discrete noise: scale in grid steps"},
    {"--sensitivity", "sensitivity", Kind::whole, "discrete noise: sensitivity in grid steps"},
    {"--event-epsilon", "epsilon", Kind::number,
     "pure, approximate, exponential, randomized_response, noisy_sort: their own ε"},
    {"--event-delta", "delta", Kind::number, "approximate: its own δ"},
    {"--values", "values", Kind::whole, "randomized_response: number of values"},
    {"--participation", "participation", Kind::whole, "time_subsampling: steps one person can change"},
    {"--rate", "rate", Kind::number,
     "time_subsampling: probability that a step is kept; dp_sgd, poisson_sampled: a unit"},
    {"--population", "population", Kind::whole,
     "sampled_with_replacement, sampled_without_replacement: number of units"},
    {"--inner", "inner", Kind::event, "poisson_sampled, sampled_...: what is done with the sample, an event as JSON"},
    {"--filter", "filter", Kind::text, "time_subsampling: gaussian"},
    {"--filter-width", "filter_width", Kind::number, "time_subsampling: width of the filter in steps"},
    {"--length", "length", Kind::wholes, "Length of the series; several for training, separated by commas"},
    {"--series", "series", Kind::whole, "structured_subsampling: number of series"},
    {"--context-length", "context_length", Kind::whole, "structured_subsampling: steps a window looks back"},
    {"--forecast-length", "forecast_length", Kind::whole, "structured_subsampling: steps a window looks ahead"},
    {"--batch-size", "batch_size", Kind::whole,
     "structured_subsampling: expected windows in a batch; sampled_...: units in a sample"},
    {"--windows-per-series", "windows_per_series", Kind::whole, "structured_subsampling: windows drawn from a series"},
    {"--top-level", "top_level", Kind::text, "structured_subsampling: iterate or without_replacement"},
    {"--bottom-level", "bottom_level", Kind::text, "structured_subsampling: with_replacement or poisson"},
    {"--unit", "unit", Kind::text, "structured_subsampling: event or user"},
    {"--width", "width", Kind::whole, "structured_subsampling: events in a row, or steps of a user"},
    {"--context-noise", "context_noise", Kind::number, "structured_subsampling: noise on the context"},
    {"--label-noise", "label_noise", Kind::number, "structured_subsampling: noise on the forecast"},
    {"--window", "window", Kind::whole,
     "ranswitch, staswitch, noisy_sort, threshold: values less than so many steps apart"},
    {"--stay", "stay", Kind::number, "ranswitch, staswitch: probability that a value is not exchanged at its step"},
    {"--threshold", "threshold", Kind::whole, "threshold: empty slots at which a value goes to its own"},
    {"--law", "law", Kind::text, "noisy_sort: laplace or staircase"},
    {"--max-shift", "max_shift", Kind::whole, "noisy_sort: keys with more noise are drawn again"},
    {"--plateau", "plateau", Kind::whole, "noisy_sort by a staircase: noise smaller than this is equally likely"},
};

Result<json> read_whole(const Field& field, std::string_view text) {
  std::int64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error == std::errc() && end == text.data() + text.size()) return json(whole);
  // 1e5 is a whole number too; the reader of events says what is wrong with one that is not.
  double real = 0;
  const auto [real_end, real_error] = std::from_chars(text.data(), text.data() + text.size(), real);
  if (real_error != std::errc() || real_end != text.data() + text.size() || !std::isfinite(real))
    return invalid(field.name, text, "a whole number below 2^63");
  return json(real);
}

Result<json> read_field(const Field& field, const std::string& text) {
  switch (field.kind) {
    case Kind::text: return json(text);
    case Kind::event: {
      json object = json::parse(text, nullptr, false);
      if (object.is_discarded()) return invalid(field.name, text, "an event as JSON");
      return object;
    }
    case Kind::whole: return read_whole(field, text);
    case Kind::number: {
      CV_TRY(const double value, read_number(field.name, text));
      return json(value);
    }
    case Kind::wholes: {
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
  return fail(ErrorKind::internal, "unknown kind of field");
}

}  // namespace

void add_event_argument(CLI::App& command, EventArgument& argument) {
  command.add_option("EVENT", argument.text, "Inline JSON, @FILE, - for stdin, or the name of an event with options")
      ->required();
  for (const Field& field : kFields) {
    command
        .add_option_function<std::string>(
            field.option, [&argument, &field](const std::string& text) { argument.options[field.name] = text; },
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
      return fail(ErrorKind::usage,
                  argument.options.begin()->first + ": this option goes with an event given by name only");
    if (text == "-" || text.starts_with('@')) {
      CV_TRY(const std::string read, engine::read_text_file("event", text == "-" ? text : text.substr(1)));
      return accounting::parse_event(read, open_noise);
    }
    return accounting::parse_event(text, open_noise);
  }
  json object = {{"event", text}};
  for (const Field& field : kFields) {
    const auto given = argument.options.find(field.name);
    if (given == argument.options.end()) continue;
    CV_TRY(object[field.name], read_field(field, given->second));
  }
  return accounting::event_from_json(object, open_noise);
}

}  // namespace chronoveil::cli
