// Rows to a panel: which step a row is, what is dropped, what is missing, what is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "chronoveil/engine/train/read.h"
#include "engine/train_fixtures.h"

namespace chronoveil::engine {
namespace {

using forecasting::Panel;
using testing::fails;

class TrainReading : public testing::TrainFolder {
 protected:
  Result<Panel> read_rows(const std::string& rows, const std::string& toml = text()) const {
    write("load.csv", "meter,ts,kwh,temp\n" + rows);
    const Job read = job(toml);
    return read_panel(read, planned(toml));
  }
};

TEST_F(TrainReading, RowsInAnyOrderFindTheirStep) {
  const Result<Panel> panel = read_rows(
      "m1,2026-03-02T05:59,2.5,\nm0,2026-03-02T00:00,-1.5,\nelsewhere,2026-03-02T00:00,9,\n"
      "m0,2026-03-29T23:00,4,\nm0,2026-03-30T00:00,8,\nm0,2026-03-02T02:00,,\n");
  ASSERT_TRUE(panel) << panel.error().text();
  ASSERT_EQ(panel->series.size(), 12u);
  EXPECT_TRUE(forecasting::check_panel(*panel, 12));
  EXPECT_EQ(panel->series[0].key, "m0");
  EXPECT_EQ(panel->series[0].values[0], -1.5f);
  EXPECT_EQ(panel->series[0].values.back(), 4);
  EXPECT_EQ(panel->series[1].values[5], 2.5f);
  std::size_t there = 0;
  for (const auto& series : panel->series)
    for (const float value : series.values) there += std::isnan(value) ? 0 : 1;
  EXPECT_EQ(there, 3u);
}

TEST_F(TrainReading, ChannelsStandSideBySide) {
  const std::string toml = text("steps = 5\nchannels = [\"temp\", \"kwh\"]\n", "", "");
  const Result<Panel> panel = read_rows("m0,2026-03-02T00:00,1,2\nm0,2026-03-02T01:00,,4\n", toml);
  ASSERT_TRUE(panel) << panel.error().text();
  EXPECT_EQ(panel->channels, 2);
  const std::vector<float>& values = panel->series[0].values;
  ASSERT_EQ(values.size(), 2u * 28 * 24);
  EXPECT_EQ(values[0], 2);
  EXPECT_EQ(values[1], 1);
  EXPECT_EQ(values[2], 4);
  EXPECT_TRUE(std::isnan(values[3]));
}

TEST_F(TrainReading, WhatLiesOutsideOfASpanIsDropped) {
  write("spans.csv", "series,start,end\nm0,2026-03-03,2026-03-04\n");
  const Result<Panel> panel =
      read_rows("m0,2026-03-02T23:00,1,\nm0,2026-03-03T00:00,2,\nm0,2026-03-03T23:00,3,\nm0,2026-03-04T00:00,4,\n",
                text("steps = 5\nspans = \"spans.csv\"\n"));
  ASSERT_TRUE(panel) << panel.error().text();
  const forecasting::PanelSeries& series = panel->series[0];
  EXPECT_EQ(series.start, 24);
  EXPECT_EQ(series.length, 24);
  EXPECT_EQ(series.values.front(), 2);
  EXPECT_EQ(series.values.back(), 3);
}

TEST_F(TrainReading, TrainingSeesValuesWithinTheBoundsOfItsJob) {
  const std::string rows =
      "m0,2026-03-02T00:00,1e9,\nm0,2026-03-02T01:00,-7,\nm0,2026-03-02T02:00,1.5,\nm0,2026-03-02T03:00,,\n";
  const std::string toml = text("steps = 5\nlower = 0\nupper = 2\n");
  const Result<Panel> panel = read_rows(rows, toml);
  ASSERT_TRUE(panel) << panel.error().text();
  const std::vector<float>& values = panel->series[0].values;
  EXPECT_EQ(values[0], 2);
  EXPECT_EQ(values[1], 0);
  EXPECT_EQ(values[2], 1.5f);
  EXPECT_TRUE(std::isnan(values[3]));
  EXPECT_TRUE(std::isnan(values[4]));  // no row
  // Who asks for values as they are gets them: a forecast does.
  const TrainPlanned plan = planned(toml);
  const Result<Panel> raw = read_panel(job(toml).source, plan.channels, plan.axis, plan.series);
  ASSERT_TRUE(raw) << raw.error().text();
  EXPECT_EQ(raw->series[0].values[0], 1e9f);
  // However large it is: whether there is a model must not depend on a value.
  const Result<Panel> beyond = read_rows("m0,2026-03-02T00:00,1e39,\nm0,2026-03-02T01:00,-1e300,\n", toml);
  ASSERT_TRUE(beyond) << beyond.error().text();
  EXPECT_EQ(beyond->series[0].values[0], 2);
  EXPECT_EQ(beyond->series[0].values[1], 0);
}

TEST_F(TrainReading, BadRowsAreNamedWithoutTheirValues) {
  const std::string good = "m0,2026-03-02T00:00,1,\n";
  const std::pair<const char*, const char*> bad[] = {
      {"m0,2026-03-02T01:00,NaN,\n", "column kwh"},
      {"m0,2026-03-02T01:00,inf,\n", "column kwh"},
      {"m0,2026-03-02T01:00,73secret,\n", "column kwh"},
      {"m0,2026-03-02T01:00,1e39,\n", "column kwh: too large"},
      {"m0,2026-03-02T01:00,-1e300,\n", "column kwh: too large"},
      {"m0,73secret,1,\n", "column ts"},
      {",2026-03-02T01:00,1,\n", "column meter: empty; every record needs a series"},
      {"m0,2026-03-02T00:59,2,\n", "this series and slot were given before"},
      {"m0,2026-03-02T00:00,,\n", "this series and slot were given before"},
  };
  for (const auto& [row, mention] : bad) {
    const Result<Panel> panel = read_rows(good + row);
    EXPECT_TRUE(fails(panel, ErrorKind::bad_data, mention)) << row;
    EXPECT_TRUE(fails(panel, ErrorKind::bad_data, "row 2")) << row;
    EXPECT_EQ(panel.error().text().find("73"), std::string::npos) << panel.error().text();
  }
}

TEST_F(TrainReading, EveryChannelMustBeAColumn) {
  const std::string toml = text("steps = 5\nchannels = [\"kwh\", \"temp\"]\n", "", "");
  write("load.csv", "meter,ts,kwh\n");
  const Job read = job(toml);
  EXPECT_TRUE(fails(check_train_columns(read.source, read.train().channels), ErrorKind::bad_data, "column temp"));
  write("load.csv", "meter,ts,kwh,temp\n");
  EXPECT_TRUE(check_train_columns(read.source, read.train().channels));
}

TEST_F(TrainReading, WithoutAColumnOfSeriesThereIsOne) {
  std::string toml = text("steps = 5\n");
  toml.erase(toml.find("series = \"meter\"\n"), 17);
  toml.erase(toml.find("[series]\nlist = \"meters.txt\"\n"), 29);
  toml.replace(toml.find("batch_size = 4"), 14, "batch_size = 1");
  const Result<Panel> panel = read_rows("x,2026-03-02T03:00,1,\ny,2026-03-02T04:00,2,\n", toml);
  ASSERT_TRUE(panel) << panel.error().text();
  ASSERT_EQ(panel->series.size(), 1u);
  EXPECT_EQ(panel->series[0].values[3], 1);
  EXPECT_EQ(panel->series[0].values[4], 2);
}

}  // namespace
}  // namespace chronoveil::engine
