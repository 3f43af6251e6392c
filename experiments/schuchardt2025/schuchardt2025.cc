// What the accountant says of the settings of [Schuchardt25] and of ours, as CSV: no data is read, and none is needed.
// And the forecaster that needs no training, on the same data as the trained ones.
//   schuchardt2025 figures OUT [--toy]      figures.csv, published_runs.csv and published_budgets.csv go to OUT
//   schuchardt2025 plan SETTINGS OUT        OUT/plan.csv: the steps of each run of SETTINGS that each budget buys
//   schuchardt2025 lags SETTINGS PANELS OUT SEEDS   OUT/lags.csv: scores of sign_lags on PANELS/NAME.csv
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "program.h"
#include "schuchardt2025/fields.h"
#include "schuchardt2025/figures.h"
#include "schuchardt2025/lags.h"
#include "schuchardt2025/plan.h"
#include "schuchardt2025/published.h"

namespace chronoveil::schuchardt2025 {
namespace {

using experiments::write;

Result<void> write_figures(const std::filesystem::path& out, bool toy) {
  CV_TRY(const std::string runs, published_runs());
  CV_CHECK(write(out / "published_runs.csv", runs));
  CV_TRY(const std::string budgets, published_budgets(toy));
  CV_CHECK(write(out / "published_budgets.csv", budgets));
  CV_TRY(const std::string profiles, figures(toy));
  return write(out / "figures.csv", profiles);
}

Result<std::string> read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return fail(ErrorKind::storage, path.string() + ": cannot be read");
  return text.str();
}

Result<void> write_plan(const std::filesystem::path& settings, const std::filesystem::path& out) {
  CV_TRY(const std::string text, read(settings));
  CV_TRY(const std::string lines, plan(text));
  return write(out / "plan.csv", lines);
}

Result<void> write_lags(const std::filesystem::path& settings, const std::string& panels,
                        const std::filesystem::path& out, const std::string& seeds) {
  CV_TRY(const std::string text, read(settings));
  CV_TRY(const std::int64_t count, number<std::int64_t>("SEEDS", seeds));
  CV_TRY(const std::string lines, lags_rows(text, panels, count));
  return write(out / "lags.csv", lines);
}

}  // namespace
}  // namespace chronoveil::schuchardt2025

int main(int argc, char** argv) {
  namespace here = chronoveil::schuchardt2025;
  const std::string_view verb = argc > 1 ? argv[1] : "";
  chronoveil::Result<void> done;
  if (verb == "figures" && (argc == 3 || (argc == 4 && std::string_view(argv[3]) == "--toy"))) {
    done = here::write_figures(argv[2], argc == 4);
  } else if (verb == "plan" && argc == 4) {
    done = here::write_plan(argv[2], argv[3]);
  } else if (verb == "lags" && argc == 6) {
    done = here::write_lags(argv[2], argv[3], argv[4], argv[5]);
  } else {
    fmt::print(stderr,
               "usage: schuchardt2025 figures OUT [--toy] | schuchardt2025 plan SETTINGS OUT | "
               "schuchardt2025 lags SETTINGS PANELS OUT SEEDS\n");
    return 2;
  }
  return chronoveil::experiments::ended("schuchardt2025", done);
}
