#include "program.h"

#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "chronoveil/chronoveil.h"
#include "key_names.h"
#include "output/visible_output.h"
#include "patience.h"
#include "private_memory.h"
#include "signals.h"

namespace chronoveil::cli {
namespace {

std::string version_line(std::string_view name) {
  std::string line(name);
  line.append(" ").append(kVersion).append(" (analysis ");
  return line.append(std::to_string(accounting::kAnalysisVersion)).append(")");
}

// The commands, or for a word that begins with a dash the options, that could have been meant.
std::string nearest_word(const CLI::App& command, const std::string& word) {
  std::vector<std::string> words;
  if (word.starts_with('-')) {
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  } else {
    for (const CLI::App* below : command.get_subcommands({})) words.push_back(below->get_name());
  }
  return nearest(word, {words.begin(), words.end()});
}

// What is wrong with the command line. An unknown word is reported first: it may be why something else is missing.
std::string explain(const CLI::App& app, const CLI::ParseError& wrong) {
  const CLI::App* command = &app;
  std::string path = app.get_name();
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    path += " " + command->get_name();
  }
  const std::vector<std::string> unknown = app.remaining(true);
  std::string message = wrong.what();
  if (!unknown.empty()) {
    const std::string word = unknown.front().substr(0, unknown.front().find('='));
    message = unknown.front() + " is not known here";
    const std::string meant = nearest_word(*command, word), key = key_of_option(word);
    const bool is_longer_or_shorter = !meant.empty() && (meant.starts_with(word) || word.starts_with(meant));
    if (!key.empty() && !is_longer_or_shorter)
      message += "; a job says it: " + key;
    else if (!meant.empty())
      message += "; nearest: " + meant;
  }
  return message + "; see " + path + " --help";
}

int run(int argc, char** argv, std::string_view name, std::string_view description, std::string_view example,
        std::initializer_list<AddCommand> commands) {
  CommandContext context{{argv + 1, argv + argc}, 0};
  CLI::App app{std::string(description), std::string(name)};
  app.set_version_flag("--version", version_line(name), "Print the release and the version of the analysis");
  app.require_subcommand(1);
  add_example(app, example);
  for (const AddCommand add : commands) add(app, context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& answered) {  // --help, --version
    app.exit(answered);
  } catch (const CLI::ParseError& wrong) {
    print_error(explain(app, wrong));
    return static_cast<int>(ErrorKind::usage);
  }
  return context.exit_code;
}

}  // namespace

int run_program(int argc, char** argv, std::string_view name, std::string_view description, std::string_view example,
                std::initializer_list<AddCommand> commands) {
  keep_memory_private();
  install_signals();
  const VisibleOutput visible(std::cout);
  ledger::on_warning([](const std::string& warning) { print_error("warning: " + warning); });
  on_waiting([](std::string_view what) { print_error("waiting for " + std::string(what)); });
  int exit_code = static_cast<int>(ErrorKind::internal);
  try {
    exit_code = run(argc, argv, name, description, example, commands);
  } catch (const std::bad_alloc&) {
    print_end("not enough memory");
    exit_code = static_cast<int>(ErrorKind::storage);
  } catch (const std::exception& unexpected) {
    print_end(("internal error: " + std::string(unexpected.what())).c_str());
  }
  if (!flush_output() && exit_code == 0) {
    print_end("stdout: could not be written");
    exit_code = static_cast<int>(ErrorKind::storage);
  }
  Patience::finish(exit_code);
  return exit_code;
}

}  // namespace chronoveil::cli
