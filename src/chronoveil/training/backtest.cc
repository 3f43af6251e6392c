#include "chronoveil/training/backtest.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "chronoveil/base/system/atomic_file.h"
#include "chronoveil/engine/train/read.h"
#include "chronoveil/engine/train/sign_lags.h"
#include "chronoveil/forecasting/calendar.h"
#include "chronoveil/forecasting/rolling.h"
#include "chronoveil/forecasting/sign_lags/weights.h"
#include "chronoveil/report/page/csv_link.h"
#include "chronoveil/training/model_file.h"
#include "chronoveil/training/networks.h"
#include "chronoveil/training/sign_lags/model.h"

namespace chronoveil::training {
namespace {

using engine::Job;
using engine::TrainPlanned;
using forecasting::Panel;
using forecasting::Window;

// One line of the table and how it is trained.
struct Trial {
  TrainPlanned planned;
  std::optional<double> noise;  // σ; absent: not private
  std::int64_t steps = 0;
  std::size_t row = 0;
};

struct Ground {
  TrainPlanned planned;
  Panel whole, seen;
  std::vector<Window> windows;
};

Result<double> crps_of(const Ground& ground, const Forecaster& forecaster) {
  CV_TRY(const std::vector<forecasting::Forecast> forecasts, forecaster.forecast(ground.whole, ground.windows, {}));
  return forecasting::score(ground.whole, ground.windows, forecasts).crps();
}

// Looks at what is to be seen once, as a seeded release does.
Result<void> look_once(const Trial& trial, const Ground& ground, std::uint64_t seed, Backtest& backtest) {
  const engine::SignLagsPlanned& signs = *trial.planned.signs;
  CV_TRY(const forecasting::SignProducts products, sign_products(ground.seen, signs.config));
  DrawRight seeded = DrawRight::seeded(seed);
  CV_TRY(const forecasting::SignRelease release,
         trial.noise ? forecasting::release(products, *trial.noise, signs.protected_values, seeded)
                     : forecasting::without_noise(products));
  CV_TRY(forecasting::SignLagsModel model, forecasting::model_of(release));
  CV_TRY(const double crps, crps_of(ground, *forecaster_of(std::move(model))));
  backtest.rows[trial.row].crps.push_back(crps);
  return {};
}

// Trials with the same noise are one training, scored after different numbers of steps: a smaller ε takes the first
// steps of a larger one.
Result<void> train_together(const Job& job, const std::vector<const Trial*>& trials, const Ground& ground,
                            std::uint64_t seed, const BacktestRequest& request, Backtest& backtest) {
  const Trial& any = *trials.front();
  if (any.planned.signs) {
    for (const Trial* trial : trials) CV_CHECK(look_once(*trial, ground, seed, backtest));
    return {};
  }
  CV_TRY(const Networks* networks, needed(request.networks, any.planned.model.model));
  CV_TRY(const std::unique_ptr<Trainee> trainee,
         networks->trainee({&job, &any.planned, any.noise.has_value(), ground.seen, seed, request.device}));
  for (const Trial* trial : trials) {
    CV_CHECK(trainee->train_to(trial->steps));
    CV_TRY(const std::unique_ptr<Forecaster> forecaster, trainee->forecaster());
    CV_TRY(const double crps, crps_of(ground, *forecaster));
    backtest.rows[trial->row].crps.push_back(crps);
  }
  return {};
}

Result<std::vector<Trial>> trials_of(const Job& job, const BacktestRequest& request, std::int64_t held_back,
                                     Backtest& backtest) {
  std::vector<std::string> models = request.models;
  if (models.empty()) models = {job.train().model.model};
  std::vector<double> epsilons = request.epsilons;
  if (epsilons.empty()) epsilons = {job.epsilon, kNotPrivate};
  std::sort(epsilons.begin(), epsilons.end());
  std::vector<Trial> trials;
  for (const std::string& model : models) {
    std::int64_t most_steps = 0;
    for (const double epsilon : epsilons) {
      Job variant = job;
      variant.train().model.model = model;
      // A context is for the model of the job: what a network reads, or what sign_lags weighs.
      if (engine::is_sign_lags(model) != engine::is_sign_lags(job.train().model.model))
        variant.train().model.context_length = 0;
      Trial trial;
      trial.row = backtest.rows.size();
      if (std::isinf(epsilon)) {
        CV_TRY(trial.planned, engine::plan_training(variant, held_back));
        trial.steps = request.steps.value_or(std::max(most_steps, trial.planned.steps));
      } else {
        variant.epsilon = epsilon;
        CV_TRY(trial.planned, engine::plan_training(variant, held_back));
        trial.noise = trial.planned.noise_multiplier;
        trial.steps = trial.planned.steps;
        most_steps = std::max(most_steps, trial.steps);
      }
      if (trial.planned.signs) trial.steps = 0;
      backtest.rows.push_back({trial.planned.model.model, epsilon, trial.noise.value_or(0), trial.steps, {}});
      trials.push_back(std::move(trial));
    }
  }
  return trials;
}

Result<Ground> ground_of(const Job& job, const BacktestRequest& request, Backtest& backtest) {
  CV_TRY(const TrainPlanned planned, engine::plan_training(job));
  const forecasting::Rolling rolling{request.windows, request.stride.value_or(planned.shape.forecast)};
  Ground ground;
  ground.planned = planned;
  // Forecasts read, and are compared with, unclamped values; training sees clamped ones, as in a real run.
  CV_TRY(ground.whole, engine::read_panel(job.source, planned.channels, planned.axis, planned.series));
  CV_TRY(ground.windows, forecasting::rolling_windows(ground.whole, planned.shape.forecast, rolling));
  backtest.held_back = rolling.held_back(planned.shape.forecast);
  CV_TRY(ground.seen, forecasting::without_last(ground.whole, backtest.held_back));
  if (planned.bounds) planned.bounds->clamp(ground.seen);
  backtest.series = static_cast<std::int64_t>(ground.whole.series.size());
  backtest.windows = static_cast<std::int64_t>(ground.windows.size());
  backtest.season = request.season > 0 ? request.season : forecasting::usual_season(planned.slot_seconds);
  backtest.forecast_length = planned.shape.forecast;
  backtest.delta = job.delta;
  return ground;
}

// What ε = 0 leaves: averaged repetitions of seasons with the spread of the series itself.
Result<double> crps_without_data(const Ground& ground) {
  CV_TRY(const forecasting::SignLagsConfig config, engine::model_without_data(ground.planned));
  return crps_of(ground, *forecaster_of(forecasting::without_data(config)));
}

void tell(const BacktestRequest& request, const std::string& what) {
  if (request.progress) request.progress(what);
}

}  // namespace

double BacktestRow::mean() const {
  double sum = 0;
  for (const double one : crps) sum += one;
  return crps.empty() ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(crps.size());
}

double BacktestRow::deviation() const {
  if (crps.size() < 2) return 0;
  double sum = 0;
  for (const double one : crps) sum += (one - mean()) * (one - mean());
  return std::sqrt(sum / static_cast<double>(crps.size() - 1));
}

Result<Backtest> run_backtest(const Job& job, const BacktestRequest& request) {
  if (request.networks != nullptr) CV_CHECK(request.networks->check_device(request.device));
  Backtest backtest;
  CV_TRY(const Ground ground, ground_of(job, request, backtest));
  for (const forecasting::Baseline baseline : request.baselines) {
    tell(request, std::string(forecasting::name(baseline)));
    CV_TRY(const std::vector<forecasting::Forecast> forecasts,
           forecasting::baseline_forecasts(baseline, ground.whole, ground.windows, backtest.forecast_length,
                                           backtest.season));
    backtest.rows.push_back({std::string(forecasting::name(baseline)),
                             {},
                             0,
                             0,
                             {forecasting::score(ground.whole, ground.windows, forecasts).crps()}});
  }
  tell(request, std::string(kWithoutData));
  CV_TRY(const double nothing_seen, crps_without_data(ground));
  backtest.rows.push_back({std::string(kWithoutData), 0.0, 0, 0, {nothing_seen}});
  CV_TRY(const std::vector<Trial> trials, trials_of(job, request, backtest.held_back, backtest));
  // By model and noise, few steps first.
  std::map<std::pair<std::string, std::optional<double>>, std::vector<const Trial*>> together;
  for (const Trial& trial : trials) together[{trial.planned.model.model, trial.noise}].push_back(&trial);
  for (auto& [which, group] : together) {
    std::stable_sort(group.begin(), group.end(),
                     [](const Trial* one, const Trial* other) { return one->steps < other->steps; });
    for (std::int64_t seed = 0; seed < request.seeds; ++seed) {
      tell(request, which.first + ", seed " + std::to_string(seed));
      CV_CHECK(train_together(job, group, ground, static_cast<std::uint64_t>(seed), request, backtest));
    }
  }
  return backtest;
}

report::Backtested report_of(const Job& job, const Backtest& backtest) {
  report::Backtested all;
  all.title = job.title.empty() ? "Backtest of " + job.dataset : job.title;
  all.series = backtest.series;
  all.windows = backtest.windows;
  all.held_back = backtest.held_back;
  all.season = backtest.season;
  all.forecast_length = backtest.forecast_length;
  all.delta = backtest.delta;
  for (const BacktestRow& row : backtest.rows)
    all.rows.push_back({row.model, row.epsilon, row.noise_multiplier, row.steps, row.mean(), row.deviation(),
                        static_cast<std::int64_t>(row.crps.size())});
  return all;
}

Result<void> write_backtest(const report::Backtested& all, const std::string& csv, const std::string& report) {
  std::vector<OutputFile> files;
  if (!csv.empty()) files.push_back({csv, report::backtest_csv(all), 0600});
  if (!report.empty()) files.push_back({report, report::to_html(all, report::csv_beside(csv, report)), 0600});
  return write_files(files);
}

Result<BacktestRow> score_model(const Job& job, const std::string& model_path, const BacktestRequest& request) {
  CV_TRY(const TrainedModel trained, load_model(model_path));
  CV_TRY(const std::unique_ptr<Forecaster> forecaster, forecaster_of(trained, request.networks, request.device));
  Job its = job;
  its.train().model = trained.config;
  if (!forecasting::is_network(trained.config.model)) its.train().model.context_length = 0;
  Backtest facts;
  CV_TRY(const Ground ground, ground_of(its, request, facts));
  CV_TRY(const double crps, crps_of(ground, *forecaster));
  return BacktestRow{
      trained.config.model, trained.mark.empty() ? trained.guarantee.epsilon : kNotPrivate, 0, trained.steps, {crps}};
}

}  // namespace chronoveil::training
