#include "chronoveil/base/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>

namespace chronoveil {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Units exist so that mixing them up is a compile error.
static_assert(!std::is_convertible_v<double, Epsilon> && !std::is_convertible_v<double, Delta>);
static_assert(!std::is_constructible_v<Epsilon, double> && !std::is_constructible_v<Delta, double>);
static_assert(!std::is_constructible_v<Epsilon, Delta> && !std::is_constructible_v<Delta, Epsilon>);
static_assert(!std::is_default_constructible_v<Epsilon> && !std::is_default_constructible_v<Delta>);

TEST(EpsilonTest, IsFiniteAndAtLeastZero) {
  for (const double value : {0.0, 5e-324, 1.0, 1e300}) EXPECT_EQ(Epsilon::make(value).value().value(), value);
  for (const double value : {-5e-324, -1.0, kInfinity, -kInfinity, std::nan("")}) {
    ASSERT_FALSE(Epsilon::make(value)) << value;
    EXPECT_EQ(Epsilon::make(value).error().kind, ErrorKind::usage);
    EXPECT_EQ(Epsilon::make(value).error().text().rfind("epsilon: ", 0), 0U);
  }
}

TEST(DeltaTest, IsAtLeastZeroAndLessThanOne) {
  for (const double value : {0.0, 5e-324, 0.5, std::nextafter(1.0, 0.0)})
    EXPECT_EQ(Delta::make(value).value().value(), value);
  for (const double value : {-5e-324, 1.0, 2.0, kInfinity, -kInfinity, std::nan("")})
    EXPECT_EQ(Delta::make(value).error().text().rfind("delta: ", 0), 0U) << value;
}

TEST(DeltaTest, PositiveRefusesZero) {
  EXPECT_EQ(Delta::make_positive(5e-324).value().value(), 5e-324);
  for (const double value : {0.0, -0.0, 1.0, std::nan("")}) EXPECT_FALSE(Delta::make_positive(value)) << value;
}

}  // namespace
}  // namespace chronoveil
