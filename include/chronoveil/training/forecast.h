// A trained model and a history: what comes next. The forecast reveals the history, which is the caller's own, unless
// `privacy` asks for noise on the history itself (private_history.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chronoveil/data/source_spec.h"
#include "chronoveil/engine/release/run_options.h"
#include "chronoveil/forecasting/choices.h"
#include "chronoveil/report/forecast/forecasted.h"
#include "chronoveil/training/private_history.h"

namespace chronoveil::training {

class Networks;

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

// Without `privacy`: no debit. The title is made up where it is empty.
Result<report::Forecasted> run_forecast(const std::string& model_path, const ForecastRequest&,
                                        const std::string& title = "");

// What is handed out of a forecast.
struct ForecastDocuments {
  std::string csv;
  std::string paths;  // empty unless they were kept
  std::string json, html;
  std::string mark;
  // A forecast shows the history behind it, which is its owner's alone unless it was public or got noise first.
  enum class History { of_its_owner, released, noised };
  History history = History::of_its_owner;
  // Of a private history, with the debit that this call made for it.
  std::optional<report::Forecasted::PrivateInput> input = std::nullopt;
  std::string svg = "";      // the fan charts; of a stored forecast of an earlier version empty
  std::string promise = "";  // report::history_promise
};
ForecastDocuments documents_of(const report::Forecasted&);

// Where they go; empty: nowhere, "-": standard output.
struct ForecastPaths {
  std::string csv, paths, json, report;
  std::string chart = "";  // FILE.svg or FILE.png
};
// Refuses a chart that could not be written, by the key `output.chart`: asked before anything is spent.
Result<void> check_chart(const ForecastPaths&);
// All or none, readable by others only where nothing in them is the owner's alone. What was debited is signed, where
// there is a key to sign with. Usage error: `paths_output`, if no paths were kept, and
// `output.chart`, if none was stored.
Result<void> write_forecast(const ForecastDocuments&, const ForecastPaths&);

// With `privacy`: debits before a row is read, in the order of every release, and stores the documents beside the
// ledger; `again` emits those of a debit anew, at no cost. `write` writes them.
using WriteForecast = std::function<Result<void>(const ForecastDocuments&)>;
Result<ForecastDocuments> run_private_forecast(const std::string& model_path, const ForecastRequest&,
                                               const std::string& title, const WriteForecast& write,
                                               const std::optional<std::string>& again);

}  // namespace chronoveil::training
