// chronoveil completion SHELL: what the Tab key knows, written from the option table.
#include <fmt/format.h>

#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "option_table.h"

namespace chronoveil::cli {
namespace {

std::vector<std::string> words_of(const CommandRow& command) {
  std::vector<std::string> words;
  for (const CommandRow& below : command.commands) words.push_back(below.name);
  for (const OptionRow& option : command.options) {
    words.insert(words.end(), option.names.begin(), option.names.end());
    if (!option.positional.empty()) words.insert(words.end(), option.choices.begin(), option.choices.end());
  }
  return words;
}

// All three shells accept '...' and the usual way to put a quote inside.
std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// fish alone reads \' inside single quotes.
std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// bash and zsh share one walk: which command is being typed, and which words may come next.
std::string case_branches(const CommandRow& top, bool below) {
  std::string out;
  for (const CommandRow* command : all_commands(top)) {
    if (below) {
      for (const CommandRow& next : command->commands)
        out +=
            fmt::format("      {}) at={} ;;\n", shell_quoted(command->path + " " + next.name), shell_quoted(next.path));
      continue;
    }
    out += fmt::format("    {}) words={} ;;\n", shell_quoted(command->path),
                       shell_quoted(fmt::to_string(fmt::join(words_of(*command), " "))));
  }
  return out;
}

std::string value_branches(const CommandRow& top) {
  std::string out;
  for (const CommandRow* command : all_commands(top)) {
    for (const OptionRow& option : command->options) {
      if (option.value.empty()) continue;
      for (const std::string& name : option.names)
        out += fmt::format("    {}) {} ;;\n", shell_quoted(command->path + " " + name),
                           option.choices.empty()
                               ? std::string("return")
                               : "words=" + shell_quoted(fmt::to_string(fmt::join(option.choices, " "))));
    }
  }
  return out;
}

std::string bash_completion(const CommandRow& top) {
  return fmt::format(
      R"(# bash completion for {0}
_{0}() {{
  local at={0} words='' word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$at $word" in
{1}    esac
  done
  case "$at" in
{2}  esac
  case "$at ${{COMP_WORDS[COMP_CWORD-1]}}" in
{3}  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}")
}}
complete -o default -F _{0} {0}
)",
      top.name, case_branches(top, true), case_branches(top, false), value_branches(top));
}

// zsh keeps the words typed so far in `words`, so the branches that set `words` are in a function of their own.
std::string zsh_completion(const CommandRow& top) {
  return fmt::format(
      R"(#compdef {0}
_{0}_words() {{
  local at="$1" words=''
  case "$at" in
{2}  esac
  case "$at $2" in
{3}  esac
  REPLY="$words"
}}
_{0}() {{
  local at={0} word REPLY=''
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    case "$at $word" in
{1}    esac
  done
  _{0}_words "$at" "${{words[CURRENT-1]}}"
  if [[ -n "$REPLY" ]]; then compadd -- "${{(@s: :)REPLY}}"; else _files; fi
}}
if [[ "${{funcstack[1]}}" = _{0} ]]; then _{0} "$@"; else compdef _{0} {0}; fi
)",
      top.name, case_branches(top, true), case_branches(top, false), value_branches(top));
}

std::string fish_completion(const CommandRow& top) {
  std::string out = fmt::format(
      R"(# fish completion for {0}
function __{0}_at
  set -l at {0}
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
)",
      top.name);
  for (const CommandRow* command : all_commands(top))
    for (const CommandRow& next : command->commands)
      out += fmt::format("      case {}\n        set at {}\n", fish_quoted(command->path + " " + next.name),
                         fish_quoted(next.path));
  out += "    end\n  end\n  test \"$at\" = \"$argv\"\nend\n";
  for (const CommandRow* command : all_commands(top)) {
    const std::string here =
        fmt::format("complete -c {} -n {}", top.name, fish_quoted(fmt::format("__{}_at {}", top.name, command->path)));
    for (const CommandRow& next : command->commands)
      out += fmt::format("{} -f -a {} -d {}\n", here, next.name, fish_quoted(next.description));
    for (const OptionRow& option : command->options) {
      const std::string choices = fmt::to_string(fmt::join(option.choices, " "));
      if (!option.positional.empty()) {
        if (!choices.empty()) out += fmt::format("{} -f -a {}\n", here, fish_quoted(choices));
        continue;
      }
      std::string line = here;
      for (const std::string& name : option.names)
        line += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.value.empty()) line += choices.empty() ? " -r" : " -x -a " + fish_quoted(choices);
      out += line + " -d " + fish_quoted(option.description) + "\n";
    }
  }
  return out;
}

using Writer = std::string (*)(const CommandRow&);
const std::map<std::string, Writer>& writers() {
  static const std::map<std::string, Writer> table{
      {"bash", bash_completion}, {"fish", fish_completion}, {"zsh", zsh_completion}};
  return table;
}

}  // namespace

void add_completion_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("completion", "Print the completion script of a shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "The shell: bash, fish or zsh")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>{"bash", "fish", "zsh"}));
  add_example(*command, "source <(chronoveil completion bash)");
  on_run(*command, context, [&app, shell]() -> Result<void> {
    std::cout << writers().at(*shell)(read_option_table(app));
    return {};
  });
}

}  // namespace chronoveil::cli
