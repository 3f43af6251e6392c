// A published forecast: quantiles, perhaps sample paths, and what protects the series behind them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/base/guarantee.h"
#include "chronoveil/base/slot_axis.h"
#include "chronoveil/ledger/debit.h"
#include "chronoveil/report/series/published.h"

namespace chronoveil::report {

// What a model was trained on, and what it promises to the people in that data.
struct ModelFacts {
  std::string name;  // simple_feed_forward, ...
  std::int64_t context_length = 0, forecast_length = 0, parameters = 0, steps = 0;
  std::string dataset;
  std::string mark;
  Guarantee guarantee;
  accounting::Price price;
  std::optional<ledger::DebitReference> debit;
  std::vector<std::string> not_protected;
};

struct ForecastSeries {
  std::string key;                             // "" for a single series
  std::string channel;                         // "" where the model reads a single column
  std::string measure;                         // the column that the model learned from; "" if it is not known
  std::vector<double> history;                 // what the model read, NaN where missing; one per slot of the past
  std::vector<std::vector<double>> quantiles;  // [step][9], 0.1, ..., 0.9
  std::vector<std::vector<double>> paths;      // [path][step], if kept
};

struct Forecasted {
  std::string title;
  std::string mark;
  ModelFacts model;
  // For a history that is itself private: noise was added to it before the model read it.
  struct PrivateInput {
    Guarantee guarantee;
    accounting::Price price;
    accounting::Event event;
    double rate = 1, noise = 0;
    std::optional<ledger::DebitReference> debit;
    std::optional<BudgetLeft> budget;
    std::vector<std::string> not_protected;  // sentences
    double width = 0;                        // of the bounds of values; 0: not known
    // How many times as large as that the noise is; 0 where the width is not known.
    double noise_in_widths() const { return width > 0 ? noise / width : 0; }
    // Whether the noise on a value is larger than half of what values can differ by at all.
    bool is_mostly_noise() const { return noise_in_widths() > 0.5; }
  };
  std::optional<PrivateInput> input;
  // For a history that was published before: what is forecast from it costs nothing further.
  struct ReleasedInput {
    std::string title;
    Guarantee guarantee;
    accounting::Price price;
    std::optional<ledger::DebitReference> debit;
    std::string mark;
    std::vector<std::string> not_protected;
  };
  std::optional<ReleasedInput> released;
  SlotAxis axis;         // what the model read, and then what it forecasts
  std::size_t past = 0;  // slots of the former
  std::vector<ForecastSeries> series;
};

// `series,time,q10,...,q90`; no series column for one series without a name. A channel follows its key: "key/channel".
// A forecast that is not private has a last column `mark` that says so in every row. Numbers are the shortest that read
// back as the same float, the precision that models compute in.
std::string forecast_csv(const Forecasted&);
// `series,path,time,value`, paths from 0.
std::string paths_csv(const Forecasted&);
// title, model, input (null unless the history is protected; `release` where it was published before), debit (that of
// the history), times, levels, series.
std::string to_json(const Forecasted&);
// The next step in words, how sure it is, whether the history is protected, then a fan chart, history included, for
// each of the first kMostCharts series.
std::string to_html(const Forecasted&);
// The fan charts of that page as one SVG that stands alone, and what protects the history, which is in it: a mark, a
// guarantee, or that nothing does.
std::string to_svg(const Forecasted&);
std::string history_promise(const Forecasted&);
// The page with links to the CSV beside it (see csv_note), which may have another name each time the forecast is
// written.
std::string with_csv(std::string html, const std::string& csv);

}  // namespace chronoveil::report
