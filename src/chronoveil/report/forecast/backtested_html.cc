#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/draw/frame.h"
#include "chronoveil/report/forecast/backtested.h"
#include "chronoveil/report/page/markup.h"
#include "chronoveil/report/page/page.h"
#include "chronoveil/report/page/sections.h"

namespace chronoveil::report {
namespace {

bool is_noisy(const BacktestedRow& row) { return row.epsilon && std::isfinite(*row.epsilon); }

std::string epsilon_words(const BacktestedRow& row) {
  if (!row.epsilon) return "baseline";
  return is_noisy(row) ? rounded(*row.epsilon) : "not private";
}

Table table_of(const Backtested& backtested) {
  Table table{.head = {"Model", "ε", "Noise", "Steps", "CRPS"}, .rows = {}, .text_columns = 2};
  const bool repeated = std::any_of(backtested.rows.begin(), backtested.rows.end(),
                                    [](const BacktestedRow& row) { return row.seeds > 1; });
  if (repeated) table.head.emplace_back("± over seeds");
  for (const BacktestedRow& row : backtested.rows) {
    table.rows.push_back({escaped(row.model), epsilon_words(row), is_noisy(row) ? rounded(row.noise_multiplier) : "",
                          row.epsilon ? grouped(row.steps) : "", rounded(row.mean, 4)});
    if (repeated) table.rows.back().push_back(row.seeds > 1 ? rounded(row.deviation, 2) : "");
  }
  return table;
}

// CRPS by ε, one small figure per model, with the better baseline as a line across.
std::string figures(const Backtested& backtested) {
  std::map<std::string, std::vector<const BacktestedRow*>> models;
  std::map<std::string, double> without_noise;
  double worst = 0, baseline = INFINITY, most = 0, least = INFINITY;
  for (const BacktestedRow& row : backtested.rows) {
    if (!std::isfinite(row.mean)) continue;
    worst = std::max(worst, row.mean);
    if (!row.epsilon) baseline = std::min(baseline, row.mean);
    if (row.epsilon && !is_noisy(row)) without_noise[row.model] = row.mean;
    if (!is_noisy(row)) continue;
    models[row.model].push_back(&row);
    most = std::max(most, *row.epsilon);
    least = std::min(least, *row.epsilon);
  }
  if (models.empty()) return "";
  const Scale up = nice_scale(0, worst, 4);
  const double low = std::log2(least) - 0.5, high = std::log2(most) + 0.5;
  const auto x = [&](double epsilon) { return (std::log2(epsilon) - low) / (high - low); };
  std::string out = "<p class=\"legend\">" + legend_entry("line", "M0 6h22", "by ε") +
                    legend_entry("truth", "M0 6h22", "the better baseline") + "</p>\n<div class=\"charts" +
                    (models.size() > 1 ? " many" : "") + "\">\n";
  std::size_t number = 0;
  for (auto& [model, rows] : models) {
    std::sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) { return *a->epsilon < *b->epsilon; });
    std::string line, dots;
    std::vector<Tick> ticks;
    for (const BacktestedRow* row : rows) {
      const int across = across_at(x(*row->epsilon)), height = up_at(up.position(row->mean));
      line += fmt::format("{}{} {}", line.empty() ? 'M' : 'L', across, height);
      dots += fmt::format("M{} {}h0", across, height);
      ticks.push_back({x(*row->epsilon), rounded(*row->epsilon), true});
    }
    std::string across_line;
    if (std::isfinite(baseline)) across_line = fmt::format("M0 {0}H{1}", up_at(up.position(baseline)), kFrameWide);
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
        .drawing = path_of("truth", across_line) + path_of("line", line) + path_of("dots", dots),
        .large = models.size() == 1});
  }
  return out + "</div>\n";
}

}  // namespace

std::string to_html(const Backtested& backtested) {
  Page page{.title = backtested.title,
            .banner = "Internal. Computed from the data without noise; for the owner of the data alone.",
            .watermark = "internal",
            .body = ""};
  page.body = fmt::format(
      "<h1>{}</h1>\n<p class=\"sub\">{} forecasts of {} steps, from {} series. The last {} steps of each were held "
      "back.</p>\n",
      escaped(backtested.title), grouped(backtested.windows), grouped(backtested.forecast_length),
      grouped(backtested.series), grouped(backtested.held_back));
  page.body +=
      section("How good the forecasts were",
              figures(backtested) + to_html(table_of(backtested)) +
                  fmt::format("<p class=\"quiet\">CRPS: the mean weighted quantile loss at 0.1 to 0.9, less is "
                              "better. Budgets are at δ = {}. Baselines use a season of {}.</p>\n",
                              rounded(backtested.delta),
                              backtested.season == 1 ? "1 step" : grouped(backtested.season) + " steps"));
  page.body += footer();
  return to_html(page);
}

}  // namespace chronoveil::report
