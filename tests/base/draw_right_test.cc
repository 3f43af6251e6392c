#include "chronoveil/base/draw_right.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace chronoveil {
namespace {

static_assert(!std::is_copy_constructible_v<DrawRight> && !std::is_copy_assignable_v<DrawRight>);
static_assert(!std::is_move_constructible_v<DrawRight> && !std::is_move_assignable_v<DrawRight>);
static_assert(!std::is_default_constructible_v<DrawRight> && !std::is_constructible_v<DrawRight, BitSource>);

TEST(DrawRight, WhatAnybodyCanMakeIsMarked) {
  EXPECT_EQ(DrawRight::seeded(1).mark(), "seeded: not private");
  EXPECT_EQ(DrawRight::not_private(BitSource()).mark(), "not private");
}

TEST(DrawRight, HandsOnTheBitsOfItsSource) {
  DrawRight seeded = DrawRight::seeded(7), made = DrawRight::not_private(BitSource::with_seed(7));
  BitSource same = BitSource::with_seed(7);
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t expected = same.next_u64();
    EXPECT_EQ(seeded.bits().value()->next_u64(), expected);
    EXPECT_EQ(made.bits().value()->next_u64(), expected);
  }
}

}  // namespace
}  // namespace chronoveil
