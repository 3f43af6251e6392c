#include "chronoveil/report/forecast/backtested.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "chronoveil/report/document/csv_rows.h"
#include "chronoveil/report/document/json_parts.h"
#include "chronoveil/report/document/numbers.h"

namespace chronoveil::report {
namespace {

constexpr std::string_view kWhose = "computed from the data without noise: for its owner alone";

}  // namespace

std::string backtest_csv(const Backtested& backtested) {
  const std::string mark = "internal: " + std::string(kWhose);
  std::string out = "model,epsilon,noise_multiplier,steps,crps,deviation,seeds,mark\n";
  for (const BacktestedRow& row : backtested.rows) {
    out += csv_field(row.model) + ",";
    if (row.epsilon) append_shortest(out, *row.epsilon);
    out += ",";
    append_shortest(out, row.noise_multiplier);
    out += "," + std::to_string(row.steps) + ",";
    append_shortest(out, row.mean);
    out += ",";
    append_shortest(out, row.deviation);
    out += "," + std::to_string(row.seeds) + "," + csv_field(mark) + "\n";
  }
  return out;
}

std::string to_json(const Backtested& backtested) {
  nlohmann::ordered_json all = head_json("backtest", "", backtested.title);
  all.update({{"internal", kWhose},
              {"series", backtested.series},
              {"windows", backtested.windows},
              {"held_back", backtested.held_back},
              {"season", backtested.season},
              {"forecast_length", backtested.forecast_length},
              {"delta", backtested.delta},
              {"rows", nlohmann::ordered_json::array()}});
  for (const BacktestedRow& row : backtested.rows) {
    nlohmann::ordered_json one{{"model", row.model}, {"baseline", !row.epsilon}};
    if (row.epsilon) {
      one["epsilon"] = finite_or_null(*row.epsilon);
      if (std::isinf(*row.epsilon)) one["reason"] = "trained without noise";
      if (*row.epsilon == 0) one["reason"] = "has seen no data";
      one["noise_multiplier"] = row.noise_multiplier;
      one["steps"] = row.steps;
    }
    one["crps"] = finite_or_null(row.mean);
    one["deviation"] = finite_or_null(row.deviation);
    one["seeds"] = row.seeds;
    all["rows"].push_back(std::move(one));
  }
  all["software"] = software_json();
  return text_of(all) + "\n";
}

}  // namespace chronoveil::report
