#include <algorithm>
#include <ctime>
#include <random>

#include "chronoveil/data/time/civil.h"
#include "chronoveil/data/time/reader.h"
#include "chronoveil/data/time/usual_formats.h"
#include "reading.h"

namespace chronoveil::data::testing {
namespace {

constexpr std::int64_t kMarch = 1772323200000;  // 2026-03-01T00:00Z

TimeReader reader(const std::string& format, const std::string& zone = "UTC") {
  auto made = TimeReader::make(format, *Zone::find(zone));
  EXPECT_TRUE(made) << message(made);
  return std::move(*made);
}

void expect_time(TimeReader& times, const std::string& text, std::int64_t wanted) {
  std::int64_t instant = -1;
  EXPECT_EQ(times.read(text, instant), TimeProblem::none) << text;
  EXPECT_EQ(instant, wanted) << text;
}

void expect_problem(TimeReader& times, const std::string& text, TimeProblem wanted) {
  std::int64_t instant = -1;
  EXPECT_EQ(times.read(text, instant), wanted) << text;
  EXPECT_FALSE(times.explain(wanted, text).empty());
}

TEST(Civil, DaysAndDatesAgreeWithTheLibraryOfTheSystem) {
  for (std::int64_t day = floor_divide(kFirstInstant, kDay); day < kLastInstant / kDay; day += 17) {
    const Date date = civil_from_days(day);
    ASSERT_EQ(days_from_civil(date.year, date.month, date.day), day);
    const std::time_t seconds = day * 86400;
    std::tm tm{};
    gmtime_r(&seconds, &tm);
    ASSERT_EQ(date.year, tm.tm_year + 1900);
    ASSERT_EQ(date.month, tm.tm_mon + 1);
    ASSERT_EQ(date.day, tm.tm_mday);
    ASSERT_EQ(weekday_from_days(day), tm.tm_wday);
  }
}

TEST(Iso8601, ReadsEveryFormThatTheHeaderNames) {
  TimeReader times = reader("iso8601");
  expect_time(times, "2026-03-01", kMarch);
  expect_time(times, "2026-03-01T12:30", kMarch + 12 * kHour + 30 * kMinute);
  expect_time(times, "2026-03-01 12:30", kMarch + 12 * kHour + 30 * kMinute);
  expect_time(times, "2026-03-01t23:59:59z", kMarch + kDay - kSecond);
  expect_time(times, "2026-03-01T00:00:01.5", kMarch + 1500);
  expect_time(times, "2026-03-01T00:00:01,25Z", kMarch + 1250);
  expect_time(times, "2026-03-01T00:00:01.999999999Z", kMarch + 1999);
  expect_time(times, "2026-03-01T01:00+01:00", kMarch);
  expect_time(times, "2026-03-01T01:00:00+0100", kMarch);
  expect_time(times, "2026-03-01 01:00:00+01", kMarch);
  expect_time(times, "2026-03-01 01:00:00 +01", kMarch);
  expect_time(times, "2026-02-28T18:15:00-05:45", kMarch);
  expect_time(times, " 2026-03-01 ", kMarch);
  expect_time(times, "2024-02-29", 1709164800000);
  expect_time(times, "1969-12-31T23:59:59.999", -1);
  expect_time(times, "0001-01-01", kFirstInstant);
  expect_time(times, "2499-12-31T23:59:59.999", kLastInstant - 1);
}

TEST(Iso8601, RefusesTheRest) {
  TimeReader times = reader("iso8601");
  for (const char* text : {"",
                           "2026",
                           "2026-03",
                           "2026-3-1",
                           "2026-03-01T",
                           "2026-03-01T12",
                           "2026-03-01T1230",
                           "2026-03-01T12:3",
                           "2026-03-01T12:30:",
                           "2026-03-01T12:30:5",
                           "2026-03-01T12:30:00.",
                           "2026-03-01Z",
                           "2026-03-01x12:30",
                           "2026-03-01T12:30+",
                           "2026-03-01T12:30+1",
                           "2026-03-01T12:30+01:",
                           "2026-03-01T12:30+24:00",
                           "2026-03-01T12:30+01:60",
                           "2026-03-01T12:30:00Zx",
                           "2026/03/01",
                           "01.03.2026",
                           "1772323200",
                           "20260301",
                           "\xef\xbc\x92"
                           "026-03-01",
                           "-026-03-01",
                           "infinity"}) {
    expect_problem(times, text, TimeProblem::form);
  }
  for (const char* text : {"2026-00-01", "2026-13-01", "2026-01-00", "2026-02-29", "2100-02-29", "2026-04-31",
                           "0000-01-01", "2500-01-01", "2026-03-01T24:00", "2026-03-01T12:60", "2026-03-01T12:30:61"}) {
    expect_problem(times, text, TimeProblem::range);
  }
  expect_problem(times, "2016-12-31T23:59:60Z", TimeProblem::leap_second);
}

TEST(Epoch, SecondsAndMillisecondsAreCutTowardsThePast) {
  TimeReader seconds = reader("epoch", "Asia/Kolkata");
  expect_time(seconds, "1772323200", kMarch);
  expect_time(seconds, "1772323200.5", kMarch + 500);
  expect_time(seconds, "1772323200.0009", kMarch);
  expect_time(seconds, "-1", -1000);
  expect_time(seconds, "-1.5", -1500);
  expect_time(seconds, "-1.5001", -1501);
  expect_time(seconds, "0", 0);
  TimeReader milliseconds = reader("epoch_ms", "Asia/Kolkata");
  expect_time(milliseconds, "1772323200001", kMarch + 1);
  expect_time(milliseconds, "1772323200001.9", kMarch + 1);
  expect_time(milliseconds, "-1.5", -2);
  for (const char* text : {"", "-", "x", "1e9", "1 2", "1.5x", "0x1", "+1", "nan"}) {
    expect_problem(seconds, text, TimeProblem::form);
    expect_problem(milliseconds, text, TimeProblem::form);
  }
  for (const char* text : {"99999999999999999999999", "99999999999999999", "-99999999999999999"}) {
    expect_problem(seconds, text, TimeProblem::range);
    expect_problem(milliseconds, text, TimeProblem::range);
  }
  expect_problem(seconds, "1772323200000", TimeProblem::range);  // milliseconds, meant as seconds
}

TEST(Pattern, ReadsWhatStrftimeWrites) {
  std::mt19937_64 random(3);
  const char* const kPatterns[] = {
      "%d/%m/%Y %H:%M:%S", "%Y%m%d%H%M%S", "%F %T", "%b %d %Y, %I:%M:%S %p", "%A, %e %B %Y %T",  "%Y-%j %R:%S",
      "%a %b %e %T %Y",    "%D %T",        "%s",    "100%% %F%n%T",          "%d.%m.%y %H:%M:%S"};
  for (const char* pattern : kPatterns) {
    TimeReader times = reader(pattern);
    for (int i = 0; i < 300; ++i) {
      const std::time_t seconds = static_cast<std::time_t>(random() % 2'000'000'000);  // 1970 to 2033, for %y
      std::tm tm{};
      std::string text(100, '\0');
      if (std::string_view(pattern) == "%s") {
        text = std::to_string(seconds);
      } else {
        gmtime_r(&seconds, &tm);
        text.resize(std::strftime(text.data(), text.size(), pattern, &tm));
      }
      expect_time(times, text, seconds * 1000);
    }
  }
}

TEST(Pattern, ReadsFractionsOffsetsAndMissingZeros) {
  TimeReader times = reader("%d.%m.%Y %H:%M:%S.%f %z", "Europe/Berlin");
  expect_time(times, "1.3.2026 1:00:00.250 +0100", kMarch + 250);
  expect_time(times, "01.03.2026   00:00:00.1239Z", kMarch + 123);
  expect_problem(times, "1.3.2026 1:00:00. +0100", TimeProblem::form);
  expect_problem(times, "1.3.2026 1:00:00.0", TimeProblem::form);
  TimeReader local = reader("%m/%d/%y %I:%M %p", "America/New_York");
  expect_time(local, "3/1/26 12:30 am", kMarch + 5 * kHour + 30 * kMinute);
  expect_time(local, "3/1/26 12:30 PM", kMarch + 17 * kHour + 30 * kMinute);
  expect_problem(local, "3/1/26 13:30 PM", TimeProblem::range);
  expect_problem(local, "3/32/26 1:30 PM", TimeProblem::range);
  expect_problem(local, "3/1/26 1:30", TimeProblem::form);
  expect_problem(local, "3/1/26 1:30 PM.", TimeProblem::form);
  expect_problem(local, "3/8/26 2:30 AM", TimeProblem::skipped);
  TimeReader days = reader("%Y %j");
  expect_time(days, "2024 366", 1735603200000);
  expect_problem(days, "2025 366", TimeProblem::range);
  expect_problem(days, "2025 0", TimeProblem::range);
}

TEST(Epoch, MinutesMayHaveAFraction) {
  TimeReader minutes = reader("epoch_min", "Asia/Kolkata");
  expect_time(minutes, "29538720", kMarch);
  expect_time(minutes, "29538720.5", kMarch + 30 * kSecond);
  expect_time(minutes, "29538720.00002", kMarch + 1);
  expect_time(minutes, "29538720.0000099999999999", kMarch);
  expect_time(minutes, "-0.5", -30 * kSecond);
  expect_time(minutes, "-0.00001", -1);
  expect_problem(minutes, "1772323200", TimeProblem::range);  // seconds, meant as minutes
  expect_problem(minutes, "1.x", TimeProblem::form);
}

TEST(Pattern, WeeksBeginOnMondayAndBelongToTheYearOfTheirThursday) {
  TimeReader weeks = reader("%G-W%V");
  // Every week is where strftime says it is.
  for (std::int64_t day = days_from_civil(1999, 1, 4); day < days_from_civil(2030, 1, 1); day += 7) {
    const std::time_t seconds = day * 86400;
    std::tm tm{};
    gmtime_r(&seconds, &tm);
    ASSERT_EQ(tm.tm_wday, 1);
    char text[16];
    std::strftime(text, sizeof text, "%G-W%V", &tm);
    expect_time(weeks, text, day * kDay);
  }
  for (const char* text : {"2026-W00", "2026-W54", "2025-W53", "0000-W10", "2500-W01"})
    expect_problem(weeks, text, TimeProblem::range);
  for (const char* text : {"2026-10", "2026-W", "26-W10", "2026-W10-1"}) expect_problem(weeks, text, TimeProblem::form);
  expect_time(weeks, "2020-W53", days_from_civil(2020, 12, 28) * kDay);
  TimeReader days = reader("%G-W%V-%u %H:%M");
  expect_time(days, "2026-W9-7 6:30", kMarch + 6 * kHour + 30 * kMinute);
  for (const char* text : {"2026-W09-0 00:00", "2026-W09-8 00:00"}) expect_problem(days, text, TimeProblem::range);
}

TEST(Pattern, MonthsAndQuartersAreTheirFirstDay) {
  TimeReader months = reader("%Y-%m", "Europe/Berlin");
  expect_time(months, "2026-03", kMarch - kHour);
  expect_time(months, "2026-7", days_from_civil(2026, 7, 1) * kDay - 2 * kHour);
  for (const char* text : {"2026-00", "2026-13"}) expect_problem(months, text, TimeProblem::range);
  for (const char* text : {"2026", "2026-03-01", "2026-Mar"}) expect_problem(months, text, TimeProblem::form);
  TimeReader words = reader("%b %y");
  expect_time(words, "Mar 26", kMarch);
  TimeReader quarters = reader("%Y-Q%q");
  for (int quarter = 1; quarter <= 4; ++quarter)
    expect_time(quarters, "2026-Q" + std::to_string(quarter), days_from_civil(2026, 3 * quarter - 2, 1) * kDay);
  for (const char* text : {"2026-Q0", "2026-Q5"}) expect_problem(quarters, text, TimeProblem::range);
  expect_problem(quarters, "2026-Q10", TimeProblem::form);
}

TEST(Pattern, AFractionOfSecondsBefore1970CountsAwayFromIt) {
  TimeReader plain = reader("%s.%f"), named = reader("t=%s.%f");
  expect_time(plain, "-5.25", -5250);
  expect_time(plain, "-0.5", -500);
  expect_time(named, "t=5.25", 5250);
  expect_time(named, "t=-5.25", -5250);
}

TEST(Pattern, ThatDoesNotFixTheDateIsAUsageError) {
  for (const char* pattern : {"iso",      "",      "ISO8601",    "%H:%M",       "%Y",        "%m/%d", "%Y %d",
                              "%Q",       "%",     "%Y-%m-%d %", "%F %Y",       "%F %m",     "%F %j", "%F %I:%M",
                              "%F %H %p", "%s %Y", "%F %T %S",   "%Y-%m %H:%M", "%q",        "%F %q", "%Y %j %q",
                              "%G",       "%V",    "%G %m",      "%Y-W%V",      "%G-W%V %Y", "%F %u", "%G-W%V %d"}) {
    expect_failure(TimeReader::make(pattern, *Zone::find("UTC")), ErrorKind::usage, "time_format");
  }
}

TEST(LocalTimes, FollowTheZoneOverBothChangesOfTheYear) {
  TimeReader times = reader("iso8601", "Europe/Berlin");
  expect_time(times, "2026-03-01T01:00", kMarch);
  expect_time(times, "2026-03-29T01:59:59.999", 1774745999999);
  for (const char* text : {"2026-03-29T02:00", "2026-03-29T02:30", "2026-03-29T02:59:59.999"}) {
    expect_problem(times, text, TimeProblem::skipped);
  }
  expect_time(times, "2026-03-29T03:00", 1774746000000);
  expect_time(times, "2026-03-29T02:30+01:00", 1774747800000);
  expect_time(times, "2026-10-25T01:59", 1792886340000);
  EXPECT_FALSE(times.ambiguous());
  expect_time(times, "2026-10-25T02:30", 1792888200000);  // the earlier one, +02:00
  EXPECT_TRUE(times.ambiguous());
  expect_time(times, "2026-10-25T02:30+01:00", 1792891800000);
  EXPECT_FALSE(times.ambiguous());
  expect_time(times, "2026-10-25T03:00", 1792893600000);
  EXPECT_FALSE(times.ambiguous());
  EXPECT_NE(times.explain(TimeProblem::skipped, "").find("Europe/Berlin"), std::string::npos);
}

// What is said of a time that cannot be read names formats that read it, and only its shape decides which.
TEST(UsualFormats, EachReadsTheTimeThatItIsNamedFor) {
  const std::pair<const char*, const char*> kWritten[] = {
      {"01/03/2026", "%d/%m/%Y"},
      {"01/03/2026 07:05:09", "%m/%d/%Y %H:%M:%S"},
      {"1/3/26 7:05", "%d/%m/%y %H:%M"},
      {"01.03.2026 07:05", "%d.%m.%Y %H:%M"},
      {"01-03-2026", "%d-%m-%Y"},
      {"2026/03/01 07:05:09.250", "%Y/%m/%d %H:%M:%S.%f"},
      {"2026-03-01T07:05", "%Y-%m-%dT%H:%M"},
      {"03/01/2026 07:05 pm", "%m/%d/%Y %I:%M %p"},
      {"01-Mar-2026", "%d-%b-%Y"},
      {"1 Mar 2026 07:05", "%d %b %Y %H:%M"},
      {"2026-W10", "%G-W%V"},
      {"2026-Q1", "%Y-Q%q"},
      {"2026-03", "%Y-%m"},
      {"03/2026", "%m/%Y"},
      {"20260301", "%Y%m%d"},
      {"202603", "%Y%m"},
      {"1772323200", "epoch"},
      {"1772323200.5", "epoch"},
      {"1772323200000", "epoch_ms"},
  };
  const std::vector<std::string> all = all_usual_formats();
  for (const auto& [text, wanted] : kWritten) {
    const std::vector<std::string> formats = usual_formats(text);
    EXPECT_NE(std::find(formats.begin(), formats.end(), wanted), formats.end()) << text;
    for (const std::string& format : formats) {
      TimeReader times = reader(format);
      std::int64_t instant = -1;
      EXPECT_EQ(times.read(text, instant), TimeProblem::none) << text << " as " << format;
      EXPECT_EQ(std::count(all.begin(), all.end(), format), 1) << format;
    }
    TimeReader other = reader("%Y, %B %d");
    expect_problem(other, text, TimeProblem::form);
    EXPECT_NE(other.explain(TimeProblem::form, text).find(wanted), std::string::npos) << text;
  }
  for (const char* const text : {"", "yesterday", "S1", "12", "c4711;2026", "1/2/3/4", "2026-03-01T", "1e400", "07:05"})
    EXPECT_TRUE(usual_formats(text).empty()) << text;
}

TEST(UsualFormats, NumbersDecideNothing) {
  for (const char* const shape : {"##/##/####", "##.##.## ##:##", "####-##-## ##:##:##", "##########", "####-W##"}) {
    std::string zeros(shape);
    std::replace(zeros.begin(), zeros.end(), '#', '0');
    for (const char digit : {'1', '3', '9'}) {
      std::string text(shape);
      std::replace(text.begin(), text.end(), '#', digit);
      EXPECT_EQ(usual_formats(text), usual_formats(zeros)) << text;
      EXPECT_FALSE(usual_formats(text).empty());
    }
  }
  EXPECT_EQ(usual_formats("16/10/2025"), usual_formats("10/16/2025"));
}

}  // namespace
}  // namespace chronoveil::data::testing
