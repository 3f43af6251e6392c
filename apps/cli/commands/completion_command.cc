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

// What a shell is told of one place: the words that may stand there, and what else it can offer.
struct Place {
  std::vector<std::string> words;
  std::vector<std::string> options;
  Offers offers = Offers::nothing;
};

Place place_of(const CommandRow& command) {
  Place place;
  for (const CommandRow& below : command.commands) place.words.push_back(below.name);
  for (const OptionRow& option : command.options) {
    place.options.insert(place.options.end(), option.names.begin(), option.names.end());
    if (option.positional.empty()) continue;
    place.words.insert(place.words.end(), option.choices.begin(), option.choices.end());
    place.offers = option.offers;
  }
  return place;
}

std::string_view name(Offers offers) {
  return offers == Offers::files ? "files" : offers == Offers::datasets ? "datasets" : "";
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

std::string branch(const std::string& at, const Place& place) {
  return fmt::format("    {}) words={} options={} offers={} ;;\n", shell_quoted(at),
                     shell_quoted(fmt::to_string(fmt::join(place.words, " "))),
                     shell_quoted(fmt::to_string(fmt::join(place.options, " "))),
                     shell_quoted(std::string(name(place.offers))));
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
    out += branch(command->path, place_of(*command));
  }
  return out;
}

std::string value_branches(const CommandRow& top) {
  std::string out;
  for (const CommandRow* command : all_commands(top)) {
    for (const OptionRow& option : command->options) {
      if (option.value.empty()) continue;
      for (const std::string& name : option.names)
        out += branch(command->path + " " + name, {option.choices, {}, option.offers});
    }
  }
  return out;
}

// Where there is nothing to offer, bash offers files by itself.
std::string bash_completion(const CommandRow& top) {
  return fmt::format(
      R"sh(# bash completion for {0}
_{0}() {{
  local at={0} words='' options='' offers='' word last='' current="${{COMP_WORDS[COMP_CWORD]}}"
  local -a ledger=()
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$at $word" in
{1}    esac
    [[ "$last" == --ledger ]] && ledger=(--ledger "$word")
    last="$word"
  done
  case "$at" in
{2}  esac
  case "$at $last" in
{3}  esac
  if [[ "$current" == -* || -z "$words$offers" ]]; then words="$options" offers=''; fi
  [[ "$offers" == datasets ]] && words+=" $({0} budget list "${{ledger[@]}}" 2> /dev/null | sed 's/:.*//')"
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -o default -F _{0} {0}
)sh",
      top.name, case_branches(top, true), case_branches(top, false), value_branches(top));
}

// zsh keeps the words typed so far in `words`, so the branches that set `words` are in a function of their own.
std::string zsh_completion(const CommandRow& top) {
  return fmt::format(
      R"sh(#compdef {0}
_{0}_words() {{
  local at="$1" words='' options='' offers=''
  case "$at" in
{2}  esac
  case "$at $2" in
{3}  esac
  if [[ "$3" == -* || -z "$words$offers" ]]; then words="$options" offers=''; fi
  REPLY="$words" OFFERS="$offers"
}}
_{0}() {{
  local at={0} word last='' REPLY='' OFFERS=''
  local -a ledger
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    case "$at $word" in
{1}    esac
    [[ "$last" == --ledger ]] && ledger=(--ledger "$word")
    last="$word"
  done
  _{0}_words "$at" "$last" "${{words[CURRENT]}}"
  [[ "$OFFERS" == datasets ]] && REPLY+=" $({0} budget list $ledger 2> /dev/null | sed 's/:.*//')"
  compadd -- ${{=REPLY}}
  if [[ "$OFFERS" == files ]]; then _files; fi
}}
if [[ "${{funcstack[1]}}" = _{0} ]]; then _{0} "$@"; else compdef _{0} {0}; fi
)sh",
      top.name, case_branches(top, true), case_branches(top, false), value_branches(top));
}

// What fish offers for a word: -x is nothing but that, -r files.
std::string fish_offer(const std::string& program, const OptionRow& option) {
  switch (option.offers) {
    case Offers::choices: return " -x -a " + fish_quoted(fmt::to_string(fmt::join(option.choices, " ")));
    case Offers::datasets: return " -x -a " + fish_quoted("(__" + program + "_datasets)");
    case Offers::files: return " -r";
    case Offers::nothing: break;
  }
  return " -x";
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
  out += fmt::format(R"(function __{0}_datasets
  set -l words (commandline -opc)
  set -l ledger
  if set -l at (contains -i -- --ledger $words)
    set ledger --ledger $words[(math $at + 1)]
  end
  {0} budget list $ledger 2> /dev/null | string replace -r ':.*' ''
end
)",
                     top.name);
  for (const CommandRow* command : all_commands(top)) {
    const std::string here =
        fmt::format("complete -c {} -n {}", top.name, fish_quoted(fmt::format("__{}_at {}", top.name, command->path)));
    for (const CommandRow& next : command->commands)
      out += fmt::format("{} -f -a {} -d {}\n", here, next.name, fish_quoted(next.description));
    for (const OptionRow& option : command->options) {
      if (!option.positional.empty()) {
        if (option.offers != Offers::files) out += here + fish_offer(top.name, option) + "\n";
        continue;
      }
      std::string line = here;
      for (const std::string& name : option.names)
        line += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.value.empty()) line += fish_offer(top.name, option);
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
