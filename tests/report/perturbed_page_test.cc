#include <gtest/gtest.h>

#include <limits>
#include <regex>

#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/report/perturbed/drawing.h"
#include "report/page_checks.h"
#include "report/perturbed_sample.h"

namespace chronoveil::report {
namespace {

using testing::flaw;
using testing::has;
using testing::kEvil;
using testing::kEvilEscaped;
using testing::misnested;
using testing::times;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Perturbed marked() {
  Perturbed all = testing::perturbed_sample();
  all.mark = "seeded: not private";
  all.guarantee.epsilon = kInfinity;
  all.debit.reset();
  all.budget.reset();
  return all;
}

// Every number is infinite or NaN.
Perturbed endless() {
  Perturbed all = testing::perturbed_sample();
  all.guarantee.epsilon = all.plan.price.epsilon = all.plan.price.epsilon_lower = kInfinity;
  all.plan.price.nominal = accounting::Nominal{kInfinity, kInfinity};
  all.curve = {{0, 1}, {1, kInfinity}, {kInfinity, 0.5}, {2, 0.5}};
  all.expected.mean_distance = all.expected.cost = kInfinity;
  return all;
}

Perturbed with_many_long_names() {
  Perturbed all = testing::perturbed_sample();
  all.columns.assign(500, std::string(300, 'x'));
  all.kept = all.columns;
  all.plan.parameters = {{std::string(300, 'p'), std::string(300, 'v')}};
  return all;
}

PerturbedInternal odd_internal() {
  PerturbedInternal all = testing::internal_sample();
  all.columns[0].averages[3].before = kInfinity;
  all.columns[0].averages[4].after = std::nan("");
  all.columns[0].average_error = kInfinity;
  all.columns.resize(40, all.columns[0]);
  return all;
}

std::vector<std::string> pages() {
  return {perturbed_html(testing::perturbed_sample()),
          perturbed_html(testing::sorted_sample()),
          perturbed_html(testing::threshold_sample()),
          perturbed_html(testing::changed_sample()),
          perturbed_html(marked()),
          perturbed_html(endless()),
          perturbed_html(with_many_long_names()),
          perturbed_html(Perturbed{}),
          perturbed_internal_html(testing::perturbed_sample(), testing::internal_sample()),
          perturbed_internal_html(endless(), odd_internal()),
          perturbed_internal_html(marked(), PerturbedInternal{}),
          perturbed_internal_html(Perturbed{}, PerturbedInternal{})};
}

TEST(PerturbedPage, IsWellFormedAndNeedsNothingFromElsewhere) {
  for (const std::string& html : pages()) EXPECT_EQ(flaw(html), "");
}

TEST(PerturbedPicture, SaysWhatIsPromisedAndToWhom) {
  EXPECT_TRUE(has(perturbed_svg(testing::perturbed_sample()), ", values swapped within 10 rows</desc>"));
  EXPECT_TRUE(has(perturbed_svg(marked()), "<desc>seeded: not private</desc>"));
  EXPECT_TRUE(has(perturbed_svg(testing::threshold_sample()), "<desc>Not differential privacy: single outputs"));
  EXPECT_FALSE(has(perturbed_svg(testing::threshold_sample()), ">Differential privacy"));
  EXPECT_FALSE(has(perturbed_svg(testing::changed_sample()), "swapped"));
  EXPECT_FALSE(has(perturbed_svg(marked()), "class=\"claim\""));
  for (Perturbed all : {testing::perturbed_sample(), endless(), with_many_long_names(), Perturbed{}}) {
    all.title = kEvil;
    const std::string svg = perturbed_svg(all);
    EXPECT_FALSE(has(svg, "<img"));
    EXPECT_EQ(misnested(svg), "");
  }
}

TEST(PerturbedPage, WhatComesFromOutsideIsEscapedEverywhere) {
  for (Perturbed all : {testing::perturbed_sample(), testing::changed_sample()}) {
    all.title = all.time = all.reason = kEvil;
    all.columns = all.kept = all.not_protected = all.plan.categories = {kEvil};
    all.guarantee.assumptions = {{kEvil, Basis::declared}};
    all.guarantee.definition = all.plan.mechanism = kEvil;
    all.plan.parameters = {{kEvil, kEvil}};
    all.debit->id.dataset = all.debit->chain_head = kEvil;
    all.budget->dataset = all.budget->still_admits = kEvil;
    PerturbedInternal internal = testing::internal_sample();
    internal.columns[0].name = internal.columns[1].name = internal.columns[1].counts[0].value = kEvil;
    for (const bool is_marked : {true, false}) {
      all.mark = is_marked ? kEvil : "";
      for (const std::string& html : {perturbed_html(all), perturbed_internal_html(all, internal)}) {
        EXPECT_FALSE(has(html, "<img"));
        EXPECT_TRUE(has(html, kEvilEscaped));
        EXPECT_EQ(misnested(html), "");
      }
    }
  }
}

TEST(PerturbedPage, SaysFirstThatTheValuesAreNotProtected) {
  const std::string html = perturbed_html(testing::perturbed_sample());
  const std::size_t notice =
      html.find("<p class=\"notice\"><b>Not protected:</b> The values: those in the file are as they were");
  ASSERT_NE(notice, std::string::npos);
  EXPECT_LT(html.find("<p class=\"newest\">1,440 rows of heart_rate and steps</p>"), html.find("id=\"sure\""));
  EXPECT_LT(html.find("id=\"sure\""), notice);
  EXPECT_LT(notice, html.find("<h2>How far values move</h2>"));
  EXPECT_LT(html.find("<figure"), html.find("id=\"fact-limits\" class=\"notice\""));
  EXPECT_TRUE(has(html, "<dt>Protected</dt> <dd>Which of two values at most 9 rows apart"));
  EXPECT_TRUE(has(html, "<li>What the values are is not protected.</li>"));
  EXPECT_FALSE(has(html, "Cap for a person"));
}

TEST(PerturbedPage, ShowsWhatWasReleasedPlanBudgetAndDebit) {
  const std::string html = perturbed_html(testing::perturbed_sample());
  for (const char* text :
       {"<p class=\"sub\">The values were moved in time, not changed.</p>", "column minute", "device (public)",
        "<dt>Window</dt><dd>10 rows</dd>", "<dt>stay</dt><dd>0.4636</dd>",
        "together: the values of a row stay together", "<dd>at most 2.063</dd>",
        "ε = 2, δ = 0.0596, for single outputs",
        "(TLDP) for the unit <code>event</code> under the relation "
        "<code>swap</code> with a window of 10 rows, with ε = 2.063 at δ = 0.425.",
        "68.7 % of the budget is left", "watch:17", "How to cite", ">enforced<", ">declared<",
        "differential privacy with ε = 2.063, δ = 0.425, unit event, values swapped within 10 rows, exact."})
    EXPECT_TRUE(has(html, text)) << text;
  EXPECT_FALSE(has(html, "class=\"banner\""));
  EXPECT_FALSE(has(html, "<dt>Empty</dt>"));
}

TEST(PerturbedPage, BothViewsAreExplained) {
  EXPECT_TRUE(has(perturbed_html(testing::perturbed_sample()), "beside each stands a value that was measured then"));
  EXPECT_TRUE(has(perturbed_html(testing::sorted_sample()), "a list of values with blurred times"));
  EXPECT_TRUE(has(perturbed_html(testing::changed_sample()), "each value was changed by itself"));
  // e² / (e² + 2)
  EXPECT_TRUE(has(perturbed_html(testing::changed_sample()), "About 79 % of the values are as they came in"));
  Perturbed apart = testing::perturbed_sample();
  apart.plan.lanes = 2;
  EXPECT_TRUE(has(perturbed_html(apart), "each on its own; their costs add up"));
}

TEST(PerturbedPage, TheHistogramIsTheLawsAndSaysWhy) {
  const std::string html = perturbed_html(testing::perturbed_sample());
  EXPECT_TRUE(has(html, "<h2>How far values move</h2>"));
  EXPECT_TRUE(has(html, "found by running it on made-up values"));
  EXPECT_TRUE(has(html, "more about their order than was paid for"));
  EXPECT_EQ(times(html, "<path class=\"bars\""), 1u);
  EXPECT_FALSE(has(html, "class=\"truth\""));
  EXPECT_FALSE(has(html, "this release</span>"));
  const std::string changed = perturbed_html(testing::changed_sample());
  EXPECT_FALSE(has(changed, "How far values move"));
  const std::string lossy = perturbed_html(testing::threshold_sample());
  EXPECT_TRUE(has(lossy, "<td>Values that get lost</td><td class=\"n\">10 %</td>"));
  EXPECT_TRUE(has(lossy, "<dt>Empty</dt><dd>141 values"));
}

TEST(PerturbedPage, ABarHoldsSeveralDistancesWhereThereAreMany) {
  const auto bars = [](const std::string& figure) {
    const std::size_t at = figure.find("<path class=\"bars\"");
    return times(figure.substr(at, figure.find("/>", at) - at), "z");
  };
  mechanisms::Moves few{.first = -2, .shares = {0.1, 0.2, 0.4, 0.2, 0.1}};
  EXPECT_EQ(bars(moves_figure(few)), 5u);
  EXPECT_TRUE(has(moves_figure(few), ">-2</i>"));
  EXPECT_TRUE(has(moves_figure(few), ">+1</i>"));
  // The greatest share reaches 40 of 40 percent: the bar in the middle fills the height.
  EXPECT_TRUE(has(moves_figure(few), "M840 0h320V1000h-320z"));
  EXPECT_TRUE(has(moves_figure(few), "by rows"));
  for (const char* text : {"<p class=\"axis\">Share of the values</p>",
                           "<p class=\"axis across\">Rows; left of 0: released earlier than measured, right: later</p>",
                           "<span>2 rows earlier: 10 %</span>", "<span>stay in their row: 40 %</span>",
                           "<span>1 row later: 20 %</span>", "<td>1 row later</td><td class=\"n\">20 %</td>"})
    EXPECT_TRUE(has(moves_figure(few), text)) << text;
  const mechanisms::Moves many{.first = -400, .shares = std::vector<double>(801, 1.0 / 801)};
  EXPECT_TRUE(has(moves_figure(many), "a bar for 15 rows"));
  EXPECT_TRUE(has(moves_figure(many), "<span>move by at most 7 rows: 1.87 %</span>"));
  EXPECT_TRUE(has(moves_figure(many), "<span>8 to 22 rows later: 1.87 %</span>"));
  EXPECT_EQ(bars(moves_figure(many)), 55u);
  const mechanisms::Moves by_three{.first = -75, .shares = std::vector<double>(151, 1.0 / 151)};
  EXPECT_TRUE(has(moves_figure(by_three), "<span>move by at most 1 row: 1.99 %</span>"));
  const mechanisms::Moves huge{.first = -200'000, .shares = std::vector<double>(400'001, 1e-6)};
  EXPECT_LT(moves_figure(huge).size(), 20'000u);
  const mechanisms::Moves one{.first = 0, .shares = {1}};
  EXPECT_EQ(bars(moves_figure(one)), 1u);
  EXPECT_EQ(moves_figure({}), "");
}

TEST(PerturbedPage, TheCurveHasThePromiseAndThePapersPointOnIt) {
  const std::string html = perturbed_html(testing::perturbed_sample());
  EXPECT_TRUE(has(html, "The certified curve"));
  EXPECT_TRUE(has(html, "what a paper states, for single outputs only"));
  EXPECT_EQ(times(html, "<path class=\"paper\""), 2u);  // in the drawing, in the legend
  EXPECT_EQ(times(html, "<path class=\"claim\""), 2u);
  EXPECT_TRUE(
      has(html, "A paper states ε = 2 and δ = 0.0596 for these parameters. At that ε the certified δ is 0.451."));
  EXPECT_FALSE(has(curve_figure(testing::sorted_sample()), "class=\"paper\""));
  EXPECT_TRUE(has(html, "<p class=\"axis across\">ε</p>"));
  EXPECT_TRUE(has(html, "<span>ε = 8: δ at most 0.4249</span>"));
  EXPECT_TRUE(has(html, "<td>8</td><td class=\"n\">0.4249</td>"));
  // ε from 0 to 8 to the right; δ from 0 to 0.8 upwards: 2 is a quarter of the way, 0.0596 near the bottom.
  EXPECT_TRUE(std::regex_search(html, std::regex("<path class=\"paper\" d=\"M500 9[0-9]+h0\"/></svg>")));
}

TEST(PerturbedPage, SmallDeltasAreDrawnInPowersOfTen) {
  EXPECT_FALSE(has(curve_figure(testing::perturbed_sample()), "in powers of ten"));
  const std::string figure = curve_figure(testing::sorted_sample());
  EXPECT_TRUE(has(figure, "in powers of ten"));
  EXPECT_TRUE(has(figure, "style=\"bottom:0.00%\">0</i>"));
  EXPECT_TRUE(has(figure, ">1</i>"));
}

// δ falls where ε grows: a pair whose ε was rounded down is no promise that anybody made.
TEST(PerturbedPage, NoNumberOfTheCurveIsBelowTheCertifiedOne) {
  Perturbed perturbed = testing::sorted_sample();
  perturbed.curve = {{1.2740349, 0.15391234}, {1.7840001, 0.02790001}, {2.5, 0.001}};
  const std::string figure = curve_figure(perturbed);
  for (const char* const pair :
       {"ε = 1.275: δ at most 0.154", "ε = 1.785: δ at most 0.02791", "ε = 2.5: δ at most 0.001"})
    EXPECT_TRUE(has(figure, pair)) << pair;
  EXPECT_TRUE(has(figure, "1.785</td><td class=\"n\">0.02791"));
}

TEST(PerturbedPage, WithoutACurveItSaysSo) {
  const std::string html = perturbed_html(testing::threshold_sample());
  EXPECT_TRUE(has(html, "There is no certified curve for this method."));
  EXPECT_EQ(curve_figure(testing::threshold_sample()), "");
}

TEST(PerturbedPage, WhatIsOnlyPublishedIsNotCalledDifferentialPrivacy) {
  const std::string html = perturbed_html(testing::threshold_sample());
  EXPECT_TRUE(has(html, "<b>This is not differential privacy.</b>"));
  EXPECT_FALSE(has(html, "The promise is differential privacy"));
  EXPECT_TRUE(has(html, "mechanism threshold, not differential privacy"));
  EXPECT_TRUE(has(html, "class=\"tag warn\">As published, not certified."));
  EXPECT_TRUE(has(html, "published, not certified</dd>"));
  EXPECT_TRUE(has(html, "<dd>2.197, as published</dd>"));
}

TEST(PerturbedPage, ABoundWithConfidenceNamesIt) {
  Perturbed all = testing::perturbed_sample();
  all.plan.price.certificate = all.guarantee.certificate = Certificate::upper_bound_with_confidence;
  all.plan.price.beta = 1e-6;
  EXPECT_TRUE(has(perturbed_html(all), "except with the small probability β = 1e-6."));
}

TEST(PerturbedPage, WhatIsNotPrivateSaysSoAndNamesNoEpsilonAsAPromise) {
  const std::string html = perturbed_html(marked());
  EXPECT_TRUE(has(html, "<div class=\"banner\" role=\"alert\">seeded: not private"));
  EXPECT_TRUE(has(html, "No promise"));
  EXPECT_TRUE(has(html, "so it has no such protection."));
  EXPECT_FALSE(has(html, "class=\"claim\""));
  EXPECT_FALSE(has(html, "The promise is differential privacy"));
}

TEST(PerturbedPage, EveryMechanismOfTheCatalogueIsExplained) {
  for (const mechanisms::TemporalMechanism* mechanism : mechanisms::temporal_catalogue()) {
    Perturbed all = testing::perturbed_sample();
    all.plan.mechanism = mechanism->name;
    EXPECT_TRUE(has(perturbed_html(all), "<b>" + std::string(mechanism->name) + "</b>: "));
  }
}

TEST(PerturbedPage, ManyColumnsEndInANumber) {
  const std::string html = perturbed_html(with_many_long_names());
  EXPECT_TRUE(has(html, " and 470 more"));
  EXPECT_LT(html.size(), 100'000u);
}

TEST(PerturbedPage, NothingIsStillAPage) { EXPECT_TRUE(has(perturbed_html(Perturbed{}), "Released series")); }

TEST(PerturbedInternalPage, IsMarkedAsInternal) {
  for (const std::string& html : {perturbed_internal_html(testing::perturbed_sample(), testing::internal_sample()),
                                  perturbed_internal_html(Perturbed{}, PerturbedInternal{})}) {
    EXPECT_TRUE(has(html, "<div class=\"banner\" role=\"alert\">internal: reveals the data"));
    EXPECT_TRUE(has(html, "<svg class=\"watermark\""));
  }
}

TEST(PerturbedInternalPage, ShowsWhatHappenedBesideTheLaw) {
  const std::string html = perturbed_internal_html(testing::threshold_sample(), testing::internal_sample());
  for (const char* text :
       {"How far values moved", "class=\"bars\"", "this release</span>",
        "<td>Mean distance in rows</td><td class=\"n\">2.72</td><td class=\"n\">1</td>",
        "<td>Values that are missing</td><td class=\"n\">0 %</td><td class=\"n\">10 %</td>", "Rows that stayed empty",
        "Moving averages before and after", "root mean square error 1.44",
        "<p class=\"axis\">Mean of 10 rows of heart_rate</p>", "<span>row 0: before 70, after 70</span>",
        "<td>0</td><td class=\"n\">70</td><td class=\"n\">70</td>", "Counts before and after",
        "<td>calm</td><td class=\"n\">700</td><td class=\"n\">711</td><td class=\"n\">+11</td>",
        "<td>awake</td><td class=\"n\">640</td><td class=\"n\">629</td><td class=\"n\">-11</td>", "<td>(empty)</td>"})
    EXPECT_TRUE(has(html, text)) << text;
  EXPECT_FALSE(has(perturbed_internal_html(testing::changed_sample(), testing::internal_sample()), "How far values"));
}

TEST(PerturbedInternalPage, ChartsEndAtTwelve) {
  const std::string html = perturbed_internal_html(testing::perturbed_sample(), odd_internal());
  EXPECT_TRUE(has(html, "id=\"average11-t\""));
  EXPECT_FALSE(has(html, "id=\"average12-t\""));
  EXPECT_TRUE(has(html, "The first 12 of 39 columns."));
}

}  // namespace
}  // namespace chronoveil::report
