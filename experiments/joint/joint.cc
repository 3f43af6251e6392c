// Denoises panels of many series under Gaussian noise of several deviations, and writes the errors as CSV.
//   joint DATA OUT TRIALS     real panels from the folder DATA, and the simulated city; errors.csv goes to OUT
//   joint --toy OUT TRIALS    a made-up panel, small
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "joint/datasets.h"
#include "joint/trials.h"
#include "program.h"

namespace chronoveil::joint {
namespace {

constexpr double kMultiples[] = {0.1, 0.3, 1, 3, 10};  // of the panel's median deviation

Result<std::string> table_of(const Panel& panel, int trials) {
  std::string lines;
  for (const double multiple : kMultiples) {
    const double sigma = multiple * median_deviation(panel);
    CV_TRY(const std::vector<Score> scores, run_trials(panel, sigma, trials));
    for (const Score& score : scores)
      lines += fmt::format("{},{},{},{},{},{:.6g},\"{}\",{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.5f},{:.5f}\n",
                           panel.name, panel.series(), panel.steps, panel.season, multiple, sigma, score.contender,
                           trials, score.cells, score.total, score.season, score.own_season, score.tens,
                           score.tens_season, score.held, score.total_held);
    fmt::print(stderr, "{:12} {:4} x sd   joint against shrink {:+.1f} %\n", panel.name, multiple,
               100 * (scores[2].cells / scores[1].cells - 1));
  }
  return lines;
}

Result<void> run(const std::string& data, const std::filesystem::path& out, int trials) {
  std::string errors =
      "panel,series,steps,season,multiple,sigma,contender,trials,cells,total,season_total,own_season,tens,tens_season,"
      "held,total_held\n";
  if (data == "--toy") {
    CV_TRY(const std::string lines, table_of(toy_panel(), trials));
    return experiments::write(out / "errors.csv", errors + lines);
  }
  for (const NamedPanel& named : real_panels()) {
    CV_TRY(Panel panel, named.read(data));
    panel.name = named.name;
    // A few series scatter more, and take less time.
    CV_TRY(const std::string lines, table_of(panel, panel.series() < 20 ? 8 * trials : trials));
    errors += lines;
  }
  return experiments::write(out / "errors.csv", errors);
}

}  // namespace
}  // namespace chronoveil::joint

int main(int argc, char** argv) {
  return chronoveil::experiments::run_program("joint", 1, argc, argv, chronoveil::joint::run);
}
