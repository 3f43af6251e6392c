#include "chronoveil/data/count_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace chronoveil::data {
namespace {

TEST(Counts, WholeNumbersUpTo2To53AreCounts) {
  const std::pair<const char*, std::int64_t> kGood[] = {
      {"0", 0},
      {"12", 12},
      {"0012", 12},
      {"12.0", 12},
      {"12.", 12},
      {"12.000000000000000000000", 12},
      {"1.2e1", 12},
      {"1e+15", 1'000'000'000'000'000},
      {"-0", 0},
      {"-0.0", 0},
      {" 12 ", 12},
      {"9007199254740992", kLargestCount},
      {"9007199254740992.0", kLargestCount},
      {"000000000000000000009007199254740992", kLargestCount},
  };
  for (const auto& [text, wanted] : kGood) {
    std::int64_t count = -1;
    EXPECT_EQ(read_count(text, count), CountProblem::none) << text;
    EXPECT_EQ(count, wanted) << text;
  }
}

TEST(Counts, EverythingElseIsRefusedForItsReason) {
  const std::pair<const char*, CountProblem> kBad[] = {
      {"", CountProblem::empty},
      {" ", CountProblem::empty},
      {"-1", CountProblem::negative},
      {"-0.5", CountProblem::negative},
      {"1.5", CountProblem::fractional},
      {"1e-1", CountProblem::fractional},
      {"1e-400", CountProblem::fractional},
      {"12.000000000000000000001", CountProblem::fractional},
      {"9007199254740993", CountProblem::too_large},
      {"9007199254740993.0", CountProblem::too_large},
      {"9007199254740992.5", CountProblem::fractional},
      {"99999999999999999999", CountProblem::too_large},
      {"1e400", CountProblem::too_large},
      {"nan", CountProblem::form},
      {"NaN", CountProblem::form},
      {"inf", CountProblem::form},
      {"-Infinity", CountProblem::form},
      {"NULL", CountProblem::form},
      {"+1", CountProblem::form},
      {"1,000", CountProblem::form},
      {"0x10", CountProblem::form},
      {"1 2", CountProblem::form},
  };
  for (const auto& [text, wanted] : kBad) {
    std::int64_t count = -1;
    EXPECT_EQ(read_count(text, count), wanted) << text;
    EXPECT_EQ(count, -1) << text;
    EXPECT_FALSE(explain(wanted).empty());
  }
}

}  // namespace
}  // namespace chronoveil::data
