#include "chronoveil/training/sign_lags.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "chronoveil/forecasting/sign_lags/predict.h"
#include "chronoveil/forecasting/sign_lags/weights.h"

namespace chronoveil::training {
namespace {

using forecasting::Forecast;
using forecasting::SignLagsConfig;
using forecasting::SignLagsModel;
using forecasting::SignRelease;
using nlohmann::json;

Failure damaged() { return fail(ErrorKind::bad_data, "model", "its weights are not those of sign_lags"); }

bool take(const json& from, const char* key, std::int64_t& into) {
  const auto found = from.find(key);
  if (found == from.end() || !found->is_number_integer()) return false;
  into = found->get<std::int64_t>();
  return true;
}

bool take(const json& from, const char* key, std::vector<std::int64_t>& into) {
  const auto found = from.find(key);
  if (found == from.end() || !found->is_array()) return false;
  for (const json& one : *found) {
    if (!one.is_number_integer()) return false;
    into.push_back(one.get<std::int64_t>());
  }
  return true;
}

class SignLags : public Forecaster {
 public:
  explicit SignLags(SignLagsModel model) : model_(std::move(model)) {}

  std::int64_t parameters() const override { return model_.config.released(); }
  std::int64_t history() const override { return model_.config.history(); }
  Result<std::vector<Forecast>> forecast(const forecasting::Panel& panel, std::span<const forecasting::Window> windows,
                                         const forecasting::PredictionOptions& options) const override {
    return forecasting::predict(model_, panel, windows, {options.keep_paths ? options.paths : 0, options.seed});
  }

 private:
  SignLagsModel model_;
};

}  // namespace

Result<forecasting::SignProducts> sign_products(const forecasting::Panel& panel, const SignLagsConfig& config) {
  CV_TRY(forecasting::SignProducts all, forecasting::SignProducts::make(config));
  for (const forecasting::PanelSeries& series : panel.series) all.add(series, panel.channels);
  return all;
}

std::string to_weights(const SignRelease& release) {
  const SignLagsConfig& config = release.config;
  return nlohmann::ordered_json{{"day", config.day},         {"seasons", config.seasons},
                                {"context", config.context}, {"forecast", config.forecast},
                                {"noise", release.noise},    {"products", release.products},
                                {"counts", release.counts}}
      .dump();
}

Result<SignRelease> release_in(std::string_view weights) {
  const json from = json::parse(weights, nullptr, false);
  SignRelease release;
  SignLagsConfig& config = release.config;
  if (!from.is_object() || from.size() != 7 || !take(from, "day", config.day) ||
      !take(from, "seasons", config.seasons) || !take(from, "context", config.context) ||
      !take(from, "forecast", config.forecast) || !take(from, "products", release.products) ||
      !take(from, "counts", release.counts) || !from.contains("noise") || !from["noise"].is_number())
    return damaged();
  release.noise = from["noise"].get<double>();
  if (!forecasting::check_sign_lags(config) || !forecasting::check_release(release)) return damaged();
  return release;
}

std::unique_ptr<Forecaster> forecaster_of(SignLagsModel model) { return std::make_unique<SignLags>(std::move(model)); }

Result<std::unique_ptr<Forecaster>> sign_lags_forecaster(const TrainedModel& trained) {
  CV_TRY(const SignRelease release, release_in(trained.weights));
  if (release.config.context != trained.config.context_length ||
      release.config.forecast != trained.config.forecast_length)
    return damaged();
  CV_TRY(SignLagsModel model, forecasting::model_of(release));
  return forecaster_of(std::move(model));
}

}  // namespace chronoveil::training
