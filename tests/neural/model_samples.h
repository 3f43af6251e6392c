// Models of every kind at several shapes, and windows of random values for them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "chronoveil/neural/models/model.h"

namespace chronoveil::neural {

// Every model, and simple_feed_forward with the wide head as "wide_head"; DeepAR has lags.
inline const std::vector<std::string>& sample_kinds() {
  static const std::vector<std::string> kinds = {"simple_feed_forward", "wide_head", "dlinear", "deepar",
                                                 "itransformer"};
  return kinds;
}

inline forecasting::ModelConfig sample_config(const std::string& kind, std::int64_t channels, std::int64_t covariates) {
  forecasting::ModelConfig config;
  config.model = kind == "wide_head" ? "simple_feed_forward" : kind;
  config.context_length = 12;
  config.forecast_length = 5;
  config.channels = channels;
  config.covariates = covariates;
  if (kind == "wide_head") config.head_features = 6;
  if (kind == "dlinear") config.kernel = 5;
  if (kind == "deepar") config.lags = {1, 2, 7};
  return forecasting::completed(config).value();
}

inline std::unique_ptr<const Model> sample_model(const forecasting::ModelConfig& config) {
  auto model = make_model(config);
  EXPECT_TRUE(model) << model.error().text();
  return std::move(*model);
}

// Random values whose size differs from window to window by orders of magnitude; about a tenth is missing, and the
// first steps of every third window are padding.
inline forecasting::WindowValues sample_windows(const forecasting::ModelConfig& config, std::int64_t batch,
                                                std::uint64_t seed) {
  forecasting::WindowValues windows;
  windows.batch = batch;
  windows.context = forecasting::history_length(config);
  windows.forecast = config.forecast_length;
  windows.channels = config.channels;
  windows.covariates = config.covariates;
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<float> uniform;
  const std::int64_t steps = windows.context + windows.forecast;
  for (std::int64_t b = 0; b < batch; ++b) {
    const float size = std::exp(3 * normal(random));
    for (std::int64_t s = 0; s < steps; ++s) {
      for (std::int64_t d = 0; d < config.channels; ++d) {
        const bool there = uniform(random) > 0.1f && !(b % 3 == 2 && s < 4);
        windows.values.push_back(there ? size * (1 + normal(random)) : 0);
        windows.observed.push_back(there ? 1 : 0);
      }
      for (std::int64_t f = 0; f < config.covariates; ++f) {
        windows.calendar.push_back(std::sin(static_cast<float>(s + b) / static_cast<float>(f + 2)));
      }
    }
  }
  return windows;
}

inline Batch sample_batch(const forecasting::ModelConfig& config, std::int64_t batch, std::uint64_t seed) {
  return to_batch(sample_windows(config, batch, seed), torch::kCPU);
}

// Windows first, ..., first + count - 1 of a batch.
inline Batch part_of(const Batch& batch, std::int64_t first, std::int64_t count) {
  const auto part = [&](const torch::Tensor& x) { return x.narrow(0, first, count).contiguous(); };
  return {part(batch.context),         part(batch.context_observed), part(batch.target),
          part(batch.target_observed), part(batch.calendar),         part(batch.scale)};
}

}  // namespace chronoveil::neural
