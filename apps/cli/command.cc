#include "command.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "chronoveil/base/plain_text.h"
#include "key_names.h"
#include "messages.h"

namespace chronoveil::cli {

void on_run(CLI::App& command, CommandContext& context, std::function<Result<void>()> body) {
  command.callback([&context, body = std::move(body)] {
    const Result<void> done = body();
    if (done) return;
    if (messages_are_json())
      tell_error(done.error());
    else
      print_error(done.error().text(run_names));
    context.exit_code = static_cast<int>(done.error().kind);
  });
}

void add_json_flag(CLI::App& command, bool& json) { command.add_flag("--json", json, "Print one JSON object"); }

void add_example(CLI::App& command, std::string_view command_line) {
  std::string footer = command.get_footer();
  // A new command starts with its parent's footer, whose examples are not its own.
  if (command.get_parent() != nullptr && footer == command.get_parent()->get_footer()) footer.clear();
  footer.append(footer.empty() ? "Example:\n  " : "\n  ").append(command_line);
  command.footer(std::move(footer));
}

Result<void> only_beside_job(const CLI::App& command, std::initializer_list<std::string_view> allowed) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || option->get_positional()) continue;
    if (std::find(allowed.begin(), allowed.end(), name) != allowed.end()) continue;
    return fail(ErrorKind::usage, name, "a job file says this itself; leave it out, or write it into the job");
  }
  return {};
}

void print_error(std::string_view message) { print_note("chronoveil: " + std::string(message)); }

void print_note(std::string_view text) {
  if (messages_are_json()) return tell_note(text);
  const std::string line = visible(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace chronoveil::cli
