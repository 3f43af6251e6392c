// Training with one debit, that survives crashes: plan, debit the whole run, and only then read; each step is written
// down as used before its windows are drawn. A step that a crash took is spent all the same: its number never comes
// again, so under `iterate` a series is in no epoch twice. What was reserved bounds what is used, whatever happens.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/engine/train/plan.h"
#include "chronoveil/neural/trainer.h"
#include "chronoveil/report/forecast/trained.h"
#include "chronoveil/training/model_file.h"

namespace chronoveil::training {

struct TrainProgress {
  std::int64_t done = 0, planned = 0;
  double epsilon = 0;  // of the steps so far, no less than it is; 0 where nobody asked for it
};

struct TrainOptions : engine::RunOptions {
  std::string device = "cpu";  // or "cuda"
  std::function<void(const TrainProgress&)> on_step;
  bool look = false;  // keeps what each step showed of the data: internal
};

// ε after so many steps.
struct SpentAfter {
  std::int64_t steps = 0;
  double epsilon = 0;
};

struct Training {
  TrainedModel model;
  engine::TrainPlanned planned;
  std::int64_t uses = 0;  // steps that were paid for and begun, those that a crash took included
  bool resumed = false;   // went on with an earlier process' steps
  std::vector<SpentAfter> spent;
  std::vector<neural::StepFacts> facts;  // internal: with `look`
  std::optional<report::BudgetLeft> budget;
  std::string json;  // of the release, as the ledger knows its digest; empty where it has none
};

// Goes on with a run of the same job that was not finished. An error after the debit leaves it reserved: the same
// command goes on. With a seed nothing is debited and the model is marked.
Result<Training> run_training(const engine::Job&, const TrainOptions&);
// The model of a debit anew, at no cost.
Result<Training> train_again(const engine::Job&, const std::string& debit, const TrainOptions&);

// What its documents say. The curve of what was spent is worked out here unless the training has it already.
Result<report::Trained> report_of(const engine::Job&, const Training&);

// What trainer and plan agree on.
neural::TrainingConfig training_config(const engine::Job&, const engine::TrainPlanned&);
// "cpu", or "cuda" where libtorch has one.
Result<torch::Device> device_of(const std::string& name);

}  // namespace chronoveil::training
