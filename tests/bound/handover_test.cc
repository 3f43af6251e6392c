#include "chronoveil/bound/tables/handover.h"

#include <gtest/gtest.h>

#include <thread>

namespace chronoveil::bound {
namespace {

TEST(Handover, EveryBatchArrivesOnceAndInOrder) {
  constexpr int kBatches = 10'000;
  Handover<int> handover;
  std::thread maker([&] {
    for (int number = 1; number <= kBatches; ++number) {
      *handover.to_fill() = number;
      handover.filled();
    }
    handover.finish();
  });
  int last = 0;
  while (const int* number = handover.to_use()) {
    EXPECT_EQ(*number, last + 1);
    last = *number;
    handover.used();
  }
  maker.join();
  EXPECT_EQ(last, kBatches);
}

TEST(Handover, AMakerWhoseUserStopsIsToldSo) {
  Handover<int> handover;
  int made = 0;
  std::thread maker([&] {
    for (; handover.to_fill() != nullptr; ++made) handover.filled();
    handover.finish();
  });
  ASSERT_NE(handover.to_use(), nullptr);
  handover.stop();
  maker.join();
  EXPECT_GE(made, 1);
  EXPECT_LE(made, 2);
}

}  // namespace
}  // namespace chronoveil::bound
