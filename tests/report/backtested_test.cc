#include "chronoveil/report/forecast/backtested.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/forecasted_sample.h"
#include "report/page_checks.h"

namespace chronoveil::report {
namespace {

using json = nlohmann::json;
using testing::backtest_sample;
using testing::flaw;
using testing::has;
using testing::kEvil;
using testing::kEvilEscaped;
using testing::misnested;
using testing::times;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Backtested of_rows(std::vector<BacktestedRow> rows) {
  Backtested all = backtest_sample();
  all.rows = std::move(rows);
  return all;
}

Backtested odd() {
  Backtested all = backtest_sample();
  all.rows[0].mean = kInfinity;
  all.rows[1].mean = std::nan("");
  all.rows[2].mean = all.rows[2].deviation = std::nan("");
  return all;
}

std::vector<std::string> pages() {
  return {to_html(backtest_sample()), to_html(odd()), to_html(Backtested{}),
          to_html(of_rows({{"deepar", 1.0, 2, 10, 0, 0, 1}}))};
}

TEST(BacktestCsv, HasARowForEveryModelAndBudgetAndEachSaysThatItIsInternal) {
  const std::string mark = "internal: computed from the data without noise: for its owner alone";
  EXPECT_EQ(backtest_csv(of_rows({{"auto_ets", std::nullopt, 0, 0, 0.1875, 0, 1},
                                  {"deepar", 0.5, 8, 1500, 0.125, 0.03125, 5},
                                  {"deepar", kInfinity, 0, 1500, 0.0625, 0.015625, 5}})),
            "model,epsilon,noise_multiplier,steps,crps,deviation,seeds,mark\n"
            "auto_ets,,0,0,0.1875,0,1," +
                mark + "\n" + "deepar,0.5,8,1500,0.125,0.03125,5," + mark + "\n" +
                "deepar,inf,0,1500,0.0625,0.015625,5," + mark + "\n");
}

TEST(BacktestJson, SaysThatItIsInternal) {
  const json all = json::parse(to_json(backtest_sample()));
  EXPECT_EQ(all["internal"], "computed from the data without noise: for its owner alone");
  EXPECT_EQ(all["windows"], 1400);
  EXPECT_EQ(all["held_back"], 168);
  EXPECT_EQ(all["season"], 24);
  EXPECT_EQ(all["delta"], 1e-7);
  ASSERT_EQ(all["rows"].size(), 10u);
}

TEST(BacktestJson, BaselinesHaveNoBudgetAndTrainingWithoutNoiseSaysSo) {
  const json rows = json::parse(to_json(backtest_sample()))["rows"];
  EXPECT_EQ(rows[0],
            (json{{"model", "seasonal_naive"}, {"baseline", true}, {"crps", 0.125}, {"deviation", 0.0}, {"seeds", 1}}));
  EXPECT_EQ(rows[2], (json{{"model", "deepar"},
                           {"baseline", false},
                           {"epsilon", 0.5},
                           {"noise_multiplier", 8.0},
                           {"steps", 1500},
                           {"crps", 0.125},
                           {"deviation", 0.00390625},
                           {"seeds", 5}}));
  EXPECT_TRUE(rows[5]["epsilon"].is_null());
  EXPECT_EQ(rows[5]["reason"], "trained without noise");
  EXPECT_TRUE(json::parse(to_json(odd()))["rows"][0]["crps"].is_null());
}

TEST(BacktestPage, IsWellFormedAndNeedsNothingFromElsewhere) {
  for (const std::string& html : pages()) EXPECT_EQ(flaw(html), "");
}

TEST(BacktestPage, IsMarkedAsInternal) {
  for (const std::string& html : pages()) {
    EXPECT_TRUE(has(html, "<div class=\"banner\" role=\"alert\">Internal. Computed from the data without noise"));
    EXPECT_TRUE(has(html, "<svg class=\"watermark\""));
  }
}

TEST(BacktestPage, WhatComesFromOutsideIsEscapedEverywhere) {
  Backtested all = backtest_sample();
  all.title = all.rows[0].model = all.rows[2].model = kEvil;
  const std::string html = to_html(all);
  EXPECT_FALSE(has(html, "<img"));
  EXPECT_TRUE(has(html, "<b>" + kEvilEscaped + "</b>"));
  EXPECT_EQ(misnested(html), "");
}

TEST(BacktestPage, ShowsATableAndAFigureForEachModel) {
  const std::string html = to_html(backtest_sample());
  for (const char* text :
       {"1,400 forecasts of 24 steps, from 200 series. The last 168 steps of each were held back.",
        "<td>auto_ets</td><td>baseline</td><td class=\"n\">0.1875</td><td class=\"n\"></td><td class=\"n\"></td>",
        "<td>deepar</td><td>0.5</td><td class=\"n\">0.125</td><td class=\"n\">0.0039</td><td class=\"n\">8</td>"
        "<td class=\"n\">1,500</td>",
        "<td>deepar</td><td>not private</td><td class=\"n\">0.05469</td>", "± over seeds",
        "<td>deepar</td><td class=\"n\">8</td><td class=\"n\">0.0664</td><td class=\"n\">less</td>"
        "<td class=\"n\">0.0586 and 0.0742</td>",
        "<p class=\"axis\">CRPS</p>", "<p class=\"axis across\">ε at δ = 1e-7, by powers of two</p>",
        "<span>ε = 0.5: 0.125, between 0.117 and 0.133</span>",
        "Budgets are at δ = 1e-7. Baselines use a season of 24 steps.", "less is better, 0.0547 without noise"})
    EXPECT_TRUE(has(html, text)) << text;
  EXPECT_EQ(times(html, "<figure class=\"chart\">"), 2u);
  // ε of 0.5, 2 and 8 evenly on a scale of powers; CRPS of 0.125 of 0 to 0.2; the better baseline is as high.
  EXPECT_TRUE(
      has(html, "<path class=\"truth\" d=\"M0 375l2000 0\"/><path class=\"line\" d=\"M200 375l800 234l800 59\"/>"))
      << html;
}

TEST(BacktestPage, OneModelHasTheWholeWidthAndOneSeedNoDeviation) {
  const std::string html = to_html(of_rows({{"deepar", 1.0, 2, 10, 0.5, 0, 1}, {"deepar", 2.0, 1, 10, 0.25, 0, 1}}));
  EXPECT_TRUE(has(html, "<div class=\"charts\">\n<figure class=\"chart large\">"));
  EXPECT_FALSE(has(html, "over seeds"));
  EXPECT_FALSE(has(html, "without noise<"));
  EXPECT_TRUE(has(html, "<p class=\"newest\">deepar at ε = 2: CRPS 0.25, of one seed</p>"));
}

TEST(BacktestPage, AModelIsBetterOnlyWhereItsBoundsSaySo) {
  const auto page = [](double deviation, std::int64_t seeds) {
    return to_html(of_rows({{"naive", std::nullopt, 0, 0, 0.3, 0, 1}, {"deepar", 2.0, 1, 10, 0.25, deviation, seeds}}));
  };
  EXPECT_TRUE(has(page(0.01, 3), "The better baseline, naive: 0.3. The model has less."));
  EXPECT_FALSE(has(page(0.01, 3), "informative"));
  const std::string worse =
      to_html(of_rows({{"naive", std::nullopt, 0, 0, 0.2, 0, 1}, {"deepar", 2.0, 1, 10, 0.25, 0.01, 3}}));
  EXPECT_TRUE(has(worse, "The model has more."));
  EXPECT_TRUE(has(worse, "No model is better than the better baseline."));
  for (const std::string& html : {page(0.03, 3), page(0, 1)}) {
    EXPECT_TRUE(has(html, "Whether the model has less cannot be told."));
    EXPECT_TRUE(has(html, "<b>Nothing here is informative</b>"));
  }
}

TEST(BacktestPage, WithoutABudgetThereIsNoFigure) {
  const std::string html = to_html(of_rows({{"deepar", kInfinity, 0, 10, 0.5, 0, 1}}));
  EXPECT_FALSE(has(html, "<figure"));
  EXPECT_TRUE(has(html, "not private"));
}

}  // namespace
}  // namespace chronoveil::report
