#include "chronoveil/report/forecast/forecasted.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "chronoveil/report/draw/fan_chart.h"
#include "chronoveil/report/series/charts.h"
#include "report/forecasted_sample.h"
#include "report/page_checks.h"

namespace chronoveil::report {
namespace {

using json = nlohmann::json;
using testing::flaw;
using testing::forecast_sample;
using testing::has;
using testing::kEvil;
using testing::kEvilEscaped;
using testing::misnested;
using testing::private_forecast_sample;
using testing::times;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    all.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

// One series of two steps ahead whose quantiles are 1, ..., 9 and 0.1 as a float.
Forecasted small(const std::string& key, const std::string& channel = "") {
  Forecasted all = forecast_sample(1);
  all.axis = testing::hours(3);
  all.past = 1;
  ForecastSeries& series = all.series[0];
  series.key = key;
  series.channel = channel;
  series.history = {5};
  series.quantiles = {{1, 2, 3, 4, 5, 6, 7, 8, 9}, std::vector<double>(9, static_cast<double>(0.1F))};
  return all;
}

// Seeded: the history as well.
Forecasted marked() {
  Forecasted all = private_forecast_sample(2);
  all.mark = "seeded: not private";
  all.input->guarantee.definition = all.mark;
  all.input->guarantee.epsilon = kInfinity;
  all.input->guarantee.delta = 1;
  all.input->debit.reset();
  all.input->budget.reset();
  return all;
}

// A model without a promise, asked about a history that was paid for.
Forecasted by_marked_model(Forecasted all) {
  all.mark = all.model.mark = "seeded: not private";
  all.model.guarantee.epsilon = kInfinity;
  all.model.debit.reset();
  return all;
}

// Gaps in the past, quantiles that are none, a series shorter than the others.
Forecasted odd() {
  Forecasted all = forecast_sample(4);
  all.series[0].history[3] = all.series[0].history.back() = std::nan("");
  all.series[0].quantiles[5].assign(9, std::nan(""));
  all.series[0].quantiles[23][8] = kInfinity;
  all.series[1].history.assign(48, std::nan(""));
  all.series[2].history.assign(3, 7.0);
  all.series[3].history.clear();
  for (std::vector<double>& quantiles : all.series[3].quantiles) quantiles.assign(9, std::nan(""));
  return all;
}

std::vector<std::string> pages() {
  std::vector<std::string> all;
  for (const Forecasted& forecasted : {forecast_sample(1), forecast_sample(3), forecast_sample(40),
                                       private_forecast_sample(1), private_forecast_sample(5), marked(),
                                       by_marked_model(forecast_sample(1)), odd(), small("a", "b"), Forecasted{}})
    all.push_back(to_html(forecasted));
  return all;
}

TEST(ForecastCsv, OneSeriesWithoutANameHasNoColumnOfSeries) {
  EXPECT_EQ(forecast_csv(small("")),
            "time,q10,q20,q30,q40,q50,q60,q70,q80,q90\n"
            "2026-03-01T01:00:00+02:00,1,2,3,4,5,6,7,8,9\n"
            "2026-03-01T02:00:00+02:00,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1\n");
}

TEST(ForecastCsv, ANamedSeriesStandsInFrontOfItsTimes) {
  const std::vector<std::string> lines = lines_of(forecast_csv(forecast_sample(2)));
  ASSERT_EQ(lines.size(), 1 + 2 * 24u);
  EXPECT_EQ(lines[0], "series,time,q10,q20,q30,q40,q50,q60,q70,q80,q90");
  EXPECT_TRUE(lines[1].starts_with("m0,2026-03-03T00:00:00+02:00,"));
  EXPECT_TRUE(lines[24].starts_with("m0,2026-03-03T23:00:00+02:00,"));
  EXPECT_TRUE(lines[25].starts_with("m1,2026-03-03T00:00:00+02:00,"));
}

TEST(ForecastCsv, AChannelStandsBehindItsKey) {
  EXPECT_EQ(lines_of(forecast_csv(small("north", "load")))[1],
            "north/load,2026-03-01T01:00:00+02:00,1,2,3,4,5,6,7,8,9");
  EXPECT_EQ(lines_of(forecast_csv(small("", "load")))[1], "load,2026-03-01T01:00:00+02:00,1,2,3,4,5,6,7,8,9");
}

TEST(ForecastCsv, KeysAreQuotedWhereTheyMustBe) {
  EXPECT_TRUE(lines_of(forecast_csv(small("a,\"b\"")))[1].starts_with("\"a,\"\"b\"\"\",2026-"));
}

TEST(ForecastCsv, WhatIsMarkedSaysSoInEveryRow) {
  Forecasted all = small("m");
  all.mark = "seeded: not private";
  const std::vector<std::string> lines = lines_of(forecast_csv(all));
  EXPECT_EQ(lines[0], "series,time,q10,q20,q30,q40,q50,q60,q70,q80,q90,mark");
  for (std::size_t i = 1; i < lines.size(); ++i) EXPECT_TRUE(lines[i].ends_with(",seeded: not private"));
  all.series[0].paths = {{1, 2}};
  EXPECT_EQ(paths_csv(all),
            "series,path,time,value,mark\nm,0,2026-03-01T01:00:00+02:00,1,seeded: not private\n"
            "m,0,2026-03-01T02:00:00+02:00,2,seeded: not private\n");
}

TEST(ForecastCsv, NumbersReadBackAsTheSameFloatAndDoublesStayWhole) {
  Forecasted all = small("");
  const double third = 1.0 / 3;
  const float awkward = -66.404793F;
  all.series[0].quantiles[0] = {static_cast<double>(awkward), third, 1e-40, 16'777'216, 0, -0.0, 1e30, 0.5, 2};
  const std::string row = lines_of(forecast_csv(all))[1];
  EXPECT_TRUE(row.starts_with("2026-03-01T01:00:00+02:00,-66.40479,0.3333333333333333,1e-40,16777216,0,-0,")) << row;
  EXPECT_EQ(std::strtof("-66.40479", nullptr), awkward);
}

TEST(ForecastCsv, PathsAreCountedFromZero) {
  Forecasted all = small("");
  all.series[0].paths = {{1.5, 2.5}, {static_cast<double>(0.1F), -4}};
  EXPECT_EQ(paths_csv(all),
            "path,time,value\n0,2026-03-01T01:00:00+02:00,1.5\n0,2026-03-01T02:00:00+02:00,2.5\n"
            "1,2026-03-01T01:00:00+02:00,0.1\n1,2026-03-01T02:00:00+02:00,-4\n");
  EXPECT_EQ(paths_csv(small("")), "path,time,value\n");
}

TEST(ForecastJson, HoldsModelTimesLevelsAndQuantiles) {
  const json all = json::parse(to_json(forecast_sample(2)));
  EXPECT_EQ(all["title"], "Load of tomorrow");
  EXPECT_FALSE(all.contains("mark"));
  EXPECT_EQ(all["model"]["name"], "deepar");
  EXPECT_EQ(all["model"]["parameters"], 24'923);
  EXPECT_EQ(all["model"]["guarantee"]["epsilon"], 0.99996);
  EXPECT_EQ(all["model"]["guarantee"]["relation"], "replace_values");
  EXPECT_EQ(all["model"]["guarantee"]["not_protected"], json::array({"Tuning on the data is not covered."}));
  EXPECT_EQ(all["model"]["debit"]["id"], "households:3");
  EXPECT_EQ(all["zone"], "Africa/Cairo");
  EXPECT_EQ(all["times"].size(), 24u);
  EXPECT_EQ(all["times"][0], "2026-03-03T00:00:00+02:00");
  EXPECT_EQ(all["levels"], (json{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}));
  ASSERT_EQ(all["series"].size(), 2u);
  EXPECT_EQ(all["series"][1]["series"], "m1");
  EXPECT_FALSE(all["series"][1].contains("channel"));
  EXPECT_FALSE(all["series"][1].contains("paths"));
  EXPECT_EQ(all["series"][1]["quantiles"][23][8], testing::quantile_at(1, 48, 23, 8));
  EXPECT_TRUE(all["software"].is_object());
}

TEST(ForecastJson, TheHistoryItselfIsNotInIt) {
  Forecasted all = forecast_sample(1);
  all.series[0].history.assign(48, 987654.25);
  EXPECT_FALSE(has(to_json(all), "987654"));
  EXPECT_FALSE(has(forecast_csv(all), "987654"));
}

TEST(ForecastJson, WithoutNoiseOnTheHistoryThereIsNoPromiseAndNoDebitForIt) {
  const json all = json::parse(to_json(forecast_sample(1)));
  EXPECT_TRUE(all["input"].is_null());
  EXPECT_TRUE(all["debit"].is_null());
  EXPECT_FALSE(all.contains("budget"));
}

TEST(ForecastJson, APrivateHistoryHasItsOwnPromiseAndItsDebitWhereEveryReleaseHasOne) {
  const json all = json::parse(to_json(private_forecast_sample(1)));
  EXPECT_EQ(all["debit"], (json{{"id", "visitors:9"}, {"chain_head", std::string(64, 'b')}}));
  EXPECT_EQ(all["budget"]["dataset"], "visitors");
  EXPECT_EQ(all["input"]["guarantee"]["epsilon"], 3.9991);
  EXPECT_EQ(all["input"]["guarantee"]["not_protected"], json::array({"When the history ends is public."}));
  EXPECT_EQ(all["input"]["rate"], 0.5);
  EXPECT_EQ(all["input"]["noise"], 1250);
  EXPECT_EQ(all["input"]["event"]["event"], "time_subsampling");
  EXPECT_EQ(all["model"]["debit"]["id"], "households:3");
}

TEST(ForecastJson, WhatIsNotFiniteIsNullWithAReason) {
  const json all = json::parse(to_json(marked()));
  EXPECT_EQ(all["mark"], "seeded: not private");
  EXPECT_TRUE(all["input"]["guarantee"]["epsilon"].is_null());
  EXPECT_EQ(all["input"]["guarantee"]["reason"], "seeded: not private");
  EXPECT_TRUE(all["debit"].is_null());
  EXPECT_TRUE(json::parse(to_json(odd()))["series"][0]["quantiles"][23][8].is_null());
}

TEST(ForecastJson, ChannelsAndPathsAreThereWhereThereAreSome) {
  Forecasted all = small("north", "load");
  all.series[0].paths = {{1, 2}, {3, 4}};
  const json one = json::parse(to_json(all))["series"][0];
  EXPECT_EQ(one["series"], "north");
  EXPECT_EQ(one["channel"], "load");
  EXPECT_EQ(one["paths"], (json{{1.0, 2.0}, {3.0, 4.0}}));
}

TEST(ForecastPage, IsWellFormedAndNeedsNothingFromElsewhere) {
  for (const std::string& html : pages()) EXPECT_EQ(flaw(html), "");
}

TEST(ForecastPage, DrawsNothingOutsideItsFrames) {
  for (const std::string& html : pages()) {
    const std::regex point("[ML](-?[0-9]+) (-?[0-9]+)");
    for (std::sregex_iterator at(html.begin(), html.end(), point), end; at != end; ++at) {
      EXPECT_LE(std::abs(std::stoll((*at)[1])), 2000);
      EXPECT_LE(std::abs(std::stoll((*at)[2])), 1000);
    }
  }
}

TEST(ForecastPage, WhatComesFromOutsideIsEscapedEverywhere) {
  Forecasted all = private_forecast_sample(2);
  all.title = all.model.name = all.model.dataset = kEvil;
  all.series[0].key = all.series[1].channel = kEvil;
  all.model.debit->id.dataset = all.input->debit->id.dataset = all.input->debit->chain_head = kEvil;
  all.input->budget->dataset = all.input->budget->still_admits = kEvil;
  all.input->guarantee.assumptions = {{kEvil, Basis::declared}};
  all.input->not_protected = {kEvil};
  for (const bool is_marked : {false, true}) {
    all.mark = all.model.mark = is_marked ? kEvil : "";
    for (const bool is_private : {true, false}) {
      if (!is_private) all.input.reset();
      const std::string html = to_html(all);
      EXPECT_FALSE(has(html, "<img"));
      EXPECT_TRUE(has(html, "<b>" + kEvilEscaped + "</b>"));
      EXPECT_TRUE(has(html, "<b>m1/&lt;img src=x"));
      EXPECT_EQ(misnested(html), "");
    }
    all.input = private_forecast_sample(1).input;
  }
}

TEST(ForecastPage, SaysFirstThatTheHistoryIsNotProtected) {
  const std::string html = to_html(forecast_sample(3));
  const std::size_t notice = html.find("<p class=\"notice\"><b>The history is not protected.</b>");
  ASSERT_NE(notice, std::string::npos);
  EXPECT_LT(notice, html.find("<figure"));
  EXPECT_TRUE(has(html, "Whoever may not see the history may not see this page."));
  EXPECT_LT(html.find("id=\"result\""), html.find("id=\"sure\""));
  EXPECT_LT(html.find("id=\"sure\""), notice);
  EXPECT_TRUE(has(html,
                  "<div id=\"fact-history\" class=\"notice\"><dt>Forecast from</dt> <dd><b>The history is not "
                  "protected.</b> <code>--private</code>"));
  EXPECT_TRUE(
      has(html, "Protected, by the model itself: ε = 1, δ = 1e-7, unit <code>event</code>, dataset households."));
  EXPECT_FALSE(has(html, "The promise in full"));
  EXPECT_FALSE(has(html, "Budget and proof"));
}

TEST(ForecastPage, APrivateHistoryHasItsPromiseAndItsBudget) {
  const std::string html = to_html(private_forecast_sample(3));
  EXPECT_FALSE(has(html, "not protected."));
  for (const char* text :
       {"The history is protected: ε = 4, δ = 1e-6, unit <code>event</code>.", "kept with probability 0.5",
        "standard deviation of 1,250", "<h2>The promise in full</h2>", "Values are clamped to public bounds.",
        "<li>When the history ends is public.</li>", "51.2 % of the budget is left", "visitors:9", "households:3"})
    EXPECT_TRUE(has(html, text)) << text;
  EXPECT_FALSE(has(html, "class=\"notice\""));
  EXPECT_FALSE(has(html, "class=\"banner\""));
}

TEST(ForecastPage, WhatIsNotPrivateSaysSo) {
  const std::string html = to_html(marked());
  EXPECT_TRUE(has(html, "<div class=\"banner\" role=\"alert\">seeded: not private. For tests only; do not publish."));
  EXPECT_TRUE(has(html, "<b>The history is not protected:</b> seeded: not private."));
  EXPECT_TRUE(has(html, "There is none: seeded: not private."));
  EXPECT_FALSE(has(html, "The promise is differential privacy"));
}

TEST(ForecastPage, AModelWithoutAPromiseTakesNothingFromTheHistorys) {
  const std::string html = to_html(by_marked_model(private_forecast_sample(1)));
  EXPECT_TRUE(has(html, "class=\"banner\""));
  EXPECT_TRUE(has(html, "<b>Not protected</b> are the series of the dataset households: seeded: not private."));
  EXPECT_TRUE(has(html, "The history is protected: ε = 4"));
  EXPECT_FALSE(has(html, "by the model itself"));
}

TEST(ForecastPage, ASeriesHasAFanChartUpToTheMostThatAreDrawn) {
  EXPECT_EQ(times(to_html(forecast_sample(1)), "<figure class=\"chart large\">"), 1u);
  EXPECT_EQ(times(to_html(forecast_sample(5)), "<figure class=\"chart\">"), 5u);
  EXPECT_FALSE(has(to_html(forecast_sample(kMostCharts)), "The first"));
  const std::string html = to_html(forecast_sample(40));
  EXPECT_EQ(times(html, "<figure class=\"chart\">"), kMostCharts);
  EXPECT_TRUE(has(html, "The first 12 of 40; the CSV has all of them."));
  EXPECT_TRUE(has(html, "40 series, 24 hours: Tue 3 Mar 2026."));
}

TEST(FanChart, BandsOpenAtTheLastValueOfThePast) {
  Forecasted all = small("");
  // Three slots: the past in the middle of the first, 5 of 0 to 10 high. Then quantiles of 1 to 9, and of 0.1.
  const std::string chart = fan_chart(all, all.series[0], 0, true);
  EXPECT_EQ(times(chart, "<path class=\"band\""), 4u);
  EXPECT_TRUE(has(chart, "<path class=\"band\" d=\"M333 500l667 -400l667 890l0 0l-667 -90l-667 -400z\"/>")) << chart;
  EXPECT_TRUE(has(chart, "<path class=\"band\" d=\"M333 500l667 -100l667 590l0 0l-667 -390l-667 -100z\"/>"));
  EXPECT_TRUE(has(chart, "<path class=\"line\" d=\"M333 500l667 0l667 490\"/>"));
  EXPECT_TRUE(has(chart, "next: 5, with 8 in 10 chances between 1 and 9"));
  all.series[0].history = {std::nan("")};
  const std::string closed = fan_chart(all, all.series[0], 0, true);
  EXPECT_TRUE(has(closed, "<path class=\"band\" d=\"M1000 100l667 890l0 0l-667 -90z\"/>"));
  EXPECT_TRUE(has(closed, "<path class=\"line\" d=\"M1000 500l667 490\"/>"));
}

TEST(FanChart, AStepWithoutQuantilesIsAGap) {
  Forecasted all = forecast_sample(1);
  const auto ends = [&] {
    const std::string chart = fan_chart(all, all.series[0], 0, true);
    const std::size_t at = chart.find("<path class=\"band\"");
    return times(chart.substr(at, chart.find("/>", at) - at), "z");
  };
  EXPECT_EQ(ends(), 1u);
  all.series[0].quantiles[5][0] = std::nan("");
  EXPECT_EQ(ends(), 2u);
  all.series[0].quantiles[23][8] = kInfinity;
  EXPECT_EQ(ends(), 2u);
  all.series[0].quantiles[0][4] = kInfinity;
  EXPECT_EQ(ends(), 2u);
}

TEST(FanChart, NothingToDrawIsNoChart) {
  Forecasted all = odd();
  EXPECT_EQ(fan_chart(all, all.series[3], 0, false), "");
  EXPECT_EQ(fan_chart(all, ForecastSeries{}, 0, false), "");
}

TEST(FanChart, ALongPastIsDrawnFromItsEnd) {
  Forecasted all = forecast_sample(1);
  all.axis = testing::hours(1024);
  all.past = 1000;
  all.series[0].history.assign(1000, 1.0);
  const std::string chart = fan_chart(all, all.series[0], 0, true);
  const std::size_t at = chart.find(" d=", chart.find("<path class=\"truth\""));
  EXPECT_EQ(times(chart.substr(at, chart.find("/>", at) - at), "l"), 399u);
  EXPECT_EQ(times(chart, "<input"), 60u + 24u) << "a stretch of the past has one mark";
  EXPECT_EQ(times(chart, ": values from 1 to 1</span>"), 60u);
}

TEST(FanChart, HasAxesValuesAndNumbers) {
  Forecasted all = small("");
  all.series[0].measure = "load <kW>";
  const std::string chart = fan_chart(all, all.series[0], 0, true, "<p>the file</p>");
  EXPECT_TRUE(has(chart, "<p class=\"axis\">load &lt;kW&gt;</p>"));
  EXPECT_TRUE(has(chart, "<p class=\"axis across\">Time (" + all.axis.zone + ")</p>"));
  EXPECT_EQ(times(chart, "<input type=\"radio\" name=\"f0\">"), 3u);
  EXPECT_TRUE(has(chart, ": 5</span>")) << "what was read";
  EXPECT_TRUE(has(chart, ": 5, with 8 in 10 chances between 1 and 9</span>"));
  EXPECT_TRUE(has(chart, "<td class=\"n\">5</td><td class=\"n\">1</td><td class=\"n\">9</td>"));
  EXPECT_TRUE(has(chart, "<th scope=\"col\">Read by the model, the newest first</th>"));
  EXPECT_TRUE(has(chart, "<p>the file</p></details>"));
  all.series[0].history = {std::nan("")};
  EXPECT_TRUE(has(fan_chart(all, all.series[0], 0, true), ": missing</span>"));
}

TEST(ForecastPage, LeadsWithTheNextStepAndSaysWhatCannotBeReadFromIt) {
  const std::string html = to_html(forecast_sample(1));
  EXPECT_TRUE(has(html,
                  "<p class=\"newest\">Tuesday 3 March 2026, 00:00 to 01:00: 0, with 8 in 10 chances between -32 "
                  "and 32</p>"));
  EXPECT_FALSE(has(html, "informative"));
  EXPECT_TRUE(has(to_html(forecast_sample(3)), "<td>m2</td><td class=\"n\">0</td><td class=\"n\">-32 and 32</td>"));
  Forecasted flat = forecast_sample(1);
  for (std::vector<double>& quantiles : flat.series[0].quantiles) quantiles = {8, 9, 9, 9, 10, 11, 11, 11, 12};
  EXPECT_TRUE(has(to_html(flat), "no rise, fall or maximum can be read from them"));
  for (std::vector<double>& quantiles : flat.series[0].quantiles) quantiles = {-8, 0, 0, 0, 10, 11, 11, 11, 22};
  EXPECT_TRUE(has(to_html(flat), "<b>Nothing here is informative.</b>"));
}

TEST(ForecastPage, LinksToTheCsvByTheNameThatItGetsThen) {
  const std::string html = to_html(forecast_sample(2));
  EXPECT_FALSE(has(html, "href=\"./"));
  const std::string linked = with_csv(html, "a<b.csv");
  EXPECT_EQ(times(linked, "<a href=\"./a%3Cb.csv\">a&lt;b.csv</a>"), 3u);
  EXPECT_FALSE(has(linked, "<!-- "));
  EXPECT_EQ(times(with_csv(html, ""), "<a "), 0u);
}

}  // namespace
}  // namespace chronoveil::report
