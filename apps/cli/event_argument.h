// EVENT on the command line: inline JSON, @file, - (stdin), or a name with options. The same for every command.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "chronoveil/accounting/events/event.h"

namespace chronoveil::cli {

struct EventArgument {
  std::string text;                            // EVENT as given
  std::map<std::string, std::string> options;  // by the field's name in JSON
};

// Registers EVENT and an option for every field an event may have (events/event_options.h).
void add_event_argument(CLI::App& command, EventArgument& argument);

// With `open_noise`, the noise parameter may be left out.
Result<accounting::Event> read_event(const EventArgument& argument, bool open_noise = false);

nlohmann::json event_json(const accounting::Event& event);

// The whole text as a finite number, or an error that names the option.
Result<double> read_number(std::string_view option, const std::string& text);

}  // namespace chronoveil::cli
