#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "chronoveil/report/document/geojson.h"
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

TEST(MeansCsv, PlacesOfAGridHaveTheirMiddleAtTheEnd) {
  MeansPublished all = testing::means_on_grid(PlaceShape::square, 3000, 1);
  const std::string csv = means_csv(all);
  EXPECT_TRUE(csv.starts_with("place,slot,mean,lower,upper,longitude,latitude\nr1c1,2026-03-01T00:00:00+02:00,"));
  const PlaceGridSpec& box = all.release.grid->spec();
  const std::string line = csv.substr(csv.find('\n') + 1, csv.find('\n', csv.find('\n') + 1) - csv.find('\n') - 1);
  const std::size_t last = line.rfind(','), before = line.rfind(',', last - 1);
  const double longitude = std::stod(line.substr(before + 1)), latitude = std::stod(line.substr(last + 1));
  EXPECT_EQ(all.release.grid->place_of(longitude, latitude), 0);
  EXPECT_GT(longitude, box.west);
  all.release.mark = "seeded: not private";
  EXPECT_TRUE(means_csv(all).starts_with("place,slot,mean,lower,upper,mark,longitude,latitude\n"));
}

TEST(MeansCsv, SmoothedMeansHaveWhatWasMeasuredBesideThem) {
  MeansPublished all = two_slots({});
  all.release.cells[0].measured = -3.25;
  all.release.cells[0].deviation = 8;
  all.release.cells[1].measured = 77;  // not published
  all.release.mark = "seeded: not private";
  EXPECT_EQ(means_csv(all).find("-3.25"), std::string::npos);
  all.release.smoothed = Smoothed::by_place;
  EXPECT_EQ(means_csv(all),
            "place,slot,mean,lower,upper,measured,deviation,mark\n"
            ",2026-03-01T00:00:00+02:00,20.5,0.1,1e+21,-3.25,8,seeded: not private\n"
            ",2026-03-01T01:00:00+02:00,,,,,,seeded: not private\n");
}

TEST(MeansGeoJson, HasAnOutlineForEveryPublicCell) {
  MeansPublished all = testing::means_on_grid(PlaceShape::hexagon, 3000, 2);
  const Outlines outlines = outlines_of(*all.release.grid);
  const nlohmann::json map = nlohmann::json::parse(means_geojson(all, outlines));
  EXPECT_EQ(map["type"], "FeatureCollection");
  EXPECT_EQ(map["title"], all.title);
  ASSERT_EQ(map["features"].size(), all.release.cells.size());
  for (std::size_t i = 0; i < all.release.cells.size(); ++i) {
    const nlohmann::json& feature = map["features"][i];
    const bool has_mean = all.release.cells[i].state == State::published;
    EXPECT_EQ(feature["properties"]["place"], all.release.places[i / 2]);
    EXPECT_EQ(feature["properties"]["mean"].is_number(), has_mean);
    const nlohmann::json& ring = feature["geometry"]["coordinates"][0];
    ASSERT_EQ(ring.size(), 7u);
    EXPECT_EQ(ring.front(), ring.back());
    double area = 0;  // positive: counter-clockwise
    for (std::size_t k = 0; k + 1 < ring.size(); ++k)
      area += ring[k][0].get<double>() * ring[k + 1][1].get<double>() -
              ring[k + 1][0].get<double>() * ring[k][1].get<double>();
    EXPECT_GT(area, 0);
  }
  EXPECT_FALSE(means_geojson(all, outlines).find("\"mark\"") != std::string::npos);
  all.release.mark = "seeded: not private";
  EXPECT_EQ(nlohmann::json::parse(means_geojson(all, outlines))["features"][0]["properties"]["mark"], all.release.mark);
  EXPECT_EQ(nlohmann::json::parse(means_geojson(testing::means_sample(3, 2), {}))["features"].size(), 0u);
}

TEST(MeansCsv, NoSlotsAreNoRows) { EXPECT_EQ(means_csv(MeansPublished{}), "place,slot,mean,lower,upper\n"); }

}  // namespace
}  // namespace chronoveil::report
