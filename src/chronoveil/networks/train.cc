#include <algorithm>
#include <filesystem>

#include "chronoveil/base/system/atomic_file.h"
#include "chronoveil/engine/job/named_errors.h"
#include "chronoveil/engine/release/assumptions.h"
#include "chronoveil/engine/release/beside_ledger.h"
#include "chronoveil/engine/release/numbered.h"
#include "chronoveil/engine/train/plan.h"
#include "chronoveil/engine/train/read.h"
#include "chronoveil/networks/checkpoint.h"
#include "chronoveil/networks/networks.h"
#include "chronoveil/neural/tensor_bytes.h"
#include "chronoveil/report/document/digest.h"
#include "chronoveil/training/spent_curve.h"
#include "chronoveil/training/stored_model.h"

namespace chronoveil::networks {
namespace {

namespace fs = std::filesystem;
using engine::Job;
using engine::TrainPlanned;
using training::stored_json;
using training::stored_model;
using training::TrainedModel;
using training::Training;
using training::TrainOptions;

void take_weights(const neural::Trainer& trainer, TrainedModel& model) {
  neural::Parameters released = trainer.parameters();
  const torch::Tensor flat = trainer.released().to(torch::kCPU);
  std::vector<neural::Parameter> weights;
  for (std::size_t i = 0; i < released.count(); ++i) {
    const torch::Tensor& value = released[i].value;
    weights.push_back(
        {released[i].name, flat.narrow(0, released.offset(i), value.numel()).view(value.sizes()).clone()});
  }
  model.weights = neural::to_bytes(weights);
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
      CV_TRY(training_.spent, training::spent_curve(training_.planned));
    }
    return {};
  }

  bool finished() const { return trainer_->steps() >= training_.planned.steps; }
  neural::Trainer& trainer() { return *trainer_; }

  Result<void> step(std::int64_t number, DrawRight& right) {
    CV_CHECK(trainer_->step(number, right));
    if (options_.on_step)
      options_.on_step(
          {trainer_->steps(), training_.planned.steps, training::spent_after(training_.spent, number + 1)});
    return {};
  }

  void finish() {
    take_weights(*trainer_, training_.model);
    training_.parameters = trainer_->parameters().size();
  }

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
  engine::disown(training.model.guarantee, training.model.not_protected, training.model.mark, "model");
  return {};
}

// Finds what a trainer would refuse before anything is paid for, by making one from public facts.
Result<void> check_trainer(const Job& job, const TrainPlanned& planned, const std::string& device_name) {
  CV_TRY(const torch::Device device, device_of(device_name));
  CV_TRY(forecasting::Panel blank, engine::blank_panel(planned.channels.size(), planned.series));
  CV_CHECK(engine::by_key({"train"}, neural::Trainer::make(training_config(job, planned), std::move(blank), device)));
  return {};
}

// A stored model is never replaced by another one.
Failure stored_already(const std::string& folder, const ledger::DebitId& debit) {
  return fail(ErrorKind::storage, "training",
              "a model of the debit " + debit.text() + " is stored already, in '" + stored_model(folder, debit) +
                  "', and what lies beside it would make another one: the ledger or the checkpoint is older; put back "
                  "the latest");
}

// The run of this job that was begun and not finished.
Result<std::optional<ledger::DebitId>> unfinished_run(engine::OpenBudget& budget, const engine::Claim& claim) {
  CV_TRY(const ledger::View view, budget.ledger.view(claim.dataset));
  const auto last = std::find_if(view.runs.rbegin(), view.runs.rend(),
                                 [&](const ledger::Debit& run) { return run.terms.job == claim.digest; });
  return last == view.runs.rend() ? std::nullopt : std::optional(last->id);
}

// A debit may serve a job of another time format as long as nothing was drawn for it. All steps that were drawn must
// have read the rows alike: so the job that drew the first is kept beside them.
Result<void> keep_reading(const std::string& folder, const Job& job, bool begun) {
  const std::string path = folder + "/reading", ours = engine::digest_of(job);
  if (!begun) return write_files({{path, ours, 0600}});
  const Result<std::string> first = engine::read_text_file("training", path, engine::TextSize::document);
  const std::string known = first ? *first : fs::path(folder).filename().string();  // begun by an earlier version
  if (known == ours) return {};
  return fail(ErrorKind::usage, "source.time_format",
              "this training was begun with another time format, and steps were taken since; put it back");
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
      asked.error().message += ", " + training::how_to_have_it_anew(earlier);
    return asked;
  };
}

}  // namespace

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

Result<void> train(const Job& job, const TrainOptions& options, Training& training) {
  if (options.rehearses()) return rehearse(job, options, training);
  engine::NumberedKind kind;
  CV_TRY(kind.claim, engine::claim_of(job));
  CV_TRY(engine::OpenBudget budget, engine::open_budget(job, kind.claim, options.ledger));
  CV_TRY(kind.claim, engine::as_known(budget, std::move(kind.claim)));
  // Standard input is read once, after the debit.
  if (job.source.path != "-") CV_CHECK(engine::check_train_columns(job.source, training.planned.channels));
  CV_CHECK(check_trainer(job, training.planned, options.device));
  CV_TRY(const std::string folder, training::training_folder(budget, job));
  CV_CHECK(engine::make_private_folder("training", folder));
  CV_TRY(const engine::FolderLock lock,
         engine::FolderLock::take("training", folder, "another process trains this job now"));
  CV_TRY(kind.unfinished, unfinished_run(budget, kind.claim));
  kind.check_replaces_other = [&](ledger::Ledger& ledger) {
    return engine::check_replaces_no_other(job, kind.claim.digest, kind.claim.facts, ledger);
  };
  kind.before_second = before_second_training(budget, options, folder);
  kind.debited = [&](const ledger::DebitReference& debit) { training.model.debit = debit; };
  Work work(job, options, training);
  const auto id = [&] { return training.model.debit->id; };
  bool stored = false;  // once all steps are taken, so that there is nothing left to draw
  kind.begin = [&](std::int64_t used, std::int64_t uses) -> Result<void> {
    CV_CHECK(keep_reading(folder, job, used > 0));
    training.resumed = used > 0;
    CV_CHECK(work.begin());
    if (const std::optional<Checkpoint> checkpoint = load_checkpoint(folder);
        checkpoint && checkpoint->debit == id().text())
      CV_CHECK(work.trainer().restore(checkpoint->state));
    std::error_code error;
    stored = fs::exists(stored_model(folder, id()), error);
    if (stored && !work.finished() && used < uses) return stored_already(folder, id());
    if (!options.allow_empty) engine::add_not_empty(training.model.guarantee.assumptions);
    return {};
  };
  kind.finished = [&] { return work.finished(); };
  kind.use = [&](std::int64_t number, DrawRight& right) { return work.step(number, right); };
  kind.keep = [&](std::int64_t used, bool last) -> Result<void> {
    if (!last && work.trainer().steps() % job.train().checkpoint_every != 0) return {};
    return save_checkpoint(folder, {id().text(), used, work.trainer().state()});
  };
  kind.store = [&](std::int64_t used) -> Result<std::string> {
    training.uses = used;
    work.finish();
    CV_TRY(const ledger::View after, budget.ledger.view(job.dataset));
    training.budget = engine::budget_left(after);
    CV_TRY(training.budget->programme, engine::programme_use(budget.ledger, id()));
    CV_TRY(const report::Trained trained, training::report_of(job, training));
    training.json = report::to_json(trained);
    CV_TRY(std::string digest, report::release_digest(training.json));
    std::string bytes = training::to_bytes(training.model);
    if (stored) {
      CV_TRY(const TrainedModel before, training::load_model(stored_model(folder, id())));
      if (training::to_bytes(before) != bytes) return stored_already(folder, id());
    }
    CV_CHECK(write_files(
        {{stored_json(folder, id()), training.json, 0600}, {stored_model(folder, id()), std::move(bytes), 0600}}));
    return digest;
  };
  return engine::run_numbered(options, budget, engine::ask_of(job, training.planned), kind);
}

}  // namespace chronoveil::networks
