#include "chronoveil/training/train.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "chronoveil/base/system/atomic_file.h"
#include "chronoveil/engine/job/named_errors.h"
#include "chronoveil/engine/job/text_file.h"
#include "chronoveil/engine/release/assumptions.h"
#include "chronoveil/engine/release/beside_ledger.h"
#include "chronoveil/engine/release/order.h"
#include "chronoveil/engine/release/outputs.h"
#include "chronoveil/engine/train/read.h"
#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/report/document/digest.h"
#include "chronoveil/training/checkpoint.h"
#include "chronoveil/training/spent_curve.h"

namespace chronoveil::training {
namespace {

namespace fs = std::filesystem;
using engine::Job;
using engine::TrainPlanned;

TrainedModel described(const Job& job, const TrainPlanned& planned) {
  TrainedModel model;
  model.config = planned.model;
  model.calendar = planned.calendar;
  model.fill = job.train().fill;
  model.channels = planned.channels;
  model.lower = job.train().lower;
  model.upper = job.train().upper;
  model.clock = job.slots;
  model.dataset = job.dataset;
  model.guarantee = planned.guarantee;
  model.event = planned.event;
  model.price = planned.price;
  model.not_protected = engine::not_protected(planned);
  return model;
}

void take_weights(const neural::Trainer& trainer, TrainedModel& model) {
  neural::Parameters released = trainer.parameters();
  const torch::Tensor flat = trainer.released().to(torch::kCPU);
  model.weights.clear();
  for (std::size_t i = 0; i < released.count(); ++i) {
    const torch::Tensor& value = released[i].value;
    model.weights.push_back(
        {released[i].name, flat.narrow(0, released.offset(i), value.numel()).view(value.sizes()).clone()});
  }
  model.steps = trainer.steps();
}

// One training at work.
class Work {
 public:
  Work(const Job& job, const TrainOptions& options, Training& training)
      : job_(job), options_(options), training_(training) {}

  Result<void> begin() {
    CV_TRY(const torch::Device device, device_of(options_.device));
    engine::tell(options_, "reading");
    CV_TRY(const forecasting::Panel panel, engine::read_panel(job_, training_.planned));
    CV_CHECK(engine::check_not_empty(engine::knows_anything(panel) ? 1 : 0, options_.allow_empty));
    CV_TRY(neural::Trainer trainer, neural::Trainer::make(training_config(job_, training_.planned), panel, device));
    trainer_.emplace(std::move(trainer));
    if (options_.on_step) {
      CV_TRY(training_.spent, spent_curve(training_.planned));
    }
    return {};
  }

  bool finished() const { return trainer_->steps() >= training_.planned.steps; }
  neural::Trainer& trainer() { return *trainer_; }

  Result<void> step(std::int64_t number, DrawRight& right) {
    neural::StepFacts facts;
    CV_CHECK(trainer_->step(number, right, options_.look ? &facts : nullptr));
    if (options_.look) training_.facts.push_back(facts);
    if (options_.on_step)
      options_.on_step({trainer_->steps(), training_.planned.steps, spent_after(training_.spent, number + 1)});
    return {};
  }

  void finish() { take_weights(*trainer_, training_.model); }

 private:
  const Job& job_;
  const TrainOptions& options_;
  Training& training_;
  std::optional<neural::Trainer> trainer_;
};

Result<void> rehearse(const Job& job, const TrainOptions& options, Training& training) {
  if (options.replay)
    return fail(ErrorKind::usage, "run.noise_from", "training draws too much to replay it; `run.seed` repeats a run");
  Work work(job, options, training);
  CV_CHECK(work.begin());
  DrawRight seeded = DrawRight::seeded(*options.seed);
  for (; !work.finished(); ++training.uses) CV_CHECK(work.step(training.uses, seeded));
  work.finish();
  training.model.mark = seeded.mark();
  engine::disown(training.model.guarantee, training.model.mark);
  return {};
}

// Finds what a trainer would refuse before anything is paid for, by making one from public facts.
Result<void> check_trainer(const Job& job, const TrainPlanned& planned, const std::string& device_name) {
  CV_TRY(const torch::Device device, device_of(device_name));
  CV_TRY(forecasting::Panel blank, engine::blank_panel(planned.channels.size(), planned.series));
  CV_CHECK(engine::by_key({"train"}, neural::Trainer::make(training_config(job, planned), std::move(blank), device)));
  return {};
}

Result<std::string> folder_of(const engine::OpenBudget& budget, const Job& job) {
  CV_TRY(const fs::path path,
         engine::folder_beside(budget.place, "training", fs::path(job.dataset) / engine::digest_of(job)));
  return path.string();
}
// engine/release/witnesses.cc reads these names.
std::string stored_model(const std::string& folder, const ledger::DebitId& debit) {
  return folder + "/model-" + std::to_string(debit.sequence) + (debit.slot ? "+" + std::to_string(*debit.slot) : "");
}
std::string stored_json(const std::string& folder, const ledger::DebitId& debit) {
  return stored_model(folder, debit) + ".json";
}

// A stored model is never replaced by another one.
Failure stored_already(const std::string& folder, const ledger::DebitId& debit) {
  return fail(ErrorKind::storage, "training",
              "a model of the debit " + debit.text() + " is stored already, in '" + stored_model(folder, debit) +
                  "', and what lies beside it would make another one: the ledger or the checkpoint is older; put back "
                  "the latest");
}

// The run of this job that was begun and not finished.
Result<std::optional<ledger::DebitId>> unfinished_run(engine::OpenBudget& budget, const Job& job) {
  CV_TRY(const ledger::View view, budget.ledger.view(job.dataset));
  const auto last = std::find_if(view.runs.rbegin(), view.runs.rend(),
                                 [&](const ledger::Debit& run) { return run.terms.job == engine::digest_of(job); });
  return last == view.runs.rend() ? std::nullopt : std::optional(last->id);
}

std::string how_to_have_it_anew(const ledger::DebitId& debit) {
  return "`run.again = " + debit.text() + "` emits its stored model anew at no cost";
}

// As for every second debit, except that models are stored here.
ledger::BeforeSecond before_second_training(const engine::OpenBudget& budget, const engine::RunOptions& options,
                                            const std::string& folder) {
  const ledger::BeforeSecond ask = engine::before_second_debit(budget, options);
  if (!ask) return {};
  return [ask, folder](const ledger::DebitId& earlier, ledger::State state) -> Result<void> {
    Result<void> asked = ask(earlier, state);
    std::error_code error;
    if (!asked && fs::exists(stored_model(folder, earlier), error))
      asked.error().message += ", " + how_to_have_it_anew(earlier);
    return asked;
  };
}

Result<void> train(const Job& job, const TrainOptions& options, Training& training) {
  CV_TRY(engine::OpenBudget budget, engine::open_budget(job, engine::claim_of(job), options.ledger));
  CV_CHECK(engine::check_train_columns(job.source, training.planned.channels));
  CV_CHECK(check_trainer(job, training.planned, options.device));
  CV_TRY(const std::string folder, folder_of(budget, job));
  CV_CHECK(engine::make_private_folder("training", folder));
  CV_TRY(const engine::FolderLock lock,
         engine::FolderLock::take("training", folder, "another process trains this job now"));
  CV_TRY(std::optional<ledger::DebitId> id, unfinished_run(budget, job));
  if (!id) {
    const engine::Ask ask = engine::ask_of(job, training.planned);
    const engine::Claim claim = engine::claim_of(job);
    if (!options.confirmed) CV_CHECK(engine::check_replaces_no_other(job, claim.digest, claim.facts, budget.ledger));
    CV_CHECK(engine::tell_before_debit(budget, claim, ask, options));
    engine::tell(options, "debiting");
    CV_TRY(const ledger::Reservation debit,
           engine::reserve_run(budget, engine::claim_of(job), ask, before_second_training(budget, options, folder),
                               options.note_programme));
    id = debit.id;
  }
  training.model.debit = ledger::DebitReference{*id, ""};  // every error from here on names it
  if (options.note_debit) options.note_debit(id->text());
  CV_TRY(ledger::Run run, budget.ledger.resume_run(*id));
  const std::int64_t uses = run.uses();
  CV_TRY(mechanisms::Draws draws, mechanisms::Draws::continued(std::move(run), training.planned.event));
  training.model.debit = draws.debit();
  training.resumed = draws.used() > 0;
  Work work(job, options, training);
  CV_CHECK(work.begin());
  if (const std::optional<Checkpoint> checkpoint = load_checkpoint(folder);
      checkpoint && checkpoint->debit == id->text())
    CV_CHECK(work.trainer().restore(checkpoint->state));
  // A model is stored once all its steps are taken, so there is nothing left to draw for it.
  std::error_code error;
  const bool stored = fs::exists(stored_model(folder, *id), error);
  if (stored && !work.finished() && draws.used() < uses) return stored_already(folder, *id);
  if (!options.allow_empty) engine::add_not_empty(training.model.guarantee.assumptions);
  CV_CHECK(draws.start(training.planned.event));
  while (!work.finished() && draws.used() < uses) {
    const std::int64_t number = draws.used();
    CV_CHECK(budget.ledger.use_run(*id, number, 1));
    CV_CHECK(draws.use());
    CV_CHECK(work.step(number, draws.right()));
    const bool last = work.finished() || draws.used() == uses;
    if (last || work.trainer().steps() % job.train().checkpoint_every == 0)
      CV_CHECK(save_checkpoint(folder, {id->text(), draws.used(), work.trainer().state()}));
  }
  draws.finish();
  training.uses = draws.used();
  work.finish();
  CV_TRY(const ledger::View after, budget.ledger.view(job.dataset));
  training.budget = engine::budget_left(after);
  CV_TRY(const report::Trained trained, report_of(job, training));
  training.json = report::to_json(trained);
  CV_TRY(const std::string digest, report::release_digest(training.json));
  std::string bytes = to_bytes(training.model);
  if (stored) {
    CV_TRY(const TrainedModel before, load_model(stored_model(folder, *id)));
    if (to_bytes(before) != bytes) return stored_already(folder, *id);
  }
  CV_CHECK(write_files(
      {{stored_json(folder, *id), training.json, 0600}, {stored_model(folder, *id), std::move(bytes), 0600}}));
  CV_CHECK(budget.ledger.settle(*id, ledger::State::released, digest));
  if (options.note_released) options.note_released(id->text(), true);
  return {};
}

// The model and its documents appear together or not at all.
Result<void> write_all(const Job& job, const Training& training) {
  // What is not private is computed from the data: for its owner alone.
  const int mode = training.model.mark.empty() ? 0644 : 0600;
  std::vector<OutputFile> files{{job.train().output, to_bytes(training.model), mode}};
  if (!job.json.empty() || !job.report.empty()) {
    CV_TRY(const report::Trained trained, report_of(job, training));
    if (!job.report.empty()) files.push_back({job.report, report::to_html(trained), mode});
    // Last: when it is there, everything is. Exactly as when the ledger got its digest.
    if (!job.json.empty()) {
      CV_TRY(std::string signed_document,
             report::signed_release(training.json.empty() ? report::to_json(trained) : training.json));
      files.push_back({job.json, std::move(signed_document), mode});
    }
  }
  return write_files(files);
}

// Takes the document of a stored training as it was when it was released.
Result<void> take_document(const std::string& path, const ledger::Debit& found, Training& training) {
  CV_TRY(training.json, engine::read_text_file("run.again", path));
  CV_TRY(const std::string digest, report::release_digest(training.json));
  const nlohmann::json said = nlohmann::json::parse(training.json, nullptr, false);
  if (digest != *found.digest || said.value("model_sha256", "") != ledger::sha256_hex(to_bytes(training.model)))
    return fail(ErrorKind::storage, "run.again",
                "the stored model of " + found.id.text() + " was changed: it does not match the digest in the ledger");
  training.resumed = said.value("resumed", false);
  if (const auto budget = said.find("budget"); budget != said.end() && budget->is_object())
    training.budget =
        report::BudgetLeft{budget->value("dataset", ""), budget->value("epsilon", 0.0), budget->value("delta", 0.0),
                           budget->value("fraction_left", 0.0), budget->value("still_admits", "")};
  return {};
}

}  // namespace

Result<report::Trained> report_of(const Job& job, const Training& training) {
  const TrainPlanned& planned = training.planned;
  const TrainedModel& model = training.model;
  report::Trained all;
  all.title = job.title.empty() ? "Model of " + job.dataset : job.title;
  all.model = {model.config.model,
               model.config.context_length,
               model.config.forecast_length,
               0,
               model.steps,
               model.dataset,
               model.mark,
               model.guarantee,
               model.price,
               model.debit,
               model.not_protected};
  for (const neural::Parameter& weight : model.weights) all.model.parameters += weight.value.numel();
  all.event = model.event;
  all.series = static_cast<std::int64_t>(planned.series.size());
  all.least_windows = planned.least_windows;
  all.most_windows = planned.most_windows;
  all.batch_size = planned.scheme.batch_size;
  all.windows_per_series = planned.scheme.windows_per_series;
  all.top_level = planned.scheme.top == forecasting::TopLevel::iterate ? "iterate" : "without_replacement";
  all.bottom_level = planned.scheme.bottom == forecasting::BottomLevel::poisson ? "poisson" : "with_replacement";
  all.touched_share = planned.touched_share;
  all.series_rate = planned.series_rate;
  all.noise_multiplier = planned.noise_multiplier;
  all.clip = planned.clip;
  all.lower = model.lower;
  all.upper = model.upper;
  all.planned_steps = planned.steps;
  all.spare_steps = planned.spare_steps;
  all.uses = training.uses;
  all.resumed = training.resumed;
  all.reason = planned.reason;
  std::vector<SpentAfter> spent = training.spent;
  if (spent.empty()) {
    CV_TRY(spent, spent_curve(planned));
  }
  for (const SpentAfter& point : spent) all.spent.push_back({point.steps, point.epsilon});
  all.budget = training.budget;
  all.model_path = job.train().output;
  all.model_digest = ledger::sha256_hex(to_bytes(model));
  return all;
}

neural::TrainingConfig training_config(const Job& job, const TrainPlanned& planned) {
  const engine::TrainSpec& spec = job.train();
  neural::TrainingConfig config;
  config.model = planned.model;
  config.scheme = planned.scheme;
  config.calendar = planned.calendar;
  config.fill = spec.fill;
  config.privacy = neural::PrivateStep{planned.clip, planned.noise_multiplier, planned.scheme.batch_size};
  config.optimiser.kind = spec.optimiser == engine::TrainSpec::Optimiser::adam ? neural::OptimiserConfig::Kind::adam
                                                                               : neural::OptimiserConfig::Kind::sgd;
  config.optimiser.learning_rate = spec.learning_rate;
  config.optimiser.weight_decay = spec.weight_decay;
  config.optimiser.average = spec.average;
  config.context_noise = spec.context_noise;
  config.label_noise = spec.label_noise;
  config.noise_unit = spec.noise_unit;
  config.initial_seed = static_cast<std::uint64_t>(spec.initial_seed);
  return config;
}

Result<torch::Device> device_of(const std::string& name) {
  if (name == "cpu") return torch::Device(torch::kCPU);
  if (name != "cuda") return invalid("--device", name, "cpu or cuda");
  if (!torch::cuda::is_available())
    return fail(ErrorKind::usage, "--device", "cuda is not available: libtorch lacks it, or finds no GPU");
  return torch::Device(torch::kCUDA);
}

Result<Training> run_training(const Job& job, const TrainOptions& options) {
  Training training;
  CV_TRY(training.planned, engine::plan_training(job));
  CV_CHECK(engine::check_train_outputs(job));
  if (options.rehearses()) CV_CHECK(engine::check_replaces_no_release(job));
  training.model = described(job, training.planned);
  Result<void> done = options.rehearses() ? rehearse(job, options, training) : train(job, options, training);
  if (!done) {
    if (training.model.debit)
      done.error().message +=
          "; the debit " + training.model.debit->id.text() + " stays reserved, and " +
          (done.error().kind == ErrorKind::bad_data
               ? "the same job uses it once the data is mended; a changed job, such as one of another time format, has "
                 "a debit of its own; chronoveil check reads every row beforehand"
               : "the same command goes on from the last checkpoint");
    return tl::unexpected(std::move(done.error()));
  }
  engine::tell(options, "writing");
  if (Result<void> written = write_all(job, training); !written) {
    const std::string anew = training.model.debit ? "; " + how_to_have_it_anew(training.model.debit->id) : "";
    written.error().message += anew;
    return tl::unexpected(std::move(written.error()));
  }
  return training;
}

Result<Training> train_again(const Job& job, const std::string& debit, const TrainOptions& options) {
  if (options.rehearses())
    return fail(ErrorKind::usage, "run.again", "a stored model draws nothing; leave `run.seed` and replays out");
  Training training;
  CV_TRY(training.planned, engine::plan_training(job));
  CV_CHECK(engine::check_train_outputs(job));
  CV_TRY(engine::OpenBudget budget, engine::open_budget(job, engine::claim_of(job), options.ledger));
  CV_TRY(const ledger::Debit found, engine::debit_of_job(budget, engine::claim_of(job), debit));
  if (found.state == ledger::State::reserved)
    return fail(ErrorKind::usage, "run.again",
                "the training of " + debit + " is not finished; the same command without `run.again` goes on");
  CV_TRY(const std::string folder, folder_of(budget, job));
  CV_TRY(training.model, load_model(stored_model(folder, found.id)));
  if (!training.model.debit || !(training.model.debit->id == found.id))
    return fail(ErrorKind::storage, "run.again", "the stored model does not belong to the debit " + debit);
  training.uses = found.used;
  CV_CHECK(engine::check_replaces_no_later(job, found, budget.ledger));
  if (found.digest) CV_CHECK(take_document(stored_json(folder, found.id), found, training));
  CV_CHECK(write_all(job, training));
  return training;
}

}  // namespace chronoveil::training
