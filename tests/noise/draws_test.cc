#include "chronoveil/noise/draws.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace chronoveil::noise {
namespace {

std::array<std::int64_t, 5> five(Draws& draws) {
  std::array<std::int64_t, 5> out{};
  draws.fill(out);
  return out;
}

TEST(Draws, ASeedGivesTheSameDrawsEveryTime) {
  Result<Draws> one = Draws::make("rounded_laplace", 2, 0.5, 7), other = Draws::make("rounded_laplace", 2, 0.5, 7);
  Result<Draws> next = Draws::make("rounded_laplace", 2, 0.5, 8);
  ASSERT_TRUE(one && other && next);
  const std::array<std::int64_t, 5> drawn = five(*one);
  EXPECT_EQ(drawn, five(*other));
  EXPECT_NE(drawn, five(*next));
  EXPECT_NE(drawn, five(*one));
}

TEST(Draws, AreSecretWithoutASeed) {
  Result<Draws> one = Draws::make("discrete_gaussian", 1e6, 1), other = Draws::make("discrete_gaussian", 1e6, 1);
  ASSERT_TRUE(one && other);
  EXPECT_NE(five(*one), five(*other));
}

TEST(Draws, AreWrittenExactly) {
  const Result<Draws> draws = Draws::make("rounded_gaussian", 3, 0.25);
  ASSERT_TRUE(draws);
  std::array<char, Draws::kMaxSize> text{};
  EXPECT_EQ(std::string(text.data(), draws->write(-7, text.data())), "-1.75");
}

TEST(Draws, TheGridIsTheLargestWithinAMillionthOfTheScale) {
  const Result<Draws> draws = Draws::make("rounded_gaussian", 3);
  ASSERT_TRUE(draws);
  EXPECT_EQ(draws->grid(), 0x1p-19);
}

TEST(Draws, WhatDoesNotFitIsRefusedByName) {
  const auto refused = [](const Result<Draws>& draws) { return draws ? "nothing" : draws.error().parameter; };
  EXPECT_EQ(refused(Draws::make("normal", 1)), "law");
  EXPECT_EQ(refused(Draws::make("rounded_laplace", 1, 0.3)), "grid");
  EXPECT_EQ(refused(Draws::make("rounded_laplace", 0x1p41, 1)), "run.scale");
  EXPECT_EQ(refused(Draws::make("rounded_laplace", 0)), "scale");
}

}  // namespace
}  // namespace chronoveil::noise
