// Sums of cells as CSV, as JSON and on the page.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "report/json_checks.h"
#include "report/page_checks.h"
#include "report/sample.h"

namespace chronoveil::report {
namespace {

using testing::flaw;
using testing::has;
using testing::kEvil;
using testing::kEvilEscaped;

// Two series over two days, one of them in a group.
Published with_totals(const std::string& group = "left, bank") {
  Published all = testing::sample(2, 48);
  Totals& totals = all.release.totals;
  totals.periods = {{"span", {0}, {48}}, {"day", {0, 24}, {24, 48}}, {"slot", {}, {}}};
  for (std::int64_t t = 0; t < 48; ++t) {
    totals.periods[2].first.push_back(t);
    totals.periods[2].end.push_back(t + 1);
  }
  const auto add = [&](const std::string& of, const std::string& name, std::size_t periods, double value) {
    Sums sums{of, name, periods, {}, {}, {}};
    for (std::size_t i = 0; i < totals.periods[periods].first.size(); ++i) {
      sums.value.push_back(value + static_cast<double>(i));
      sums.lower.push_back(sums.value.back() - 0.5);
      sums.upper.push_back(sums.value.back() + 0.5);
    }
    totals.sums.push_back(sums);
  };
  for (const std::size_t p : {0, 1, 2}) add("all", "", p, 6000);
  for (const std::size_t p : {0, 1, 2}) add("group", group, p, 2000);
  for (const std::size_t p : {0, 1}) add("series", all.release.keys[0], p, 2000);
  return all;
}

TEST(TotalsCsv, HasARowPerSum) {
  Published all = with_totals();
  const std::string csv = totals_csv(all);
  EXPECT_EQ(csv.substr(0, csv.find("\nall,,slot")),
            "of,name,per,time,slots,value,lower,upper\n"
            "all,,span,2026-03-01T00:00:00+02:00,48,6000,5999.5,6000.5\n"
            "all,,day,2026-03-01T00:00:00+02:00,24,6000,5999.5,6000.5\n"
            "all,,day,2026-03-02T00:00:00+02:00,24,6001,6000.5,6001.5");
  EXPECT_TRUE(has(csv, "\ngroup,\"left, bank\",slot,2026-03-02T23:00:00+02:00,1,2047,2046.5,2047.5\n"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 51 + 51 + 3);
  EXPECT_EQ(totals_csv(testing::sample(2, 48)), "");

  all.release.mark = "seeded: not private";
  const std::string marked = totals_csv(all);
  EXPECT_TRUE(has(marked, "value,lower,upper,mark\n"));
  EXPECT_EQ(std::count(marked.begin(), marked.end(), '\n'), 106);
  std::size_t said = 0;
  for (std::size_t at = marked.find(",seeded: not private\n"); at != std::string::npos;
       at = marked.find(",seeded: not private\n", at + 1))
    ++said;
  EXPECT_EQ(said, 105U);
}

TEST(TotalsJson, ReadsBackWhatWasWritten) {
  Published all = with_totals();
  all.release.totals.sums[0].lower[0] = -std::numeric_limits<double>::infinity();
  const Result<Published> read = from_json(to_json(all));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(to_json(*read), to_json(all));
  EXPECT_EQ(totals_csv(*read), totals_csv(all));
  EXPECT_EQ(to_html(*read), to_html(all));
}

TEST(TotalsJson, WhatIsMissingOrDoesNotFitIsNamedByItsPath) {
  const nlohmann::json whole = nlohmann::json::parse(to_json(with_totals()));
  testing::expect_needed(from_json, whole,
                         {"/totals/periods", "/totals/periods/1/end", "/totals/sums", "/totals/sums/3/value",
                          "/totals/sums/0/of", "/totals/sums/7/per"});
  const auto refused = [&](const char* path, const nlohmann::json& value) {
    nlohmann::json broken = whole;
    broken[nlohmann::json::json_pointer(path)] = value;
    return !from_json(broken.dump());
  };
  EXPECT_TRUE(refused("/totals/periods/1/end", {24, 49}));
  EXPECT_TRUE(refused("/totals/periods/1/first", {24, 24}));
  EXPECT_TRUE(refused("/totals/periods/1/first", {-1, 24}));
  EXPECT_TRUE(refused("/totals/sums/0/per", "year"));
  EXPECT_TRUE(refused("/totals/sums/1/upper", {1}));
}

TEST(TotalsPage, ComesBeforeTheSeries) {
  const std::string html = to_html(with_totals());
  EXPECT_EQ(flaw(html), "");
  EXPECT_TRUE(has(html, "All series, Monday 2 March 2026, 23:00 to 00:00: 6,047"));
  EXPECT_LT(html.find("All series, Monday"), html.find("Central Station"));
  EXPECT_LT(html.find("<h2>Totals</h2>"), html.find("<h2>The figures</h2>"));
  EXPECT_TRUE(has(html, "Mon 2 Mar 2026"));
  EXPECT_FALSE(has(to_html(testing::sample(2, 48)), "<h2>Totals</h2>"));
}

TEST(TotalsPage, NamesOfGroupsAreEscaped) {
  const std::string html = to_html(with_totals(kEvil));
  EXPECT_FALSE(has(html, "<img"));
  EXPECT_TRUE(has(html, kEvilEscaped));
}

}  // namespace
}  // namespace chronoveil::report
