#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/page_checks.h"
#include "report/sample.h"

namespace chronoveil::report {
namespace {

using testing::flaw;
using testing::has;
using testing::kEvil;
using testing::kEvilEscaped;

TEST(Page, IsWellFormedAndNeedsNothingFromElsewhere) {
  for (const std::string& html : {to_html(testing::sample(3, 48)), evaluation_html(testing::evaluation(2, 48))})
    EXPECT_EQ(flaw(html), "");
}

TEST(Page, WhatComesFromOutsideIsEscapedEverywhere) {
  Published all = testing::declared_sample(2, 24);
  all.title = all.reason = all.release.axis.zone = all.release.mark = kEvil;
  all.release.keys = {kEvil, kEvil + "2"};
  all.release.guarantee.assumptions = {{kEvil, Basis::declared}};
  all.not_protected = {kEvil};
  all.plan.mechanism = kEvil;
  all.plan.parameters = {{kEvil, kEvil}};
  all.comparison->candidates[2].refusal.message = all.comparison->candidates[2].mechanism = kEvil;
  all.debit->id.dataset = all.debit->chain_head = kEvil;
  all.budget->dataset = all.budget->still_admits = kEvil;
  Evaluation evaluation = testing::evaluation(2, 24);
  evaluation.published = all;
  for (const bool marked : {true, false}) {
    if (!marked) evaluation.published.release.mark.clear();
    for (const std::string& html : {to_html(evaluation.published), evaluation_html(evaluation)}) {
      EXPECT_FALSE(has(html, "<img"));
      EXPECT_TRUE(has(html, kEvilEscaped));
    }
  }
}

TEST(Page, ShowsThePlanTheBudgetAndTheDebit) {
  const std::string html = to_html(testing::sample(3, 48));
  for (const char* text : {"Gaussian noise with a standard deviation of 19.2", "68.7 % of the budget is left",
                           "city:17", "chronoveil budget verify --against RELEASE.json", "What was compared", "14.9",
                           "event does not protect user; it protects event",
                           "Noise on every step carries the most information", "How to cite", "ε = 1", "δ = 1e-6"})
    EXPECT_TRUE(has(html, text)) << text;
  EXPECT_FALSE(has(html, "class=\"banner\""));
  EXPECT_FALSE(has(html, "If the declared cap is too low"));
}

TEST(Page, LeadsWithTheNewestValueAndItsInterval) {
  Published all = testing::sample(1, 48);
  Estimate& estimate = all.release.estimate;
  estimate.value[47] = 302, estimate.lower[47] = 290, estimate.upper[47] = 315;
  estimate.value[46] = 250, estimate.lower[46] = 240, estimate.upper[46] = 262;
  std::string html = to_html(all);
  EXPECT_TRUE(has(html, "<p class=\"newest\">Monday 2 March 2026, 23:00 to 00:00: 302, between 290 and 315</p>"));
  EXPECT_TRUE(has(html, "That is more than the hour before: 250, between 240 and 262."));
  EXPECT_LT(html.find("id=\"result\""), html.find("id=\"sure\""));
  EXPECT_LT(html.find("id=\"sure\""), html.find("id=\"fact-unit\""));
  EXPECT_LT(html.find("id=\"fact-unit\""), html.find("<section class=\"folded\">"));
  estimate.upper[46] = 290;  // the intervals touch
  html = to_html(all);
  EXPECT_FALSE(has(html, "That is more"));
  EXPECT_TRUE(has(html, "Whether that is more or less than the hour before cannot be told."));
}

TEST(Page, NamesAMaximumOnlyWhereItIsClear) {
  Published all = testing::sample(2, 48);
  EXPECT_FALSE(has(to_html(all), "highest "));  // Tuesday may be as high as Monday
  EXPECT_TRUE(has(to_html(all), "no value is clearly the highest"));
  all.release.estimate.lower[20] = all.release.estimate.value[20] = all.release.estimate.upper[20] = 5000;
  EXPECT_TRUE(has(to_html(all), "highest 5,000 on Sun 1 Mar 2026, 20:00"));
}

TEST(Page, SaysWhereNothingIsInformative) {
  Published all = testing::sample(1, 48);
  EXPECT_FALSE(has(to_html(all), "class=\"notice\""));
  for (double& value : all.release.estimate.value) value = 20;
  EXPECT_TRUE(has(to_html(all), "Nothing here is informative."));
  for (std::size_t i = 0; i < 48; ++i) all.release.estimate.lower[i] = 18, all.release.estimate.upper[i] = 22;
  EXPECT_FALSE(has(to_html(all), "Nothing here is informative."));  // the size is known, only no change
  EXPECT_TRUE(has(to_html(all), "no rise, fall or maximum can be read from them"));
}

TEST(Page, HasTheNumbersBehindEachChartAndALinkToTheFile) {
  const std::string html = to_html(testing::sample(3, 48), "a file?.csv");
  EXPECT_EQ(testing::times(html, "<summary>The numbers</summary>"), 3u);
  EXPECT_TRUE(has(html, "<a href=\"./a%20file%3F.csv\">a file?.csv</a>"));
  EXPECT_FALSE(has(to_html(testing::sample(3, 48)), "<a "));
  EXPECT_EQ(testing::times(html, "<input type=\"radio\" name=\"s0\">"), 48u);
  EXPECT_TRUE(has(html, "Count per hour"));
  EXPECT_TRUE(has(html, "Time (Africa/Cairo)"));
}

TEST(Page, KeepsEpsilonAndItsValueTogether) {
  const std::string html = to_html(testing::sample(1, 48));
  EXPECT_NE(html.find("ε\u00a0=\u00a01"), std::string::npos);
  EXPECT_EQ(html.find("ε = "), std::string::npos);
}

TEST(Picture, StandsAlone) {
  Published all = testing::sample(3, 48);
  all.release.mark = "not private: replayed";
  for (const std::string& svg : {to_svg(all), to_svg(Published{})}) {
    EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    EXPECT_EQ(testing::misnested(svg), "");
  }
  EXPECT_TRUE(has(to_svg(all), "not private: replayed"));
  EXPECT_TRUE(has(to_svg(all), "Harbour &amp; Ferry &lt;North&gt;"));
  EXPECT_EQ(testing::times(to_svg(all), "class=\"line\""), 3u);
}

TEST(Page, DeclaredCapsShowHowEpsilonGrows) {
  const std::string html = to_html(testing::declared_sample(1, 48));
  EXPECT_TRUE(has(html, "If the declared cap is too low"));
  EXPECT_TRUE(has(html, "4 times as many slots as declared</td><td class=\"n\">2.148"));  // rounded up from 2.1477
}

TEST(Page, RunningTotalsAreCalledThat) {
  Published all = testing::sample(1, 48);
  EXPECT_FALSE(has(to_html(all), "Each figure is a running total"));
  all.plan.mechanism = "running_total";
  EXPECT_TRUE(has(to_html(all), "Each figure is a running total"));
}

TEST(Page, TheSensitivityOfKeptStepsIsThatOfOneStep) {
  Published all = testing::sample(1, 48);
  EXPECT_TRUE(has(to_html(all), "can move what is measured"));
  all.plan.mechanism = "subsample";
  EXPECT_FALSE(has(to_html(all), "can move what is measured"));
  EXPECT_TRUE(has(to_html(all), "can move one kept value"));
}

TEST(Page, WhatIsNotPrivateSaysSoAndNamesNoEpsilonAsAPromise) {
  Published all = testing::sample(1, 48);
  all.release.mark = "not private: replayed";
  all.debit.reset();
  all.budget.reset();
  const std::string html = to_html(all);
  EXPECT_TRUE(has(html, "<div class=\"banner\" role=\"alert\">not private: replayed"));
  EXPECT_TRUE(has(html, "No promise"));
  EXPECT_FALSE(has(html, "ε = 1"));
}

TEST(Page, AFormulaThatIsNotCertifiedIsToldApart) {
  Published all = testing::sample(1, 48);
  EXPECT_FALSE(has(to_html(all), "<b class=\"tag warn\">"));
  all.release.guarantee.certificate = Certificate::as_published;
  EXPECT_TRUE(has(to_html(all), "<b class=\"tag warn\">As published, not certified.</b>"));
}

TEST(Page, AThousandSeriesStaySmall) {
  const std::string html = to_html(testing::sample(1000, 744));
  EXPECT_LT(html.size(), 2'000'000u);
  EXPECT_TRUE(has(html, "The first 12 of 1,000 series"));
  EXPECT_TRUE(has(html, "Table of 1,000 series"));
}

TEST(Page, AReleaseWithoutStepsIsStillAPage) { EXPECT_TRUE(has(to_html(Published{}), "Published time series")); }

TEST(EvaluationOf, ErrorsAreWhatTheirNamesSay) {
  Evaluation all;
  all.published.release.axis = testing::hours(4);
  all.published.release.estimate = {{10, 20, 0, 5}, {8, 19, 0, 1}, {12, 21, 1, 4}, {1, 1, 1, 1}};
  all.truth = {12, 20, 0.5, 0};
  all.bounded = {10, 20, 0, 1};
  const Errors errors = errors_of(all);
  EXPECT_DOUBLE_EQ(errors.mean_absolute, 7.5 / 4);
  EXPECT_DOUBLE_EQ(errors.root_mean_square, std::sqrt((4 + 0.25 + 25) / 4));
  EXPECT_DOUBLE_EQ(errors.mean_relative, (2.0 / 12 + 0 + 0.5 + 5) / 4);
  EXPECT_DOUBLE_EQ(errors.coverage, 0.75);  // both ends count as inside
  EXPECT_DOUBLE_EQ(errors.mean_absolute_bounded, 1);
  EXPECT_EQ(errors_of(Evaluation{}).mean_absolute, 0);
}

TEST(EvaluationOf, IsMarkedAsInternalOnEveryFormat) {
  const Evaluation all = testing::evaluation(3, 48);
  const std::string html = evaluation_html(all);
  EXPECT_TRUE(has(html, "<div class=\"banner\" role=\"alert\">internal: reveals the data"));
  EXPECT_TRUE(has(html, "<svg class=\"watermark\""));
  EXPECT_TRUE(has(html, "class=\"truth\""));
  EXPECT_TRUE(has(html, "20,511"));
  const nlohmann::json json = nlohmann::json::parse(evaluation_json(all));
  EXPECT_EQ(json["internal"], "reveals the data");
  EXPECT_EQ(json["left_out"]["over_caps"], 20511);
  EXPECT_EQ(json["series"].size(), 3u);
  EXPECT_EQ(json["errors"]["coverage"], errors_of(all).coverage);
}

TEST(EvaluationOf, NothingThatIsPublishedHoldsTheTruth) {
  const Evaluation all = testing::evaluation(2, 48);
  for (const std::string& text : {to_html(all.published), to_json(all.published), to_csv(all.published)}) {
    EXPECT_FALSE(has(text, "class=\"truth\""));
    EXPECT_FALSE(has(text, "20511"));
    EXPECT_FALSE(has(text, "20,511"));
  }
}

}  // namespace
}  // namespace chronoveil::report
