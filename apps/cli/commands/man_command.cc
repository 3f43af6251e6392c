// chronoveil man: the manual page, written from the option table.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>

#include "chronoveil/base/version.h"
#include "chronoveil/engine/job/options.h"
#include "command.h"
#include "option_table.h"

namespace chronoveil::cli {
namespace {

// Text as roff sees it: hyphens that can be copied, no accidental control lines or escapes.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool line_start = out.empty() || out.back() == '\n';
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string option_head(const OptionRow& option) {
  if (option.names.empty()) return fmt::format("\\fI{}\\fR", roff(option.positional));
  std::string head;
  for (const std::string& name : option.names)
    head += fmt::format("{}\\fB{}\\fR", head.empty() ? "" : ", ", roff(name));
  if (!option.value.empty()) head += fmt::format(" \\fI{}\\fR", roff(option.value));
  return head;
}

std::string synopsis(const CommandRow& command) {
  std::string line = fmt::format("\\fB{}\\fR", roff(command.path));
  for (const OptionRow& option : command.options)
    if (!option.positional.empty()) line += fmt::format(" \\fI{}\\fR", roff(option.positional));
  return line + " [\\fIoptions\\fR]";
}

std::string command_section(const CommandRow& command) {
  std::string out = fmt::format(".SS {}\n{}.\n", synopsis(command), roff(command.description));
  for (const OptionRow& option : command.options) {
    if (!option.names.empty() && option.names.front() == "--help") continue;
    out += fmt::format(".TP\n{}\n{}{}", option_head(option), roff(option.description),
                       option.required ? " (required)" : "");
    if (!option.choices.empty()) out += fmt::format(": {}", roff(fmt::to_string(fmt::join(option.choices, ", "))));
    out += ".\n";
  }
  if (!command.footer.empty()) out += fmt::format(".PP\n.EX\n{}\n.EE\n", roff(command.footer));
  return out;
}

// Some do something themselves and have commands below them, too.
bool runs(const CommandRow& command) {
  return command.commands.empty() ||
         std::any_of(command.options.begin(), command.options.end(),
                     [](const OptionRow& option) { return option.names.empty() || option.names.front() != "--help"; });
}

constexpr const char* kExitStatus = R"(.SH EXIT STATUS
.TP
.B 0
done
.TP
.B 1
internal error
.TP
.B 2
usage: a parameter is missing, unknown or out of range
.TP
.B 3
bad data
.TP
.B 4
over budget
.TP
.B 5
storage, input or output failed
.TP
.B 6
the request cannot be certified
.TP
.B 130
interrupted; a debit stays reserved
)";

std::string man_page(const CommandRow& top) {
  std::string out =
      fmt::format(".TH CHRONOVEIL 1 \"\" \"chronoveil {}\" \"User Commands\"\n", roff(std::string(kVersion)));
  out += fmt::format(".SH NAME\nchronoveil \\- {}\n", roff(top.description));
  out += ".SH SYNOPSIS\n\\fBchronoveil\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n";
  out += ".SH DESCRIPTION\n";
  out += "Results go to standard output, messages to standard error.\n";
  out += "Every option has one long name; \\fB\\-\\-help\\fR after any command explains it.\n";
  out += ".SH COMMANDS\n";
  for (const CommandRow* command : all_commands(top))
    if (command != &top && runs(*command)) out += command_section(*command);
  return out + kExitStatus;
}

// The table of docs/jobs.md, as Markdown.
std::string job_keys() {
  std::string out = "| key | option | meaning | default |\n|---|---|---|---|\n| `version` | | 1 | needed |\n";
  std::string section;
  for (const engine::KeyInfo& key : engine::all_keys()) {
    const std::string its_section = key.key.substr(0, key.key.find('.'));
    if (its_section != section)
      for (const auto& [name, meaning] : engine::section_meanings())
        if (name == its_section) out += fmt::format("| **`[{}]`** | | {} | |\n", name, meaning);
    section = its_section;
    const std::string option(key.option.substr(0, key.option.find(',')));
    out += fmt::format("| `{}` | {} | {} | {} |\n", key.key.substr(section.size() + 1),
                       option.empty() ? "" : "`" + option + "`", key.meaning, key.standard);
  }
  return out;
}

}  // namespace

void add_man_command(CLI::App& app, CommandContext& context) {
  auto keys = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("man", "Print the manual page");
  command->add_flag("--job-keys", *keys, "Print the keys of job files instead, and the options that stand for them");
  add_example(*command, "chronoveil man | man -l -");
  on_run(*command, context, [&app, keys]() -> Result<void> {
    std::cout << (*keys ? job_keys() : man_page(read_option_table(app)));
    return {};
  });
}

}  // namespace chronoveil::cli
