#include "chronoveil/forecasting/model_config.h"

#include <algorithm>
#include <array>

#include "chronoveil/forecasting/slots.h"

namespace chronoveil::forecasting {
namespace {

constexpr std::array<ModelInfo, 4> kModels = {{
    {"simple_feed_forward", "two hidden layers, all steps of the forecast at once"},
    {"deepar", "a recurrent network (LSTM) with lags that feeds its own forecasts back"},
    {"itransformer", "attention between channels, each a token"},
    {"dlinear", "linear maps of a moving average and of what is left of it"},
}};

struct Defaults {
  std::int64_t hidden, layers;  // layers 0: the model has none to choose
};
Defaults defaults_of(std::string_view model) {
  if (model == "deepar") return {40, 2};
  if (model == "itransformer") return {32, 2};
  if (model == "dlinear") return {20, 0};
  return {64, 2};
}

constexpr std::int64_t kLongest = 1'000'000;  // steps, channels: far beyond use, far below overflow
constexpr std::int64_t kWidest = 65'536;
constexpr std::int64_t kDeepest = 64;
// Sample paths are drawn step by step, whatever the weights; and every token attends to every other one.
constexpr std::int64_t kLongestPath = 50'000;
constexpr std::int64_t kMostTokens = 4'096;

Result<void> within(std::string_view key, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) return {};
  return invalid(key, std::to_string(value), "between " + std::to_string(least) + " and " + std::to_string(most));
}

std::string listed_models() {
  std::string names = "auto, sign_lags";
  for (const ModelInfo& info : kModels) names += ", " + std::string(info.name);
  return names;
}

Result<void> check_lags(const ModelConfig& config) {
  if (config.model != "deepar") {
    if (config.lags.empty()) return {};
    return invalid("model.lags", std::to_string(config.lags.size()) + " lags", "none: only deepar has lags");
  }
  std::int64_t before = 0;
  for (const std::int64_t lag : config.lags) {
    CV_CHECK(within("model.lags", lag, 1, kLongest));
    if (lag <= before) return invalid("model.lags", std::to_string(lag), "greater than the lag before it");
    before = lag;
  }
  return {};
}

}  // namespace

std::span<const ModelInfo> models() { return kModels; }

bool is_network(std::string_view model) {
  return std::any_of(kModels.begin(), kModels.end(), [&](const ModelInfo& info) { return info.name == model; });
}

Result<ModelConfig> completed(ModelConfig config) {
  if (config.model == "sign_lags") {  // what it has beside lengths is in sign_lags/plan.h
    CV_CHECK(within("model.context_length", config.context_length, 1, kLongest));
    CV_CHECK(within("model.forecast_length", config.forecast_length, 1, kLongest));
    CV_CHECK(within("model.channels", config.channels, 1, kLongest));
    if (config.covariates != 0)
      return invalid("model.covariates", std::to_string(config.covariates), "0 for sign_lags");
    return config;
  }
  if (std::none_of(kModels.begin(), kModels.end(), [&](const ModelInfo& info) { return info.name == config.model; }))
    return invalid("model.model", "'" + config.model + "'", "one of " + listed_models());
  const Defaults defaults = defaults_of(config.model);
  if (config.hidden == 0) config.hidden = defaults.hidden;
  if (config.layers == 0) config.layers = defaults.layers;
  if (config.model == "deepar" && config.lags.empty()) config.lags = {1};
  CV_CHECK(within("model.context_length", config.context_length, 1, kLongest));
  CV_CHECK(
      within("model.forecast_length", config.forecast_length, 1, config.model == "deepar" ? kLongestPath : kLongest));
  CV_CHECK(within("model.channels", config.channels, 1, kLongest));
  CV_CHECK(within("model.covariates", config.covariates, 0, kWidest));
  if (config.model == "itransformer") CV_CHECK(within("model.channels", config.channels, 1, kMostTokens));
  if (config.model == "itransformer") CV_CHECK(within("model.covariates", config.covariates, 0, kMostTokens));
  CV_CHECK(within("model.hidden", config.hidden, 1, kWidest));
  if (defaults.layers == 0 && config.layers != 0)
    return invalid("model.layers", std::to_string(config.layers), "0: " + config.model + " has no layers to choose");
  if (defaults.layers != 0) CV_CHECK(within("model.layers", config.layers, 1, kDeepest));
  CV_CHECK(within("model.heads", config.heads, 1, kWidest));
  if (config.model == "itransformer" && config.hidden % config.heads != 0)
    return invalid("model.heads", std::to_string(config.heads),
                   "a divisor of model.hidden (" + std::to_string(config.hidden) + ")");
  CV_CHECK(within("model.inner", config.inner, 1, kWidest));
  CV_CHECK(within("model.kernel", config.kernel, 1, kWidest));
  if (config.kernel % 2 == 0)
    return invalid("model.kernel", std::to_string(config.kernel), "odd: a moving average has a middle");
  CV_CHECK(within("model.head_features", config.head_features, 0, kWidest));
  if (config.model != "simple_feed_forward" && config.head_features != 0)
    return invalid("model.head_features", std::to_string(config.head_features), "0 for " + config.model);
  CV_CHECK(check_lags(config));
  // What the window holds: DeepAR looks back from each step it reads, the others from the end of the context.
  const std::int64_t reach = config.model == "deepar" ? config.lags.back() : config.context_length;
  CV_CHECK(within("model.season", config.season, 0, reach));
  if (!(config.spread >= 1e-3 && config.spread <= 1e3))
    return invalid("model.spread", std::to_string(config.spread), "between 0.001 and 1000");
  return config;
}

std::int64_t history_length(const ModelConfig& config) {
  if (config.model != "deepar") return config.context_length;
  return config.context_length + (config.lags.empty() ? 1 : config.lags.back());
}

std::vector<std::int64_t> usual_lags(double slot_seconds) {
  std::vector<std::int64_t> lags = {1, 2, 3, 4, 5, 6, 7};
  const auto around = [&](std::int64_t middle) {
    for (std::int64_t lag = middle - 1; lag <= middle + 1; ++lag) {
      if (lag > lags.back()) lags.push_back(lag);
    }
  };
  if (slot_seconds == kHour) {
    for (std::int64_t day = 1; day <= 7; ++day) around(24 * day);
    return lags;
  }
  if (slot_seconds == kDay) {
    for (std::int64_t week = 1; week <= 4; ++week) around(7 * week);
    around(30);
    return lags;
  }
  if (slot_seconds == kWeek) {
    lags.insert(lags.end(), {8, 12});
    around(52);
    return lags;
  }
  return {1};
}

}  // namespace chronoveil::forecasting
