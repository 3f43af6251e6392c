// Forecasts as CSV and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/base/csv_time.h"
#include "chronoveil/report/document/csv_rows.h"
#include "chronoveil/report/document/json_names.h"
#include "chronoveil/report/document/json_parts.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/forecast/forecasted.h"
#include "chronoveil/report/forecast/forecasted_parts.h"

namespace chronoveil::report {
namespace {

using json = nlohmann::ordered_json;

// How a row begins and ends; as in CsvRows, what is not private says so in every row.
struct RowEnds {
  bool named = false;
  std::string header_end, row_end;
  explicit RowEnds(const Forecasted& forecasted) {
    for (const ForecastSeries& series : forecasted.series) named = named || !label_of(series).empty();
    header_end = forecasted.mark.empty() ? "\n" : ",mark\n";
    row_end = forecasted.mark.empty() ? "\n" : "," + csv_field(forecasted.mark) + "\n";
  }
  std::string start(const ForecastSeries& series) const { return named ? csv_field(label_of(series)) + "," : ""; }
};

// Models compute in single precision, so further digits of a double mean nothing. Gives the number whose shortest text
// reads back as the same float; a value that is no float stays as it is.
double without_false_digits(double value) {
  const auto single = static_cast<float>(value);
  if (!std::isfinite(value) || static_cast<double>(single) != value) return value;
  std::array<char, 32> text;
  const char* end = std::to_chars(text.data(), text.data() + text.size(), single).ptr;
  double shortened = value;
  std::from_chars(text.data(), end, shortened);
  return shortened;
}

json numbers_json(const std::vector<double>& values) {
  json all = json::array();
  for (const double value : values) all.push_back(finite_or_null(without_false_digits(value)));
  return all;
}
json rows_json(const std::vector<std::vector<double>>& rows) {
  json all = json::array();
  for (const std::vector<double>& row : rows) all.push_back(numbers_json(row));
  return all;
}

json input_json(const Forecasted::PrivateInput& input, const std::string& mark) {
  json all;
  all["guarantee"] = guarantee_json(input.guarantee, input.price, mark, input.not_protected);
  all["rate"] = input.rate;
  all["noise"] = finite_or_null(input.noise);
  all["event"] = accounting::event_to_json(input.event);
  all["analysis"] = name_in(kAnalysisNames, input.price.analysis);
  all["price"] = price_json(input.price);
  return all;
}

json released_json(const Forecasted::ReleasedInput& released) {
  return {{"release",
           {{"title", released.title},
            {"guarantee", guarantee_json(released.guarantee, released.price, released.mark, released.not_protected)},
            {"debit", debit_json(released.debit)}}}};
}

json input_of(const Forecasted& forecasted) {
  if (forecasted.released) return released_json(*forecasted.released);
  return forecasted.input ? input_json(*forecasted.input, forecasted.mark) : json(nullptr);
}

}  // namespace

std::string label_of(const ForecastSeries& series) {
  if (series.channel.empty()) return series.key;
  return series.key.empty() ? series.channel : series.key + "/" + series.channel;
}

std::string measure_of(const ForecastSeries& series) { return series.measure.empty() ? "Value" : series.measure; }

std::string chance_words(const std::vector<double>& quantiles) {
  return fmt::format("{}, with 8 in 10 chances between {} and {}", rounded(quantiles[kMedian]),
                     rounded(quantiles.front()), rounded(quantiles.back()));
}

bool is_finite(const std::vector<double>& quantiles) {
  return std::all_of(quantiles.begin(), quantiles.end(), [](double value) { return std::isfinite(value); });
}

SlotAxis part_of(const SlotAxis& axis, std::size_t first) {
  const auto from = static_cast<std::ptrdiff_t>(first);
  return {.zone = axis.zone,
          .boundaries = {axis.boundaries.begin() + from, axis.boundaries.end()},
          .labels = {axis.labels.begin() + from, axis.labels.end()}};
}

json model_json(const ModelFacts& model) {
  return {{"name", model.name},
          {"context_length", model.context_length},
          {"forecast_length", model.forecast_length},
          {"parameters", model.parameters},
          {"steps", model.steps},
          {"dataset", model.dataset},
          {"mark", model.mark},
          {"guarantee", guarantee_json(model.guarantee, model.price, model.mark, model.not_protected)},
          {"debit", debit_json(model.debit)}};
}

std::string forecast_csv(const Forecasted& forecasted) {
  const RowEnds ends(forecasted);
  const std::vector<std::string> times = csv_times(forecasted.axis);
  std::string out =
      std::string(ends.named ? "series," : "") + "time,q10,q20,q30,q40,q50,q60,q70,q80,q90" + ends.header_end;
  for (const ForecastSeries& series : forecasted.series) {
    for (std::size_t step = 0; step < series.quantiles.size(); ++step) {
      out += ends.start(series) + times[forecasted.past + step];
      for (const double quantile : series.quantiles[step]) {
        out += ',';
        append_shortest(out, without_false_digits(quantile));
      }
      out += ends.row_end;
    }
  }
  return out;
}

std::string paths_csv(const Forecasted& forecasted) {
  const RowEnds ends(forecasted);
  const std::vector<std::string> times = csv_times(forecasted.axis);
  std::string out = std::string(ends.named ? "series," : "") + "path,time,value" + ends.header_end;
  for (const ForecastSeries& series : forecasted.series) {
    for (std::size_t path = 0; path < series.paths.size(); ++path) {
      for (std::size_t step = 0; step < series.paths[path].size(); ++step) {
        out += ends.start(series) + std::to_string(path) + "," + times[forecasted.past + step] + ",";
        append_shortest(out, without_false_digits(series.paths[path][step]));
        out += ends.row_end;
      }
    }
  }
  return out;
}

std::string to_json(const Forecasted& forecasted) {
  json all = head_json("forecast", forecasted.mark, forecasted.title);
  all["model"] = model_json(forecasted.model);
  all["input"] = input_of(forecasted);
  // In the same place as in every release, so that `budget verify --against` finds it. The model has its own debit.
  all["debit"] = debit_json(forecasted.input ? forecasted.input->debit : std::nullopt);
  if (forecasted.input && forecasted.input->budget) all["budget"] = budget_json(*forecasted.input->budget);
  all["times"] = std::vector<std::string>(forecasted.axis.labels.begin() + static_cast<std::ptrdiff_t>(forecasted.past),
                                          forecasted.axis.labels.end());
  all["zone"] = forecasted.axis.zone;
  json list = json::array();
  for (const ForecastSeries& series : forecasted.series) {
    json one{{"series", series.key}};
    if (!series.channel.empty()) one["channel"] = series.channel;
    one["quantiles"] = rows_json(series.quantiles);
    if (!series.paths.empty()) one["paths"] = rows_json(series.paths);
    list.push_back(std::move(one));
  }
  all["levels"] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
  all["series"] = std::move(list);
  all["software"] = software_json();
  return text_of(all) + "\n";
}

}  // namespace chronoveil::report
