#include "chronoveil/base/result.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>

namespace chronoveil {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) return invalid("value", value, "even");
  return value / 2;
}

Result<int> quarter(int value) {
  CV_TRY(const int halved, half(value));
  return half(halved);
}

Result<void> check_even(int value) {
  CV_CHECK(half(value).map([](int) {}));
  return {};
}

TEST(ResultTest, InvalidNamesTheParameterTheValueAndWhatWouldBeValid) {
  const Failure failure = invalid("noise_multiplier", -1.0, "a finite number greater than 0");
  EXPECT_EQ(failure.value().kind, ErrorKind::usage);
  EXPECT_EQ(failure.value().text(), "noise_multiplier: -1 is not valid; it must be a finite number greater than 0");
}

TEST(ResultTest, TheTextSaysWhereThenWhatIsToBlameThenWhatIsWrong) {
  const Result<int> failed = at("city.toml", at("row 3", Result<int>(invalid("epsilon", -1.0, "greater than 0"))));
  EXPECT_EQ(failed.error().where, "city.toml: row 3");
  EXPECT_EQ(failed.error().parameter, "epsilon");
  EXPECT_EQ(failed.error().value, "-1");
  EXPECT_EQ(failed.error().text(), "city.toml: row 3: epsilon: -1 is not valid; it must be greater than 0");
}

TEST(ResultTest, ADoorPutsItsNamesOnTheParameterAndOnKeysInTheMessage) {
  const Failure failure = fail(ErrorKind::usage, "privacy.delta",
                               "give it, or `privacy.analysis = \"published\"`; not `a.csv`, and not `half");
  const KeyNames names = [](std::string_view key) -> std::string {
    if (key == "privacy.delta") return "--delta";
    return key == "privacy.analysis" ? "--analysis" : std::string(key);
  };
  EXPECT_EQ(failure.value().text(names), "--delta: give it, or --analysis published; not a.csv, and not `half");
  EXPECT_EQ(failure.value().text(),
            "privacy.delta: give it, or privacy.analysis = \"published\"; not a.csv, and not `half");
  const Failure outer = fail(ErrorKind::usage, "mechanism.name", "none fits (" + failure.value().marked() + ")");
  EXPECT_EQ(outer.value().text(names),
            "mechanism.name: none fits (--delta: give it, or --analysis published; not a.csv, and not `half)");
}

TEST(ResultTest, KindsAreTheExitCodesOfTheCommandLine) {
  EXPECT_EQ(static_cast<int>(ErrorKind::internal), 1);
  EXPECT_EQ(static_cast<int>(ErrorKind::usage), 2);
  EXPECT_EQ(static_cast<int>(ErrorKind::bad_data), 3);
  EXPECT_EQ(static_cast<int>(ErrorKind::over_budget), 4);
  EXPECT_EQ(static_cast<int>(ErrorKind::storage), 5);
  EXPECT_EQ(static_cast<int>(ErrorKind::cannot_certify), 6);
  EXPECT_EQ(static_cast<int>(ErrorKind::interrupted), 130);
}

TEST(ResultTest, TryPassesTheValueOnAndTheFirstErrorUp) {
  EXPECT_EQ(quarter(12).value(), 3);
  EXPECT_EQ(quarter(7).error().text(), "value: 7 is not valid; it must be even");
  EXPECT_EQ(quarter(6).error().text(), "value: 3 is not valid; it must be even");
}

TEST(ResultTest, TryMovesWhatCannotBeCopied) {
  const auto twice_boxed = [](Result<std::unique_ptr<int>> box) -> Result<std::unique_ptr<int>> {
    CV_TRY(auto opened, std::move(box));
    return opened;
  };
  EXPECT_EQ(*twice_boxed(std::make_unique<int>(4)).value(), 4);
  EXPECT_EQ(twice_boxed(fail(ErrorKind::storage, "gone")).error().kind, ErrorKind::storage);
}

TEST(ResultTest, CheckPassesErrorsOfFunctionsWithoutAValueUp) {
  EXPECT_TRUE(check_even(2).has_value());
  EXPECT_EQ(check_even(3).error().kind, ErrorKind::usage);
}

TEST(ShortestTest, ReadsBackAsTheSameDouble) {
  for (const double value : {0.1, 1.0 / 3, 1e-300, 5e-324, 1.7976931348623157e308, -2.5, 123456789.0})
    EXPECT_EQ(std::strtod(shortest(value).c_str(), nullptr), value);
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(1e-6), "1e-06");
}

TEST(ShortestTest, NamesWhatIsNotANumber) {
  EXPECT_EQ(shortest(std::numeric_limits<double>::infinity()), "infinity");
  EXPECT_EQ(shortest(-std::numeric_limits<double>::infinity()), "-infinity");
  EXPECT_EQ(shortest(std::nan("")), "nan");
}

}  // namespace
}  // namespace chronoveil
