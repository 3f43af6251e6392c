#include "chronoveil/neural/prediction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "neural/model_samples.h"

namespace chronoveil::neural {
namespace {

using forecasting::Fill;
using forecasting::Forecast;
using forecasting::kLevels;
using forecasting::Window;

forecasting::Calendar daily() { return {{{24, 0}}}; }

// Three series of two channels, of different sizes and starts, with a gap.
forecasting::Panel sample_panel(float factor = 1) {
  forecasting::Panel panel;
  panel.channels = 2;
  for (int i = 0; i < 3; ++i) {
    forecasting::PanelSeries series;
    series.key = std::string("series ") + static_cast<char>('a' + i);
    series.start = 10 * i;
    series.length = 30 + i;
    for (std::int64_t s = 0; s < series.length; ++s) {
      for (int d = 0; d < 2; ++d) {
        const double x = (i + 1) * 10.0 * (2 + std::sin(0.3 * static_cast<double>(s) + d));
        series.values.push_back(s == 20 ? forecasting::kMissing : factor * static_cast<float>(x));
      }
    }
    panel.series.push_back(std::move(series));
  }
  return panel;
}

const std::vector<Window> kWindows = {{0, 30}, {2, 32}, {1, 31}, {1, 12}, {0, 25}};

class Prediction : public testing::Test {
 protected:
  void SetUp() override { torch::set_num_threads(1); }
  static Result<std::vector<Forecast>> forecast(const Model& model, const forecasting::Panel& panel,
                                                PredictionOptions options = {}) {
    return predict(model, model.initial(1), panel, daily(), Fill::window_mean, kWindows, options, torch::kCPU);
  }
};

TEST_F(Prediction, NamesItsSeriesAndStepsAndNeverFallsAlongTheLevels) {
  for (const std::string& kind : sample_kinds()) {
    SCOPED_TRACE(kind);
    const auto model = sample_model(sample_config(kind, 2, 2));
    const auto all = forecast(*model, sample_panel());
    ASSERT_TRUE(all) << all.error().text();
    ASSERT_EQ(all->size(), kWindows.size());
    for (std::size_t i = 0; i < all->size(); ++i) {
      const Forecast& one = (*all)[i];
      EXPECT_EQ(one.key, sample_panel().series[static_cast<std::size_t>(kWindows[i].series)].key);
      EXPECT_EQ(one.start, 10 * kWindows[i].series + kWindows[i].start);
      EXPECT_EQ(one.length, 5);
      EXPECT_EQ(one.channels, 2);
      EXPECT_EQ(one.path_count, 0);
      EXPECT_TRUE(one.paths.empty());
      ASSERT_EQ(one.quantiles.size(), 5u * 2 * kLevels.size());
      for (std::size_t at = 0; at < one.quantiles.size(); at += kLevels.size()) {
        const auto first = one.quantiles.begin() + static_cast<std::ptrdiff_t>(at);
        EXPECT_TRUE(std::is_sorted(first, first + kLevels.size()));
        EXPECT_LT(*first, first[kLevels.size() - 1]);
      }
    }
  }
}

TEST_F(Prediction, QuantilesAreThoseOfTheLawInUnitsOfTheData) {
  const auto config = sample_config("itransformer", 2, 2);
  const auto model = sample_model(config);
  const forecasting::Panel panel = sample_panel();
  const auto all = forecast(*model, panel).value();
  const auto values =
      forecasting::cut(panel, {config.context_length, config.forecast_length}, daily(), Fill::window_mean, kWindows)
          .value();
  const Batch batch = to_batch(values, torch::kCPU);
  const Parameters parameters = model->initial(1);
  Tape tape(parameters, Tape::Keep::nothing);
  const StudentT law = model->forward(tape, batch);
  for (std::int64_t b = 0; b < 5; ++b) {
    for (std::int64_t s = 0; s < 5; ++s) {
      for (std::int64_t d = 0; d < 2; ++d) {
        const auto at = [&](const torch::Tensor& x) { return x[b][s][d].item<double>(); };
        for (std::size_t i = 0; i < kLevels.size(); ++i) {
          const double q =
              all[static_cast<std::size_t>(b)].quantiles[static_cast<std::size_t>(s * 2 + d) * kLevels.size() + i];
          const double z = (q / batch.scale[b][0][d].item<double>() - at(law.location)) / at(law.scale);
          EXPECT_NEAR(boost::math::cdf(boost::math::students_t(at(law.freedom)), z), kLevels[i], 1e-5);
        }
      }
    }
  }
}

TEST_F(Prediction, GrowsWithTheData) {
  for (const char* kind : {"simple_feed_forward", "dlinear", "itransformer"}) {
    SCOPED_TRACE(kind);
    const auto model = sample_model(sample_config(kind, 2, 2));
    const auto small = forecast(*model, sample_panel()).value(), large = forecast(*model, sample_panel(1024)).value();
    for (std::size_t i = 0; i < small.size(); ++i) {
      for (std::size_t at = 0; at < small[i].quantiles.size(); ++at) {
        EXPECT_FLOAT_EQ(1024 * small[i].quantiles[at], large[i].quantiles[at]);
      }
    }
  }
}

TEST_F(Prediction, DoesNotDependOnTheBatchesUnlessItDraws) {
  for (const char* kind : {"wide_head", "dlinear", "itransformer"}) {
    SCOPED_TRACE(kind);
    const auto model = sample_model(sample_config(kind, 2, 2));
    const auto one = forecast(*model, sample_panel()).value();
    const auto other = forecast(*model, sample_panel(), {.batch = 2}).value();
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(one[i].key, other[i].key);
      for (std::size_t at = 0; at < one[i].quantiles.size(); ++at) {
        EXPECT_NEAR(one[i].quantiles[at], other[i].quantiles[at], 1e-4 * (1 + std::abs(one[i].quantiles[at])));
      }
    }
  }
}

TEST_F(Prediction, PathsAreKeptOnRequestAndQuantilesOfDeeparAreTheirs) {
  for (const char* kind : {"deepar", "dlinear"}) {
    SCOPED_TRACE(kind);
    const auto model = sample_model(sample_config(kind, 2, 2));
    const PredictionOptions options{.paths = 101, .keep_paths = true, .batch = 3};
    const auto all = forecast(*model, sample_panel(), options).value();
    const auto again = forecast(*model, sample_panel(), options).value();
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i].path_count, 101);
      ASSERT_EQ(all[i].paths.size(), 101u * 5 * 2);
      EXPECT_EQ(all[i].paths, again[i].paths);
      for (std::size_t at = 0; at < 10; ++at) {
        std::vector<float> values;
        for (std::size_t p = 0; p < 101; ++p) values.push_back(all[i].paths[p * 10 + at]);
        const auto expected = forecasting::quantiles_of(values);
        const auto first = all[i].quantiles.begin() + static_cast<std::ptrdiff_t>(at * kLevels.size());
        EXPECT_EQ(std::equal(expected.begin(), expected.end(), first), model->autoregressive());
      }
    }
  }
}

TEST_F(Prediction, RefusesWhatTheModelWasNotMadeFor) {
  const auto model = sample_model(sample_config("dlinear", 2, 2));
  const Parameters parameters = model->initial(1);
  const auto refused = [&](const forecasting::Panel& panel, const forecasting::Calendar& calendar,
                           const PredictionOptions& options) {
    const auto result = predict(*model, parameters, panel, calendar, Fill::zero, kWindows, options, torch::kCPU);
    EXPECT_FALSE(result);
    return result ? "" : result.error().text();
  };
  forecasting::Panel single = sample_panel();
  single.channels = 1;
  for (auto& series : single.series) series.values.resize(static_cast<std::size_t>(series.length));
  EXPECT_NE(refused(single, daily(), {}).find("channels: 1 is not valid"), std::string::npos);
  EXPECT_NE(refused(sample_panel(), {}, {}).find("covariates: 0 is not valid"), std::string::npos);
  EXPECT_NE(refused(sample_panel(), daily(), {.paths = 0}).find("paths: 0 is not valid"), std::string::npos);
  EXPECT_NE(refused(sample_panel(), daily(), {.batch = 0}).find("batch: 0 is not valid"), std::string::npos);
}

TEST_F(Prediction, RefusesAForecastThatIsNotFinite) {
  for (const std::string& kind : sample_kinds()) {
    SCOPED_TRACE(kind);
    const auto model = sample_model(sample_config(kind, 2, 2));
    for (const float value : {std::numeric_limits<float>::quiet_NaN(), 1e38f}) {
      Parameters parameters = model->initial(1);
      parameters.set_flat(torch::full({parameters.size()}, value));
      const auto result = predict(*model, parameters, sample_panel(), daily(), Fill::last, kWindows,
                                  {.paths = 3, .keep_paths = true}, torch::kCPU);
      ASSERT_FALSE(result);
      EXPECT_EQ(result.error().kind, ErrorKind::bad_data);
      EXPECT_EQ(result.error().text().find("series 'series a': "), 0u) << result.error().text();
    }
  }
}

}  // namespace
}  // namespace chronoveil::neural
