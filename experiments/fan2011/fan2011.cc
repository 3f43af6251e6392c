// Runs the experiments of [FanXiong12] with our mechanisms beside theirs, and writes their figures as CSV.
//   fan2011 DATA OUT TRIALS     real data from the folder DATA; comparison.csv, parameters.csv and starts.csv go to OUT
//   fan2011 --toy OUT TRIALS    made-up data, small
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <string_view>

#include "fan2011/contenders.h"
#include "program.h"

namespace chronoveil::fan2011 {
namespace {

using experiments::write;

Result<std::string> comparison(const std::vector<Dataset>& datasets, int trials) {
  std::string lines =
      "dataset,steps,epsilon,delta,mechanism,settings,scale,asked,last,trials,error,spread,absolute,coverage\n";
  for (const Dataset& dataset : datasets)
    for (const double epsilon : {0.01, 0.1, 1.0})
      for (const Contender& contender : contenders(dataset)) {
        CV_TRY(const Outcome is, run_trials(dataset, contender, epsilon, trials));
        lines +=
            fmt::format("{},{},{},{},\"{}\",{},{:.6g},{:.2f},{:.2f},{},{:.6g},{:.6g},{:.6g},{:.4f}\n", dataset.name,
                        dataset.counts.size(), epsilon, contender.delta, contender.label, contender.settings, is.scale,
                        is.asked, is.last, trials, is.error, is.spread, is.absolute, is.coverage);
        fmt::print(stderr, "{:13} ε {:<5} δ {:<6} {:20} {:10} error {:9.4f} ± {:<9.4f} coverage {:.3f}\n", dataset.name,
                   epsilon, contender.delta, contender.label, contender.settings, is.error, is.spread, is.coverage);
      }
  return lines;
}

// Q and R on one series, all else on another, as in the report.
Result<std::string> parameters(const Dataset& filtered, const Dataset& controlled, int trials) {
  std::string lines = "figure,dataset,epsilon,line,parameter,value,asked,trials,error,spread\n";
  const auto add = [&](const Dataset& dataset, const std::vector<Point>& points) -> Result<void> {
    for (const double epsilon : {0.01, 1.0})
      for (const Point& point : points) {
        CV_TRY(const Outcome is, run_trials(dataset, point.contender, epsilon, trials));
        lines += fmt::format("{},{},{},\"{}\",{},{:g},{:.2f},{},{:.6g},{:.6g}\n", point.figure, dataset.name, epsilon,
                             point.line, point.parameter, point.value, is.asked, trials, is.error, is.spread);
      }
    return {};
  };
  CV_CHECK(add(filtered, filter_points()));
  CV_CHECK(add(controlled, control_points(static_cast<std::int64_t>(controlled.counts.size()))));
  return lines;
}

// The same span begun later: how much of the error of a rate is luck with the part of the season that it asks.
Result<std::string> starts(const Dataset& whole, int trials) {
  constexpr double kEpsilon = 0.1;
  std::string lines = "dataset,epsilon,delta,start,mechanism,trials,error,spread\n";
  for (std::int64_t start = 0; start < whole.season; ++start) {
    Dataset dataset = whole;
    dataset.counts.erase(dataset.counts.begin(), dataset.counts.begin() + start);
    for (const Contender& contender : contenders(dataset)) {
      if (contender.delta == 0 || (contender.mechanism != "fixed_rate" && contender.mechanism != "kalman")) continue;
      CV_TRY(const Outcome is, run_trials(dataset, contender, kEpsilon, trials));
      lines += fmt::format("{},{},{},{},\"{}\",{},{:.6g},{:.6g}\n", dataset.name, kEpsilon, contender.delta, start,
                           contender.label, trials, is.error, is.spread);
    }
  }
  return lines;
}

Result<void> run(const std::string& data, const std::filesystem::path& out, int trials) {
  std::vector<Dataset> datasets;
  if (data == "--toy") {
    datasets.push_back(make_toy());
  } else {
    for (const auto read : {read_flu, read_unemployment, read_traffic}) {
      CV_TRY(Dataset dataset, read(data));
      datasets.push_back(std::move(dataset));
    }
  }
  CV_TRY(const std::string compared, comparison(datasets, trials));
  CV_CHECK(write(out / "comparison.csv", compared));
  CV_TRY(const std::string varied, parameters(datasets.front(), datasets.back(), trials));
  CV_CHECK(write(out / "parameters.csv", varied));
  // Unemployment, which has a year of twelve steps.
  CV_TRY(const std::string begun, starts(datasets[datasets.size() / 2], trials));
  return write(out / "starts.csv", begun);
}

}  // namespace
}  // namespace chronoveil::fan2011

int main(int argc, char** argv) {
  return chronoveil::experiments::run_program("fan2011", 1, argc, argv, chronoveil::fan2011::run);
}
