// What the accountant says of the settings of [Schuchardt25] and of ours, as CSV. No data is read, and none is needed.
//   schuchardt2025 figures OUT [--toy]      figures.csv, published_runs.csv and published_budgets.csv go to OUT
//   schuchardt2025 plan SETTINGS OUT        OUT/plan.csv: the steps of each run of SETTINGS that each budget buys
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "program.h"
#include "schuchardt2025/figures.h"
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

Result<void> write_plan(const std::filesystem::path& settings, const std::filesystem::path& out) {
  std::ifstream file(settings);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return fail(ErrorKind::storage, settings.string() + ": cannot be read");
  CV_TRY(const std::string lines, plan(text.str()));
  return write(out / "plan.csv", lines);
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
  } else {
    fmt::print(stderr, "usage: schuchardt2025 figures OUT [--toy] | schuchardt2025 plan SETTINGS OUT\n");
    return 2;
  }
  return chronoveil::experiments::ended("schuchardt2025", done);
}
