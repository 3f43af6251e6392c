#include "chronoveil/base/system/waiting.h"

#include <gtest/gtest.h>

#include <future>

namespace chronoveil {
namespace {

std::promise<std::string>* told_to = nullptr;

class Waiting : public ::testing::Test {
 protected:
  Waiting() {
    told_to = &promise;
    set_waiting_notice([](std::string_view what) { told_to->set_value(std::string(what)); });
  }
  ~Waiting() override { set_waiting_notice(nullptr); }
  std::promise<std::string> promise;
};

TEST_F(Waiting, WhatIsWaitedForIsTold) {
  const WaitingFor waiting("the lock of the ledger", std::chrono::milliseconds(0));
  EXPECT_EQ(promise.get_future().get(), "the lock of the ledger");
}

TEST_F(Waiting, NothingIsToldOfAWaitThatEnded) {
  {
    WaitingFor waiting("nobody", std::chrono::hours(1));
    waiting.over();
    waiting.over();
    const WaitingFor another("nobody", std::chrono::hours(1));
  }
  promise.set_value("nothing");  // throws if something was told
  EXPECT_EQ(promise.get_future().get(), "nothing");
}

TEST(WaitingWithoutAProgram, KeepsSilent) {
  set_waiting_notice(nullptr);
  const WaitingFor waiting("nobody", std::chrono::milliseconds(0));
}

}  // namespace
}  // namespace chronoveil
