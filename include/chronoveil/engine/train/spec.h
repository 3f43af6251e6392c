// [train]: a forecasting model that learns from the series, instead of a release of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/forecasting/choices.h"
#include "chronoveil/forecasting/model_config.h"

namespace chronoveil::engine {

struct TrainSpec {
  enum class Optimiser { adam, sgd };
  struct Span {  // as written in the public file
    std::string series, start, end;
  };
  forecasting::ModelConfig model;     // channels and covariates follow from the rest; lengths of 0: the plan chooses
  bool lags_given = false;            // else the usual lags for the slots
  std::vector<std::int64_t> seasons;  // sign_lags: steps apart of values that are compared; empty: from public facts
  std::vector<std::string> channels;  // columns that one model reads together: train.channels, or source.value
  forecasting::TopLevel top = forecasting::TopLevel::without_replacement;
  forecasting::BottomLevel bottom = forecasting::BottomLevel::with_replacement;
  std::optional<std::int64_t> batch_size;  // Λ; absent: 128, or less where there are fewer series
  std::int64_t windows_per_series = 1;     // λ
  std::optional<double> noise_multiplier;  // σ; give σ or steps: the other follows from (ε, δ)
  std::optional<std::int64_t> steps;
  double clip = 1e-4;  // C
  Optimiser optimiser = Optimiser::adam;
  double learning_rate = 1e-3;
  double weight_decay = 1e-8;
  double average = 0;  // decay of the moving average of iterates that is released; 0: the last iterate
  double context_noise = 0, label_noise = 0, noise_unit = 1;  // σ_C, σ_F, v
  std::optional<double> lower, upper;  // public bounds, both or neither: values are clamped before windows are cut
  forecasting::Fill fill = forecasting::Fill::window_mean;
  bool calendar = true;
  std::int64_t spare_steps = 0;
  std::int64_t checkpoint_every = 200;
  std::int64_t initial_seed = 1;
  std::vector<Span> spans;
  std::string spans_path;
  std::string output;  // output.model
};

}  // namespace chronoveil::engine
