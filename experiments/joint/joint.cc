// Denoises panels of many series under Gaussian noise of several deviations, and writes the errors as CSV: of whole
// series at once, and of live releases.
//   joint DATA OUT TRIALS     real panels from the folder DATA, and the simulated city; errors.csv, live.csv go to OUT
//   joint --toy OUT TRIALS    a made-up panel, small
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "joint/datasets.h"
#include "joint/live.h"
#include "joint/trials.h"
#include "program.h"

namespace chronoveil::joint {
namespace {

constexpr double kMultiples[] = {0.1, 0.3, 1, 3, 10};  // of the panel's median deviation

constexpr const char* kHeader =
    "panel,series,steps,season,multiple,sigma,contender,trials,cells,total,season_total,own_season,tens,tens_season,"
    "held,total_held\n";

Result<std::string> table_of(const Panel& panel, int trials, Scoring score) {
  std::string lines;
  for (const double multiple : kMultiples) {
    const double sigma = multiple * median_deviation(panel);
    CV_TRY(const std::vector<Score> scores, run_trials(panel, sigma, trials, score));
    for (const Score& of_one : scores)
      lines += fmt::format("{},{},{},{},{},{:.6g},\"{}\",{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.5f},{:.5f}\n",
                           panel.name, panel.series(), panel.steps, panel.season, multiple, sigma, of_one.contender,
                           trials, of_one.cells, of_one.total, of_one.season, of_one.own_season, of_one.tens,
                           of_one.tens_season, of_one.held, of_one.total_held);
    fmt::print(stderr, "{:12} {:4} x sd   joint against {} {:+.1f} %\n", panel.name, multiple, scores[1].contender,
               100 * (scores[2].cells / scores[1].cells - 1));
  }
  return lines;
}

Result<void> run(const std::string& data, const std::filesystem::path& out, int trials) {
  const bool toy = data == "--toy";
  std::vector<NamedPanel> panels = real_panels();
  if (toy) panels = {{"toy", [](const std::string&) -> Result<Panel> { return toy_panel(); }}};
  const auto tables = [&](Scoring score) -> Result<std::string> {
    std::string all = kHeader;
    for (const NamedPanel& named : panels) {
      CV_TRY(Panel panel, named.read(data));
      panel.name = named.name;
      // A few series scatter more, and take less time.
      CV_TRY(const std::string lines, table_of(panel, panel.series() < 20 ? 8 * trials : trials, score));
      all += lines;
    }
    return all;
  };
  CV_TRY(const std::string live, tables(score_live));
  CV_CHECK(experiments::write(out / "live.csv", live));
  CV_TRY(const std::string errors, tables(score_all));
  return experiments::write(out / "errors.csv", errors);
}

}  // namespace
}  // namespace chronoveil::joint

int main(int argc, char** argv) {
  return chronoveil::experiments::run_program("joint", 1, argc, argv, chronoveil::joint::run);
}
