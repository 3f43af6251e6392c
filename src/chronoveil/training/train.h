// Training with one debit that survives crashes: plan, debit the whole run, and only then read; each step is recorded
// as used before its windows are drawn. A step lost in a crash is spent all the same: its number never comes again, so
// under `iterate` no series is in an epoch twice. What was reserved bounds what is used, whatever happens.
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
  double epsilon = 0;  // of the steps so far, never too small; 0 if nobody asked for it
};

struct TrainOptions : engine::RunOptions {
  std::string device = "cpu";  // or "cuda"
  std::function<void(const TrainProgress&)> on_step;
  bool look = false;  // keeps StepFacts of each step: internal
};

// ε after this many steps.
struct SpentAfter {
  std::int64_t steps = 0;
  double epsilon = 0;
};

struct Training {
  TrainedModel model;
  engine::TrainPlanned planned;
  std::int64_t uses = 0;  // steps that were begun, including those lost in a crash
  bool resumed = false;   // continued the steps of an earlier process
  std::vector<SpentAfter> spent;
  std::vector<neural::StepFacts> facts;  // internal: with `look`
  std::optional<report::BudgetLeft> budget;
  std::string json;  // of the release, exactly as digested in the ledger; empty if there is none
};

// Resumes an unfinished run of the same job. An error after the debit leaves it reserved: the same command resumes it.
// With a seed nothing is debited and the model is marked.
Result<Training> run_training(const engine::Job&, const TrainOptions&);
// Emits the model of a debit anew, at no cost.
Result<Training> train_again(const engine::Job&, const std::string& debit, const TrainOptions&);

// What its documents say. Computes the curve of ε spent unless the training already has it.
Result<report::Trained> report_of(const engine::Job&, const Training&);

// What trainer and plan agree on.
neural::TrainingConfig training_config(const engine::Job&, const engine::TrainPlanned&);
// "cpu", or "cuda" where libtorch has one.
Result<torch::Device> device_of(const std::string& name);

}  // namespace chronoveil::training
