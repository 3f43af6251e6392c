#include <gtest/gtest.h>

#include "report/means_sample.h"

namespace chronoveil::report {
namespace {

using State = CellEstimate::State;

MeansPublished two_slots(std::vector<std::string> places) {
  MeansPublished all;
  all.release.places = std::move(places);
  all.release.axis = testing::hours(2);
  for (std::int64_t i = 0; i < all.release.place_count(); ++i) {
    all.release.cells.push_back({State::published, 20.5, 0.1, 1e21});
    all.release.cells.push_back({.state = i % 2 == 0 ? State::empty : State::sparse});
  }
  return all;
}

TEST(MeansCsv, HasARowForEveryPublicCellAndNothingWhereNothingIsPublished) {
  EXPECT_EQ(means_csv(two_slots({"plain", "a,\"b\""})),
            "place,slot,mean,lower,upper\n"
            "plain,2026-03-01T00:00:00+02:00,20.5,0.1,1e+21\n"
            "plain,2026-03-01T01:00:00+02:00,,,\n"
            "\"a,\"\"b\"\"\",2026-03-01T00:00:00+02:00,20.5,0.1,1e+21\n"
            "\"a,\"\"b\"\"\",2026-03-01T01:00:00+02:00,,,\n");
}

TEST(MeansCsv, OnePlaceWithoutANameHasAnEmptyPlace) {
  EXPECT_EQ(means_csv(two_slots({})),
            "place,slot,mean,lower,upper\n"
            ",2026-03-01T00:00:00+02:00,20.5,0.1,1e+21\n"
            ",2026-03-01T01:00:00+02:00,,,\n");
}

TEST(MeansCsv, WhatIsNotPrivateSaysSoInEveryRow) {
  MeansPublished all = two_slots({});
  all.release.mark = "seeded: not private";
  EXPECT_EQ(means_csv(all),
            "place,slot,mean,lower,upper,mark\n"
            ",2026-03-01T00:00:00+02:00,20.5,0.1,1e+21,seeded: not private\n"
            ",2026-03-01T01:00:00+02:00,,,,seeded: not private\n");
}

TEST(MeansCsv, ANumberInACellThatIsNotPublishedStaysInside) {
  MeansPublished all = two_slots({});
  all.release.cells[1].mean = 12.25;
  EXPECT_EQ(means_csv(all).find("12.25"), std::string::npos);
  EXPECT_EQ(means_json(all).find("12.25"), std::string::npos);
}

TEST(MeansCsv, NoSlotsAreNoRows) { EXPECT_EQ(means_csv(MeansPublished{}), "place,slot,mean,lower,upper\n"); }

}  // namespace
}  // namespace chronoveil::report
