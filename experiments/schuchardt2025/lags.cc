#include "schuchardt2025/lags.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/forecasting/crps.h"
#include "chronoveil/forecasting/sign_lags/predict.h"
#include "schuchardt2025/panel_file.h"

namespace chronoveil::schuchardt2025 {
namespace {

using namespace forecasting;

constexpr double kDelta = 1e-7;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Setting {
  std::string dataset, variant;
  std::int64_t tests = 1, before = 1;
  SignLagsWishes wishes;
};

Result<std::vector<Setting>> read_settings(std::string_view text) {
  std::vector<std::string_view> rows = split(text, '\n');
  std::erase_if(rows, [](std::string_view row) { return row.empty(); });
  std::vector<Setting> settings;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::vector<std::string_view> fields = split(rows[i], ',');
    if (fields.size() != 9)
      return fail(ErrorKind::usage, fmt::format("settings: row {} has {} fields, not 9", i + 1, fields.size()));
    Setting made{std::string(fields[0]), std::string(fields[1]), 1, 1, {}};
    CV_TRY(made.tests, number<std::int64_t>("tests", fields[2]));
    CV_TRY(made.before, number<std::int64_t>("before", fields[3]));
    CV_TRY(made.wishes.forecast, number<std::int64_t>("forecast", fields[4]));
    CV_TRY(made.wishes.slot_seconds, number<double>("slot_seconds", fields[5]));
    made.wishes.weekly = fields[6] == "1";
    for (const std::string_view season : split(fields[7], ' ')) {
      if (season.empty()) continue;
      CV_TRY(const std::int64_t steps, number<std::int64_t>("seasons", season));
      made.wishes.seasons.push_back(steps);
    }
    if (!fields[8].empty()) {
      CV_TRY(made.wishes.context, number<std::int64_t>("context", fields[8]));
    }
    settings.push_back(std::move(made));
  }
  return settings;
}

// What is learned from, and what is forecast.
struct Task {
  Panel whole;
  std::vector<Window> windows;
  SignLagsConfig config;
  SignProducts products;
};

Result<Task> task_of(const Setting& setting, const Panel& panel, bool before) {
  const std::int64_t forecast = setting.wishes.forecast, windows = before ? setting.before : setting.tests;
  CV_TRY(Panel whole, without_last(panel, before ? forecast * setting.tests : 0));
  CV_TRY(const Panel training, without_last(whole, forecast * windows));
  SignLagsWishes wishes = setting.wishes;
  wishes.shortest = lengths_of(training).front();
  CV_TRY(SignLagsConfig config, choose_sign_lags(wishes));
  CV_TRY(SignProducts products, SignProducts::make(config));
  for (const PanelSeries& series : training.series) products.add(series, training.channels);
  Task task{std::move(whole), {}, std::move(config), std::move(products)};
  for (std::size_t i = 0; i < training.series.size(); ++i)
    for (std::int64_t window = 0; window < windows; ++window)
      task.windows.push_back({static_cast<std::int64_t>(i), training.series[i].length + window * forecast});
  return task;
}

struct Score {
  double crps = 0, inside = 0, inside_40 = 0;
};
Result<Score> score_of(const SignLagsModel& model, const Task& task) {
  CV_TRY(const std::vector<Forecast> forecasts, predict(model, task.whole, task.windows));
  QuantileLoss loss;
  double inside = 0, inside_40 = 0, all = 0;
  for (std::size_t i = 0; i < forecasts.size(); ++i) {
    const PanelSeries& series = task.whole.series[static_cast<std::size_t>(task.windows[i].series)];
    const auto truth =
        std::span(series.values)
            .subspan(static_cast<std::size_t>(task.windows[i].start), static_cast<std::size_t>(forecasts[i].length));
    loss.add(forecasts[i], truth);
    for (std::size_t h = 0; h < truth.size(); ++h) {
      if (std::isnan(truth[h])) continue;
      const float* const quantiles = forecasts[i].quantiles.data() + h * kLevels.size();
      inside += quantiles[0] <= truth[h] && truth[h] <= quantiles[8] ? 1 : 0;
      inside_40 += quantiles[2] <= truth[h] && truth[h] <= quantiles[6] ? 1 : 0;
      all += 1;
    }
  }
  return Score{loss.crps(), inside / all, inside_40 / all};
}

// A budget of infinity is no noise, one of 0 no data.
struct Budget {
  std::int64_t width = 1;
  double epsilon = 0;
};
constexpr Budget kBudgets[] = {{1, 0}, {1, 0.25}, {1, 0.5}, {1, 1}, {1, 2},        {1, 4},
                               {1, 8}, {2, 4},    {4, 4},   {8, 4}, {1, kInfinity}};

struct Noise {
  double multiplier = 0, epsilon = 0;
};
Result<Noise> noise_of(double budget) {
  CV_TRY(const Epsilon epsilon, Epsilon::make(budget));
  CV_TRY(const Delta delta, Delta::make(kDelta));
  CV_TRY(const accounting::Calibration least,
         accounting::calibrate({accounting::Gaussian{accounting::kToCalibrate}}, epsilon, delta));
  return Noise{least.noise, least.price.epsilon};
}

Result<SignLagsModel> model_for(const Task& task, const Budget& budget, double multiplier, std::int64_t seed) {
  if (budget.epsilon == 0) return without_data(task.config);
  if (std::isinf(budget.epsilon)) {
    CV_TRY(const SignRelease exact, without_noise(task.products));
    return model_of(exact);
  }
  DrawRight right = DrawRight::seeded(static_cast<std::uint64_t>(seed));
  CV_TRY(const SignRelease noisy, release(task.products, multiplier, budget.width, right));
  return model_of(noisy);
}

Result<std::string> rows_of(const Setting& setting, const Panel& panel, bool before, std::int64_t seeds) {
  using Clock = std::chrono::steady_clock;
  CV_TRY(const Task task, task_of(setting, panel, before));
  std::string lines;
  for (const Budget& budget : kBudgets) {
    if (before && (budget.width > 1 || !setting.variant.empty())) continue;
    const bool noisy = budget.epsilon > 0 && !std::isinf(budget.epsilon);
    Noise noise{0, budget.epsilon};
    if (noisy) {
      CV_TRY(noise, noise_of(budget.epsilon));
    }
    for (std::int64_t seed = 1; seed <= (noisy ? seeds : 1); ++seed) {
      const Clock::time_point start = Clock::now();
      CV_TRY(const SignLagsModel model, model_for(task, budget, noise.multiplier, seed));
      CV_TRY(const Score score, score_of(model, task));
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      lines +=
          fmt::format("{},sign_lags,{},0,{},{},{:.5g},{},{},{:.6g},{:.3g},{},{:.4g},{:.4g}\n", setting.dataset,
                      setting.variant, budget.width, budget.epsilon, noise.epsilon, seed, budget.epsilon > 0 ? 1 : 0,
                      score.crps, seconds, before ? "before" : "test", score.inside, score.inside_40);
    }
  }
  return lines;
}

}  // namespace

Result<std::string> lags_rows(std::string_view settings, const std::string& panels, std::int64_t seeds) {
  CV_TRY(const std::vector<Setting> all, read_settings(settings));
  std::string lines =
      "dataset,model,variant,label_noise,width,budget,epsilon,seed,steps,crps,seconds,part,inside,inside_40\n";
  for (const Setting& setting : all) {
    CV_TRY(const Panel panel, read_panel(panels + "/" + setting.dataset + ".csv"));
    for (const bool before : {false, true}) {
      CV_TRY(const std::string rows, rows_of(setting, panel, before, seeds));
      lines += rows;
    }
  }
  return lines;
}

}  // namespace chronoveil::schuchardt2025
