#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "chronoveil/mechanisms/catalogue.h"
#include "report/means_sample.h"
#include "report/page_checks.h"

namespace chronoveil::report {
namespace {

using State = CellEstimate::State;
using testing::flaw;
using testing::has;
using testing::kEvil;
using testing::kEvilEscaped;
using testing::misnested;

std::vector<std::string> pages() {
  MeansPublished marked = testing::means_sample(3, 24);
  marked.release.mark = "not private: replayed";
  marked.debit.reset();
  marked.budget.reset();
  MeansPublished bare = testing::means_sample(2, 2);
  for (CellEstimate& cell : bare.release.cells) cell = {.state = State::empty};
  return {means_html(testing::means_sample(40, 24)),
          means_html(testing::means_on_grid(PlaceShape::hexagon, 3000, 168)),
          means_html(testing::means_on_grid(PlaceShape::square, 3000, 1)),
          means_html(testing::means_sample(0, 1)),
          means_html(marked),
          means_html(bare),
          means_html(MeansPublished{}),
          evaluation_html(testing::means_evaluation(5, 24)),
          evaluation_html(MeansEvaluation{})};
}

TEST(MeansPage, IsWellFormedAndNeedsNothingFromElsewhere) {
  for (const std::string& html : pages()) EXPECT_EQ(flaw(html), "");
}

TEST(MeansPage, SaysThatMeansWereSmoothed) {
  MeansPublished all = testing::means_sample(3, 24);
  EXPECT_FALSE(has(means_html(all), "smoothed"));
  all.release.smoothed = Smoothed::over_places;
  EXPECT_TRUE(has(means_html(all), "borrows from places near by"));
  all.release.smoothed = Smoothed::by_place;
  EXPECT_TRUE(has(means_html(all), "borrows from other slots of its place"));
  EXPECT_EQ(flaw(means_html(all)), "");
}

TEST(MeansPage, WhatComesFromOutsideIsEscapedEverywhere) {
  MeansEvaluation evaluation = testing::means_evaluation(2, 24);
  MeansPublished& all = evaluation.published;
  all.title = all.measure = all.reason = all.release.axis.zone = all.release.mark = kEvil;
  all.release.places = {kEvil, kEvil + "2"};
  all.release.guarantee.assumptions = {{kEvil, Basis::declared}};
  all.not_protected = {kEvil};
  all.plan.mechanism = kEvil;
  all.plan.parameters = {{kEvil, kEvil}};
  all.comparison->candidates[3].refusal.message = all.comparison->candidates[3].mechanism = kEvil;
  all.comparison->candidates[2].variant = all.comparison->reason = all.comparison->regime = kEvil;
  all.debit->id.dataset = all.debit->chain_head = kEvil;
  all.budget->dataset = all.budget->still_admits = kEvil;
  for (const bool labels : {false, true}) {
    if (labels) std::fill(all.release.axis.labels.begin(), all.release.axis.labels.end(), kEvil);
    for (const bool marked : {true, false}) {
      all.release.mark = marked ? kEvil : "";
      for (const std::string& html : {means_html(all), evaluation_html(evaluation)}) {
        EXPECT_FALSE(has(html, "<img"));
        EXPECT_TRUE(has(html, kEvilEscaped));
        EXPECT_EQ(misnested(html), "");
      }
    }
  }
}

TEST(MeansPage, SaysFirstThatWhereAndWhenAreNotProtected) {
  const std::string html = means_html(testing::means_sample(3, 24));
  const std::size_t notice =
      html.find("<p class=\"notice\"><b>Not protected:</b> Where and when a person was, and how often");
  ASSERT_NE(notice, std::string::npos);
  EXPECT_LT(notice, html.find("<h2>The means</h2>"));
  EXPECT_TRUE(has(html, "<li>Where and when a person was is not protected.</li>"));
  MeansPublished counts_too = testing::means_sample(3, 24);
  counts_too.release.guarantee.relation = Relation::add_remove;
  EXPECT_FALSE(has(means_html(counts_too), "class=\"notice\""));
}

TEST(MeansPage, LeadsWithTheNewestMeanAndSaysWhereNothingIsInformative) {
  MeansPublished one = testing::means_sample(0, 1);
  one.release.cells[0] = {State::published, 21.3, 18.2, 24.4};
  EXPECT_TRUE(has(means_html(one),
                  "<p class=\"newest\">Sunday 1 March 2026, 00:00 to 01:00: mean speed 21.3, between "
                  "18.2 and 24.4</p>"));
  EXPECT_FALSE(has(means_html(one), "Nothing here is informative."));
  one.release.cells[0] = {State::published, 21.3, 0, 65};
  EXPECT_TRUE(has(means_html(one), "Nothing here is informative."));
  EXPECT_TRUE(has(means_html(one, "means.csv"), "<a href=\"./means.csv\">means.csv</a>"));
  MeansPublished bare = testing::means_sample(2, 2);
  for (CellEstimate& cell : bare.release.cells) cell = {.state = State::empty};
  EXPECT_TRUE(has(means_html(bare), "02:00: nobody there</p>"));
}

TEST(MeansSvg, IsTheMapAlone) {
  for (const MeansPublished& published :
       {testing::means_on_grid(PlaceShape::hexagon, 3000, 24), testing::means_sample(5, 1), MeansPublished{}}) {
    const std::string svg = means_svg(published);
    EXPECT_EQ(misnested(svg), "");
    EXPECT_EQ(has(svg, "class=\"scalebar\""), published.release.grid.has_value());
  }
}

TEST(MeansPage, ShowsCellsPlanBudgetAndDebit) {
  const std::string html = means_html(testing::means_sample(3, 24));
  for (const char* text :
       {"72 cells: 56 with a mean, 10 with nobody there, 6 with too few to publish", "Mean speed per place and hour",
        "Laplace noise with b = 20 times", "68.7 % of the budget is left", "buses:17", "What was compared",
        "4 by the median rule, 7 by the optimised rule. With 7, best-fit grouping makes 4 arrays and wrap-around 3.",
        "array_averaging, wrap_around", "registered_mean needs the number of registered users", "ε of one cell",
        "not published below 5 people, by public counts", "ε = 1", "Table of 56 cells", "How to cite"})
    EXPECT_TRUE(has(html, text)) << text;
  EXPECT_FALSE(has(html, "class=\"banner\""));
}

TEST(MeansPage, ChosenAndRecommendedAreOneRowEach) {
  MeansPublished published = testing::means_sample(3, 24);
  const auto row = [](const std::string& html, const std::string& start) {
    const std::size_t at = html.find("<td>" + start);
    return html.substr(at, html.find("</td>", at) - at);
  };
  std::string html = means_html(published);
  EXPECT_TRUE(has(row(html, "array_averaging <"), ">chosen<"));
  EXPECT_TRUE(has(row(html, "array_averaging <"), ">recommended<"));
  EXPECT_FALSE(has(row(html, "array_averaging, wrap_around"), "tag"));
  published.plan.parameters["grouping"] = std::string("wrap_around");
  html = means_html(published);
  EXPECT_FALSE(has(row(html, "array_averaging <"), ">chosen<"));
  EXPECT_TRUE(has(row(html, "array_averaging, wrap_around"), ">chosen<"));
}

TEST(MeansPage, EveryMechanismOfTheCatalogueIsExplained) {
  for (const mechanisms::CellMechanism* mechanism : mechanisms::cell_catalogue()) {
    MeansPublished published = testing::means_sample(2, 2);
    published.plan.mechanism = mechanism->name;
    const std::string html = means_html(published);
    EXPECT_TRUE(has(html, "<b>" + std::string(mechanism->name) + "</b>: "));
    EXPECT_EQ(has(html, "people, by public counts"), mechanism->public_counts);
  }
}

TEST(MeansPage, WhatIsNotPrivateSaysSoAndNamesNoEpsilonAsAPromise) {
  MeansPublished all = testing::means_sample(3, 24);
  all.release.mark = "not private: replayed";
  all.debit.reset();
  all.budget.reset();
  const std::string html = means_html(all);
  EXPECT_TRUE(has(html, "<div class=\"banner\" role=\"alert\">not private: replayed"));
  EXPECT_TRUE(has(html, "No promise"));
  EXPECT_FALSE(has(html, "ε = 1<"));
}

TEST(MeansPage, TheTableEndsAtFiveHundredAndPointsToTheCsv) {
  const std::string html = means_html(testing::means_sample(40, 24));
  EXPECT_TRUE(has(html, "Table of the first 500 of 748 cells"));
  EXPECT_TRUE(has(html, "248 more are in the CSV."));
  const std::string small = means_html(testing::means_sample(3, 24));
  EXPECT_FALSE(has(small, "more are in the CSV"));
  EXPECT_TRUE(has(small, "<td>Central Station</td><td>Sun 1 Mar 2026, 00:00</td>"));
  EXPECT_TRUE(has(small, "Cells without a mean are left out"));
  EXPECT_FALSE(has(means_html(testing::means_sample(0, 1)), "Cells without a mean are left out"));
}

TEST(MeansPage, TwentyThousandCellsStaySmall) {
  for (const MeansPublished& published :
       {testing::means_sample(20'000, 1), testing::means_sample(834, 24), testing::means_sample(119, 168),
        testing::means_on_grid(PlaceShape::hexagon, 145, 1), testing::means_on_grid(PlaceShape::hexagon, 730, 24)}) {
    EXPECT_GT(published.release.cells.size(), 19'000u);
    const std::string html = means_html(published);
    EXPECT_LT(html.size(), 3'000'000u);
    EXPECT_EQ(misnested(html), "");
  }
}

TEST(MeansPage, MorePlacesThanCanBeDrawnArePutTogether) {
  const MeansPublished published = testing::means_on_grid(PlaceShape::hexagon, 130, 2);
  EXPECT_GT(published.release.places.size(), 20'000u);
  const std::string html = means_html(published);
  EXPECT_TRUE(has(html, "each tile is several of "));
  EXPECT_LT(html.size(), 3'500'000u);
}

TEST(MeansPage, NoCellsAreStillAPage) {
  EXPECT_TRUE(has(means_html(MeansPublished{}), "Published means"));
  EXPECT_TRUE(has(means_html(MeansPublished{}), "No cell has a mean that could be published."));
}

TEST(MeansEvaluationOf, ErrorsAreWhatTheirNamesSay) {
  MeansEvaluation all;
  all.published.release.axis = testing::hours(5);
  all.published.release.cells = {{State::published, 10, 8, 12},
                                 {State::published, 20, 19, 21},
                                 {State::published, 5, 4, 6},
                                 {.state = State::sparse},
                                 {State::published, 7, 6, 8}};
  all.truth = {12, 20, 0, 3, std::nan("")};
  all.users = {3, 3, 3, 1, 0};
  const MeansErrors errors = errors_of(all);
  EXPECT_EQ(errors.cells, 3);
  EXPECT_DOUBLE_EQ(errors.mean_absolute, 7.0 / 3);
  EXPECT_DOUBLE_EQ(errors.root_mean_square, std::sqrt(29.0 / 3));
  EXPECT_DOUBLE_EQ(errors.coverage, 2.0 / 3);  // both ends count as inside
  EXPECT_EQ(errors_of(MeansEvaluation{}).cells, 0);
  EXPECT_EQ(errors_of(MeansEvaluation{}).mean_absolute, 0);
}

TEST(MeansEvaluationOf, IsMarkedAsInternalOnEveryFormat) {
  const MeansEvaluation all = testing::means_evaluation(3, 24);
  const std::string html = evaluation_html(all);
  EXPECT_TRUE(has(html, "<div class=\"banner\" role=\"alert\">internal: reveals the data"));
  EXPECT_TRUE(has(html, "<svg class=\"watermark\""));
  for (const char* text : {"class=\"points\"", "20,511", "7,013", "1,200", ">99<", "Cells by error", "Mean absolute"})
    EXPECT_TRUE(has(html, text)) << text;
  const nlohmann::json json = nlohmann::json::parse(evaluation_json(all));
  EXPECT_EQ(json["internal"], "reveals the data");
  EXPECT_EQ(json["left_out"]["over_cells"], 20511);
  EXPECT_EQ(json["left_out"]["over_records"], 7013);
  EXPECT_EQ(json["left_out"]["clamped"], 99);
  EXPECT_EQ(json["truth"].size(), 72u);
  EXPECT_EQ(json["users"][0], 37);
  EXPECT_TRUE(json["truth"][6].is_null());
  EXPECT_TRUE(json["mean"][6].is_null());
  EXPECT_EQ(json["errors"]["coverage"], errors_of(all).coverage);
  EXPECT_EQ(json["errors"]["cells"], 56);
}

TEST(MeansEvaluationOf, TheLargestErrorComesFirst) {
  MeansEvaluation all = testing::means_evaluation(3, 24);
  all.truth[30] = 64.5;
  const std::string html = evaluation_html(all);
  const std::size_t table = html.find("<h2>Cells by error</h2>");
  const std::size_t row = html.find("<tbody>\n<tr>", table);
  EXPECT_TRUE(has(html.substr(row, html.find("</tr>", row) - row), "<td class=\"n\">64.5</td>"));
}

TEST(MeansEvaluationOf, NothingThatIsPublishedHoldsTheTruth) {
  MeansEvaluation all = testing::means_evaluation(2, 48);
  all.truth[0] = 12.0625;
  for (const std::string& text : {means_html(all.published), means_json(all.published), means_csv(all.published)}) {
    EXPECT_FALSE(has(text, "class=\"points\""));
    EXPECT_FALSE(has(text, "12.06"));
    EXPECT_FALSE(has(text, "20511"));
    EXPECT_FALSE(has(text, "20,511"));
  }
}

}  // namespace
}  // namespace chronoveil::report
