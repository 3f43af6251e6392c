#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include "chronoveil/simulate/making.h"

namespace chronoveil::simulate {
namespace {

struct Made {
  Truth truth;
  std::vector<std::vector<std::string>> rows;  // without the header
  std::string text;
};

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  std::stringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

template <class World>
Made make(const World& world, std::uint64_t seed = 1) {
  const std::string path = testing::TempDir() + "chronoveil_world_" + std::to_string(::getpid()) + ".csv";
  Made made;
  {
    Result<TextFile> file = TextFile::create("--output", path);
    EXPECT_TRUE(file);
    Result<Truth> truth = simulate(world, seed, *file);
    EXPECT_TRUE(truth) << truth.error().text();
    EXPECT_TRUE(file->commit());
    made.truth = std::move(*truth);
  }
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  made.text = line + "\n";
  while (std::getline(in, line)) {
    made.text += line + "\n";
    made.rows.push_back(split(line));
  }
  std::filesystem::remove(path);
  return made;
}

Traffic small_traffic() { return {.people = 300, .sensors = 5, .period = {"Europe/Berlin", "2026-03-23", 14}}; }
Checkins small_checkins() { return {.users = 2000, .venues = 6, .period = {"America/New_York", "2026-03-02", 28}}; }
Meters small_meters() { return {.meters = 20, .period = {"Europe/London", "2026-03-27", 4}}; }
Buses small_buses() { return {.vehicles = 7, .period = {"Asia/Kolkata", "2026-02-02", 2}}; }

// Adds up the rows again from their text: the hour of a stamp is its first 13 characters and its offset.
template <class Amount>
std::map<std::string, double> recount(const Made& made, std::size_t time, int key, std::int32_t slot_minutes,
                                      Amount amount) {
  std::map<std::string, double> counts;
  for (const auto& row : made.rows) {
    const std::string& stamp = row[time];
    const int minute = std::stoi(stamp.substr(11, 2)) * 60 + std::stoi(stamp.substr(14, 2));
    const int start = minute / slot_minutes * slot_minutes;
    char clock[32];
    std::snprintf(clock, sizeof clock, "%02d:%02d:00", start / 60, start % 60);
    const std::string name = key < 0 ? "" : row[static_cast<std::size_t>(key)] + ",";
    // A six-hour slot that begins before the change carries the offset from before; hours and half-hours keep theirs.
    counts[name + stamp.substr(0, 11) + clock + (slot_minutes > 60 ? "" : stamp.substr(19))] += amount(row);
  }
  return counts;
}

std::map<std::string, double> as_map(const Truth& truth, bool with_offset) {
  std::map<std::string, double> counts;
  const std::size_t steps = truth.axis.labels.size();
  for (std::size_t i = 0; i < truth.counts.size(); ++i) {
    if (truth.counts[i] == 0) continue;
    const std::string& label = truth.axis.labels[i % steps];
    const std::string name = truth.keys.empty() ? "" : truth.keys[i / steps] + ",";
    counts[name + (with_offset ? label : label.substr(0, 19))] += static_cast<double>(truth.counts[i]);
  }
  return counts;
}

double one(const std::vector<std::string>&) { return 1; }

TEST(Worlds, TheTruthIsWhatTheRowsSay) {
  const Made traffic = make(small_traffic());
  EXPECT_EQ(traffic.truth.axis.steps(), 14 * 24 - 1) << "clocks change on March 29th";
  EXPECT_EQ(recount(traffic, 1, 2, 60, one), as_map(traffic.truth, true));
  const Made checkins = make(small_checkins());
  EXPECT_EQ(recount(checkins, 1, 2, 360, one), as_map(checkins.truth, false));
  const Made meters = make(small_meters());
  EXPECT_EQ(recount(meters, 1, -1, 30, [](const auto& row) { return std::stod(row[2]); }), as_map(meters.truth, true));
  const Made buses = make(small_buses());
  EXPECT_EQ(recount(buses, 1, 5, 60, one), as_map(buses.truth, true));
  for (const Made* made : {&traffic, &checkins, &meters, &buses})
    EXPECT_EQ(made->truth.rows, static_cast<std::int64_t>(made->rows.size()));
}

TEST(Worlds, BusTruthIsTheMeanSpeed) {
  const Made buses = make(small_buses());
  ASSERT_EQ(buses.truth.sums.size(), buses.truth.counts.size());
  double speeds = 0;
  for (const auto& row : buses.rows) {
    const double speed = std::stod(row[2]);
    EXPECT_GE(speed, 0);
    EXPECT_LE(speed, 65);
    speeds += speed;
  }
  EXPECT_NEAR(std::accumulate(buses.truth.sums.begin(), buses.truth.sums.end(), 0.0), speeds, 1e-6 * speeds);
}

TEST(Worlds, TheSameSeedGivesTheSameBytesAndAnotherDoesNot) {
  EXPECT_EQ(make(small_traffic()).text, make(small_traffic()).text);
  EXPECT_NE(make(small_traffic()).text, make(small_traffic(), 2).text);
  EXPECT_EQ(make(small_checkins()).text, make(small_checkins()).text);
  EXPECT_EQ(make(Flu{.weeks = 60}).text, make(Flu{.weeks = 60}).text);
  EXPECT_NE(make(Flu{.weeks = 60}).text, make(Flu{.weeks = 60}, 2).text);
  EXPECT_EQ(make(small_meters()).text, make(small_meters()).text);
  EXPECT_EQ(make(small_buses()).text, make(small_buses()).text);
}

TEST(Worlds, RowsStandInTheOrderOfTime) {
  const Made traffic = make(small_traffic());
  // The stamps of one day without a change sort as text.
  std::vector<std::string> stamps;
  for (const auto& row : traffic.rows)
    if (row[1].rfind("2026-03-24", 0) == 0) stamps.push_back(row[1]);
  EXPECT_GT(stamps.size(), 100u);
  EXPECT_TRUE(std::is_sorted(stamps.begin(), stamps.end()));
}

TEST(Worlds, TrafficPeaksInTheMorningAndTheEveningOfWorkingDays) {
  const Made traffic = make(Traffic{.people = 2000, .sensors = 3, .period = {"Europe/Berlin", "2026-03-02", 7}});
  std::map<std::string, int> at;  // Tuesday and Sunday, by hour
  for (const auto& row : traffic.rows) ++at[row[1].substr(8, 5)];
  EXPECT_GT(at["03T07"], 4 * at["03T11"]);
  EXPECT_GT(at["03T17"], 2 * at["03T11"]);
  EXPECT_GT(at["03T07"], 10 * at["03T03"]);
  EXPECT_GT(at["08T14"], at["08T07"]);
}

TEST(Worlds, CheckinsAreHeavyTailedAndBursty) {
  const Made checkins = make(small_checkins());
  std::map<std::string, int> by_user, by_venue;
  std::map<std::pair<std::string, std::string>, int> by_user_and_day;
  for (const auto& row : checkins.rows) {
    ++by_user[row[0]];
    ++by_venue[row[2]];
    ++by_user_and_day[{row[0], row[1].substr(0, 10)}];
  }
  std::vector<int> most;
  for (const auto& [user, count] : by_user) most.push_back(count);
  std::sort(most.rbegin(), most.rend());
  const std::size_t tenth = 200;  // of all users, silent ones included
  EXPECT_GT(std::accumulate(most.begin(), most.begin() + tenth, 0), static_cast<int>(checkins.rows.size()) * 4 / 10);
  EXPECT_GT(by_venue["v1"], 2 * by_venue["v6"]);
  const auto bursts =
      std::count_if(by_user_and_day.begin(), by_user_and_day.end(), [](auto& day) { return day.second > 3; });
  EXPECT_GT(bursts, 20);
}

TEST(Worlds, FluHasItsSeasonInWinter) {
  const Made flu = make(Flu{.weeks = 520});
  ASSERT_EQ(flu.rows.size(), 520u);
  double winter = 0, summer = 0;
  for (const auto& row : flu.rows) {
    const std::string month = row[0].substr(5, 2);
    if (month == "01" || month == "02") winter += std::stod(row[1]);
    if (month == "07" || month == "08") summer += std::stod(row[1]);
  }
  EXPECT_GT(winter, 5 * summer);
}

TEST(Worlds, HouseholdsUseMostInTheEvening) {
  const Made meters = make(Meters{.meters = 300, .period = {"Europe/London", "2026-01-14", 1}});
  ASSERT_EQ(meters.truth.counts.size(), 48u);
  EXPECT_GT(meters.truth.counts[38], 2 * meters.truth.counts[8]);  // 19:00 against 04:00
  EXPECT_GT(meters.truth.counts[15], meters.truth.counts[25]);     // 07:30 against 12:30
}

TEST(Worlds, PeopleForRecordsLeaveAboutThatMany) {
  const auto close = [](std::int64_t rows, std::int64_t wanted) {
    EXPECT_NEAR(static_cast<double>(rows) / static_cast<double>(wanted), 1, 0.1);
  };
  Traffic traffic;
  traffic.people = people_for(traffic, 100000);
  close(make(traffic).truth.rows, 100000);
  Checkins checkins;
  checkins.users = people_for(checkins, 50000);
  close(make(checkins).truth.rows, 50000);
  Meters meters;
  meters.meters = people_for(meters, 50000);
  close(make(meters).truth.rows, 50000);
  Buses buses;
  buses.vehicles = people_for(buses, 150000);
  close(make(buses).truth.rows, 150000);
  EXPECT_EQ(people_for(Traffic(), 1), 1);
}

TEST(Worlds, EveryKeyOfARowIsInThePublicList) {
  for (const auto& [made, column] : {std::pair{make(small_traffic()), 2}, {make(small_buses()), 5}}) {
    const std::set<std::string> keys(made.truth.keys.begin(), made.truth.keys.end());
    EXPECT_EQ(keys.size(), made.truth.keys.size());
    for (const auto& row : made.rows) EXPECT_TRUE(keys.contains(row[static_cast<std::size_t>(column)]));
  }
}

TEST(Worlds, SizesOutOfRangeAreRefusedByName) {
  Result<TextFile> file = TextFile::create("--output", "/dev/null");
  ASSERT_TRUE(file);
  const auto refused = [&](const auto& world, const std::string& name) {
    const auto got = simulate(world, 1, *file);
    ASSERT_FALSE(got) << name;
    EXPECT_EQ(got.error().kind, ErrorKind::usage);
    EXPECT_EQ(got.error().text().rfind(name + ":", 0), 0u) << got.error().text();
  };
  refused(Traffic{.people = 0}, "people");
  refused(Traffic{.people = 1, .sensors = 0}, "sensors");
  refused(Traffic{.people = 1, .sensors = 1000000}, "series times slots");
  refused(Checkins{.users = -5}, "users");
  refused(Checkins{.users = 1, .venues = 0}, "venues");
  refused(Flu{.weeks = 0}, "weeks");
  refused(Meters{.meters = 0}, "meters");
  refused(Buses{.vehicles = 0}, "vehicles");
  refused(Buses{.vehicles = 1, .period = {"Mars/Base", "2026-02-02", 2}}, "zone");
}

}  // namespace
}  // namespace chronoveil::simulate
