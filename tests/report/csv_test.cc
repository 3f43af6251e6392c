#include <gtest/gtest.h>

#include <limits>

#include "chronoveil/report/document/geojson.h"
#include "report/sample.h"

namespace chronoveil::report {
namespace {

Published two_steps(std::vector<std::string> keys) {
  Published all;
  all.release.keys = std::move(keys);
  all.release.axis = testing::hours(2);
  const std::size_t cells = static_cast<std::size_t>(all.release.series()) * 2;
  for (std::size_t i = 0; i < cells; ++i) {
    all.release.estimate.value.push_back(0.1 * static_cast<double>(i));
    all.release.estimate.lower.push_back(-1e-7);
    all.release.estimate.upper.push_back(1e21);
    all.release.estimate.sampled.push_back(i % 2 == 0);
  }
  return all;
}

TEST(Csv, OneSeriesWithoutANameHasNoSeriesColumn) {
  EXPECT_EQ(to_csv(two_steps({})),
            "time,value,lower,upper,sampled\n"
            "2026-03-01T00:00:00+02:00,0,-1e-07,1e+21,1\n"
            "2026-03-01T01:00:00+02:00,0.1,-1e-07,1e+21,0\n");
}

TEST(Csv, KeysComeFirstAndAreQuotedWhereNeeded) {
  const std::string csv = to_csv(two_steps({"plain", "a,b", "say \"hi\"", "two\nlines", " padded", ""}));
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "series,time,value,lower,upper,sampled");
  for (const char* start : {"\nplain,2026", "\n\"a,b\",2026", "\n\"say \"\"hi\"\"\",2026", "\ntwo\\nlines,2026",
                            "\n\" padded\",2026", "\n\"\",2026"})
    EXPECT_NE(csv.find(start), std::string::npos) << start;
}

TEST(Csv, WhatIsNotPrivateSaysSoInEveryRow) {
  Published all = two_steps({});
  all.release.mark = "not private: replayed";
  EXPECT_EQ(to_csv(all),
            "time,value,lower,upper,sampled,mark\n"
            "2026-03-01T00:00:00+02:00,0,-1e-07,1e+21,1,not private: replayed\n"
            "2026-03-01T01:00:00+02:00,0.1,-1e-07,1e+21,0,not private: replayed\n");
}

TEST(Csv, OnAGridEveryRowHasTheMiddleOfItsPlaceAtTheEnd) {
  const auto grid = PlaceGrid::make({PlaceShape::square, 0, 0, 0.02, 0.01, 1112});
  ASSERT_TRUE(grid);
  Published all = two_steps(grid->names());
  all.release.grid = *grid;
  for (const std::string mark : {"", "seeded: not private"}) {
    all.release.mark = mark;
    const std::string csv = to_csv(all), says = mark.empty() ? "" : ",mark";
    EXPECT_TRUE(csv.starts_with("series,time,value,lower,upper,sampled" + says + ",longitude,latitude\n")) << csv;
    for (std::size_t at = csv.find('\n') + 1, place = 0; at < csv.size(); at = csv.find('\n', at) + 1, ++place) {
      const std::string line = csv.substr(at, csv.find('\n', at) - at);
      const std::size_t last = line.rfind(','), before = line.rfind(',', last - 1);
      EXPECT_EQ(grid->names()[place / 2], line.substr(0, line.find(',')));
      EXPECT_EQ(grid->place_of(std::stod(line.substr(before + 1)), std::stod(line.substr(last + 1))),
                static_cast<std::int64_t>(place / 2));
    }
    const nlohmann::json map = nlohmann::json::parse(to_geojson(all, outlines_of(*grid)));
    ASSERT_EQ(map["features"].size(), all.release.estimate.value.size());
    EXPECT_EQ(map["title"], all.title);
    EXPECT_EQ(map["features"][3]["properties"]["series"], grid->names()[1]);
    EXPECT_EQ(map["features"][3]["properties"]["value"], all.release.estimate.value[3]);
    EXPECT_EQ(map["features"][3]["properties"].contains("mark"), !mark.empty());
  }
}

TEST(Csv, EveryNumberReadsBack) {
  Published all = two_steps({});
  all.release.estimate.value = {1.0 / 3, std::ldexp(12345.0, -17)};
  all.release.estimate.upper = {std::nextafter(1.0, 2.0), std::numeric_limits<double>::infinity()};
  const std::string csv = to_csv(all);
  std::vector<double> read;
  for (std::size_t at = csv.find('\n') + 1; at < csv.size(); at = csv.find('\n', at) + 1) {
    std::size_t comma = csv.find(',', at) + 1;
    for (int i = 0; i < 3; ++i, comma = csv.find(',', comma) + 1) read.push_back(std::strtod(&csv[comma], nullptr));
  }
  EXPECT_EQ(read, (std::vector<double>{1.0 / 3, -1e-7, std::nextafter(1.0, 2.0), std::ldexp(12345.0, -17), -1e-7,
                                       std::numeric_limits<double>::infinity()}));
}

TEST(Csv, EverySeriesHasEveryStepInOrder) {
  const std::string csv = to_csv(testing::sample(30, 48));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 30 * 48 + 1);
  EXPECT_LT(csv.find("Stop 4,2026-03-01T00"), csv.find("Stop 4,2026-03-02T23"));
  EXPECT_LT(csv.find("Stop 4,2026-03-02T23"), csv.find("Stop 5,2026-03-01T00"));
}

}  // namespace
}  // namespace chronoveil::report
