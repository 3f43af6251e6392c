#include "chronoveil/data/real_reader.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

namespace chronoveil::data {
namespace {

TEST(Reals, DecimalNumbersThatTakeTheWholeFieldAreRead) {
  const std::pair<const char*, double> kGood[] = {
      {"0", 0.0},
      {"12", 12.0},
      {"-0.5", -0.5},
      {".5", 0.5},
      {"12.", 12.0},
      {"0012.50", 12.5},
      {"1.2e1", 12.0},
      {"1E+2", 100.0},
      {"-1e-2", -0.01},
      {" 12.5\t", 12.5},
      {"0.1", 0.1},
      {"9007199254740993", 9007199254740992.0},
      {"1.7976931348623157e308", std::numeric_limits<double>::max()},
      {"4.9e-324", std::numeric_limits<double>::denorm_min()},
      {"1e-400", 0.0},
  };
  for (const auto& [text, wanted] : kGood) {
    double number = -1;
    EXPECT_EQ(read_real(text, number), RealProblem::none) << text;
    EXPECT_EQ(number, wanted) << text;
  }
}

TEST(Reals, EverythingElseIsRefusedForItsReason) {
  const std::pair<const char*, RealProblem> kBad[] = {
      {"", RealProblem::empty},         {" \t ", RealProblem::empty},
      {"nan", RealProblem::form},       {"-NaN", RealProblem::form},
      {"nan(1)", RealProblem::form},    {"inf", RealProblem::infinite},
      {"Inf", RealProblem::infinite},   {"-Infinity", RealProblem::infinite},
      {"1e400", RealProblem::infinite}, {"-1e309", RealProblem::infinite},
      {"fast", RealProblem::form},      {"12km", RealProblem::form},
      {"12.5.1", RealProblem::form},    {"12,5", RealProblem::form},
      {"1 2", RealProblem::form},       {"+1", RealProblem::form},
      {"--1", RealProblem::form},       {"0x10", RealProblem::form},
      {"1e", RealProblem::form},        {".", RealProblem::form},
      {"-", RealProblem::form},         {"NULL", RealProblem::form},
      {"infinite", RealProblem::form},
  };
  for (const auto& [text, wanted] : kBad) {
    double number = -1;
    EXPECT_EQ(read_real(text, number), wanted) << text;
    EXPECT_EQ(number, -1) << text;
    EXPECT_FALSE(explain(wanted).empty());
  }
}

TEST(Reals, EveryFiniteDoubleIsReadBackFromItsShortestText) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t bits = random();
    double wanted = 0;
    std::memcpy(&wanted, &bits, sizeof wanted);
    if (!std::isfinite(wanted)) continue;
    char text[32];
    const auto [end, error] = std::to_chars(text, text + sizeof text, wanted);
    double number = 0;
    ASSERT_EQ(read_real({text, static_cast<std::size_t>(end - text)}, number), RealProblem::none);
    ASSERT_EQ(std::memcmp(&number, &wanted, sizeof number), 0) << std::string(text, end);
  }
}

}  // namespace
}  // namespace chronoveil::data
