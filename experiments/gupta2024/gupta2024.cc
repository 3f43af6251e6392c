// Runs the experiments of [Gupta24] with our mechanisms, and writes their figures as CSV.
//   gupta2024 DATA OUT TRIALS     buses of Surat from the folder DATA, made-up speeds and simulated cities;
//                                 settings.csv, means.csv, draws.csv and maps.csv go to OUT
//   gupta2024 --toy OUT TRIALS    made-up speeds only, at ε = 1 and 2, and a small city
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <limits>

#include "chronoveil/mechanisms/cells/parts/grouping.h"
#include "gupta2024/datasets.h"
#include "gupta2024/maps.h"
#include "gupta2024/trials.h"
#include "program.h"

namespace chronoveil::gupta2024 {
namespace {

using experiments::write;

constexpr std::array kScalings = {Scaling::none, Scaling::samples, Scaling::users};

// What is public about the cells of each setting; of several cells, the mean of each number.
std::string settings(const std::vector<Dataset>& datasets) {
  std::string lines =
      "dataset,cells,users,records,most,m_ub_median,m_ub_optimised,arrays_wrap_around,arrays_best_fit,mean,deviation\n";
  for (const Dataset& dataset : datasets) {
    const auto mean_of = [&](auto&& number_of) {
      double sum = 0;
      for (const Cell& cell : dataset.cells) sum += static_cast<double>(number_of(cell));
      return sum / static_cast<double>(dataset.cells.size());
    };
    const auto optimised = [](const Cell& cell) { return mechanisms::optimised_m_ub(cell.counts); };
    lines += fmt::format(
        "{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.5f},{:.5f}\n", dataset.name, dataset.cells.size(),
        mean_of([](const Cell& cell) { return cell.counts.size(); }),
        mean_of([](const Cell& cell) { return cell.values.size(); }),
        mean_of([](const Cell& cell) { return cell.counts.front(); }),
        mean_of([](const Cell& cell) { return mechanisms::median_m_ub(cell.counts); }), mean_of(optimised),
        mean_of([&](const Cell& cell) { return mechanisms::full_arrays(cell.counts, optimised(cell)); }),
        mean_of([&](const Cell& cell) { return mechanisms::best_fit(cell.counts, optimised(cell)).fills.size(); }),
        mean_of([](const Cell& cell) { return cell.mean; }), dataset.deviation);
  }
  return lines;
}

Result<std::string> means(const std::vector<Dataset>& datasets, const std::vector<double>& epsilons, int trials) {
  std::string lines = "dataset,counts,mechanism,analysis,epsilon,charged,scale,trials,error,spread,bias\n";
  const auto add = [&](const Dataset& dataset, const char* counts, const std::vector<Contender>& all) -> Result<void> {
    for (const Contender& contender : all)
      for (const double epsilon : epsilons) {
        CV_TRY(const Outcome is, run_trials(dataset, contender, epsilon, trials));
        const char* analysis = contender.analysis == accounting::Analysis::certified ? "certified" : "published";
        lines +=
            fmt::format("{},{},\"{}\",{},{},{:.6g},{:.6g},{},{:.6g},{:.6g},{:.6g}\n", dataset.name, counts,
                        contender.label, analysis, epsilon, is.charged, is.scale, trials, is.error, is.spread, is.bias);
        fmt::print(stderr, "{:16} {:30} {:9} ε {:<4} error {:8.4f} ± {:<8.4f} bias {:8.4f}\n", dataset.name,
                   contender.label, analysis, epsilon, is.error, is.spread, is.bias);
      }
    return {};
  };
  for (const Dataset& dataset : datasets) {
    CV_CHECK(add(dataset, "public", for_public_counts()));
    CV_CHECK(add(dataset, "private", for_private_counts(dataset)));
  }
  return lines;
}

// Whether the paper shows it in this setting. Without scaling array_averaging has the median m_ub, with it the
// optimised one.
bool in_paper(const Contender& contender, Scaling scaling) {
  if (contender.mechanism == "clip_mean" || contender.parameters.contains("grouping")) return false;
  return contender.mechanism != "array_averaging" ||
         contender.parameters.contains("m_ub") == (scaling == Scaling::none);
}

// How often each certified mechanism has the least error when the speeds are drawn again, of all and of those that the
// paper shows, and its error over all draws.
Result<std::string> draws(const std::vector<double>& epsilons, int number, int trials) {
  std::string lines = "dataset,mechanism,epsilon,in_paper,draws,best,best_in_paper,error\n";
  std::vector<Contender> all = for_public_counts();
  std::erase_if(all, [](const Contender& each) { return each.analysis != accounting::Analysis::certified; });
  for (const Scaling scaling : kScalings)
    for (const double epsilon : epsilons) {
      std::string name;
      std::vector<double> error(all.size());
      std::vector<int> best(all.size()), best_in_paper(all.size());
      for (int draw = 0; draw < number; ++draw) {
        CV_TRY(const Dataset dataset, make_synthetic(scaling, static_cast<std::uint64_t>(draw)));
        name = dataset.name;
        std::vector<double> errors, papers;
        for (const Contender& contender : all) {
          CV_TRY(const Outcome is, run_trials(dataset, contender, epsilon, trials));
          errors.push_back(is.error);
          papers.push_back(in_paper(contender, scaling) ? is.error : std::numeric_limits<double>::infinity());
        }
        for (std::size_t i = 0; i < all.size(); ++i) error[i] += errors[i] / number;
        ++best[static_cast<std::size_t>(std::ranges::min_element(errors) - errors.begin())];
        ++best_in_paper[static_cast<std::size_t>(std::ranges::min_element(papers) - papers.begin())];
      }
      for (std::size_t i = 0; i < all.size(); ++i)
        lines += fmt::format("{},\"{}\",{},{},{},{},{},{:.6g}\n", name, all[i].label, epsilon,
                             in_paper(all[i], scaling) ? 1 : 0, number, best[i], best_in_paper[i], error[i]);
    }
  return lines;
}

Result<void> run(const std::string& data, const std::filesystem::path& out, int trials) {
  const bool toy = data == "--toy";
  std::vector<Dataset> datasets;
  if (!toy)
    for (const auto read : {read_surat, read_surat_cell_hours}) {
      CV_TRY(Dataset dataset, read(data));
      datasets.push_back(std::move(dataset));
    }
  for (const Scaling scaling : kScalings) {
    CV_TRY(Dataset dataset, make_synthetic(scaling));
    datasets.push_back(std::move(dataset));
  }
  CV_CHECK(write(out / "settings.csv", settings(datasets)));
  const std::vector<double> epsilons = toy ? std::vector{1.0, 2.0} : std::vector{0.5, 1.0, 1.5, 2.0};
  CV_TRY(const std::string lines, means(datasets, epsilons, trials));
  CV_CHECK(write(out / "means.csv", lines));
  const int number = toy ? 2 : 20;
  CV_TRY(const std::string drawn, draws(epsilons, number, std::max(1, trials / number)));
  CV_CHECK(write(out / "draws.csv", drawn));
  CV_TRY(const std::vector<Map> maps, toy ? toy_maps(out) : read_maps(data, out));
  CV_TRY(const std::string smooth, smoothed_maps(maps, std::max(5, trials / 2000)));
  return write(out / "maps.csv", smooth);
}

}  // namespace
}  // namespace chronoveil::gupta2024

int main(int argc, char** argv) {
  return chronoveil::experiments::run_program("gupta2024", 1, argc, argv, chronoveil::gupta2024::run);
}
