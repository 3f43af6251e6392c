#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "chronoveil/report/document/intervals.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/draw/frame.h"
#include "chronoveil/report/draw/paths.h"
#include "chronoveil/report/forecast/backtested.h"
#include "chronoveil/report/page/csv_link.h"
#include "chronoveil/report/page/markup.h"
#include "chronoveil/report/page/page.h"
#include "chronoveil/report/page/sections.h"

namespace chronoveil::report {
namespace {

bool is_noisy(const BacktestedRow& row) { return row.epsilon && *row.epsilon > 0 && std::isfinite(*row.epsilon); }

std::string epsilon_words(const BacktestedRow& row) {
  if (!row.epsilon) return "baseline";
  if (*row.epsilon == 0) return "0: no data";
  return is_noisy(row) ? rounded(*row.epsilon) : "not private";
}

// Where most seeds end up: two standard deviations to either side. A single seed tells nothing about that.
struct Bounds {
  double lower = 0, upper = 0;
};
std::optional<Bounds> bounds_of(const BacktestedRow& row) {
  if (row.seeds < 2 || !std::isfinite(row.mean) || !std::isfinite(row.deviation)) return std::nullopt;
  return Bounds{std::max(0.0, row.mean - 2 * row.deviation), row.mean + 2 * row.deviation};
}

std::string crps_words(const BacktestedRow& row) {
  const std::optional<Bounds> bounds = bounds_of(row);
  return bounds ? between_words(row.mean, bounds->lower, bounds->upper) : rounded(row.mean) + ", of one seed";
}

// The baseline with the least CRPS; null if there is none.
const BacktestedRow* better_baseline(const Backtested& backtested) {
  const BacktestedRow* best = nullptr;
  for (const BacktestedRow& row : backtested.rows)
    if (!row.epsilon && std::isfinite(row.mean) && (!best || row.mean < best->mean)) best = &row;
  return best;
}

// "less", "more", or that it cannot be told.
std::string against_words(const BacktestedRow& row, const BacktestedRow& baseline) {
  const std::optional<Bounds> bounds = bounds_of(row);
  if (bounds && bounds->upper < baseline.mean) return "less";
  if (bounds && bounds->lower > baseline.mean) return "more";
  return "cannot be told";
}

// Each model at its greatest ε.
std::vector<const BacktestedRow*> best_of(const Backtested& backtested) {
  std::map<std::string, const BacktestedRow*> models;
  for (const BacktestedRow& row : backtested.rows) {
    if (!is_noisy(row) || !std::isfinite(row.mean)) continue;
    const BacktestedRow*& best = models[row.model];
    if (!best || *row.epsilon > *best->epsilon) best = &row;
  }
  std::vector<const BacktestedRow*> all;
  for (const auto& [model, row] : models) all.push_back(row);
  return all;
}

// Whether a model is worth its ε, where that is not a clear yes for any of them.
std::string informative_words(const std::vector<const BacktestedRow*>& best, const BacktestedRow& baseline) {
  bool unclear = false;
  for (const BacktestedRow* row : best) {
    const std::string found = against_words(*row, baseline);
    if (found == "less") return "";
    unclear = unclear || found != "more";
  }
  if (!unclear) return "<p class=\"notice\">No model is better than the better baseline.</p>\n";
  return "<p class=\"notice\"><b>Nothing here is informative</b> about whether a model is worth its ε: none is clearly "
         "better than the better baseline.</p>\n";
}

std::string lead(const Backtested& backtested) {
  const std::vector<const BacktestedRow*> best = best_of(backtested);
  if (best.empty()) return "";
  const BacktestedRow* baseline = better_baseline(backtested);
  std::string out = "<section class=\"lead\" aria-label=\"The result\">\n<div id=\"result\">\n";
  if (best.size() == 1) {
    out += fmt::format("<p class=\"newest\">{} at ε = {}: CRPS {}</p>\n", escaped(best[0]->model),
                       rounded(*best[0]->epsilon), crps_words(*best[0]));
  } else {
    Table table{.head = {"Model", "ε", "CRPS", "Against the baseline", "Between"}, .rows = {}};
    for (const BacktestedRow* row : best) {
      const std::optional<Bounds> bounds = bounds_of(*row);
      table.rows.push_back({escaped(row->model), rounded(*row->epsilon), rounded(row->mean),
                            baseline ? against_words(*row, *baseline) : "–",
                            bounds ? fmt::format("{} and {}", rounded(bounds->lower), rounded(bounds->upper)) : "–"});
    }
    out += "<p class=\"newest\">Each model at its greatest ε</p>\n" + to_html(table);
  }
  if (baseline) {
    out += fmt::format("<p>The better baseline, {}: {}.", escaped(baseline->model), rounded(baseline->mean));
    if (best.size() == 1) {
      const std::string found = against_words(*best[0], *baseline);
      out += found == "cannot be told" ? " Whether the model has less cannot be told."
                                       : fmt::format(" The model has {}.", found);
    }
    out += "</p>\n";
  }
  out += "</div>\n<div id=\"sure\">\n";
  if (baseline) out += informative_words(best, *baseline);
  return out +
         "<p>Bounds are two standard deviations of the seeds to either side: they cover the chance in training, not "
         "which series and steps were held back.</p>\n</div>\n</section>\n";
}

Table table_of(const Backtested& backtested) {
  Table table{.head = {"Model", "ε", "CRPS"}, .rows = {}, .text_columns = 2};
  const bool repeated = std::any_of(backtested.rows.begin(), backtested.rows.end(),
                                    [](const BacktestedRow& row) { return row.seeds > 1; });
  if (repeated) table.head.emplace_back("± over seeds");
  table.head.insert(table.head.end(), {"Noise", "Steps"});
  for (const BacktestedRow& row : backtested.rows) {
    std::vector<std::string>& cells =
        table.rows.emplace_back(std::vector{escaped(row.model), epsilon_words(row), rounded(row.mean, kTableDigits)});
    if (repeated) cells.push_back(row.seeds > 1 ? rounded(row.deviation, 2) : "");
    cells.push_back(is_noisy(row) ? rounded(row.noise_multiplier) : "");
    cells.push_back(row.steps > 0 ? grouped(row.steps) : "");
  }
  return table;
}

// CRPS by ε, one small figure per model, with the better baseline as a line across.
std::string figures(const Backtested& backtested) {
  std::map<std::string, std::vector<const BacktestedRow*>> models;
  std::map<std::string, double> without_noise;
  double worst = 0, most = 0, least = INFINITY;
  for (const BacktestedRow& row : backtested.rows) {
    if (!std::isfinite(row.mean)) continue;
    worst = std::max(worst, row.mean);
    if (row.epsilon && std::isinf(*row.epsilon)) without_noise[row.model] = row.mean;
    if (!is_noisy(row)) continue;
    if (const std::optional<Bounds> bounds = bounds_of(row)) worst = std::max(worst, bounds->upper);
    models[row.model].push_back(&row);
    most = std::max(most, *row.epsilon);
    least = std::min(least, *row.epsilon);
  }
  if (models.empty()) return "";
  const BacktestedRow* baseline = better_baseline(backtested);
  const Scale up = nice_scale(0, worst, 4);
  const double low = std::log2(least) - 0.5, high = std::log2(most) + 0.5;
  const bool banded = std::any_of(backtested.rows.begin(), backtested.rows.end(), bounds_of);
  std::string out = "<p class=\"legend\">" + legend_entry("line", "M0 6h22", "by ε");
  if (banded) out += legend_entry("band", "M0 0h22v12h-22z", "two standard deviations of the seeds");
  if (baseline) out += legend_entry("truth", "M0 6h22", "the better baseline");
  out += std::string("</p>\n<div class=\"charts") + (models.size() > 1 ? " many" : "") + "\">\n";
  std::size_t number = 0;
  for (auto& [model, rows] : models) {
    std::sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) { return *a->epsilon < *b->epsilon; });
    std::vector<Point> points, upper, lower;
    std::vector<Tick> ticks;
    std::vector<std::pair<double, std::string>> words;
    for (const BacktestedRow* row : rows) {
      const double across = (std::log2(*row->epsilon) - low) / (high - low);
      points.push_back({across, up.position(row->mean)});
      const Bounds bounds = bounds_of(*row).value_or(Bounds{NAN, NAN});
      upper.push_back({across, height_of(up, bounds.upper)});
      lower.push_back({across, height_of(up, bounds.lower)});
      ticks.push_back({across, rounded(*row->epsilon), true});
      words.emplace_back(across, fmt::format("ε = {}: {}", rounded(*row->epsilon), crps_words(*row)));
    }
    std::vector<Point> level;
    if (baseline) level = {{0, up.position(baseline->mean)}, {1, up.position(baseline->mean)}};
    out += to_html(Frame{
        .id = "b" + std::to_string(number++),
        .title = model,
        .note = "CRPS by ε; less is better" +
                (without_noise.contains(model) ? ", " + rounded(without_noise[model]) + " without noise" : ""),
        .description =
            fmt::format("From {} at ε = {} to {} at ε = {}.", rounded(rows.front()->mean),
                        rounded(*rows.front()->epsilon), rounded(rows.back()->mean), rounded(*rows.back()->epsilon)),
        .across = ticks,
        .up = ticks_of(up),
        .drawing = path_of("band", area_between(upper, lower)) + path_of("truth", line_through(level)) +
                   path_of("line", line_through(points)) + path_of("dots", dots_at(points)),
        .large = models.size() == 1,
        .across_title = fmt::format("ε at δ = {}, by powers of two", rounded(backtested.delta)),
        .up_title = "CRPS",
        .marks = marks_at(words)});
  }
  return out + "</div>\n";
}

}  // namespace

std::string to_html(const Backtested& backtested, const std::string& csv) {
  Page page{.title = backtested.title,
            .banner = "Internal. Computed from the data without noise; for the owner of the data alone.",
            .watermark = "internal",
            .body = ""};
  page.body = fmt::format(
      "<h1>{}</h1>\n<p class=\"sub\">{} forecasts of {} steps, from {} series. The last {} steps of each were held "
      "back.</p>\n",
      escaped(backtested.title), grouped(backtested.windows), grouped(backtested.forecast_length),
      grouped(backtested.series), grouped(backtested.held_back));
  page.body += lead(backtested);
  page.body +=
      section("How good the forecasts were",
              figures(backtested) + to_html(table_of(backtested)) +
                  fmt::format("<p class=\"quiet\">CRPS: the mean weighted quantile loss at 0.1 to 0.9, less is "
                              "better. Budgets are at δ = {}. Baselines use a season of {}.</p>\n",
                              rounded(backtested.delta),
                              backtested.season == 1 ? "1 step" : grouped(backtested.season) + " steps") +
                  csv_note(csv));
  page.body += footer();
  return to_html(page);
}

}  // namespace chronoveil::report
