#include "chronoveil/training/release_forecast.h"

#include <algorithm>
#include <utility>

#include "chronoveil/data/time/slot_cursor.h"
#include "chronoveil/engine/job/text_file.h"
#include "chronoveil/engine/series/read.h"
#include "chronoveil/forecasting/calendar.h"
#include "chronoveil/forecasting/sign_lags/weights.h"
#include "chronoveil/report/series/writers.h"
#include "chronoveil/training/clock.h"
#include "chronoveil/training/sign_lags.h"

namespace chronoveil::training {
namespace {

constexpr std::int64_t kSecond = 1000, kDay = 86'400 * kSecond;

// How a job would write slots of this usual length.
std::vector<std::string> lengths_for(std::int64_t milliseconds) {
  const auto whole = [](std::int64_t count, const char* unit) { return std::to_string(count) + unit; };
  if (milliseconds < kDay) return {whole(milliseconds / kSecond, "s")};
  const std::int64_t days = (milliseconds + kDay / 2) / kDay;
  std::vector<std::string> all;
  for (const std::int64_t months : {1, 2, 3, 4, 6, 12})
    if (days >= 28 * months && days <= 31 * months) all.push_back(whole(months, "mo"));
  all.push_back(whole(days, "d"));
  return all;
}

// The clock of a release, so that it can go on: a release says when its slots begin, a job how long they are.
Result<data::SlotSpec> clock_of(const SlotAxis& axis) {
  data::SlotSpec clock;
  clock.zone = axis.zone;
  clock.start = axis.labels.front();
  CV_TRY(clock.end, data::label_at(axis.boundaries.back(), axis.zone));
  for (std::string& length : lengths_for(engine::usual_length(axis))) {
    clock.length = std::move(length);
    const Result<SlotAxis> same = data::make_axis(clock);
    if (same && same->boundaries == axis.boundaries) return clock;
  }
  return fail(ErrorKind::bad_data, "release", "its slots are of no regular length, so none can follow");
}

Result<forecasting::Panel> panel_of(const Release& release) {
  forecasting::Panel panel;
  const auto steps = static_cast<std::size_t>(release.axis.steps());
  for (std::size_t i = 0; i < static_cast<std::size_t>(release.series()); ++i) {
    forecasting::PanelSeries series{release.keys.empty() ? "" : release.keys[i], 0, release.axis.steps(), {}};
    for (std::size_t t = 0; t < steps; ++t)
      series.values.push_back(static_cast<float>(release.estimate.value[i * steps + t]));
    panel.series.push_back(std::move(series));
  }
  CV_CHECK(forecasting::check_panel(panel, 1));
  return panel;
}

// The model that forecasts, and what is to be said of it.
struct Chosen {
  std::unique_ptr<Forecaster> forecaster;
  report::ModelFacts facts;
};

Result<Chosen> without_data(const ReleaseForecastRequest& request, const SlotAxis& axis) {
  forecasting::SignLagsWishes wishes;
  wishes.slot_seconds = static_cast<double>(engine::usual_length(axis)) / kSecond;
  wishes.forecast = request.steps.value_or(forecasting::usual_season(wishes.slot_seconds));
  wishes.shortest = axis.steps();
  if (wishes.forecast < 1) return invalid("steps", std::to_string(wishes.forecast), "a number of at least 1");
  CV_TRY(const forecasting::SignLagsConfig config, forecasting::choose_sign_lags(wishes));
  Chosen chosen;
  chosen.forecaster = forecaster_of(forecasting::without_data(config));
  chosen.facts.name = "without_data";
  chosen.facts.context_length = config.history();
  chosen.facts.forecast_length = config.forecast;
  return chosen;
}

Result<Chosen> of_file(const ReleaseForecastRequest& request, const SlotAxis& axis) {
  if (request.steps) return fail(ErrorKind::usage, "steps", "a model forecasts as many steps as it was made for");
  CV_TRY(const TrainedModel model, load_model(*request.model));
  if (forecasting::is_network(model.config.model))
    return fail(ErrorKind::usage, "model",
                "a release is forecast from by sign_lags, or without a model; this is " + model.config.model);
  if (model.config.channels != 1)
    return fail(ErrorKind::usage, "model", "it reads several columns together; a release has one value per slot");
  CV_TRY(const SlotAxis learned, data::make_axis(model.clock));
  if (engine::usual_length(learned) != engine::usual_length(axis))
    return fail(ErrorKind::usage, "model",
                "it learned from slots of " + model.clock.length + "; those of the release have another length");
  Chosen chosen;
  CV_TRY(chosen.forecaster, sign_lags_forecaster(model));
  chosen.facts = {model.config.model,
                  model.config.context_length,
                  model.config.forecast_length,
                  chosen.forecaster->parameters(),
                  model.steps,
                  model.dataset,
                  model.mark,
                  model.guarantee,
                  model.price,
                  model.debit,
                  model.not_protected};
  return chosen;
}

std::vector<double> cut_off(const float* values, std::size_t count, bool at_zero) {
  std::vector<double> all(values, values + count);
  if (at_zero)
    for (double& value : all) value = std::max(0.0, value);
  return all;
}

}  // namespace

Result<report::Forecasted> forecast_release(const ReleaseForecastRequest& request) {
  CV_TRY(const std::string text, engine::read_text_file("release", request.release, engine::TextSize::document));
  const Result<report::Published> published = report::from_json(text);
  if (!published)
    return fail(ErrorKind::bad_data,
                "'" + request.release + "' is no release of counts per series and slot: " + published.error().text());
  const Release& release = published->release;
  CV_TRY(const forecasting::Panel panel, panel_of(release));
  CV_TRY(const Chosen chosen, request.model ? of_file(request, release.axis) : without_data(request, release.axis));
  const std::int64_t steps = release.axis.steps(), ahead = chosen.facts.forecast_length;
  CV_TRY(const data::SlotSpec clock, clock_of(release.axis));
  CV_TRY(SlotAxis axis, axis_beyond(clock, release.axis.boundaries.back() - 1, ahead));
  std::vector<forecasting::Window> windows;
  for (std::int64_t i = 0; i < release.series(); ++i) windows.push_back({i, steps});
  CV_TRY(const std::vector<forecasting::Forecast> forecasts,
         chosen.forecaster->forecast(panel, windows, request.prediction));

  report::Forecasted all;
  all.title = request.title.empty() ? "What comes after: " + published->title : request.title;
  all.mark = release.mark.empty() ? chosen.facts.mark : release.mark;
  all.model = chosen.facts;
  all.released = {published->title, release.guarantee, published->plan.price,
                  published->debit, release.mark,      published->not_protected};
  const std::int64_t first = std::max<std::int64_t>(0, steps - chosen.forecaster->history());
  all.past = static_cast<std::size_t>(steps - first);
  all.axis.zone = axis.zone;
  all.axis.labels.assign(axis.labels.begin() + first, axis.labels.begin() + steps + ahead);
  all.axis.boundaries.assign(axis.boundaries.begin() + first, axis.boundaries.begin() + steps + ahead + 1);
  const std::vector<double>& values = release.estimate.value;
  const bool at_zero = std::all_of(values.begin(), values.end(), [](double value) { return value >= 0; });
  for (std::size_t i = 0; i < forecasts.size(); ++i) {
    const forecasting::Forecast& forecast = forecasts[i];
    report::ForecastSeries series;
    series.key = forecast.key;
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(i) * steps;
    series.history.assign(begin + first, begin + steps);
    constexpr std::size_t kCount = forecasting::kLevels.size();
    for (std::size_t step = 0; step < static_cast<std::size_t>(ahead); ++step)
      series.quantiles.push_back(cut_off(&forecast.quantiles[step * kCount], kCount, at_zero));
    for (std::size_t path = 0; path < static_cast<std::size_t>(forecast.path_count); ++path)
      series.paths.push_back(
          cut_off(&forecast.paths[path * static_cast<std::size_t>(ahead)], static_cast<std::size_t>(ahead), at_zero));
    all.series.push_back(std::move(series));
  }
  return all;
}

}  // namespace chronoveil::training
