#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/report/document/json_parts.h"
#include "chronoveil/report/means/published.h"
#include "chronoveil/report/perturbed/perturbed.h"
#include "report/json_checks.h"
#include "report/means_sample.h"
#include "report/perturbed_sample.h"

namespace chronoveil::report {
namespace {

using nlohmann::json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Perturbed read_back(const Perturbed& perturbed) {
  Result<Perturbed> read = perturbed_from_json(perturbed_json(perturbed));
  EXPECT_TRUE(read) << read.error().text();
  return read ? *std::move(read) : Perturbed{};
}

Perturbed with_confidence() {
  Perturbed all = testing::perturbed_sample();
  all.plan.event = {accounting::StaSwitch{10, 0.4636}};
  all.plan.mechanism = "staswitch";
  all.plan.price.certificate = all.guarantee.certificate = Certificate::upper_bound_with_confidence;
  all.plan.price.beta = 1e-6;
  return all;
}

TEST(PerturbedJson, HasTheKeysThatTheInterfaceNames) {
  const json all = json::parse(perturbed_json(testing::perturbed_sample()));
  for (const char* key : {"title", "view", "time", "columns", "kept", "rows", "empty", "guarantee", "plan", "expected",
                          "curve", "debit", "budget", "software"})
    EXPECT_TRUE(all.contains(key)) << key;
  EXPECT_FALSE(all.contains("mark"));
  EXPECT_EQ(all["view"], "values");
  EXPECT_EQ(all["time"], "minute");
  EXPECT_EQ(all["columns"], (json{"heart_rate", "steps"}));
  EXPECT_EQ(all["rows"], 1440);
  const json& guarantee = all["guarantee"];
  EXPECT_EQ(guarantee["definition"], "TLDP");
  EXPECT_EQ(guarantee["unit"], "event");
  EXPECT_EQ(guarantee["relation"], "swap");
  EXPECT_EQ(guarantee["window"], 10);
  EXPECT_EQ(guarantee["epsilon"], 2.0625);
  EXPECT_EQ(guarantee["delta"], 0.425);
  EXPECT_EQ(guarantee["certificate"], "exact");
  EXPECT_EQ(guarantee["assumptions"][1]["basis"], "enforced");
  EXPECT_EQ(guarantee["not_protected"][0], "What the values are is not protected.");
  EXPECT_FALSE(guarantee.contains("beta"));
  const json& plan = all["plan"];
  for (const char* key : {"mechanism", "window", "lanes", "parameters", "event", "analysis", "price", "reason"})
    EXPECT_TRUE(plan.contains(key)) << key;
  EXPECT_EQ(plan["parameters"], (json{{"stay", 0.4636}}));
  EXPECT_EQ(plan["price"]["epsilon_lower"], 2.0624);
  EXPECT_EQ(plan["price"]["delta_lower"], 0.4246);
  EXPECT_EQ(plan["price"]["nominal_epsilon"], 2);
  EXPECT_EQ(plan["price"]["nominal_delta"], 0.0596);
  EXPECT_EQ(all["expected"]["first"], -30);
  EXPECT_EQ(all["expected"]["shares"].size(), 61u);
  EXPECT_EQ(all["curve"][4], (json{{"epsilon", 1}, {"delta", testing::ranswitch_delta(10, 0.4636, 1)}}));
  EXPECT_EQ(all["debit"]["id"], "watch:17");
  EXPECT_EQ(all["software"]["name"], "chronoveil");
  EXPECT_EQ(json::parse(perturbed_json(testing::sorted_sample()))["view"], "times");
}

TEST(PerturbedJson, ABoundWithConfidenceSaysWithWhich) {
  const Perturbed published = with_confidence();
  const json all = json::parse(perturbed_json(published));
  EXPECT_EQ(all["guarantee"]["beta"], 1e-6);
  EXPECT_EQ(all["guarantee"]["certificate"], "upper bound with confidence 1−β");
  EXPECT_EQ(all["plan"]["price"]["beta"], 1e-6);
  EXPECT_EQ(read_back(published).plan.price.beta, 1e-6);
}

TEST(PerturbedJson, ReadsBackWhatWasWritten) {
  Perturbed bare = testing::changed_sample();
  bare.plan.unit = bare.guarantee.unit = Unit::user;
  bare.plan.length = 1440;
  bare.plan.lower = -1.5;
  bare.plan.upper = 2.5;
  bare.time = "";
  bare.budget.reset();
  bare.curve.clear();
  Perturbed apart = testing::perturbed_sample();
  apart.plan.lanes = 2;
  apart.plan.event.count = 2;
  for (const Perturbed& perturbed : {testing::perturbed_sample(), testing::sorted_sample(), testing::threshold_sample(),
                                     testing::changed_sample(), with_confidence(), bare, apart}) {
    const Perturbed read = read_back(perturbed);
    EXPECT_EQ(perturbed_json(read), perturbed_json(perturbed));
    EXPECT_EQ(perturbed_html(read), perturbed_html(perturbed));
    EXPECT_EQ(read.times_move, perturbed.times_move);
    EXPECT_EQ(read.empty, perturbed.empty);
    EXPECT_EQ(read.guarantee.window, perturbed.guarantee.window);
    EXPECT_EQ(read.plan.length, perturbed.plan.length);
    EXPECT_EQ(read.plan.lower, perturbed.plan.lower);
    EXPECT_EQ(read.plan.upper, perturbed.plan.upper);
    EXPECT_EQ(read.plan.lanes, perturbed.plan.lanes);
    EXPECT_EQ(read.plan.price.analysis, perturbed.plan.price.analysis);
    EXPECT_EQ(read.plan.price.nominal.has_value(), perturbed.plan.price.nominal.has_value());
    EXPECT_EQ(read.expected.shares, perturbed.expected.shares);
    EXPECT_EQ(accounting::to_text(read.plan.event), accounting::to_text(perturbed.plan.event));
  }
}

TEST(PerturbedJson, WhatIsNotPrivateHasAMarkNoDebitAndNoEpsilon) {
  Perturbed perturbed = testing::perturbed_sample();
  perturbed.mark = "seeded: not private";
  perturbed.guarantee.epsilon = kInfinity;
  perturbed.debit.reset();
  const json all = json::parse(perturbed_json(perturbed));
  EXPECT_EQ(all["mark"], "seeded: not private");
  EXPECT_TRUE(all["debit"].is_null());
  EXPECT_TRUE(all["guarantee"]["epsilon"].is_null());
  EXPECT_EQ(all["guarantee"]["reason"], "seeded: not private");
  const Perturbed read = read_back(perturbed);
  EXPECT_EQ(read.mark, "seeded: not private");
  EXPECT_EQ(read.guarantee.epsilon, kInfinity);
  EXPECT_FALSE(read.debit);
}

TEST(PerturbedJson, APaperWithoutAFiniteNumberIsNull) {
  Perturbed perturbed = testing::perturbed_sample();
  perturbed.plan.price.nominal->epsilon = kInfinity;
  EXPECT_TRUE(json::parse(perturbed_json(perturbed))["plan"]["price"]["nominal_epsilon"].is_null());
  EXPECT_EQ(read_back(perturbed).plan.price.nominal->epsilon, kInfinity);
}

TEST(PerturbedJson, BytesThatAreNoTextDoNotBreakIt) {
  Perturbed perturbed = testing::perturbed_sample();
  perturbed.columns = {"caf\xe9\n\"\\", std::string(2000, 'x')};
  EXPECT_EQ(read_back(perturbed).columns[1], perturbed.columns[1]);
}

TEST(PerturbedJson, IsToldFromOtherReleases) {
  EXPECT_EQ(kind_in(perturbed_json(testing::perturbed_sample())), "perturb");
  EXPECT_NE(kind_in(means_json(testing::means_sample(2, 3))), "perturb");
  Published series = testing::sample(2, 3);
  series.plan.parameters = {{"view", std::int64_t{1}}};
  EXPECT_NE(kind_in(to_json(series)), "perturb");
  EXPECT_NE(kind_in(perturbed_json(testing::perturbed_sample())), "means");
  EXPECT_NE(kind_in("{\"view\": "), "perturb");
  EXPECT_FALSE(perturbed_from_json(to_json(series)));
  EXPECT_FALSE(perturbed_from_json(means_json(testing::means_sample(2, 3))));
}

TEST(PerturbedJson, WhatIsMissingOrWrongIsNamedByItsPath) {
  testing::expect_needed(perturbed_from_json, json::parse(perturbed_json(with_confidence())),
                         {"/title",
                          "/view",
                          "/time",
                          "/columns",
                          "/kept",
                          "/rows",
                          "/empty",
                          "/guarantee",
                          "/guarantee/window",
                          "/guarantee/certificate",
                          "/guarantee/not_protected",
                          "/plan",
                          "/plan/mechanism",
                          "/plan/window",
                          "/plan/lanes",
                          "/plan/length",
                          "/plan/lower",
                          "/plan/categories",
                          "/plan/parameters",
                          "/plan/event",
                          "/plan/analysis",
                          "/plan/delta",
                          "/plan/reason",
                          "/plan/price/beta",
                          "/plan/price/nominal_delta",
                          "/expected/first",
                          "/expected/shares",
                          "/expected/cost",
                          "/curve",
                          "/curve/3/delta",
                          "/debit/id",
                          "/budget/fraction_left"});
}

TEST(PerturbedJson, WhatWasAlteredOrCutOffIsRefused) {
  const std::string text = perturbed_json(with_confidence());
  const json whole = json::parse(text);
  const auto refused = [&](const char* path, const json& value) {
    json broken = whole;
    broken[json::json_pointer(path)] = value;
    return testing::refusal(perturbed_from_json, broken) != "accepted";
  };
  EXPECT_TRUE(refused("/view", "both"));
  EXPECT_TRUE(refused("/rows", -1));
  EXPECT_TRUE(refused("/empty", -1));
  EXPECT_TRUE(refused("/plan/lanes", 0));
  EXPECT_TRUE(refused("/guarantee/window", 20));           // not what was planned
  EXPECT_TRUE(refused("/guarantee/window", 1));            // swaps nothing
  EXPECT_TRUE(refused("/guarantee/relation", "replace"));  // not what was planned
  EXPECT_TRUE(refused("/plan/price/beta", 0));
  EXPECT_TRUE(refused("/plan/price/beta", 1));
  EXPECT_TRUE(refused("/plan/event/window", 1));
  EXPECT_TRUE(refused("/plan/event", {{"event", "unheard of"}}));
  EXPECT_TRUE(refused("/expected/first", std::numeric_limits<std::int64_t>::max()));
  EXPECT_TRUE(refused("/expected/first", std::numeric_limits<std::int64_t>::min()));
  EXPECT_TRUE(refused("/expected/shares/2", 1.5));
  EXPECT_TRUE(refused("/expected/shares/2", nullptr));
  EXPECT_TRUE(refused("/curve/3/epsilon", 0.1));  // goes back
  EXPECT_TRUE(refused("/curve/0/epsilon", -1));
  EXPECT_TRUE(refused("/curve/3/delta", 1.5));
  EXPECT_TRUE(refused("/curve/3/delta", nullptr));
  EXPECT_TRUE(refused("/debit/id", "nowhere"));
  for (std::size_t cut = 0; cut + 2 < text.size(); cut += 97) {
    const Result<Perturbed> read = perturbed_from_json(text.substr(0, cut));
    ASSERT_FALSE(read) << cut;
    EXPECT_EQ(read.error().kind, ErrorKind::bad_data);
  }
  EXPECT_FALSE(perturbed_from_json("[]"));
}

}  // namespace
}  // namespace chronoveil::report
