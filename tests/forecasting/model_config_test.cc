#include "chronoveil/forecasting/model_config.h"

#include <gtest/gtest.h>

#include <functional>

namespace chronoveil::forecasting {
namespace {

ModelConfig of(std::string model) {
  ModelConfig config;
  config.model = std::move(model);
  return config;
}

// The key that is refused after a change, "" when nothing is.
std::string refused(const std::string& model, const std::function<void(ModelConfig&)>& change) {
  ModelConfig config = of(model);
  change(config);
  const auto result = completed(config);
  if (result) return "";
  EXPECT_EQ(result.error().kind, ErrorKind::usage);
  return result.error().text().substr(0, result.error().text().find(':'));
}

TEST(ModelConfig, EveryModelHasItsOwnSizes) {
  const auto sizes = [](const char* model) {
    const ModelConfig config = completed(of(model)).value();
    return std::pair(config.hidden, config.layers);
  };
  EXPECT_EQ(sizes("simple_feed_forward"), std::pair(std::int64_t{64}, std::int64_t{2}));
  EXPECT_EQ(sizes("deepar"), std::pair(std::int64_t{40}, std::int64_t{2}));
  EXPECT_EQ(sizes("itransformer"), std::pair(std::int64_t{32}, std::int64_t{2}));
  EXPECT_EQ(sizes("dlinear"), std::pair(std::int64_t{20}, std::int64_t{0}));
}

TEST(ModelConfig, SizesThatAreGivenAreKept) {
  ModelConfig config = of("deepar");
  config.hidden = 7;
  config.layers = 3;
  config.lags = {1, 24};
  const ModelConfig complete = completed(config).value();
  EXPECT_EQ(complete.hidden, 7);
  EXPECT_EQ(complete.layers, 3);
  EXPECT_EQ(complete.lags, (std::vector<std::int64_t>{1, 24}));
}

TEST(ModelConfig, CompletingTwiceChangesNothing) {
  for (const ModelInfo& info : models()) {
    const ModelConfig once = completed(of(std::string(info.name))).value();
    const ModelConfig twice = completed(once).value();
    EXPECT_EQ(once.hidden, twice.hidden);
    EXPECT_EQ(once.layers, twice.layers);
    EXPECT_EQ(once.lags, twice.lags);
  }
}

TEST(ModelConfig, ThereAreFourModelsAndNoOther) {
  EXPECT_EQ(models().size(), 4u);
  const auto unknown = completed(of("prophet"));
  ASSERT_FALSE(unknown);
  for (const ModelInfo& info : models()) {
    EXPECT_NE(unknown.error().text().find(info.name), std::string::npos) << info.name;
    EXPECT_FALSE(info.summary.empty());
  }
}

TEST(ModelConfig, WhatIsOutOfRangeIsRefusedByItsKey) {
  for (const ModelInfo& info : models()) {
    const std::string model(info.name);
    EXPECT_EQ(refused(model, [](ModelConfig&) {}), "");
    EXPECT_EQ(refused(model, [](ModelConfig& c) { c.context_length = 0; }), "model.context_length");
    EXPECT_EQ(refused(model, [](ModelConfig& c) { c.context_length = 1'000'001; }), "model.context_length");
    EXPECT_EQ(refused(model, [](ModelConfig& c) { c.forecast_length = 0; }), "model.forecast_length");
    EXPECT_EQ(refused(model, [](ModelConfig& c) { c.channels = 0; }), "model.channels");
    EXPECT_EQ(refused(model, [](ModelConfig& c) { c.covariates = -1; }), "model.covariates");
    EXPECT_EQ(refused(model, [](ModelConfig& c) { c.hidden = -1; }), "model.hidden");
    EXPECT_EQ(refused(model, [](ModelConfig& c) { c.layers = -1; }), "model.layers");
    EXPECT_EQ(refused(model, [](ModelConfig& c) { c.heads = 0; }), "model.heads");
    EXPECT_EQ(refused(model, [](ModelConfig& c) { c.inner = 0; }), "model.inner");
    EXPECT_EQ(refused(model, [](ModelConfig& c) { c.kernel = 0; }), "model.kernel");
    EXPECT_EQ(refused(model, [](ModelConfig& c) { c.kernel = 24; }), "model.kernel");
    EXPECT_EQ(refused(model, [](ModelConfig& c) { c.head_features = -1; }), "model.head_features");
  }
}

TEST(ModelConfig, WhatWouldTakeLongWithFewWeightsIsBounded) {
  EXPECT_EQ(refused("deepar", [](ModelConfig& c) { c.forecast_length = 50'000; }), "");
  EXPECT_EQ(refused("deepar", [](ModelConfig& c) { c.forecast_length = 50'001; }), "model.forecast_length");
  EXPECT_EQ(refused("dlinear", [](ModelConfig& c) { c.forecast_length = 50'001; }), "");
  EXPECT_EQ(refused("itransformer", [](ModelConfig& c) { c.channels = 4'097; }), "model.channels");
  EXPECT_EQ(refused("itransformer", [](ModelConfig& c) { c.covariates = 4'097; }), "model.covariates");
}

TEST(ModelConfig, WhatOnlyAnotherModelHasIsRefused) {
  EXPECT_EQ(refused("dlinear", [](ModelConfig& c) { c.layers = 2; }), "model.layers");
  EXPECT_EQ(refused("dlinear", [](ModelConfig& c) { c.lags = {1}; }), "model.lags");
  EXPECT_EQ(refused("deepar", [](ModelConfig& c) { c.head_features = 64; }), "model.head_features");
  EXPECT_EQ(refused("simple_feed_forward", [](ModelConfig& c) { c.head_features = 64; }), "");
}

TEST(ModelConfig, HeadsDivideTheWidthOfAnItransformer) {
  EXPECT_EQ(refused("itransformer", [](ModelConfig& c) { c.heads = 5; }), "model.heads");
  EXPECT_EQ(refused("itransformer", [](ModelConfig& c) { c.heads = 8; }), "");
}

TEST(ModelConfig, LagsAscendFromOne) {
  EXPECT_EQ(completed(of("deepar"))->lags, std::vector<std::int64_t>{1});
  EXPECT_EQ(refused("deepar", [](ModelConfig& c) { c.lags = {0}; }), "model.lags");
  EXPECT_EQ(refused("deepar", [](ModelConfig& c) { c.lags = {1, 1}; }), "model.lags");
  EXPECT_EQ(refused("deepar", [](ModelConfig& c) { c.lags = {2, 1}; }), "model.lags");
  EXPECT_EQ(refused("deepar", [](ModelConfig& c) { c.lags = {2, 5}; }), "");
}

TEST(HistoryLength, IsTheContextAndForDeeparTheLongestLagMore) {
  ModelConfig config = of("deepar");
  config.context_length = 96;
  EXPECT_EQ(history_length(config), 97);
  config.lags = usual_lags(3600);
  EXPECT_EQ(history_length(config), 96 + 169);
  for (const char* model : {"simple_feed_forward", "itransformer", "dlinear"}) {
    config.model = model;
    EXPECT_EQ(history_length(config), 96);
  }
}

TEST(UsualLags, AreThoseOfThePaperForHours) {
  EXPECT_EQ(usual_lags(3600),
            (std::vector<std::int64_t>{1,  2,  3,  4,  5,  6,   7,   23,  24,  25,  47,  48,  49,  71,
                                       72, 73, 95, 96, 97, 119, 120, 121, 143, 144, 145, 167, 168, 169}));
}

TEST(UsualLags, AreThoseOfTheMonthForDaysAndOfTheYearForWeeks) {
  EXPECT_EQ(usual_lags(86400),
            (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 13, 14, 15, 20, 21, 22, 27, 28, 29, 30, 31}));
  EXPECT_EQ(usual_lags(604800), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 12, 51, 52, 53}));
  EXPECT_EQ(usual_lags(900), std::vector<std::int64_t>{1});
}

TEST(UsualLags, AreValidForDeepar) {
  for (const double slot_seconds : {900.0, 3600.0, 86400.0, 604800.0})
    EXPECT_EQ(refused("deepar", [&](ModelConfig& c) { c.lags = usual_lags(slot_seconds); }), "");
}

}  // namespace
}  // namespace chronoveil::forecasting
