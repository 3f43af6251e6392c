// Training with one debit that survives crashes: plan, debit, and only then read. sign_lags is trained by any program;
// networks by one that has them (chronoveil-forecast).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/engine/train/train.h"
#include "chronoveil/report/forecast/trained.h"
#include "chronoveil/training/model_file.h"

namespace chronoveil::training {

struct TrainProgress {
  std::int64_t done = 0, planned = 0;
  double epsilon = 0;  // of the steps so far, never too small; 0 if nobody asked for it
};

class Networks;  // what libtorch can do, for a program that has it

// Refuses a device that is not there, and says how many threads of the processor to use; as many as it has cores unless
// given. Nothing without networks.
Result<void> use_machine(const Networks*, const std::string& device, std::optional<std::int64_t> threads);

struct TrainOptions : engine::RunOptions {
  const Networks* networks = nullptr;  // without them, jobs of networks are refused
  std::string device = "cpu";          // or "cuda"
  std::function<void(const TrainProgress&)> on_step;
};

// ε after this many steps.
struct SpentAfter {
  std::int64_t steps = 0;
  double epsilon = 0;
};

struct Training {
  TrainedModel model;
  engine::TrainPlanned planned;
  std::int64_t uses = 0;        // steps that were begun, including those lost in a crash
  std::int64_t parameters = 0;  // of the model
  bool resumed = false;         // continued the steps of an earlier process
  std::vector<SpentAfter> spent;
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

}  // namespace chronoveil::training
