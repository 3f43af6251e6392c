// sign_lags as the model of a file: what is released comes back as it was, or not at all.
#include "chronoveil/training/sign_lags.h"

#include <gtest/gtest.h>

#include <cmath>

#include "chronoveil/base/draw_right.h"
#include "chronoveil/forecasting/sign_lags/weights.h"
#include "engine/fixtures.h"

namespace chronoveil::training {
namespace {

using engine::testing::fails;
using forecasting::Panel;
using forecasting::SignLagsConfig;
using forecasting::SignRelease;

const SignLagsConfig kConfig{.forecast = 3, .context = 8, .day = 4, .seasons = {4, 8}};

Panel waves() {
  Panel panel{1, {}};
  for (int series = 0; series < 3; ++series) {
    forecasting::PanelSeries one{"s" + std::to_string(series), 0, 80, {}};
    for (int t = 0; t < 80; ++t) one.values.push_back(static_cast<float>(std::sin(1.5 * t) + 0.1 * ((t * 7) % 5)));
    panel.series.push_back(std::move(one));
  }
  return panel;
}

SignRelease released() {
  const auto products = sign_products(waves(), kConfig);
  EXPECT_TRUE(products);
  DrawRight seeded = DrawRight::seeded(4);
  const auto release = forecasting::release(*products, 4.5, 1, seeded);
  EXPECT_TRUE(release);
  return *release;
}

TrainedModel model_of(const SignRelease& release) {
  TrainedModel model;
  model.config.model = "sign_lags";
  model.config.context_length = kConfig.context;
  model.config.forecast_length = kConfig.forecast;
  model.channels = {"kwh"};
  model.clock = {"2026-03-01T00:00", "2026-03-05T00:00", "1h", "UTC"};
  model.event = {accounting::Gaussian{4.5}, 1};
  model.weights = to_weights(release);
  return model;
}

TEST(SignLagsFile, WeightsComeBackAsTheyWere) {
  const SignRelease release = released();
  const Result<SignRelease> back = release_in(to_weights(release));
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->config, release.config);
  EXPECT_EQ(back->products, release.products);
  EXPECT_EQ(back->counts, release.counts);
  EXPECT_EQ(back->noise, release.noise);
}

TEST(SignLagsFile, AModelFileForecastsLikeTheReleaseItHolds) {
  const SignRelease release = released();
  const Result<TrainedModel> back = read_model(to_bytes(model_of(release)), "file");
  ASSERT_TRUE(back) << back.error().text();
  const auto from_file = forecaster_of(*back, nullptr, "cpu");
  ASSERT_TRUE(from_file) << from_file.error().text();
  const auto model = forecasting::model_of(release);
  ASSERT_TRUE(model);
  const std::unique_ptr<Forecaster> direct = forecaster_of(*model);
  EXPECT_EQ((*from_file)->parameters(), 2 * (8 + 3 + 1));
  EXPECT_EQ((*from_file)->history(), 16);
  const std::vector<forecasting::Window> windows{{0, 80}, {2, 60}};
  const auto one = (*from_file)->forecast(waves(), windows, {}), other = direct->forecast(waves(), windows, {});
  ASSERT_TRUE(one && other);
  for (std::size_t i = 0; i < windows.size(); ++i) EXPECT_EQ((*one)[i].quantiles, (*other)[i].quantiles);
  EXPECT_TRUE(one->front().paths.empty());
}

TEST(SignLagsFile, WhatToWeightsDoesNotWriteIsRefused) {
  const std::string whole = to_weights(released());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  for (const std::string& text :
       {std::string(), std::string("{}"), whole.substr(1), whole.substr(0, whole.size() - 1),
        with("\"day\":4", "\"day\":3"), with("\"day\":4", "\"day\":4.5"), with("\"context\":8", "\"context\":9"),
        with("\"forecast\":3", "\"forecast\":2"), with("[4,8]", "[8,4]"), with("[4,8]", "[4]"), with("[4,8]", "[]"),
        with("\"noise\":", "\"noise\":-"), with("\"products\":[", "\"products\":[1,"),
        with("\"products\":[", "\"products\":[0.5,"), with("\"counts\"", "\"other\""),
        with("\"counts\":[", "\"counts\":[-1,"), with("{", "{\"more\":1,")})
    EXPECT_TRUE(fails(release_in(text), ErrorKind::bad_data, "not those of sign_lags")) << text.substr(0, 80);
}

TEST(SignLagsFile, WeightsOfAnotherConfigurationAreRefused) {
  TrainedModel model = model_of(released());
  model.config.forecast_length = 4;
  EXPECT_TRUE(fails(forecaster_of(model, nullptr, "cpu"), ErrorKind::bad_data, "sign_lags"));
}

TEST(SignLagsFile, ANetworkNeedsAProgramThatHasThem) {
  TrainedModel model = model_of(released());
  model.config.model = "deepar";
  EXPECT_TRUE(fails(forecaster_of(model, nullptr, "cpu"), ErrorKind::usage, "deepar is a network"));
}

}  // namespace
}  // namespace chronoveil::training
