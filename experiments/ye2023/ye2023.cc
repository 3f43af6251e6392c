// Runs the experiments of [Ye23] with their mechanisms and ours, and writes tables as CSV.
//   ye2023 DATA OUT TRIALS     prices and cabs from the folder DATA, and made-up integers; costs.csv, averages.csv,
//                              counts.csv and groups.csv go to OUT
//   ye2023 --toy OUT TRIALS    made-up data of the same form, small
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "chronoveil/base/bit_source.h"
#include "program.h"
#include "ye2023/contenders.h"
#include "ye2023/datasets.h"
#include "ye2023/trials.h"

namespace chronoveil::ye2023 {
namespace {

using accounting::Analysis;
using experiments::write;

struct Settings {
  std::vector<std::int64_t> windows = {4, 10, 20, 40, 80};
  std::vector<double> epsilons = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  std::vector<std::int64_t> average_windows = {10, 40};
  std::vector<std::size_t> ranges = {10, 40};
  std::int64_t group_window = 10;
  double largest_group_epsilon = 8;
  std::size_t values = 1'000'000;
  int trials = 0;
};

struct Data {
  std::vector<double> prices;
  std::vector<Trajectory> trajectories;
};
constexpr double kUpperPrice = 50;  // public

std::string_view name(Analysis analysis) { return analysis == Analysis::certified ? "certified" : "published"; }

// Reports progress.
template <class... Args>
void progress(fmt::format_string<Args...> text, Args&&... args) {
  if (isatty(STDERR_FILENO) == 1) fmt::print(stderr, "{}\n", fmt::format(text, std::forward<Args>(args)...));
}

// Whether the price of a law over sets is computed: threshold has none.
bool has_price(const Contender& contender) { return contender.mechanism != "threshold"; }

Result<std::string> costs(const Settings& settings) {
  std::string lines =
      "window,mechanism,analysis,epsilon,delta,parameter,values,cost,cost_error,set_delta,set_delta_lower,least_delta,"
      "set_epsilon,certificate,beta\n";
  for (const std::int64_t window : settings.windows)
    for (const double epsilon : settings.epsilons) {
      CV_TRY(const std::vector<Contender> all, contenders(window, epsilon));
      for (const Contender& each : all) {
        BitSource bits = BitSource::with_seed(1);
        CV_TRY(const Moved release, moved(each.law, settings.values, bits));
        const Cost cost = cost_of(release, window);
        lines += fmt::format("{},\"{}\",{},{},{:.6g},{},{},{:.6g},{:.3g},", window, each.mechanism, name(each.analysis),
                             epsilon, each.delta, each.parameter, settings.values, cost.mean, cost.standard_error);
        if (has_price(each)) {
          CV_TRY(const Worth is, worth(each));
          lines += fmt::format("{:.6g},{:.6g},{:.6g},{:.6g},{},{:g}\n", is.delta, is.delta_lower, is.least_delta,
                               is.epsilon, chronoveil::name(is.certificate), is.beta);
        } else {
          lines += ",,,,,\n";
        }
        progress("k {:2} ε {:2} {:22} {:9} δ {:.3g} cost {:.4f} ± {:.4f}", window, epsilon, each.mechanism,
                 name(each.analysis), each.delta, cost.mean, cost.standard_error);
      }
    }
  return lines;
}

constexpr std::string_view kTaskColumns = "window,mechanism,analysis,unit,epsilon,delta,trials,result,standard_error";

// Window 0: values are changed, not moved.
std::string task_line(std::int64_t window, std::string_view mechanism, std::string_view analysis, std::string_view unit,
                      double epsilon, double delta, int trials, const Summary& result) {
  progress("k {:2} ε {:2} {:30} {:9} {:6} {:.5g} ± {:.2g}", window, epsilon, mechanism, analysis, unit, result.mean,
           result.standard_error);
  return fmt::format("{},\"{}\",{},{},{},{:.6g},{},{:.6g},{:.3g}", window, mechanism, analysis, unit, epsilon, delta,
                     trials, result.mean, result.standard_error);
}

Result<std::string> averages(const Settings& settings, const std::vector<double>& prices) {
  std::string lines = fmt::format("{},range\n", kTaskColumns);
  const auto days = static_cast<double>(prices.size());
  for (const double epsilon : settings.epsilons) {
    const auto add = [&](std::int64_t window, std::string_view mechanism, std::string_view analysis,
                         std::string_view unit, double delta, const std::vector<Summary>& results) {
      for (std::size_t i = 0; i < results.size(); ++i)
        lines += task_line(window, mechanism, analysis, unit, epsilon, delta, settings.trials, results[i]) +
                 fmt::format(",{}\n", settings.ranges[i]);
    };
    for (const std::int64_t window : settings.average_windows) {
      CV_TRY(const std::vector<Contender> all, contenders(window, epsilon));
      for (const Contender& each : all) {
        CV_TRY(const auto results, average_errors(prices, settings.ranges, each.law, settings.trials));
        add(window, each.mechanism, name(each.analysis), "swap", each.delta, results);
      }
    }
    for (const auto& [unit, each_value] : {std::pair{"event", epsilon}, std::pair{"user", epsilon / days}}) {
      CV_TRY(const auto results,
             average_errors_piecewise(prices, kUpperPrice, settings.ranges, each_value, settings.trials));
      add(0, "piecewise", "certified", unit, 0, results);
    }
  }
  return lines;
}

Result<std::string> counts(const Settings& settings, const std::vector<double>& prices) {
  std::string lines = fmt::format("{}\n", kTaskColumns);
  const std::vector<bool> up = went_up(prices);
  for (const double epsilon : settings.epsilons) {
    const auto add = [&](std::int64_t window, std::string_view mechanism, std::string_view analysis,
                         std::string_view unit, double delta, const Summary& result) {
      lines += task_line(window, mechanism, analysis, unit, epsilon, delta, settings.trials, result) + "\n";
    };
    for (const std::int64_t window : settings.windows) {
      CV_TRY(const std::vector<Contender> all, contenders(window, epsilon));
      for (const Contender& each : all) {
        CV_TRY(const Summary result, count_errors(up, each.law, settings.trials));
        add(window, each.mechanism, name(each.analysis), "swap", each.delta, result);
      }
    }
    CV_TRY(const ResponseErrors response, count_errors_response(up, epsilon, settings.trials));
    add(0, "randomized_response", "certified", "event", 0, response.as_answered);
    add(0, "randomized_response, unbiased", "certified", "event", 0, response.unbiased);
  }
  return lines;
}

Result<std::string> groups(const Settings& settings, const std::vector<Trajectory>& trajectories) {
  std::string lines = fmt::format("{},trajectories\n", kTaskColumns);
  const auto steps = static_cast<double>(trajectories.front().size());
  for (const double epsilon : settings.epsilons) {
    if (epsilon > settings.largest_group_epsilon) break;
    const auto add = [&](std::int64_t window, std::string_view mechanism, std::string_view analysis,
                         std::string_view unit, double delta, const Summary& result) {
      lines += task_line(window, mechanism, analysis, unit, epsilon, delta, settings.trials, result) +
               fmt::format(",{}\n", trajectories.size());
    };
    CV_TRY(const std::vector<Contender> all, contenders(settings.group_window, epsilon));
    for (const Contender& each : all) {
      CV_TRY(const Summary result, group_agreement(trajectories, each.law, settings.trials));
      add(settings.group_window, each.mechanism, name(each.analysis), "swap", each.delta, result);
    }
    for (const auto& [unit, each_place] : {std::pair{"event", epsilon}, std::pair{"user", epsilon / steps}}) {
      CV_TRY(const Summary result, group_agreement_piecewise(trajectories, each_place, settings.trials));
      add(0, "piecewise", "certified", unit, 0, result);
    }
  }
  return lines;
}

Result<Data> read(const std::string& folder) {
  Data data;
  CV_TRY(data.prices, read_prices(folder));
  CV_TRY(data.trajectories, read_trajectories(folder));
  return data;
}

Result<void> run(const std::string& folder, const std::filesystem::path& out, int trials) {
  const bool toy = folder == "--toy";
  Settings settings;
  settings.trials = trials;
  Data data;
  if (toy) {
    settings.windows = {4, 10};
    settings.epsilons = {2, 8};
    settings.average_windows = {4};
    settings.ranges = {5, 20};
    settings.group_window = 4;
    settings.values = 100'000;
    data = {make_prices(500), make_trajectories(30, 40)};
  } else {
    CV_TRY(data, read(folder));
  }
  CV_TRY(const std::string averaged, averages(settings, data.prices));
  CV_CHECK(write(out / "averages.csv", averaged));
  CV_TRY(const std::string counted, counts(settings, data.prices));
  CV_CHECK(write(out / "counts.csv", counted));
  CV_TRY(const std::string grouped, groups(settings, data.trajectories));
  CV_CHECK(write(out / "groups.csv", grouped));
  CV_TRY(const std::string moved, costs(settings));
  return write(out / "costs.csv", moved);
}

}  // namespace
}  // namespace chronoveil::ye2023

int main(int argc, char** argv) {
  return chronoveil::experiments::run_program("ye2023", 2, argc, argv, chronoveil::ye2023::run);
}
