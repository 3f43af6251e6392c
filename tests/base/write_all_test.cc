// Texts that are longer than what a pipe holds, by ways that do not take them at once.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "chronoveil/base/system/atomic_file.h"

namespace chronoveil {
namespace {

class WriteAll : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::pipe2(ends_, O_CLOEXEC), 0);
    capacity_ = ::fcntl(ends_[1], F_SETPIPE_SZ, 4096);
    ASSERT_GE(capacity_, 4096);
  }
  void TearDown() override {
    close_end(0);
    close_end(1);
  }
  void do_not_block() { ASSERT_EQ(::fcntl(ends_[1], F_SETFL, O_NONBLOCK), 0); }
  void close_end(int which) {
    if (ends_[which] >= 0) ::close(ends_[which]);
    ends_[which] = -1;
  }
  // Reads nothing before the pipe is full, then so many bytes.
  std::string slowly_read(std::size_t size) {
    int waiting = 0;
    while (waiting < capacity_) {
      ::ioctl(ends_[0], FIONREAD, &waiting);
      std::this_thread::yield();
    }
    std::string text(size, '\0');
    std::size_t got = 0;
    for (ssize_t more = 1; got < size && more > 0; got += static_cast<std::size_t>(more))
      more = ::read(ends_[0], text.data() + got, size - got);
    text.resize(got);
    return text;
  }

  int ends_[2] = {-1, -1};
  int capacity_ = 0;
};

std::string long_text() {
  std::string text;
  for (int i = 0; text.size() < 100'000; ++i) text += std::to_string(i) + "\n";
  return text;
}

TEST_F(WriteAll, WaitsForASlowReaderWhereThePipeDoesNotBlock) {
  do_not_block();
  const std::string text = long_text();
  int problem = -1;
  std::thread writer([&] {
    problem = write_all(ends_[1], text);
    close_end(1);
  });
  EXPECT_EQ(slowly_read(text.size()), text);
  writer.join();
  EXPECT_EQ(problem, 0);
}

TEST_F(WriteAll, SaysWhyItEnded) {
  EXPECT_EQ(write_all(-1, "x"), EBADF);
  EXPECT_EQ(write_all(-1, ""), 0) << "there is nothing to write";
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  close_end(0);
  EXPECT_EQ(write_all(ends_[1], "x"), EPIPE);
  ::signal(SIGPIPE, before);
}

TEST_F(WriteAll, AReaderThatGoesAwayEndsTheWaiting) {
  do_not_block();
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  int problem = -1;
  std::thread writer([&] { problem = write_all(ends_[1], long_text()); });
  slowly_read(1);
  close_end(0);
  writer.join();
  EXPECT_EQ(problem, EPIPE);
  ::signal(SIGPIPE, before);
}

}  // namespace
}  // namespace chronoveil
