#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "chronoveil/accounting/events/event_json.h"
#include "report/json_checks.h"
#include "report/sample.h"

namespace chronoveil::report {
namespace {

using nlohmann::json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Published read_back(const Published& published) {
  Result<Published> read = from_json(to_json(published));
  EXPECT_TRUE(read) << read.error().text();
  return read ? *std::move(read) : Published{};
}

TEST(Json, HasTheKeysThatTheInterfaceNames) {
  const json all = json::parse(to_json(testing::declared_sample(3, 24)));
  for (const char* key : {"series", "guarantee", "plan", "debit", "software", "time"}) EXPECT_TRUE(all.contains(key));
  EXPECT_FALSE(all.contains("mark"));
  EXPECT_EQ(all["time"].size(), 24u);
  ASSERT_EQ(all["series"].size(), 3u);
  EXPECT_EQ(all["series"][1]["key"], "Harbour & Ferry <North>");
  for (const char* key : {"value", "lower", "upper", "sampled"}) EXPECT_EQ(all["series"][2][key].size(), 24u) << key;
  const json& guarantee = all["guarantee"];
  EXPECT_EQ(guarantee["definition"], "DP");
  EXPECT_EQ(guarantee["unit"], "user");
  EXPECT_EQ(guarantee["relation"], "add_remove");
  EXPECT_EQ(guarantee["epsilon"], 0.99996);
  EXPECT_EQ(guarantee["epsilon_lower"], 0.9996);
  EXPECT_EQ(guarantee["delta"], 1e-6);
  EXPECT_EQ(guarantee["delta_lower"], 9.99e-7);
  EXPECT_EQ(guarantee["certificate"], "upper bound");
  EXPECT_EQ(guarantee["caps"], "declared");
  EXPECT_EQ(guarantee["assumptions"][0]["basis"], "declared");
  EXPECT_EQ(guarantee["cap_growth"][2], (json{{"times", 4}, {"epsilon", 2.1477}}));
  const json& plan = all["plan"];
  for (const char* key : {"mechanism", "parameters", "noise", "scale", "grid", "sensitivity", "measured", "event",
                          "analysis", "level", "reason"})
    EXPECT_TRUE(plan.contains(key)) << key;
  EXPECT_EQ(plan["event"]["event"], "gaussian");
  EXPECT_EQ(all["debit"], (json{{"id", "city:17"}, {"chain_head", std::string(64, 'a')}}));
  EXPECT_EQ(all["software"]["name"], "chronoveil");
}

TEST(Json, ReadsBackWhatWasWritten) {
  for (const Published& published :
       {testing::sample(1, 30), testing::sample(4, 30, 5), testing::declared_sample(2, 24)}) {
    const Published read = read_back(published);
    EXPECT_EQ(to_json(read), to_json(published));
    EXPECT_EQ(to_csv(read), to_csv(published));
    EXPECT_EQ(to_html(read), to_html(published));
    EXPECT_EQ(read.release.estimate.upper, published.release.estimate.upper);
    EXPECT_EQ(read.release.axis.boundaries, published.release.axis.boundaries);
    EXPECT_EQ(read.plan.parameters, published.plan.parameters);
    EXPECT_EQ(accounting::to_text(read.plan.event), accounting::to_text(published.plan.event));
    EXPECT_EQ(read.caps, published.caps);
  }
}

TEST(Json, AWindowSaysHowWideItIs) {
  Published published = testing::sample(1, 4);
  EXPECT_FALSE(json::parse(to_json(published))["guarantee"].contains("width"));
  published.release.guarantee.unit = Unit::w_event;
  published.release.guarantee.width = 3;
  EXPECT_EQ(json::parse(to_json(published))["guarantee"]["width"], 3);
  EXPECT_EQ(read_back(published).release.guarantee.width, 3);
}

TEST(Json, WhatIsNotPrivateHasAMarkNoDebitAndNoEpsilon) {
  Published published = testing::sample(1, 4);
  published.release.mark = "not private: replayed";
  published.release.guarantee.epsilon = kInfinity;
  published.debit.reset();
  const json all = json::parse(to_json(published));
  EXPECT_EQ(all["mark"], "not private: replayed");
  EXPECT_TRUE(all["debit"].is_null());
  EXPECT_TRUE(all["guarantee"]["epsilon"].is_null());
  EXPECT_EQ(all["guarantee"]["reason"], "not private: replayed");
  const Published read = read_back(published);
  EXPECT_EQ(read.release.mark, "not private: replayed");
  EXPECT_EQ(read.release.guarantee.epsilon, kInfinity);
  EXPECT_FALSE(read.debit);
}

TEST(Json, IntervalsWithoutAnEndAreNull) {
  Published published = testing::sample(1, 2);
  published.release.estimate.lower[1] = -kInfinity;
  published.release.estimate.upper[1] = kInfinity;
  EXPECT_TRUE(json::parse(to_json(published))["series"][0]["upper"][1].is_null());
  EXPECT_EQ(read_back(published).release.estimate.lower[1], -kInfinity);
  EXPECT_EQ(read_back(published).release.estimate.upper[1], kInfinity);
}

TEST(Json, BytesThatAreNoTextDoNotBreakIt) {
  Published published = testing::sample(2, 2);
  published.release.keys[0] = "caf\xe9\n\"\\";
  EXPECT_EQ(json::parse(to_json(published))["series"].size(), 2u);
}

TEST(Json, WhatIsMissingOrWrongIsNamedByItsPath) {
  testing::expect_needed(from_json, json::parse(to_json(testing::declared_sample(2, 3))),
                         {"/series",
                          "/guarantee",
                          "/plan",
                          "/time",
                          "/boundaries",
                          "/zone",
                          "/level",
                          "/title",
                          "/series/1/value",
                          "/series/0/sampled",
                          "/guarantee/certificate",
                          "/guarantee/caps",
                          "/guarantee/assumptions/0/basis",
                          "/guarantee/cap_growth/1/times",
                          "/plan/mechanism",
                          "/plan/event",
                          "/plan/noise",
                          "/plan/price",
                          "/plan/price/epsilon",
                          "/plan/shape/max_steps",
                          "/plan/comparison/candidates/0/information",
                          "/debit/id",
                          "/budget/fraction_left"});
}

TEST(Json, ShapesThatDoNotFitAreRefused) {
  const json whole = json::parse(to_json(testing::sample(2, 3)));
  const auto refused = [&](const char* path, const json& value) {
    json broken = whole;
    broken[json::json_pointer(path)] = value;
    return !from_json(broken.dump());
  };
  EXPECT_TRUE(refused("/series/0/value", {1, 2}));
  EXPECT_TRUE(refused("/series/0/upper", {1, 2, "3"}));
  EXPECT_TRUE(refused("/series/1/sampled", {0, 1, 2}));
  EXPECT_TRUE(refused("/series/1/key", nullptr));
  EXPECT_TRUE(refused("/boundaries", {3, 2, 1, 0}));
  EXPECT_TRUE(refused("/time", {"a", "b"}));
  EXPECT_TRUE(refused("/plan/event", {{"event", "unheard of"}}));
  EXPECT_FALSE(from_json("[]"));
  EXPECT_FALSE(from_json("{\"title\": "));
  EXPECT_FALSE(from_json(""));
}

}  // namespace
}  // namespace chronoveil::report
