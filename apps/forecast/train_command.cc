// chronoveil train: trains the model of a job, paid for once; resumes where it was stopped.
#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "chronoveil/ledger/filters/rounded_text.h"
#include "chronoveil/training/train.h"
#include "commands.h"
#include "debit_prompt.h"
#include "output/job_output.h"
#include "output/progress_line.h"
#include "output/text_table.h"
#include "output/train_output.h"
#include "run_flags.h"

namespace chronoveil::cli {
namespace {

using training::Training;

struct TrainCommandOptions {
  std::string job;
  RunFlags flags;
  Machine machine;
  bool json = false;
};

std::string outcome_text(const engine::Job& job, const Training& training) {
  return guarantee_text(training.model.guarantee) + debit_text(training.model.debit, training.budget) + "wrote     " +
         job.train().output + "\n";
}

// Of a model that looks once.
std::string look_text(const engine::Job& job, const Training& training) {
  const engine::SignLagsPlanned& signs = *training.planned.signs;
  return fmt::format("model     {}, from {}: {} with noise of {}\n", training.planned.model.model,
                     counted(static_cast<std::int64_t>(training.planned.series.size()), "series", "series"),
                     counted(signs.config.released(), "integer", "integers"), figure(signs.noise)) +
         outcome_text(job, training);
}

std::string training_text(const engine::Job& job, const Training& training, std::int64_t parameters) {
  const engine::TrainPlanned& planned = training.planned;
  if (planned.signs) return look_text(job, training);
  std::string windows = std::to_string(planned.most_windows);
  if (planned.least_windows != planned.most_windows)
    windows = fmt::format("{} to {}", planned.least_windows, planned.most_windows);
  std::string text =
      fmt::format("model     {}, {} weights, from {} of {} windows\n", planned.model.model, parameters,
                  counted(static_cast<std::int64_t>(planned.series.size()), "series", "series"), windows);
  text += fmt::format("steps     {} of {}, noise multiplier {}, clipped to {}{}\n", training.model.steps, planned.steps,
                      figure(planned.noise_multiplier), figure(planned.clip),
                      training.resumed ? "; went on after an interruption" : "");
  return text + outcome_text(job, training);
}

// Shows ε so far, at most a few times per second.
class Watch {
 public:
  void operator()(const training::TrainProgress& progress) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(200) && progress.done != progress.planned) return;
    last_ = now;
    line_.tell(fmt::format("step {} of {}, ε so far at most {}", progress.done, progress.planned,
                           ledger::rounded_up(progress.epsilon)),
               static_cast<double>(progress.done) / static_cast<double>(progress.planned));
  }
  const ProgressLine& line() const { return line_; }

 private:
  ProgressLine line_;
  std::chrono::steady_clock::time_point last_{};
};

// What looks once is a release like any other.
Result<Training> released(const engine::Job& job, training::TrainOptions options, const RunFlags& flags) {
  watch_debit(options);
  const ProgressLine line;
  options.progress = [&line, noted = options.progress](std::string_view stage) {
    noted(stage);
    line.tell(std::string(stage) + " ...");
  };
  options.before_debit = ask_before_debit(question_of(job, flags.yes), &line);
  return training::run_training(job, options);
}

Result<Training> watched(const engine::Job& job, const RunFlags& flags, const Machine& machine,
                         const training::Networks* networks) {
  CV_TRY(const engine::RunOptions run, options_of(flags));
  training::TrainOptions all;
  static_cast<engine::RunOptions&>(all) = run;
  all.networks = networks;
  all.device = machine.device;
  if (flags.again) return training::train_again(job, *flags.again, all);
  if (!forecasting::is_network(job.train().model.model)) return released(job, all, flags);
  say_on_interrupt("nothing was spent");
  all.note_debit = [](const std::string& debit) {
    say_on_interrupt("the debit " + debit + " stays reserved; the same command goes on from the last checkpoint");
  };
  all.note_programme = [](const std::string& sentence) { print_note(sentence); };
  Watch watch;
  all.progress = [&](std::string_view stage) {
    if (stage == "debiting") say_on_interrupt("a debit may have been made; budget history tells");
    watch.line().tell(std::string(stage) + " ...");
  };
  if (watch.line().shown()) all.on_step = [&](const training::TrainProgress& progress) { watch(progress); };
  all.before_debit = ask_before_debit(question_of(job, flags.yes), &watch.line());
  all.note_released = [](const std::string& debit, bool) {
    say_on_interrupt("the debit " + debit + " is released; --again " + debit +
                     " emits its stored model anew at no cost");
  };
  return training::run_training(job, all);
}

Result<void> train(const TrainCommandOptions& options, const CommandContext& context, const NetworkDoor& door) {
  CV_TRY(const engine::Job job, training_job(options.job));
  if (options.flags.dry_run) return print_train_plan(job, options.json);
  if (door.leads_away_for(job.train().model.model)) return door.hand_on(context.arguments);
  return train_job(job, options.flags, options.machine, options.json, door.networks);
}

}  // namespace

Result<void> train_job(const engine::Job& job, const RunFlags& flags, const Machine& machine, bool json,
                       const training::Networks* networks) {
  CV_CHECK(apply(machine, networks));
  CV_CHECK(check_room(job, json));
  CV_TRY(const Training training, watched(job, flags, machine, networks));
  if (!training.model.mark.empty()) print_note(training.model.mark);
  CV_TRY(const report::Trained trained, training::report_of(job, training));
  if (json)
    std::cout << report::to_json(trained);
  else
    print_summary(job, training_text(job, training, trained.model.parameters), training.model.debit.has_value());
  return {};
}

void add_train_command(CLI::App& app, CommandContext& context, const NetworkDoor& door) {
  auto options = std::make_shared<TrainCommandOptions>();
  CLI::App* command = app.add_subcommand("train", "Train a forecasting model on private series, with one debit");
  command->add_option("JOB", options->job, "A job file with a section [train]")->required();
  add_run_flags(*command, options->flags);
  add_replay_flags(*command, options->flags);
  add_machine_options(*command, options->machine);
  add_json_flag(*command, options->json);
  add_example(*command, "chronoveil train load.toml");
  on_run(*command, context, [options, &context, door] { return train(*options, context, door); });
}

}  // namespace chronoveil::cli
