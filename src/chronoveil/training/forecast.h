// A trained model and a history: what comes next. The forecast reveals the history, which is the caller's own, unless
// `privacy` asks for noise on the history itself (private_history.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/data/source_spec.h"
#include "chronoveil/engine/series/series.h"
#include "chronoveil/report/forecast/forecasted.h"
#include "chronoveil/training/forecaster.h"
#include "chronoveil/training/model_file.h"
#include "chronoveil/training/private_history.h"

namespace chronoveil::training {

// The forecast begins with the slot after the last row of the history.
struct ForecastRequest {
  data::SourceSpec source;            // series (optional), time; an empty zone is that of the model's data
  std::vector<std::string> channels;  // columns of values; empty: the model's own
  std::vector<std::string> keys;      // public; empty: those of the history, not allowed with privacy
  forecasting::PredictionOptions prediction;
  const Networks* networks = nullptr;  // without them, models that are networks are refused
  std::string device = "cpu";
  std::optional<PrivateHistory> privacy;
  engine::RunOptions run;                                    // ledger, seed
  std::vector<std::pair<std::string, std::string>> outputs;  // option and path of what will be written
};

struct Forecasting {
  TrainedModel model;          // without its weights
  SlotAxis axis;               // the steps that the model read, then those that it forecasts
  std::size_t past = 0;        // of the former
  forecasting::Panel history;  // what it read; with privacy, noised and filled
  std::vector<forecasting::Forecast> forecasts;
  std::int64_t parameters = 0;  // weights of the model
  std::optional<PrivateHistoryPlan> privacy;
  std::string mark;
};

// Without `privacy`: no debit.
Result<Forecasting> run_forecast(const std::string& model_path, const ForecastRequest&);

report::Forecasted report_of(const Forecasting&, const std::string& title);

// What is handed out of a forecast.
struct ForecastDocuments {
  std::string csv;
  std::string paths;  // empty unless they were kept
  std::string json, html;
  std::string mark;
  // Of a private history, with the debit that this call made for it.
  std::optional<report::Forecasted::PrivateInput> input = std::nullopt;
};
ForecastDocuments documents_of(const report::Forecasted&);

// With `privacy`: debits before a row is read, in the order of every release (engine/release/order.h), and stores the
// documents beside the ledger; `again` emits those of a debit anew, at no cost. `write` writes them.
using WriteForecast = std::function<Result<void>(const ForecastDocuments&)>;
Result<ForecastDocuments> run_private_forecast(const std::string& model_path, const ForecastRequest&,
                                               const std::string& title, const WriteForecast& write,
                                               const std::optional<std::string>& again);

}  // namespace chronoveil::training
