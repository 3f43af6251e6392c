// Trains the runs of a plan and scores them on rolling windows at the end of each series: the source of the training
// tables. It needs only the forecasting core, so that it builds on a machine with libtorch and little else.
//   schuchardt2025_train --plan plan.csv --panels FOLDER --out rows.csv
//       [--dataset NAME] [--model NAME] [--variant NAME] [--labels none|all] [--seeds 1,2,3,4,5] [--device cpu|cuda]
//       [--threads N]
//       [--steps-cap N] [--baselines-only]
//   FOLDER/NAME.csv   panel_file.h
//   rows.csv          dataset, model, variant, label_noise, width, budget, epsilon, seed, steps, crps, seconds; rows
//                     are added
// With σ fixed, training to a large ε passes through the smaller ones: one run per seed gives a row for every budget.
// Seeds are set, so nothing made here is private: it measures, it does not release.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chronoveil/forecasting/rolling.h"
#include "chronoveil/neural/prediction.h"
#include "chronoveil/neural/trainer.h"
#include "schuchardt2025/fields.h"
#include "schuchardt2025/panel_file.h"
#include "schuchardt2025/train_start.h"

namespace chronoveil::schuchardt2025 {
namespace {

using forecasting::Panel;
using neural::Trainer;
using neural::TrainingConfig;

using Row = std::map<std::string, std::string>;

Result<std::string> text_field(const Row& row, const std::string& column) {
  const auto found = row.find(column);
  if (found == row.end()) return fail(ErrorKind::usage, "plan", "no column " + column);
  return found->second;
}
template <class Number>
Result<Number> field(const Row& row, const std::string& column) {
  CV_TRY(const std::string text, text_field(row, column));
  return number<Number>(column, text);
}

Result<std::vector<Row>> read_rows(const std::string& path) {
  std::ifstream file(path);
  std::string header;
  if (!std::getline(file, header)) return fail(ErrorKind::storage, path + ": cannot be read");
  const std::vector<std::string_view> head = split(header, ',');
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string_view> fields = split(line, ',');
    if (fields.size() != head.size())
      return fail(ErrorKind::usage,
                  path + ": row " + std::to_string(rows.size() + 2) + " is not as long as the header");
    Row row;
    for (std::size_t i = 0; i < head.size(); ++i) row.emplace(head[i], fields[i]);
    rows.push_back(std::move(row));
  }
  return rows;
}

// A model to train, and the steps at which it is scored.
struct Run {
  Row settings;  // of its first row
  std::vector<Row> snapshots;
};

// Rows of a plan that differ only in their budget are one run.
std::vector<Run> runs_of(const std::vector<Row>& plan) {
  std::map<std::string, std::size_t> places;
  std::vector<Run> runs;
  for (const Row& row : plan) {
    std::string key;
    for (const auto& [column, text] : row)
      if (column != "width" && column != "budget" && column != "steps" && !column.starts_with("epsilon"))
        key += column + "=" + text + ",";
    const auto [place, added] = places.emplace(key, runs.size());
    if (added) runs.push_back({row, {}});
    runs[place->second].snapshots.push_back(row);
  }
  return runs;
}

struct Options {
  std::string plan, panels, out, dataset, model, variant;
  std::string labels = "all";
  std::vector<std::uint64_t> seeds = {1, 2, 3, 4, 5};
  std::string device = "cpu";
  int threads = 1;
  std::int64_t steps_cap = std::numeric_limits<std::int64_t>::max();
  bool baselines_only = false;
};

Result<Options> options_of(int argc, char** argv) {
  Options options;
  const std::map<std::string, std::string*> texts = {{"--plan", &options.plan},     {"--panels", &options.panels},
                                                     {"--out", &options.out},       {"--dataset", &options.dataset},
                                                     {"--model", &options.model},   {"--variant", &options.variant},
                                                     {"--labels", &options.labels}, {"--device", &options.device}};
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--baselines-only") {
      options.baselines_only = true;
      continue;
    }
    if (i + 1 == argc) return fail(ErrorKind::usage, name, "a value is missing, or there is no such option");
    const std::string value = argv[++i];
    if (const auto text = texts.find(name); text != texts.end()) {
      *text->second = value;
    } else if (name == "--threads") {
      CV_TRY(options.threads, number<int>(name, value));
    } else if (name == "--steps-cap") {
      CV_TRY(options.steps_cap, number<std::int64_t>(name, value));
    } else if (name == "--seeds") {
      options.seeds.clear();
      for (const std::string_view each : split(value, ',')) {
        CV_TRY(const std::uint64_t seed, number<std::uint64_t>(name, each));
        options.seeds.push_back(seed);
      }
    } else {
      return fail(ErrorKind::usage, name, "there is no such option");
    }
  }
  if (options.plan.empty() || options.panels.empty() || options.out.empty())
    return fail(ErrorKind::usage, "--plan, --panels and --out are needed");
  if (options.labels != "all" && options.labels != "none") return invalid("--labels", options.labels, "all or none");
  return options;
}

// Appends whole lines, so that several processes may write to one file.
Result<void> append(const std::string& path, const std::string& line) {
  std::FILE* file = std::fopen(path.c_str(), "a");
  if (file == nullptr) return fail(ErrorKind::storage, path + ": cannot be written");
  std::fputs(line.c_str(), file);
  std::fputs(line.c_str(), stderr);
  return std::fclose(file) == 0 ? Result<void>() : fail(ErrorKind::storage, path + ": cannot be written");
}

struct Task {
  TrainingConfig config;
  Panel whole, training;
  std::vector<forecasting::Window> windows;
  std::int64_t season = 1;
};

Result<Task> task_of(const Row& row, const std::string& panels) {
  Task task;
  TrainingConfig& config = task.config;
  CV_TRY(const std::string dataset, text_field(row, "dataset"));
  CV_TRY(config.model.model, text_field(row, "model"));
  CV_TRY(config.model.context_length, field<std::int64_t>(row, "context"));
  CV_TRY(config.model.forecast_length, field<std::int64_t>(row, "forecast"));
  CV_TRY(config.model.hidden, field<std::int64_t>(row, "hidden"));
  CV_TRY(config.model.season, field<std::int64_t>(row, "skip"));
  CV_TRY(config.model.spread, field<double>(row, "spread"));
  CV_TRY(const std::string lags, text_field(row, "lags"));
  if (!lags.empty())
    for (const std::string_view each : split(lags, ' ')) {
      CV_TRY(const std::int64_t lag, number<std::int64_t>("lags", each));
      config.model.lags.push_back(lag);
    }
  CV_TRY(const std::string calendar, text_field(row, "calendar"));  // seconds per slot; first step's second of the week
  if (!calendar.empty()) {
    const std::vector<std::string_view> parts = split(calendar, ' ');
    CV_TRY(const double slot, number<double>("calendar", parts.front()));
    CV_TRY(const double first, number<double>("calendar", parts.back()));
    config.calendar = forecasting::calendar_of(slot, first);
  }
  config.model.covariates = config.calendar.covariates();
  CV_TRY(config.scheme.batch_size, field<std::int64_t>(row, "batch"));
  CV_TRY(config.scheme.windows_per_series, field<std::int64_t>(row, "windows"));
  CV_TRY(const std::string bottom, text_field(row, "bottom"));
  if (bottom == "poisson") config.scheme.bottom = forecasting::BottomLevel::poisson;
  CV_TRY(config.optimiser.learning_rate, field<double>(row, "learning_rate"));
  CV_TRY(config.optimiser.average, field<double>(row, "average"));
  CV_TRY(config.label_noise, field<double>(row, "label_noise"));
  CV_TRY(config.noise_unit, field<double>(row, "noise_unit"));
  CV_TRY(config.model, forecasting::completed(config.model));
  CV_TRY(const std::int64_t history, field<std::int64_t>(row, "history"));
  if (history != forecasting::history_length(config.model))
    return invalid("history", std::to_string(history),
                   std::to_string(forecasting::history_length(config.model)) + ", what this model reads");
  CV_TRY(task.whole, read_panel(panels + "/" + dataset + ".csv"));
  CV_TRY(const std::int64_t tests, field<std::int64_t>(row, "tests"));
  const forecasting::Rolling rolling{.count = tests, .stride = config.model.forecast_length};
  CV_TRY(task.windows, forecasting::rolling_windows(task.whole, config.model.forecast_length, rolling));
  CV_TRY(task.training, forecasting::without_last(task.whole, rolling.held_back(config.model.forecast_length)));
  CV_TRY(const std::int64_t series, field<std::int64_t>(row, "series"));
  CV_TRY(const std::string lengths, text_field(row, "lengths"));
  std::string found;
  for (const std::int64_t length : forecasting::lengths_of(task.training))
    found += (found.empty() ? "" : " ") + std::to_string(length);
  if (series != std::ssize(task.training.series) || lengths != found)
    return fail(ErrorKind::usage, dataset + ": the plan is for " + std::to_string(series) + " series of lengths " +
                                      lengths + ", the panel has " + std::to_string(task.training.series.size()) +
                                      " of " + found);
  CV_TRY(task.season, field<std::int64_t>(row, "season"));
  return task;
}

Result<double> crps_of(const Trainer& trainer, const Task& task, const torch::Device& device) {
  neural::Parameters parameters = trainer.parameters();
  neural::Parameters released;
  for (std::size_t i = 0; i < parameters.count(); ++i) released.add(parameters[i].name, parameters[i].value.clone());
  released.set_flat(trainer.released());
  CV_TRY(const std::vector<forecasting::Forecast> forecasts,
         neural::predict(trainer.model(), released, task.whole, task.config.calendar, task.config.fill, task.windows,
                         {.paths = 100, .batch = 1024}, device));
  return forecasting::score(task.whole, task.windows, forecasts).crps();
}

class Clock {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Result<std::string> head_of(const Row& row) {
  std::string head;
  for (const char* column : {"dataset", "model", "variant", "label_noise", "width", "budget", "epsilon"}) {
    CV_TRY(const std::string text, text_field(row, column));
    head += text + ",";
  }
  return head;
}

// The snapshots of a run that are private, or the one that is not, in the order of their steps.
Result<void> train(const Task& task, std::vector<Row> rows, bool is_private, std::uint64_t seed, const Options& options,
                   PublicStarts& starts) {
  if (rows.empty()) return {};
  std::vector<std::pair<std::int64_t, std::string>> snapshots;
  for (const Row& row : rows) {
    CV_TRY(const std::int64_t steps, field<std::int64_t>(row, "steps"));
    CV_TRY(const std::string head, head_of(row));
    snapshots.emplace_back(std::min(steps, options.steps_cap), head);
  }
  std::ranges::stable_sort(snapshots, {}, &std::pair<std::int64_t, std::string>::first);
  TrainingConfig config = task.config;
  config.initial_seed = seed;
  if (is_private) {
    neural::PrivateStep step;
    CV_TRY(step.clip, field<double>(rows.front(), "clip"));
    CV_TRY(step.noise_multiplier, field<double>(rows.front(), "sigma"));
    config.privacy = step;
  } else {
    CV_TRY(config.optimiser.learning_rate, field<double>(rows.front(), "free_learning_rate"));
  }
  const torch::Device device(options.device);
  CV_TRY(Trainer trainer, Trainer::make(config, task.training, device));
  CV_TRY(const std::int64_t start_steps, field<std::int64_t>(rows.front(), "start_steps"));
  if (start_steps > 0) {
    CV_CHECK(starts.give(trainer, config, task.season, std::min(start_steps, options.steps_cap), device));
  }
  DrawRight right = DrawRight::seeded(seed);
  const Clock clock;
  double crps = 0;
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    const auto& [steps, head] = snapshots[i];
    while (trainer.steps() < steps) CV_CHECK(trainer.step(trainer.steps(), right));
    if (i == 0 || steps > snapshots[i - 1].first) {
      CV_TRY(crps, crps_of(trainer, task, device));
    }
    char numbers[96];
    std::snprintf(numbers, sizeof numbers, "%llu,%lld,%.6g,%.3g\n", static_cast<unsigned long long>(seed),
                  static_cast<long long>(steps), crps, clock.seconds());
    CV_CHECK(append(options.out, head + numbers));
  }
  return {};
}

Result<void> score_baselines(const Task& task, const std::string& dataset, const std::string& out) {
  for (const forecasting::Baseline baseline :
       {forecasting::Baseline::seasonal_naive, forecasting::Baseline::auto_ets}) {
    const Clock clock;
    CV_TRY(const std::vector<forecasting::Forecast> forecasts,
           forecasting::baseline_forecasts(baseline, task.whole, task.windows, task.config.model.forecast_length,
                                           task.season));
    char numbers[64];
    std::snprintf(numbers, sizeof numbers, ",,0,1,inf,inf,0,0,%.6g,%.3g\n",
                  forecasting::score(task.whole, task.windows, forecasts).crps(), clock.seconds());
    CV_CHECK(append(out, dataset + "," + std::string(name(baseline)) + numbers));
  }
  return {};
}

Result<void> run(const Options& options) {
  torch::set_num_threads(options.threads);
  CV_TRY(const std::vector<Row> plan, read_rows(options.plan));
  PublicStarts starts;
  std::string scored;  // the dataset whose baselines were last computed
  for (const Run& each : runs_of(plan)) {
    CV_TRY(const std::string dataset, text_field(each.settings, "dataset"));
    CV_TRY(const std::string model, text_field(each.settings, "model"));
    CV_TRY(const std::string variant, text_field(each.settings, "variant"));
    CV_TRY(const double label_noise, field<double>(each.settings, "label_noise"));
    if (!options.dataset.empty() && dataset != options.dataset) continue;
    if (!options.model.empty() && model != options.model) continue;
    if (!options.variant.empty() && variant != options.variant) continue;
    if (options.labels == "none" && label_noise > 0) continue;
    CV_TRY(const Task task, task_of(each.settings, options.panels));
    if (options.baselines_only) {
      if (dataset != scored) CV_CHECK(score_baselines(task, dataset, options.out));
      scored = dataset;
      continue;
    }
    std::vector<Row> paid = each.snapshots, free;
    const auto is_free = [](const Row& row) { return row.at("budget") == "inf"; };
    std::ranges::copy_if(each.snapshots, std::back_inserter(free), is_free);
    std::erase_if(paid, is_free);
    for (const std::uint64_t seed : options.seeds) {
      CV_CHECK(train(task, paid, true, seed, options, starts));
      CV_CHECK(train(task, free, false, seed, options, starts));
    }
  }
  return {};
}

}  // namespace
}  // namespace chronoveil::schuchardt2025

int main(int argc, char** argv) {
  namespace here = chronoveil::schuchardt2025;
  const auto options = here::options_of(argc, argv);
  const auto done = options ? here::run(*options) : chronoveil::Result<void>(chronoveil::Failure(options.error()));
  if (done) return 0;
  std::fprintf(stderr, "schuchardt2025_train: %s\n", done.error().text().c_str());
  return static_cast<int>(done.error().kind);
}
