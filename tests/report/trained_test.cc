#include "chronoveil/report/forecast/trained.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/forecasted_sample.h"
#include "report/page_checks.h"

namespace chronoveil::report {
namespace {

using json = nlohmann::json;
using testing::flaw;
using testing::has;
using testing::kEvil;
using testing::kEvilEscaped;
using testing::misnested;
using testing::trained_sample;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Trained marked() {
  Trained all = trained_sample();
  all.model.mark = "seeded: not private";
  all.model.guarantee.definition = all.model.mark;
  all.model.guarantee.epsilon = kInfinity;
  all.model.guarantee.delta = 1;
  all.model.debit.reset();
  all.budget.reset();
  return all;
}

// As short as training gets, and nothing finite.
Trained odd() {
  Trained all = trained_sample();
  all.model.guarantee.epsilon = all.model.price.epsilon = kInfinity;
  all.spent = {{1, kInfinity}, {2, std::nan("")}};
  all.touched_share = kInfinity;
  return all;
}

std::vector<std::string> pages() {
  return {to_html(trained_sample()), to_html(marked()), to_html(odd()), to_html(Trained{})};
}

TEST(TrainedJson, HoldsGuaranteePlanStepsAndDebit) {
  const json all = json::parse(to_json(trained_sample()));
  EXPECT_FALSE(all.contains("mark"));
  EXPECT_EQ(all["title"], "Load of households");
  EXPECT_EQ(all["guarantee"]["epsilon"], 0.99996);
  EXPECT_EQ(all["guarantee"]["unit"], "event");
  EXPECT_EQ(all["guarantee"]["not_protected"], json::array({"Tuning on the data is not covered."}));
  EXPECT_EQ(all["model"]["name"], "deepar");
  EXPECT_EQ(all["model"]["context_length"], 48);
  const json& plan = all["plan"];
  EXPECT_EQ(plan["series"], 200);
  EXPECT_EQ(plan["windows"], (json{1993, 1993}));
  EXPECT_EQ(plan["batch_size"], 64);
  EXPECT_EQ(plan["windows_per_series"], 1);
  EXPECT_EQ(plan["top_level"], "without_replacement");
  EXPECT_EQ(plan["bottom_level"], "with_replacement");
  EXPECT_EQ(plan["touched_share"], 0.0363);
  EXPECT_EQ(plan["series_rate"], 0.32);
  EXPECT_EQ(plan["noise_multiplier"], 2.5);
  EXPECT_EQ(plan["clip"], 1e-4);
  EXPECT_EQ(plan["lower"], -0.5);
  EXPECT_EQ(plan["upper"], 1250.25);
  EXPECT_EQ(plan["steps"], 1500);
  EXPECT_EQ(plan["spare_steps"], 10);
  EXPECT_EQ(plan["event"]["event"], "structured_subsampling");
  EXPECT_EQ(plan["event"]["count"], 1510);
  EXPECT_EQ(plan["price"]["epsilon"], 0.99996);
  EXPECT_EQ(all["steps"], 1500);
  EXPECT_EQ(all["uses"], 1503);
  EXPECT_EQ(all["resumed"], true);
  EXPECT_EQ(all["spent"].size(), 16u);
  EXPECT_EQ(all["spent"][15], (json{{"steps", 1510}, {"epsilon", 0.99996}}));
  EXPECT_EQ(all["debit"], (json{{"id", "households:3"}, {"chain_head", std::string(64, 'a')}}));
  EXPECT_EQ(all["budget"]["dataset"], "households");
  EXPECT_EQ(all["file"], "load.cvm");
}

TEST(TrainedJson, WhatIsMarkedHasNoEpsilonAndNoDebit) {
  const json all = json::parse(to_json(marked()));
  EXPECT_EQ(all["mark"], "seeded: not private");
  EXPECT_TRUE(all["guarantee"]["epsilon"].is_null());
  EXPECT_EQ(all["guarantee"]["reason"], "seeded: not private");
  EXPECT_TRUE(all["debit"].is_null());
  EXPECT_FALSE(all.contains("budget"));
  EXPECT_TRUE(json::parse(to_json(odd()))["spent"][0]["epsilon"].is_null());
}

TEST(TrainedPage, IsWellFormedAndNeedsNothingFromElsewhere) {
  for (const std::string& html : pages()) EXPECT_EQ(flaw(html), "");
}

TEST(TrainedPage, WhatComesFromOutsideIsEscapedEverywhere) {
  Trained all = trained_sample();
  all.title = all.model.name = all.model.dataset = all.reason = all.top_level = all.bottom_level = kEvil;
  all.model.not_protected = {kEvil};
  all.model.guarantee.assumptions = {{kEvil, Basis::declared}};
  all.model.debit->id.dataset = all.model.debit->chain_head = kEvil;
  all.budget->dataset = all.budget->still_admits = kEvil;
  for (const bool is_marked : {false, true}) {
    all.model.mark = is_marked ? kEvil : "";
    const std::string html = to_html(all);
    EXPECT_FALSE(has(html, "<img"));
    EXPECT_TRUE(has(html, "<h1>" + kEvilEscaped + "</h1>"));
    EXPECT_EQ(misnested(html), "");
  }
}

TEST(TrainedPage, SaysWhatIsPromisedHowItWasTrainedAndWhatItCost) {
  const std::string html = to_html(trained_sample());
  for (const char* text : {"A deepar that learned from 200 series of the dataset households.",
                           "<p class=\"newest\">ε = 1, δ = 1e-7</p>",
                           "for the unit <code>event</code>.",
                           "<h2>How ε grew</h2>",
                           "<p class=\"axis across\">Steps of training</p>",
                           "<span>after 1,510 steps: ε = 1</span>",
                           "<td>94</td><td class=\"n\">0.25</td>",
                           "With this noise, this many steps are within epsilon and delta.",
                           "24,923 weights",
                           "200, each of 1,993 windows",
                           "64 windows: series drawn anew each step, and of each 1 window, drawn uniformly",
                           "3.63 % of a series",
                           "clipped to 0.0001; noise of 2.5 times that on their sum",
                           "clamped to [-0.5, 1250.25]",
                           "1,500 of 1,500, and 10 to spare; went on after an interruption",
                           "3 steps: paid for all the same",
                           "<li>Tuning on the data is not covered.</li>",
                           "74.2 % of the budget is left",
                           "households:3",
                           "How to cite"})
    EXPECT_TRUE(has(html, text)) << text;
  EXPECT_FALSE(has(html, "class=\"banner\""));
}

TEST(TrainedPage, EveryWayToDrawABatchHasItsWords) {
  Trained all = trained_sample();
  all.top_level = "iterate";
  all.bottom_level = "poisson";
  all.windows_per_series = 2;
  all.most_windows = 2'500;
  const std::string html = to_html(all);
  EXPECT_TRUE(
      has(html, "64 windows on average: series in turn, and of each 2 windows on average, each by its own chance"));
  EXPECT_TRUE(has(html, "1,993 to 2,500 windows"));
}

TEST(TrainedPage, WithoutALossNothingIsSaidOfOne) {
  Trained all = trained_sample();
  all.uses = all.model.steps;
  all.spare_steps = 0;
  all.resumed = false;
  const std::string html = to_html(all);
  EXPECT_FALSE(has(html, "Begun and lost"));
  EXPECT_TRUE(has(html, "<dd>1,500 of 1,500</dd>"));
}

TEST(TrainedPage, WhatIsNotPrivateNamesNoEpsilon) {
  const std::string html = to_html(marked());
  EXPECT_TRUE(has(html, "<div class=\"banner\" role=\"alert\">seeded: not private. For tests only; do not publish."));
  EXPECT_TRUE(has(html, "Nothing is promised: seeded: not private."));
  EXPECT_FALSE(has(html, "ε ="));
  EXPECT_FALSE(has(html, "How ε grew"));
  EXPECT_FALSE(has(html, "The promise is differential privacy"));
}

}  // namespace
}  // namespace chronoveil::report
