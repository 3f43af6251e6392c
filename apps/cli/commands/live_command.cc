// chronoveil live: publishes each step of a series as it comes.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "chronoveil/base/plain_text.h"
#include "chronoveil/base/system/atomic_file.h"
#include "chronoveil/engine/live/live.h"
#include "command.h"
#include "debit_prompt.h"
#include "key_names.h"
#include "ledger_option.h"
#include "output/job_output.h"
#include "run_flags.h"

namespace chronoveil::cli {
namespace {

struct LiveCommandOptions {
  std::string job;
  std::string ledger;
  bool yes = false;
  bool once = false;
  std::optional<std::string> until;
  std::optional<std::string> seed;
  std::optional<std::string> noise_from;
  bool json = false;
};

// At once, without a buffer: listeners get a value when it is published.
Result<void> write_out(std::string_view lines) {
  if (const int problem = write_all(STDOUT_FILENO, lines))
    return fail(ErrorKind::storage, std::string("standard output: ") + std::strerror(problem) +
                                        "; everything published so far is in output.csv");
  return {};
}

nlohmann::ordered_json standing_json(const engine::LiveStanding& stands) {
  nlohmann::ordered_json all{{"release", stands.name}, {"state", engine::name(stands.stage)}};
  all["debit"] = nullptr;
  if (stands.debit) all["debit"] = {{"id", stands.debit->id.text()}, {"chain_head", stands.debit->chain_head}};
  if (!stands.mark.empty()) all["mark"] = stands.mark;
  if (stands.stage == engine::LiveStage::none) return all;
  all["questions"] = {{"reserved", stands.questions}, {"used", stands.asked}};
  if (stands.mechanism.empty()) return all;  // its folder is lost, and only the ledger knows of it
  all["mechanism"] = stands.mechanism;
  all["span"] = {{"start", stands.start}, {"end", stands.end}, {"length", stands.length}};
  all["steps"] = {{"horizon", stands.steps}, {"published", stands.published}};
  all["last_published"] = stands.last.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(stands.last);
  if (stands.caps) all["caps"] = engine::name(*stands.caps);
  if (stands.guarantee) {
    const Guarantee& guarantee = *stands.guarantee;
    all["guarantee"] = {{"definition", guarantee.definition},
                        {"unit", name(guarantee.unit)},
                        {"relation", name(guarantee.relation)},
                        {"epsilon", std::isfinite(guarantee.epsilon) ? nlohmann::ordered_json(guarantee.epsilon)
                                                                     : nlohmann::ordered_json(nullptr)},
                        {"delta", guarantee.delta},
                        {"certificate", name(guarantee.certificate)}};
  }
  return all;
}

std::string_view caps_text(engine::LiveCaps caps) {
  switch (caps) {
    case engine::LiveCaps::verified: return "enforced: what each person has used was verified";
    case engine::LiveCaps::in_use: return "enforced by the process that publishes now, which verified what was used";
    case engine::LiveCaps::not_verified: break;
  }
  return "not verified: the next start verifies what each person has used, or refuses";
}

std::string standing_text(const engine::LiveStanding& stands) {
  std::string text = fmt::format("release   {}: {}\n", visible(stands.name), engine::name(stands.stage));
  if (stands.stage == engine::LiveStage::none) return text + "          it was never opened in this ledger\n";
  if (stands.stage == engine::LiveStage::from_backup)
    text +=
        "          its debit came out of a backup, and the ledger that the backup was made of may have gone on with "
        "it, so "
        "it\n          cannot go on here; live --yes opens a new release with a new debit\n";
  if (stands.debit) text += fmt::format("debit     {}\n", stands.debit->id.text());
  if (!stands.mechanism.empty()) {  // else its folder is lost, and only the ledger knows of it
    text += fmt::format("mechanism {}\n", visible(stands.mechanism));
    text += fmt::format("span      {} to {}, slots of {}\n", visible(stands.start), visible(stands.end),
                        visible(stands.length));
    text += fmt::format("steps     {} of {} published{}\n", stands.published, stands.steps,
                        stands.last.empty() ? "" : ", the last " + visible(stands.last));
  }
  text += fmt::format("questions {} of {} asked\n", stands.asked, stands.questions);
  if (stands.caps) text += fmt::format("caps      {}\n", caps_text(*stands.caps));
  if (stands.guarantee) text += guarantee_text(*stands.guarantee);
  return text;
}

void print(const engine::LiveStanding& stands, bool json) {
  if (json) {
    print_json(standing_json(stands));
  } else {
    std::cout << standing_text(stands);
  }
}

Result<engine::LiveOptions> options_of(const LiveCommandOptions& given) {
  RunFlags flags;
  flags.ledger = given.ledger;
  flags.yes = given.yes;
  flags.seed = given.seed;
  flags.noise_from = given.noise_from;
  CV_TRY(engine::RunOptions run, options_of(flags));
  engine::LiveOptions options;
  options.ledger = given.ledger;
  options.confirmed = given.yes;
  options.once = given.once;
  options.until = given.until;
  options.seed = run.seed;
  options.replay = std::move(run.replay);
  if (!given.json) options.publish = write_out;
  options.message = [](const std::string& text) { print_error(with_key_names(text, run_names)); };
  options.standing = [](const std::string& text) { say_on_interrupt(text); };
  if (!given.json)
    options.opened = [](const ledger::DebitReference& debit, const Guarantee& guarantee,
                        const report::BudgetLeft& budget) {
      print_notes(guarantee_text(guarantee) + debit_text(debit, budget));
    };
  return options;
}

Result<engine::Job> live_job(const std::string& path) {
  CV_TRY(engine::Job job, engine::read_job(path));
  return at(path, engine::to_live(std::move(job)));
}

// What is not in the release must be seen by whoever looks at exit codes alone.
Result<void> check_all_taken(const engine::LiveStanding& stands) {
  std::string text;
  const auto add = [&](std::int64_t rows, const char* why) {
    if (rows > 0)
      text += fmt::format("{}{} row{} {} and {} refused", text.empty() ? "" : ", ", rows, rows == 1 ? "" : "s", why,
                          rows == 1 ? "was" : "were");
  };
  add(stands.broken, "could not be read");
  add(stands.lost, "came too late or too early");
  if (text.empty()) return {};
  return fail(ErrorKind::bad_data, text + "; all others were taken");
}

Result<void> run(const LiveCommandOptions& given) {
  if (given.job.empty()) return fail(ErrorKind::usage, "JOB", "it is missing; chronoveil live JOB publishes its steps");
  CV_TRY(const engine::Job job, live_job(given.job));
  CV_TRY(engine::LiveOptions options, options_of(given));
  options.before_debit = ask_before_debit(question_of(job, given.yes));
  say_on_interrupt("nothing was spent");
  Result<engine::LiveStanding> stands = engine::run_live(job, options);
  if (!stands) {
    // Once a debit is made, every message at the end names it.
    if (const std::string note(said_on_interrupt()); note.starts_with("the debit "))
      stands.error().message += "; " + note;
    return tl::unexpected(std::move(stands).error());
  }
  if (!stands->mark.empty()) print_note(stands->mark);
  if (given.json) print(*stands, true);
  return check_all_taken(*stands);
}

using LiveQuestion = Result<engine::LiveStanding> (*)(const engine::Job&, const std::string& ledger);

void add_question(CLI::App& parent, CommandContext& context, const char* word, const char* help, LiveQuestion ask) {
  auto options = std::make_shared<LiveCommandOptions>();
  CLI::App* command = parent.add_subcommand(word, help);
  command->add_option("JOB", options->job, "The job file (TOML)")->required();
  add_ledger_option(*command, options->ledger);
  add_json_flag(*command, options->json);
  add_example(*command, std::string("chronoveil live ") + word + " flu.toml");
  on_run(*command, context, [options, ask]() -> Result<void> {
    CV_TRY(const engine::Job job, live_job(options->job));
    CV_TRY(const engine::LiveStanding stands, ask(job, options->ledger));
    print(stands, options->json);
    return {};
  });
}

struct CorrectOptions {
  std::string job;
  engine::LiveCorrection correction;
  RunFlags flags;
  bool json = false;
};

void add_correct_command(CLI::App& parent, CommandContext& context) {
  auto options = std::make_shared<CorrectOptions>();
  CLI::App* command = parent.add_subcommand("correct", "Publish an erratum of a step, with a debit of its own");
  command->add_option("JOB", options->job, "The job file (TOML)")->required();
  command->add_option("--step", options->correction.step, "When the step begins, such as 2026-07-13")->required();
  command->add_option("--rows", options->correction.rows, "A CSV like the source, with all rows of the step")
      ->required();
  command->add_option("--output", options->correction.csv,
                      "Where the erratum goes (default: CSV of the job, with _erratum_ and the step in its name)");
  command->add_option("--epsilon", options->correction.epsilon, "Of the erratum (default: that of the job)");
  command->add_option("--delta", options->correction.delta, "Of the erratum (default: that of the job)");
  add_ledger_option(*command, options->flags.ledger);
  command->add_flag("--yes", options->flags.yes, "Correct the same step a second time, with another debit");
  add_json_flag(*command, options->json);
  add_example(*command, "chronoveil live correct flu.toml --step 2026-07-13 --rows right.csv");
  on_run(*command, context, [options]() -> Result<void> {
    CV_TRY(const engine::Job job, live_job(options->job));
    CV_TRY(const engine::Job erratum, engine::erratum_of(job, options->correction, options->flags.ledger));
    CV_CHECK(check_room(erratum, options->json));
    CV_TRY(const Ran<report::Published> published, run_with(erratum, options->flags));
    if (options->json) {
      nlohmann::ordered_json summary = summary_json(published);
      summary["corrects"] = {{"release", job.live().name}, {"step", options->correction.step}};
      summary["outputs"] = outputs_json(erratum);
      print_json(summary);
      return {};
    }
    print_summary(erratum,
                  fmt::format("erratum   of the step {} of the release {}\n", visible(options->correction.step),
                              visible(job.live().name)) +
                      guarantee_text(published.release.guarantee) + debit_text(published.debit, published.budget) +
                      outputs_text(erratum),
                  published.debit.has_value());
    return {};
  });
}

}  // namespace

void add_live_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<LiveCommandOptions>();
  CLI::App* command = app.add_subcommand("live", "Publish each step of a job as it comes; goes on after a crash");
  command->add_option("JOB", options->job, "The job file (TOML)");
  add_ledger_option(*command, options->ledger);
  add_clock_flag(*command);
  command->add_flag("--yes", options->yes,
                    "Debit without a question, even for a new release although one of this name is over");
  command->add_flag("--once", options->once, "Take what a file or directory holds now, and do not wait for more");
  command->add_option("--until", options->until,
                      "At the end of the input, publish the steps that end by this time, and no others; rows that are "
                      "people need it, or clock = \"system\" in the job");
  command->add_option("--seed", options->seed, "For tests and experiments only: not private, touches no ledger");
  command->add_option("--noise-from", options->noise_from,
                      "For tests only: numbers to use as noise, in order; not private, touches no ledger");
  add_json_flag(*command, options->json);
  add_example(*command, "chronoveil live flu.toml < this-week.csv");
  add_question(*command, context, "status", "Show the state of a live release", engine::live_status);
  add_question(*command, context, "close", "End a live release; nothing is given back", engine::close_live);
  add_correct_command(*command, context);
  // In `live status JOB` the job belongs to the subcommand; without one, JOB is what to publish.
  on_run(*command, context, [options, command]() -> Result<void> {
    if (!command->get_subcommands().empty()) return {};
    return run(*options);
  });
}

}  // namespace chronoveil::cli
