// Panels to train on, and what a step computes, done by hand: one window at a time, in double.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "chronoveil/neural/trainer.h"
#include "neural/model_samples.h"

namespace chronoveil::neural {

// Waves with noise whose size differs from series to series, of lengths `length`, length + 1, ...
inline forecasting::Panel sample_panel(std::int64_t series, std::int64_t length, std::int64_t channels = 1) {
  torch::set_num_threads(1);
  forecasting::Panel panel{channels, {}};
  std::mt19937_64 random(17);
  std::normal_distribution<float> normal;
  for (std::int64_t n = 0; n < series; ++n) {
    forecasting::PanelSeries one{"series " + std::to_string(n), 3 * n, length + n, {}};
    for (std::int64_t i = 0; i < one.length * channels; ++i)
      one.values.push_back(std::exp(static_cast<float>(n % 5)) *
                           (2 + std::sin(static_cast<float>(i) / 3) + normal(random) / 4));
    panel.series.push_back(std::move(one));
  }
  return panel;
}

inline TrainingConfig sample_training(const std::string& kind, const forecasting::SamplingScheme& scheme,
                                      std::int64_t channels = 1) {
  TrainingConfig config;
  config.calendar.cycles = {{7, 0}};
  config.model = sample_config(kind, channels, config.calendar.covariates());
  config.scheme = scheme;
  config.privacy = PrivateStep{.clip = 0.01, .noise_multiplier = 1, .batch_size = scheme.batch_size};
  return config;
}

inline Trainer trainer_of(const TrainingConfig& config, const forecasting::Panel& panel) {
  auto made = Trainer::make(config, panel, torch::kCPU);
  EXPECT_TRUE(made) << made.error().text();
  return std::move(*made);
}

inline forecasting::WindowShape shape_of(const TrainingConfig& config) {
  return {forecasting::history_length(config.model), config.model.forecast_length};
}

inline forecasting::WindowValues values_of(const TrainingConfig& config, const forecasting::Panel& panel,
                                           const std::vector<forecasting::Window>& windows) {
  return forecasting::cut(panel, shape_of(config), config.calendar, config.fill, windows).value();
}

// The gradient of one window, [d] float64.
inline torch::Tensor gradient_of(const Trainer& trainer, const TrainingConfig& config, const forecasting::Panel& panel,
                                 const forecasting::Window& window) {
  Tape tape(trainer.parameters(), Tape::Keep::uses);
  trainer.model().loss(tape, to_batch(values_of(config, panel, {window}), torch::kCPU)).sum().backward();
  return sum_of_gradients(tape).to(torch::kFloat64);
}

// Σ min(1, bound / ‖g‖) g over windows; what is not finite adds nothing.
inline torch::Tensor sum_by_hand(const Trainer& trainer, const TrainingConfig& config, const forecasting::Panel& panel,
                                 const std::vector<forecasting::Window>& windows, double bound) {
  torch::Tensor sum = torch::zeros({trainer.parameters().size()}, torch::kFloat64);
  for (const forecasting::Window& window : windows) {
    const torch::Tensor g = gradient_of(trainer, config, panel, window);
    const double norm = g.norm().item<double>();
    if (std::isfinite(norm)) sum += g * std::min(1.0, bound / norm);
  }
  return sum;
}

inline double distance(const torch::Tensor& a, const torch::Tensor& b) {
  return (a.to(torch::kFloat64) - b.to(torch::kFloat64)).norm().item<double>();
}

inline bool all_finite(const torch::Tensor& x) { return torch::isfinite(x).all().item<bool>(); }

}  // namespace chronoveil::neural
