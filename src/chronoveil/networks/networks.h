// Networks by libtorch, for jobs, model files and backtests.
#pragma once

#include <string>

#include "chronoveil/neural/trainer.h"
#include "chronoveil/training/networks.h"

namespace chronoveil::networks {

const training::Networks& with_libtorch();

// What trainer and plan agree on.
neural::TrainingConfig training_config(const engine::Job&, const engine::TrainPlanned&);
// "cpu", or "cuda" where libtorch has one.
Result<torch::Device> device_of(const std::string& name);

// Trains with one debit that survives crashes: debits the whole run, and only then reads; each step is recorded as used
// before its windows are drawn. A step lost in a crash is spent all the same: its number never comes again, so under
// `iterate` no series is in an epoch twice. What was reserved bounds what is used, whatever happens. Without a debit
// (a seed), the model is marked.
Result<void> train(const engine::Job&, const training::TrainOptions&, training::Training&);

}  // namespace chronoveil::networks
