#include "chronoveil/data/time/zone.h"

#include <filesystem>
#include <fstream>
#include <random>

#include "chronoveil/data/time/civil.h"
#include "chronoveil/data/time/zone_file.h"
#include "chronoveil/data/time/zone_folder.h"
#include "chronoveil/data/time/zone_rule.h"
#include "reading.h"

namespace chronoveil::data::testing {
namespace {

constexpr const char* kSystem = "/usr/share/zoneinfo/";

std::vector<std::string> zones_of_the_system() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kSystem)) {
    const std::string name = std::filesystem::relative(entry.path(), kSystem);
    if (entry.is_regular_file() && name[0] >= 'A' && name[0] <= 'Z' && name != "Factory") names.push_back(name);
  }
  return names;
}

// A file with one listed change and a rule, as they are where it is taken to be read by those who know the rule.
std::string slim_file(std::string rule) {
  const auto bytes = [](std::int64_t value, int width) {
    std::string text;
    for (int shift = 8 * (width - 1); shift >= 0; shift -= 8)
      text += static_cast<char>(static_cast<std::uint64_t>(value) >> shift);
    return text;
  };
  const auto header = [&](int changes, int kinds) {
    return "TZif2" + std::string(15, '\0') + bytes(0, 4) + bytes(0, 4) + bytes(0, 4) + bytes(changes, 4) +
           bytes(kinds, 4) + bytes(4, 4);
  };
  const auto kind = [&](std::int64_t seconds) { return bytes(seconds, 4) + std::string(2, '\0'); };
  const std::string name("LMT\0", 4);
  return header(0, 1) + kind(3208) + name + header(1, 2) + bytes(-2422054408, 8) + std::string("\1", 1) + kind(3208) +
         kind(3600) + name + "\n" + std::move(rule) + "\n";
}

// Every zone of the machine against the C library, which reads the same files by code of its own, far beyond the last
// change that they list.
TEST(Zones, OffsetsAgreeWithTheCLibraryInEveryZoneUntilTheLastYear) {
  std::mt19937_64 random(5);
  int zones = 0;
  for (const std::string& name : zones_of_the_system()) {
    const auto zone = Zone::find(name);
    ASSERT_TRUE(zone) << message(zone);
    setenv("TZ", name.c_str(), 1);
    tzset();
    ++zones;
    for (int i = 0; i < 60; ++i) {
      const std::int64_t from = days_from_civil(1880, 1, 1) * 86400;
      const std::int64_t to = days_from_civil(i % 2 == 0 ? 2045 : kLastYear + 1, 1, 1) * 86400;
      const std::time_t seconds = from + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(to - from));
      std::tm tm{};
      localtime_r(&seconds, &tm);
      ASSERT_EQ((*zone)->offset_at(seconds * 1000), tm.tm_gmtoff * 1000) << name << " " << seconds;
    }
  }
  setenv("TZ", "Pacific/Auckland", 1);
  tzset();
  EXPECT_GT(zones, 300);
}

TEST(Zones, LocalTimesMeanTheInstantsThatShowThem) {
  std::mt19937_64 random(6);
  for (const char* name : {"Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia",
                           "America/St_Johns", "Europe/Dublin", "Africa/Casablanca", "Asia/Manila", "UTC"}) {
    const auto zone = *Zone::find(name);
    std::size_t guess = 0;
    for (std::size_t i = 1; i < std::min<std::size_t>(zone->stretches().size(), 300); ++i) {
      const std::int64_t change = zone->stretches()[i].begin;
      for (int n = 0; n < 20; ++n) {
        const std::int64_t instant = change + static_cast<std::int64_t>(random() % (4 * kDay)) - 2 * kDay;
        const std::int64_t local = instant + zone->offset_at(instant);
        const LocalMeaning meaning = zone->meaning_of(local, guess);
        ASSERT_NE(meaning.kind, LocalMeaning::missing) << name << " " << instant;
        ASSERT_LE(meaning.instant, instant) << name;
        ASSERT_EQ(meaning.instant + zone->offset_at(meaning.instant), local) << name;
        if (meaning.instant < instant) {
          ASSERT_EQ(meaning.kind, LocalMeaning::ambiguous) << name;
        }
      }
      const std::int64_t jump = zone->stretches()[i].offset - zone->stretches()[i - 1].offset;
      const std::int64_t inside = change + zone->stretches()[i - 1].offset + jump / 2;
      const LocalMeaning meaning = zone->meaning_of(inside, guess);
      ASSERT_EQ(meaning.kind, jump > 0 ? LocalMeaning::missing : LocalMeaning::ambiguous) << name << " " << change;
    }
  }
}

TEST(Zones, AnUnknownOneIsAUsageError) {
  for (const char* name : {"", "Mars/Olympus", "europe/berlin", "../etc/passwd", "/etc/localtime", "CEST", "Europe",
                           "Europe/", "Europe/../Europe/Berlin", "right/Europe/Berlin", "localtime", "tzdata.zi"}) {
    expect_failure(Zone::find(name), ErrorKind::usage, "zone");
  }
}

TEST(Zones, AreFoundInAFolderBesideTheSystem) {
  const auto folder = std::filesystem::temp_directory_path() / "zone_test";
  std::filesystem::create_directories(folder / "Made");
  std::ofstream(folder / "Made" / "Slim", std::ios::binary) << slim_file("CET-1CEST,M3.5.0,M10.5.0/3");
  expect_failure(Zone::find("Made/Slim"), ErrorKind::usage, "zone");
  read_zones_from(folder);
  const auto slim = Zone::find("Made/Slim");
  read_zones_from("");
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(slim) << message(slim);
  const auto berlin = *Zone::find("Europe/Berlin");
  EXPECT_EQ((*slim)->offset_at(days_from_civil(1890, 1, 1) * kDay), 3208 * kSecond);
  EXPECT_EQ((*slim)->offset_at(days_from_civil(1894, 1, 1) * kDay), kHour);
  for (std::int64_t day = days_from_civil(2024, 1, 1); day < days_from_civil(2060, 1, 1); ++day)
    ASSERT_EQ((*slim)->offset_at(day * kDay), berlin->offset_at(day * kDay)) << day;
}

TEST(ZoneFiles, AreRefusedWhereTheyAreCutOrCountLeapSeconds) {
  const std::string whole = slim_file("CET-1");
  ASSERT_TRUE(ZoneFile::parse(whole));
  EXPECT_EQ(ZoneFile::parse(whole)->rule, "CET-1");
  EXPECT_EQ(ZoneFile::parse(whole)->changes.size(), 2U);
  for (std::size_t size = 0; size + 7 < whole.size(); ++size)
    EXPECT_FALSE(ZoneFile::parse(whole.substr(0, size))) << size;
  std::string other_kind = whole;
  other_kind[other_kind.find('\1', 100)] = '\2';  // of the change: there are two kinds, 0 and 1
  EXPECT_FALSE(ZoneFile::parse(other_kind));
  std::ifstream file(kSystem + std::string("right/Europe/Berlin"), std::ios::binary);
  const std::string leaps((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  ASSERT_TRUE(leaps.empty() || leaps.starts_with("TZif"));
  EXPECT_FALSE(ZoneFile::parse(leaps));
}

TEST(ZoneRules, AreReadInAllTheirForms) {
  const auto berlin = ZoneRule::parse("CET-1CEST,M3.5.0,M10.5.0/3");
  ASSERT_TRUE(berlin);
  const auto changes = berlin->changes(2026);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].instant, 1774746000000);
  EXPECT_EQ(changes[0].offset, 2 * kHour);
  EXPECT_EQ(changes[1].instant, 1792890000000);
  EXPECT_EQ(changes[1].offset, kHour);
  const auto without_leap_day = ZoneRule::parse("AAA0BBB,J60/0,J300/0");
  ASSERT_TRUE(without_leap_day);
  EXPECT_EQ(without_leap_day->changes(2024)[0].instant, days_from_civil(2024, 3, 1) * kDay);
  EXPECT_EQ(without_leap_day->changes(2025)[0].instant, days_from_civil(2025, 3, 1) * kDay);
  const auto counted = ZoneRule::parse("AAA0BBB,59/0,300/-1:30");
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->changes(2024)[0].instant, days_from_civil(2024, 2, 29) * kDay);
  EXPECT_EQ(counted->changes(2025)[1].instant, days_from_civil(2025, 10, 28) * kDay - 150 * kMinute);
  const auto kolkata = ZoneRule::parse("IST-5:30");
  ASSERT_TRUE(kolkata);
  EXPECT_EQ(kolkata->standard_offset(), 5 * kHour + 30 * kMinute);
  EXPECT_TRUE(kolkata->changes(2026).empty());
  for (const char* text : {"", "CET", "X-1", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
                           "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0/", "<+1",
                           "CET-1CEST,M3.5.0,M10.5.0 ", "CET-1CEST,J366,J1"}) {
    EXPECT_FALSE(ZoneRule::parse(text)) << text;
  }
}

}  // namespace
}  // namespace chronoveil::data::testing
