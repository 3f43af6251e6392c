// Models that start from the last season.
#include <gtest/gtest.h>

#include <cmath>

#include "chronoveil/neural/prediction.h"
#include "neural/model_samples.h"

namespace chronoveil::neural {
namespace {

constexpr std::int64_t kSeason = 3;    // the forecast of 5 steps is longer
constexpr std::int64_t kChannels = 2;  // each with its own season

forecasting::ModelConfig seasonal(const std::string& kind) {
  forecasting::ModelConfig config = sample_config(kind, kChannels, 2);
  config.season = kSeason;
  return forecasting::completed(config).value();
}

// Values without any rhythm, so that only the right step back gives the right value.
forecasting::Panel uneven_panel() {
  forecasting::Panel panel;
  panel.channels = kChannels;
  forecasting::PanelSeries series;
  series.key = "one";
  series.length = 40;
  for (std::int64_t i = 0; i < series.length * kChannels; ++i)
    series.values.push_back(static_cast<float>(20 + 9 * std::sin(static_cast<double>(i * i))));
  panel.series.push_back(std::move(series));
  return panel;
}

// What was a season before step `step` of the forecast from `start` on, the last season again and again.
float season_before(const forecasting::Panel& panel, std::int64_t start, std::int64_t step, std::int64_t channel) {
  const std::int64_t from = start - kSeason + step % kSeason;
  return panel.series[0].values[static_cast<std::size_t>(from * kChannels + channel)];
}

// The same weights with laws as narrow as they get: a path is then its locations.
Parameters narrow_laws(const Model& model) {
  Parameters parameters = model.initial(1);
  torch::Tensor flat = parameters.flat();
  for (std::size_t i = 0; i < parameters.count(); ++i) {
    if (parameters[i].name != "head.bias") continue;
    const std::int64_t laws = parameters[i].value.size(0) / 3;
    flat.narrow(0, parameters.offset(i) + laws, laws).fill_(-30);
  }
  parameters.set_flat(flat);
  return parameters;
}

class Season : public testing::Test {
 protected:
  void SetUp() override { torch::set_num_threads(1); }
};

TEST_F(Season, AModelThatHasLearnedNothingForecastsTheValueASeasonBefore) {
  const forecasting::Panel panel = uneven_panel();
  const std::vector<forecasting::Window> windows = {{0, 40}, {0, 31}};
  PredictionOptions options;
  options.keep_paths = true;
  options.paths = 20;
  for (const std::string& kind : sample_kinds()) {
    SCOPED_TRACE(kind);
    const auto model = sample_model(seasonal(kind));
    const auto all = predict(*model, narrow_laws(*model), panel, {{{24, 0}}}, forecasting::Fill::window_mean, windows,
                             options, torch::kCPU);
    ASSERT_TRUE(all) << all.error().text();
    for (std::size_t w = 0; w < windows.size(); ++w) {
      const forecasting::Forecast& forecast = (*all)[w];
      ASSERT_EQ(forecast.path_count, 20);
      for (std::int64_t step = 0; step < 5; ++step) {
        for (std::int64_t channel = 0; channel < kChannels; ++channel) {
          const float before = season_before(panel, windows[w].start, step, channel);
          const auto at = static_cast<std::size_t>(step * kChannels + channel);
          EXPECT_NEAR(forecast.quantiles[at * 9 + 4], before, 0.05f);
          // Scale 1e-4 and at least five degrees of freedom: 1 is 500 scales, beyond any draw.
          for (std::size_t path = 0; path < 20; ++path)
            EXPECT_NEAR(forecast.paths[path * 5 * kChannels + at], before, 1.f);
        }
      }
    }
  }
}

TEST_F(Season, TheInitialLawIsATenthOfTheWindowsSizeWideAndHasFiveDegreesOfFreedom) {
  for (const std::string& kind : sample_kinds()) {
    SCOPED_TRACE(kind);
    const forecasting::ModelConfig config = seasonal(kind);
    const auto model = sample_model(config);
    const Batch batch = sample_batch(config, 4, 7);
    const Parameters parameters = model->initial(1);
    Tape tape(parameters, Tape::Keep::nothing);
    const StudentT law = model->forward(tape, batch);
    EXPECT_TRUE(torch::allclose(law.scale, torch::full_like(law.scale, 0.1), 1e-5, 2e-4));
    EXPECT_TRUE(torch::allclose(law.freedom, torch::full_like(law.freedom, 5), 1e-5, 1e-5));
    // Teacher forcing: what was observed a season before, in the forecast too. The others repeat the last season.
    const torch::Tensor values = torch::cat({batch.context, batch.target}, 1);
    const torch::Tensor last = batch.context.narrow(1, batch.context.size(1) - kSeason, kSeason);
    const torch::Tensor expected = model->autoregressive() ? values.narrow(1, batch.context.size(1) - kSeason, 5)
                                                           : torch::cat({last, last.narrow(1, 0, 2)}, 1);
    EXPECT_TRUE(torch::equal(law.location, expected));
  }
}

TEST_F(Season, WithoutOneTheLawIsNotThatOfTheLastSeason) {
  for (const std::string& kind : sample_kinds()) {
    SCOPED_TRACE(kind);
    const forecasting::ModelConfig config = sample_config(kind, kChannels, 2);
    const auto model = sample_model(config);
    const Batch batch = sample_batch(config, 4, 7);
    const Parameters parameters = model->initial(1);
    Tape tape(parameters, Tape::Keep::nothing);
    const StudentT law = model->forward(tape, batch);
    const torch::Tensor last = batch.context.narrow(1, batch.context.size(1) - kSeason, kSeason);
    EXPECT_GT((law.location.narrow(1, 0, kSeason) - last).abs().mean().item<float>(), 0.1f);
  }
}

TEST_F(Season, MustLieWithinWhatAWindowHolds) {
  for (const std::string& kind : sample_kinds()) {
    SCOPED_TRACE(kind);
    forecasting::ModelConfig config = sample_config(kind, 1, 0);
    const std::int64_t reach = kind == "deepar" ? config.lags.back() : config.context_length;
    config.season = reach;
    EXPECT_TRUE(forecasting::completed(config));
    for (const std::int64_t season : {reach + 1, std::int64_t{-1}}) {
      config.season = season;
      const auto refused = forecasting::completed(config);
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().kind, ErrorKind::usage);
      EXPECT_NE(refused.error().text().find("model.season"), std::string::npos) << refused.error().text();
    }
  }
}

}  // namespace
}  // namespace chronoveil::neural
