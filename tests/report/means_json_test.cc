#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/report/document/json_parts.h"
#include "report/json_checks.h"
#include "report/means_sample.h"

namespace chronoveil::report {
namespace {

using nlohmann::json;
using State = CellEstimate::State;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

MeansPublished read_back(const MeansPublished& published) {
  Result<MeansPublished> read = means_from_json(means_json(published));
  EXPECT_TRUE(read) << read.error().text();
  return read ? *std::move(read) : MeansPublished{};
}

TEST(MeansJson, HasTheKeysThatTheInterfaceNames) {
  const json all = json::parse(means_json(testing::means_sample(3, 24)));
  for (const char* key : {"cells", "places", "guarantee", "plan", "debit", "budget", "software", "time", "boundaries",
                          "zone", "bounds", "level", "measure"})
    EXPECT_TRUE(all.contains(key)) << key;
  EXPECT_FALSE(all.contains("mark"));
  EXPECT_FALSE(all.contains("grid"));
  ASSERT_EQ(all["cells"].size(), 72u);
  const double mean = testing::speed(1, 3, 0);
  EXPECT_EQ(all["cells"][24], (json{{"place", "Harbour & Ferry <North>"},
                                    {"slot", "2026-03-01T00:00:00+02:00"},
                                    {"mean", mean},
                                    {"lower", mean - (2 + 20.0 / 3)},
                                    {"upper", mean + (2 + 20.0 / 3)},
                                    {"state", "published"}}));
  EXPECT_EQ(all["cells"][6]["state"], "empty");
  EXPECT_EQ(all["cells"][10]["state"], "sparse");
  for (const char* key : {"mean", "lower", "upper"}) EXPECT_TRUE(all["cells"][6][key].is_null()) << key;
  EXPECT_EQ(all["bounds"], (json{{"lower", 0}, {"upper", 65}}));
  EXPECT_EQ(all["guarantee"]["relation"], "replace_values");
  EXPECT_EQ(all["guarantee"]["epsilon"], 1);
  EXPECT_EQ(all["guarantee"]["epsilon_lower"], 0.9999);
  EXPECT_EQ(all["guarantee"]["not_protected"][0], "Where and when a person was is not protected.");
  const json& plan = all["plan"];
  for (const char* key : {"mechanism", "parameters", "noise", "share", "noise_multiplier", "relation", "shape", "event",
                          "analysis", "price", "level", "reason", "comparison"})
    EXPECT_TRUE(plan.contains(key)) << key;
  EXPECT_EQ(plan["shape"]["max_records"], 50);
  EXPECT_TRUE(plan["shape"]["registered"].is_null());
  EXPECT_EQ(all["debit"]["id"], "buses:17");
}

TEST(MeansJson, AComparisonGivesEveryNumberByMechanism) {
  MeansPublished published = testing::means_sample(3, 24);
  published.comparison = testing::means_comparison(3, 24);
  const json all = json::parse(means_json(published))["plan"]["comparison"];
  EXPECT_EQ(all["m_ub_median"], 4);
  EXPECT_EQ(all["m_ub_optimised"], 7);
  EXPECT_EQ(all["arrays_best_fit"], 4);
  EXPECT_EQ(all["arrays_wrap_around"], 3);
  EXPECT_EQ(all["fills"], (json{7, 7, 5, 4}));
  EXPECT_EQ(all["sensitivity"],
            (json{{"baseline", 23.4}, {"array_averaging", 16.25}, {"array_averaging_wrap_around", 433.25 / 20}}));
  EXPECT_EQ(all["noise"]["array_averaging_wrap_around"], 433.25);
  EXPECT_EQ(all["recommended"], "array_averaging");
  EXPECT_EQ(all["regime"], "many users");
  EXPECT_TRUE(all.contains("reason"));
  EXPECT_EQ(all["candidates"][3]["refusal"], "registered_mean needs the number of registered users");
  EXPECT_FALSE(all["sensitivity"].contains("registered_mean"));
}

TEST(MeansJson, ReadsBackWhatWasWritten) {
  MeansPublished bare = testing::means_sample(2, 3);
  bare.comparison.reset();
  bare.budget.reset();
  bare.plan.shape.max_records.reset();
  bare.plan.shape.registered = 400;
  bare.plan.noise = NoiseKind::gaussian;
  bare.plan.relation = bare.release.guarantee.relation = Relation::replace;
  for (const MeansPublished& published : {testing::means_sample(0, 30), testing::means_sample(4, 30),
                                          testing::means_on_grid(PlaceShape::hexagon, 4000, 2),
                                          testing::means_on_grid(PlaceShape::square, 5000, 1), bare}) {
    const MeansPublished read = read_back(published);
    EXPECT_EQ(means_json(read), means_json(published));
    EXPECT_EQ(means_csv(read), means_csv(published));
    EXPECT_EQ(read.release.axis.boundaries, published.release.axis.boundaries);
    EXPECT_EQ(read.release.grid.has_value(), published.release.grid.has_value());
    EXPECT_EQ(read.plan.parameters, published.plan.parameters);
    EXPECT_EQ(read.plan.shape.registered, published.plan.shape.registered);
    EXPECT_EQ(accounting::to_text(read.plan.event), accounting::to_text(published.plan.event));
    ASSERT_EQ(read.release.cells.size(), published.release.cells.size());
    for (std::size_t i = 0; i < read.release.cells.size(); ++i) {
      const CellEstimate &one = read.release.cells[i], &other = published.release.cells[i];
      EXPECT_EQ(one.state, other.state);
      EXPECT_EQ(std::isnan(one.mean), other.state != State::published);
      if (other.state == State::published) {
        EXPECT_EQ(one.upper, other.upper);
      }
    }
  }
}

TEST(MeansJson, SmoothedMeansSaySoAndKeepWhatWasMeasured) {
  MeansPublished published = testing::means_sample(2, 3);
  EXPECT_FALSE(json::parse(means_json(published)).contains("smoothed"));
  for (std::size_t i = 0; i < published.release.cells.size(); ++i) {
    published.release.cells[i].measured = -0.5 - static_cast<double>(i);
    published.release.cells[i].deviation = 2.5;
  }
  EXPECT_FALSE(json::parse(means_json(published))["cells"][0].contains("measured"));
  for (const auto& [smoothed, word] :
       {std::pair{Smoothed::by_place, "by_place"}, std::pair{Smoothed::over_places, "over_places"}}) {
    published.release.smoothed = smoothed;
    const json all = json::parse(means_json(published));
    EXPECT_EQ(all["smoothed"], word);
    EXPECT_EQ(all["cells"][1]["measured"], -1.5);
    EXPECT_EQ(all["cells"][1]["deviation"], 2.5);
    const MeansPublished read = read_back(published);
    EXPECT_EQ(read.release.smoothed, smoothed);
    EXPECT_EQ(means_json(read), means_json(published));
    EXPECT_EQ(means_csv(read), means_csv(published));
  }
  json broken = json::parse(means_json(published));
  broken["cells"][0].erase("measured");
  EXPECT_FALSE(means_from_json(broken.dump()));
  broken = json::parse(means_json(published));
  broken["smoothed"] = "somehow";
  EXPECT_FALSE(means_from_json(broken.dump()));
}

TEST(MeansJson, WhatIsNotPrivateHasAMarkNoDebitAndNoEpsilon) {
  MeansPublished published = testing::means_sample(1, 4);
  published.release.mark = "not private: replayed";
  published.release.guarantee.epsilon = kInfinity;
  published.debit.reset();
  const json all = json::parse(means_json(published));
  EXPECT_EQ(all["mark"], "not private: replayed");
  EXPECT_TRUE(all["debit"].is_null());
  EXPECT_TRUE(all["guarantee"]["epsilon"].is_null());
  EXPECT_EQ(all["guarantee"]["reason"], "not private: replayed");
  const MeansPublished read = read_back(published);
  EXPECT_EQ(read.release.mark, "not private: replayed");
  EXPECT_EQ(read.release.guarantee.epsilon, kInfinity);
  EXPECT_FALSE(read.debit);
}

TEST(MeansJson, IntervalsWithoutAnEndAreNull) {
  MeansPublished published = testing::means_sample(0, 1);
  published.release.cells[0].lower = -kInfinity;
  published.release.cells[0].upper = kInfinity;
  EXPECT_TRUE(json::parse(means_json(published))["cells"][0]["upper"].is_null());
  EXPECT_EQ(read_back(published).release.cells[0].lower, -kInfinity);
  EXPECT_EQ(read_back(published).release.cells[0].upper, kInfinity);
}

TEST(MeansJson, BytesThatAreNoTextDoNotBreakIt) {
  MeansPublished published = testing::means_sample(2, 2);
  published.release.places[0] = "caf\xe9\n\"\\";
  EXPECT_EQ(read_back(published).release.cells.size(), 4u);
}

TEST(MeansJson, IsToldFromTheJsonOfSeries) {
  EXPECT_EQ(kind_in(means_json(testing::means_sample(2, 3))), "means");
  EXPECT_EQ(kind_in(means_json(MeansPublished{})), "means");
  Published series = testing::sample(2, 3);
  series.title = "{\"cells\": []}";
  series.plan.parameters = {{"cells", std::int64_t{1}}};
  EXPECT_NE(kind_in(to_json(series)), "means");
  EXPECT_EQ(kind_in(to_json(series)), "series");
  EXPECT_EQ(kind_in("{\"kind\": \"series\", \"cells\": []}"), "series");
  EXPECT_EQ(kind_in("{\"cells\": [}"), std::nullopt);
  EXPECT_NE(kind_in("[\"cells\"]"), "means");
  EXPECT_NE(kind_in(""), "means");
}

TEST(MeansJson, DocumentsOfEarlierVersionsAreToldByWhatTheyHold) {
  EXPECT_EQ(kind_in("{\"cells\": []}"), "means");
  EXPECT_EQ(kind_in("{\"view\": \"times\"}"), "perturb");
  EXPECT_EQ(kind_in("{\"model_sha256\": \"\"}"), "train");
  EXPECT_EQ(kind_in("{\"series\": [{\"cells\": 1}]}"), "series");
}

TEST(MeansJson, WhatIsMissingOrWrongIsNamedByItsPath) {
  testing::expect_needed(means_from_json, json::parse(means_json(testing::means_on_grid(PlaceShape::square, 8000, 2))),
                         {"/title",
                          "/measure",
                          "/guarantee",
                          "/guarantee/certificate",
                          "/guarantee/not_protected",
                          "/plan",
                          "/plan/mechanism",
                          "/plan/share",
                          "/plan/noise",
                          "/plan/analysis",
                          "/plan/event",
                          "/plan/price/epsilon",
                          "/plan/shape/max_records",
                          "/plan/shape/upper",
                          "/plan/comparison/m_ub",
                          "/plan/comparison/fills",
                          "/plan/comparison/from_caps",
                          "/plan/comparison/candidates/1/facts",
                          "/plan/comparison/candidates/0/facts/scale",
                          "/level",
                          "/bounds/upper",
                          "/zone",
                          "/time",
                          "/boundaries",
                          "/grid/size",
                          "/places",
                          "/cells",
                          "/cells/3/place",
                          "/cells/3/slot",
                          "/cells/3/state",
                          "/cells/3/mean",
                          "/cells/3/lower",
                          "/debit/id",
                          "/budget/fraction_left"});
}

TEST(MeansJson, ShapesThatDoNotFitAreRefused) {
  const json whole = json::parse(means_json(testing::means_on_grid(PlaceShape::hexagon, 8000, 7)));
  const auto refused = [&](const char* path, const json& value) {
    json broken = whole;
    broken[json::json_pointer(path)] = value;
    return testing::refusal(means_from_json, broken) != "accepted";
  };
  EXPECT_TRUE(refused("/cells/0/mean", nullptr));   // published
  EXPECT_TRUE(refused("/cells/6/mean", 20));        // empty
  EXPECT_TRUE(refused("/cells/6/upper", 20));       // empty
  EXPECT_TRUE(refused("/cells/0/state", "empty"));  // with a mean
  EXPECT_TRUE(refused("/cells/1", whole["cells"][2]));
  EXPECT_TRUE(refused("/cells", json::array()));
  EXPECT_TRUE(refused("/places/0", "elsewhere"));
  EXPECT_TRUE(refused("/grid/size", 4000));  // other places
  EXPECT_TRUE(refused("/grid/shape", "triangle"));
  EXPECT_TRUE(refused("/grid/north", -90));
  EXPECT_TRUE(refused("/bounds/lower", nullptr));
  EXPECT_TRUE(refused("/plan/comparison/counts", {1, -1}));
  EXPECT_TRUE(refused("/plan/comparison/counts", {1, 4'294'967'296}));
  EXPECT_TRUE(refused("/plan/event", {{"event", "unheard of"}}));
  EXPECT_FALSE(means_from_json("[]"));
  EXPECT_FALSE(means_from_json("{\"title\": "));
  EXPECT_FALSE(means_from_json(to_json(testing::sample(1, 2))));
}

}  // namespace
}  // namespace chronoveil::report
