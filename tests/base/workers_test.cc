#include "chronoveil/base/system/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>

namespace chronoveil {
namespace {

TEST(Workers, EachWorkOnceAndAllAreDoneAtTheEnd) {
  for (const unsigned workers : {1u, 2u, 5u}) {
    std::vector<int> done(workers);
    on_workers(workers, [&](unsigned worker) { ++done[worker]; });
    EXPECT_EQ(done, std::vector<int>(workers, 1));
  }
}

TEST(Workers, WhatOneThrowsArrivesWhenAllAreDone) {
  for (const unsigned unlucky : {0u, 1u, 2u}) {
    std::atomic<int> done = 0;
    EXPECT_THROW(on_workers(3,
                            [&](unsigned worker) {
                              if (worker == unlucky) throw std::bad_alloc();
                              ++done;
                            }),
                 std::bad_alloc);
    EXPECT_EQ(done, 2);
  }
}

}  // namespace
}  // namespace chronoveil
