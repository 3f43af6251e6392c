#include "chronoveil/simulate/job_text.h"

#include <gtest/gtest.h>

#include "chronoveil/simulate/making.h"

namespace chronoveil::simulate {
namespace {

TEST(JobText, IsTheJobOfTheInterface) {
  const JobFacts facts = *job_facts(Traffic{.people = 10, .sensors = 2, .period = {"Europe/Berlin", "2026-03-01", 31}});
  const std::string text = job_text(
      facts, {"S1", "S2"},
      {.data = "trips.csv", .keys = "sensors.txt", .csv = "out.csv", .json = "out.json", .report = "out.html"});
  EXPECT_EQ(text, R"(version = 1
[dataset]
name = "city"
[source]
kind = "csv"
path = "trips.csv"
user = "card"
time = "ts"
series = "sensor"
zone = "Europe/Berlin"
[slots]
start = "2026-03-01T00:00"
end = "2026-04-01T00:00"
length = "1h"
[series]
list = "sensors.txt"
[privacy]
unit = "user"
# A card counts at most twice a day on average: there and back.
max_steps = 62
max_per_slot = 1
epsilon = 1.0
delta = 1e-6
[mechanism]
name = "auto"
[output]
csv = "out.csv"
json = "out.json"
report = "out.html"
)");
}

TEST(JobText, HoldsTheKeysItselfWhenThereIsNoList) {
  JobFacts facts;
  EXPECT_NE(job_text(facts, {"a", "b\"c\\d\n"}, {}).find(R"(keys = ["a", "b\"c\\d\u000A"])"), std::string::npos);
}

TEST(JobText, WhatIsInEverySlotSaysSo) {
  EXPECT_NE(job_text(*job_facts(Meters()), {}, {}).find("\nmax_steps = \"all\"\nmax_per_slot = 1000\n"),
            std::string::npos);
}

TEST(JobText, CountsHaveNoUserAndOneSeriesHasNoKeys) {
  const std::string text = job_text(*job_facts(Flu()), {}, {});
  EXPECT_EQ(text.find("user ="), std::string::npos);
  EXPECT_EQ(text.find("[series]"), std::string::npos);
  EXPECT_NE(text.find("value = \"value\"\n"), std::string::npos);
}

TEST(JobText, MeansHaveBoundsAGridAndACapOnCells) {
  const std::string text = job_text(*job_facts(Buses()), {"a"}, {});
  EXPECT_NE(text.find("value = \"speed\"\nlongitude = \"lon\"\nlatitude = \"lat\"\n"), std::string::npos);
  EXPECT_NE(text.find("[places]\nwest = 72.73\nsouth = 21.09\neast = 72.93\nnorth = 21.27\nsize = 9000\n"),
            std::string::npos);
  EXPECT_NE(text.find("[means]\nlower = 0\nupper = 65\n# "), std::string::npos);
  EXPECT_NE(text.find("\nmax_cells = 6\nsparse_below = 60\n"), std::string::npos);
  for (const char* of_counts : {"[series]", "max_steps", "max_per_slot"})
    EXPECT_EQ(text.find(of_counts), std::string::npos) << of_counts;
}

}  // namespace
}  // namespace chronoveil::simulate
