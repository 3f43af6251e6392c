// chronoveil init: a first job file for a CSV, from its header and a few answers.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "chronoveil/base/system/atomic_file.h"
#include "chronoveil/engine/job/first_job.h"
#include "command.h"
#include "job_options.h"
#include "key_names.h"
#include "output/job_output.h"

namespace chronoveil::cli {
namespace {

struct InitOptions {
  JobOptions job;
  std::string path;  // of the job file
};

Result<std::string> answer_to(const std::string& question, const std::string& guess) {
  print_note(question + (guess.empty() ? "" : " [" + guess + "]"));
  std::string answer;
  if (!std::getline(std::cin, answer)) return fail(ErrorKind::usage, "init", "the answers ended; nothing was written");
  return answer.empty() ? guess : answer;
}

// At a terminal, one question after the other, each until its answer can be one.
Result<engine::GivenKeys> ask_all(const engine::CsvHeader& header, engine::GivenKeys given,
                                  const engine::JobKind& kind) {
  print_note("the columns are " + engine::names_of_columns(header) + "; Enter takes what stands in brackets");
  while (const std::optional<engine::Question> question = engine::next_question(header, given, kind)) {
    const char* const none = question->may_be_without ? " (- for none)" : "";
    CV_TRY(const std::string answer, answer_to(question->key + ": " + question->meaning + none, question->guess));
    if (answer.empty()) continue;
    if (const Result<void> fits = engine::check_answer(header, question->key, answer); !fits)
      print_note(fits.error().text());
    else
      given.push_back({question->key, {answer}});
  }
  return given;
}

Result<void> init(InitOptions& options) {
  const bool asks = isatty(STDIN_FILENO) == 1;
  if (options.job.input.empty()) {
    if (!asks) return fail(ErrorKind::usage, "FILE", "it is missing; without a terminal nothing is asked");
    CV_TRY(options.job.input, answer_to("the CSV that the job reads", ""));
  }
  const bool named = !options.path.empty();
  if (!named) options.path = std::filesystem::path(options.job.input).stem().string() + ".toml";
  CV_TRY(engine::GivenKeys given, given_keys(options.job));
  // Two jobs of one file have outputs of their own; the documents are named after this one.
  const bool trains = std::holds_alternative<engine::TrainSpec>(options.job.kind);
  const std::string output = trains ? "output.model" : "output.csv";
  const auto has_output = [&](const auto& one) { return one.first == output; };
  if (named && std::none_of(given.begin(), given.end(), has_output))
    given.push_back({output, {std::filesystem::path(options.path).stem().string() + (trains ? ".cvm" : "_out.csv")}});
  CV_TRY(const engine::CsvHeader header, engine::read_csv_header(options.job.input, given));
  std::error_code ignored;
  if (std::filesystem::exists(options.path, ignored))
    return fail(ErrorKind::usage, "--job",
                "'" + options.path + "' is there already, and init overwrites nothing; --job names another file");
  const engine::JobKind& kind = options.job.kind;
  CV_TRY(given, asks ? ask_all(header, std::move(given), kind) : engine::with_guesses(header, std::move(given), kind));
  CV_TRY(const engine::FirstJob made, engine::first_job(header, given, options.path, kind));
  CV_CHECK(write_files({{.path = options.path, .text = made.text, .replaces = false}}));
  if (options.job.json) {
    print_json({{"job", options.path}, {"text", made.text}, {"create_budget", made.create_budget}});
    return {};
  }
  std::cout
      << fmt::format("written   {}; look through it, every key has its comment\n", options.path)
      << fmt::format(
             "next      {}\n          (unless the dataset is there already; twice this release: the total covers all "
             "that will ever be released)\n          chronoveil check {}\n     "
             "     chronoveil run {}\n",
             made.create_budget, options.path, options.path);
  if (!made.not_hidden.empty()) std::cout << fmt::format("note      {}\n", made.not_hidden);
  return {};
}

// `init` itself is for counts; a word after it names another kind.
void add_init(CLI::App& parent, CommandContext& context, const char* word, const char* help, engine::JobKind kind,
              const char* example) {
  auto options = std::make_shared<InitOptions>();
  options->job.kind = std::move(kind);
  CLI::App* command = parent.add_subcommand(word, help);
  command->add_option("FILE", options->job.input, "A CSV file; only its header is read");
  command->add_option("--job", options->path, "The job file to write (default: the name of FILE, with .toml)");
  add_key_options(*command, options->job);
  add_json_flag(*command, options->job.json);
  add_example(*command, example);
  on_run(*command, context, [options, command]() -> Result<void> {
    if (!command->get_subcommands().empty()) return {};
    return in_options(*command, init(*options));
  });
}

}  // namespace

void add_init_command(CLI::App& app, CommandContext& context) {
  add_init(app, context, "init",
           "Write a first job file for a CSV; guesses what the names in its header show, asks for the rest",
           engine::SeriesSpec(),
           "chronoveil init trips.csv --user card --series stop --series-list stops.txt --start 2026-03-01 --end "
           "2026-04-01 --max-steps 20");
  CLI::App& counts = *app.get_subcommand("init");
  add_init(counts, context, "means", "The same for means per place and slot", engine::MeansSpec(),
           "chronoveil init means pings.csv --user bus --value speed --grid 72.73,21.09,72.93,21.27 --cell-size 9000 "
           "--start 2026-03-01 --end 2026-03-02 --length 6h --upper 65 --counts public --max-cells 6 --plan-users 80");
  add_init(counts, context, "perturb", "The same for a series whose values are moved in time", engine::PerturbSpec(),
           "chronoveil init perturb meter.csv --window 6 --epsilon 2");
  add_init(
      counts, context, "train", "The same for a model that learns to forecast", engine::TrainSpec(),
      "chronoveil init train load.csv --series meter --series-list meters.txt --value kwh --start 2026-01-12 --end "
      "2026-02-09 --length 1h");
}

}  // namespace chronoveil::cli
