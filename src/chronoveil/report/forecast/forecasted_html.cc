#include <fmt/format.h>

#include <algorithm>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/report/document/intervals.h"
#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/draw/fan_chart.h"
#include "chronoveil/report/forecast/forecasted.h"
#include "chronoveil/report/forecast/forecasted_parts.h"
#include "chronoveil/report/page/csv_link.h"
#include "chronoveil/report/page/markup.h"
#include "chronoveil/report/page/page.h"
#include "chronoveil/report/page/sections.h"
#include "chronoveil/report/series/charts.h"

namespace chronoveil::report {
namespace {

// Where links to the CSV go. No text of a page has a < in it, so this stands nowhere else.
constexpr std::string_view kCsvPlace = "<!-- the CSV -->";

std::string header(const Forecasted& forecasted) {
  const SlotAxis future = part_of(forecasted.axis, forecasted.past);
  const SlotWords slots = slot_words(future);
  return fmt::format("<h1>{}</h1>\n<p class=\"sub\">{} series, {} {}: {}.</p>\n", escaped(forecasted.title),
                     grouped(static_cast<std::int64_t>(forecasted.series.size())),
                     grouped(static_cast<std::int64_t>(future.labels.size())),
                     future.labels.size() == 1 ? slots.one : slots.many, escaped(span_words(future)));
}

// The next step of each series.
std::string next_words(const Forecasted& forecasted) {
  const std::string slot = escaped(slot_phrase(forecasted.axis, forecasted.past));
  const std::vector<ForecastSeries>& all = forecasted.series;
  if (all.size() == 1)
    return fmt::format("<p class=\"newest\">{}: {}</p>\n", slot, escaped(chance_words(all.front().quantiles.front())));
  const std::size_t shown = std::min(all.size(), kMostCharts);
  Table table{.head = {"Series", "Median", "8 in 10 chances between"}, .rows = {}};
  for (std::size_t i = 0; i < shown; ++i) {
    const std::vector<double>& next = all[i].quantiles.front();
    table.rows.push_back({escaped(label_of(all[i])), rounded(next[kMedian]),
                          fmt::format("{} and {}", rounded(next.front()), rounded(next.back()))});
  }
  return fmt::format("<p class=\"newest\">{}</p>\n", slot) + newest_table("forecast", table, all.size());
}

// What can be read from the forecasts at all.
std::string informative_words(const Forecasted& forecasted) {
  bool nothing = true, differ = false;
  for (const ForecastSeries& series : forecasted.series) {
    std::vector<double> median, lower, upper;
    for (const std::vector<double>& quantiles : series.quantiles) {
      if (!is_finite(quantiles)) continue;
      median.push_back(quantiles[kMedian]);
      lower.push_back(quantiles.front());
      upper.push_back(quantiles.back());
    }
    nothing = nothing && uninformative(median, lower, upper);
    differ = differ || some_differ(lower, upper);
  }
  if (nothing)
    return "<p class=\"notice\"><b>Nothing here is informative.</b> The bands are as wide as the values "
           "themselves.</p>\n";
  if (!differ && forecasted.series.front().quantiles.size() > 1)
    return "<p class=\"notice\">The forecasts over time do not differ by more than their bands: no rise, fall or "
           "maximum can be read from them.</p>\n";
  return "";
}

bool has_steps(const Forecasted& forecasted) {
  return !forecasted.series.empty() &&
         std::all_of(forecasted.series.begin(), forecasted.series.end(),
                     [](const ForecastSeries& series) { return !series.quantiles.empty(); });
}

std::string lead(const Forecasted& forecasted) {
  std::string out = "<section class=\"lead\" aria-label=\"The result\">\n";
  if (has_steps(forecasted))
    out += "<div id=\"result\">\n" + next_words(forecasted) + "</div>\n<div id=\"sure\">\n" +
           informative_words(forecasted) +
           "<p>The chances are the model's own: if it is right, 8 of 10 values come to lie between the two bounds. "
           "How often they really do, a backtest shows.</p>\n</div>\n";
  if (forecasted.input && forecasted.input->is_mostly_noise())
    out += fmt::format(
        "<p class=\"notice\"><b>The forecast is mostly noise.</b> What the model read has noise with a standard "
        "deviation of {}, {} times the width of the bounds of values. Less noise takes a larger ε, fewer steps per "
        "person, or narrower bounds.</p>\n",
        rounded(forecasted.input->noise), rounded(forecasted.input->noise_in_widths()));
  if (!forecasted.input && !forecasted.released)
    out +=
        "<p class=\"notice\"><b>The history is not protected.</b> The forecast follows from it, and this page shows "
        "it. "
        "Whoever may not see the history may not see this page.</p>\n";
  return out + "</section>\n";
}

std::string charts(const Forecasted& forecasted) {
  const std::size_t shown = std::min(forecasted.series.size(), kMostCharts);
  std::string out =
      legend_of(fan_legend()) + (shown > 1 ? "<div class=\"charts many\">\n" : "<div class=\"charts\">\n");
  for (std::size_t i = 0; i < shown; ++i)
    out += "<div>" + fan_chart(forecasted, forecasted.series[i], i, shown == 1, std::string(kCsvPlace)) + "</div>\n";
  out += "</div>\n";
  if (shown < forecasted.series.size())
    out += fmt::format("<p class=\"quiet\">The first {} of {}; the CSV has all of them.</p>\n", shown,
                       grouped(static_cast<std::int64_t>(forecasted.series.size())));
  return section("What comes next", out.append(kCsvPlace));
}

std::string strength_words(const Guarantee& guarantee) {
  return fmt::format("ε = {}, δ = {}, unit <code>{}</code>", rounded_up(guarantee.epsilon), rounded_up(guarantee.delta),
                     unit_text(guarantee));
}

// Only what a ledger paid for is a promise; a rehearsal has no debit.
bool is_promised(const Forecasted::PrivateInput& input) { return input.debit.has_value(); }

// A forecast from what was published tells nothing more of anybody.
std::string released_words(const Forecasted::ReleasedInput& released) {
  const std::string what = "the release <q>" + escaped(released.title) + "</q>";
  if (!released.mark.empty())
    return "<b>The history is not protected:</b> it is " + what + ", " + escaped(released.mark) + ".";
  return fmt::format("The history is {}, which protects: {}. Forecasting from it costs nothing more.", what,
                     strength_words(released.guarantee));
}

// Two promises that must not be taken for one another: to those the model learned from, and to those it is asked about.
std::string who_is_protected(const Forecasted& forecasted) {
  std::string out = "<dl class=\"facts\">\n";
  const auto fact = [&](const char* id, std::string_view label, bool stands_out, const std::string& html) {
    out += fmt::format("<div id=\"{}\"{}><dt>{}</dt> <dd>{}</dd></div>\n", id, stands_out ? " class=\"notice\"" : "",
                       label, html);
  };
  const ModelFacts& model = forecasted.model;
  if (model.dataset.empty())
    fact("fact-model", "Learned from", false, "Nothing: this model repeats seasons and has seen no data.");
  else if (model.mark.empty())
    fact("fact-model", "Learned from", false,
         fmt::format("Protected, by the model itself: {}, dataset {}. That holds whatever the model is used for.",
                     strength_words(model.guarantee), escaped(model.dataset)));
  else
    fact("fact-model", "Learned from", true,
         fmt::format("<b>Not protected</b> are the series of the dataset {}: {}.", escaped(model.dataset),
                     escaped(model.mark)));
  if (forecasted.released)
    fact("fact-history", "Forecast from", !forecasted.released->mark.empty(), released_words(*forecasted.released));
  else if (!forecasted.input)
    fact("fact-history", "Forecast from", true,
         "<b>The history is not protected.</b> <code>--private</code> adds noise to it first.");
  else if (!is_promised(*forecasted.input))
    fact("fact-history", "Forecast from", true,
         "<b>The history is not protected:</b> " + escaped(forecasted.mark) + ".");
  else
    fact("fact-history", "Forecast from", false,
         fmt::format("The history is protected: {}. Each step was kept with probability {} and got noise with a "
                     "standard deviation of {}; what is drawn as the past is that, with gaps filled.",
                     strength_words(forecasted.input->guarantee), rounded(forecasted.input->rate),
                     rounded(forecasted.input->noise)));
  return out + "</dl>\n";
}

bool is_network(const ModelFacts& model) { return !model.dataset.empty() && model.name != "sign_lags"; }

std::string size_words(const ModelFacts& model) {
  if (is_network(model)) return ", " + grouped(model.parameters) + " weights";
  return model.dataset.empty() ? "" : ", made of " + grouped(model.parameters) + " released integers";
}

std::string model_section(const ModelFacts& model) {
  std::string out = "<dl class=\"pairs\">\n";
  out += pair_of("Model", "<b>" + escaped(model.name) + "</b>" + size_words(model));
  out += pair_of("Reads", grouped(model.context_length) + " steps");
  out += pair_of("Forecasts", grouped(model.forecast_length) + " steps");
  if (is_network(model)) out += pair_of("Trained", grouped(model.steps) + " steps");
  if (model.debit) out += pair_of("Paid for by", "the debit <code>" + escaped(model.debit->id.text()) + "</code>");
  return folded("The model", out + "</dl>\n");
}

}  // namespace

std::string to_html(const Forecasted& forecasted) {
  Page page = page_of(forecasted.title, forecasted.mark);
  page.body = header(forecasted) + lead(forecasted) + charts(forecasted) +
              section("Who is protected", who_is_protected(forecasted)) + model_section(forecasted.model);
  if (forecasted.released)
    page.body +=
        promise_in_full(forecasted.released->guarantee, forecasted.released->mark, forecasted.released->not_protected);
  if (forecasted.input) {
    page.body += promise_in_full(forecasted.input->guarantee, is_promised(*forecasted.input) ? "" : forecasted.mark,
                                 forecasted.input->not_protected) +
                 budget_section(forecasted.input->budget, forecasted.input->debit);
  }
  page.body += footer();
  return to_html(page);
}

std::string with_csv(std::string html, const std::string& csv) {
  const std::string note = csv_note(csv);
  for (std::size_t at = 0; (at = html.find(kCsvPlace, at)) != std::string::npos; at += note.size())
    html.replace(at, kCsvPlace.size(), note);
  return html;
}

}  // namespace chronoveil::report
