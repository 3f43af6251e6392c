// Writes sample pages into a folder, for the test in a real browser: report_sample FOLDER
#include <fstream>
#include <iostream>
#include <string>

#include "report/forecasted_sample.h"
#include "report/means_sample.h"
#include "report/perturbed_sample.h"
#include "report/sample.h"

int main(int argc, char** argv) {
  namespace report = chronoveil::report;
  namespace testing = chronoveil::report::testing;
  if (argc != 2) {
    std::cerr << "report_sample FOLDER\n";
    return 2;
  }
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream file(std::string(argv[1]) + "/" + name, std::ios::binary);
    file << text;
    file.close();
    if (!file) std::cerr << "cannot write " << name << "\n";
    return static_cast<bool>(file);
  };
  report::Published replayed = testing::sample(1, 168);
  replayed.release.mark = "not private: replayed";
  replayed.debit.reset();
  report::Perturbed seeded = testing::perturbed_sample();
  seeded.mark = "seeded: not private";
  seeded.debit.reset();
  report::Perturbed crowded = testing::threshold_sample();
  for (int i = 0; i < 40; ++i)
    crowded.columns.push_back("a_column_with_a_name_that_has_no_end_" + std::string(60, 'x'));
  report::MeansPublished sharp = testing::means_on_grid(chronoveil::PlaceShape::hexagon, 900, 24);
  for (chronoveil::CellEstimate& cell : sharp.release.cells) cell.lower = cell.mean - 0.4, cell.upper = cell.mean + 0.4;
  const bool written =
      write("single.html", report::to_html(testing::sample(1, 744))) &&
      write("sampled.html", report::to_html(testing::sample(1, 744, 10))) &&
      write("declared.html", report::to_html(testing::declared_sample(3, 168))) &&
      write("city.html", report::to_html(testing::sample(1000, 744))) &&
      write("replayed.html", report::to_html(replayed)) &&
      write("evaluation.html", report::evaluation_html(testing::evaluation(3, 168))) &&
      write("means.html", report::means_html(testing::means_on_grid(chronoveil::PlaceShape::hexagon, 900, 168))) &&
      write("sharp.html", report::means_html(sharp)) &&
      write("places.html", report::means_html(testing::means_sample(30, 24))) &&
      write("cell.html", report::means_html(testing::means_sample(0, 1))) &&
      write("means_evaluation.html", report::evaluation_html(testing::means_evaluation(12, 24))) &&
      write("perturbed.html", report::perturbed_html(testing::perturbed_sample())) &&
      write("sorted.html", report::perturbed_html(testing::sorted_sample())) &&
      write("changed.html", report::perturbed_html(testing::changed_sample())) &&
      write("crowded.html", report::perturbed_html(crowded)) && write("seeded.html", report::perturbed_html(seeded)) &&
      write("perturbed_internal.html",
            report::perturbed_internal_html(testing::perturbed_sample(), testing::internal_sample())) &&
      write("forecast.html", report::to_html(testing::forecast_sample(1))) &&
      write("forecasts.html", report::to_html(testing::private_forecast_sample(40))) &&
      write("trained.html", report::to_html(testing::trained_sample())) &&
      write("backtest.html", report::to_html(testing::backtest_sample()));
  return written ? 0 : 1;
}
