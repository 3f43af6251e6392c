// Processes that are killed, and disks that are full or read-only: whatever was published is what an undisturbed life
// would have published.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "bound/lives.h"
#include "bound/records.h"
#include "support/child_process.h"
#include "support/temporary_folder.h"

namespace chronoveil::bound {
namespace {

using testing::run_in_child;
using testing::wait_for;

constexpr std::int64_t kSeries = 3;
constexpr std::size_t kRecord = 64;  // bytes of a published slot: one write, never across a page
const Caps kCaps = user_caps(25, 2);

constexpr int kDone = 0, kStorageError = 5, kOtherError = 1;

class LiveCrash : public ::testing::Test {
 protected:
  LiveCrash() {
    std::mt19937_64 random(9);
    life_ = random_life(random, 200, kSeries);
    // Newcomers in every slot, so that the file grows.
    for (std::size_t t = 0; t < life_.size(); ++t) {
      for (std::size_t i = 0; i < 20; ++i) life_[t].push_back({"new " + std::to_string(20 * t + i), 0, 1});
    }
  }

  static std::string line_of(const SlotCounts& counts) {
    std::string line;
    for (const std::int64_t count : counts) line += std::to_string(count) + " ";
    line.resize(kRecord - 1, ' ');
    return line + "\n";
  }
  std::string wanted() const {
    std::string all;
    for (const SlotCounts& counts : naive_life(life_, kCaps, kSeries)) all += line_of(counts);
    return all;
  }
  std::string published() const {
    std::ifstream file(outputs_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // Goes on after the last published slot, to the end.
  int go_on(const OpenParticipation& open, const std::function<void(std::size_t)>& before_publishing) const {
    const int outputs = ::open(outputs_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (outputs < 0) return kOtherError;
    std::unique_ptr<Participation> participation = open();
    if (!participation) return kStorageError;
    SlotBounder bounder(kSeries, kCaps, std::move(participation));
    for (std::size_t t = published().size() / kRecord; t < life_.size(); ++t) {
      const Result<SlotCounts> counts = bound_slot(bounder, life_[t], static_cast<std::int64_t>(t));
      if (!counts) return counts.error().kind == ErrorKind::storage ? kStorageError : kOtherError;
      before_publishing(t);
      const std::string line = line_of(*counts);
      if (write(outputs, line.data(), line.size()) != static_cast<ssize_t>(line.size())) return kOtherError;
    }
    return kDone;
  }

  OpenParticipation in_file() const {
    return [this]() -> std::unique_ptr<Participation> {
      auto opened = Participation::open(people_);
      return opened ? std::move(*opened) : nullptr;
    };
  }

  testing::TemporaryFolder folder_;
  std::string people_ = folder_.path() + "/people";
  std::string outputs_ = folder_.path() + "/outputs";
  Life life_;
};

void go_ahead(std::size_t) {}

// Killed twice at every tenth slot, each time when it is closed and not yet published.
int kill_between(const std::function<int(const std::function<void(std::size_t)>&)>& go_on, std::size_t slots) {
  for (std::size_t t = 0; t < slots; t += 10) {
    for (int again = 0; again < 2; ++again) {
      const pid_t child = run_in_child([&] {
        return go_on([&](std::size_t step) {
          if (step == t) raise(SIGKILL);
        });
      });
      EXPECT_EQ(wait_for(child), -1) << "the child ended by itself at slot " << t;
    }
  }
  return wait_for(run_in_child([&] { return go_on(go_ahead); }));
}

TEST_F(LiveCrash, AProcessKilledBetweenClosingAndPublishingPublishesTheSameCountsAfterwards) {
  EXPECT_EQ(kill_between([&](const auto& before) { return go_on(in_file(), before); }, life_.size()), kDone);
  EXPECT_EQ(published(), wanted());
}

TEST_F(LiveCrash, OneThatForgetsToPersistIsFoundOut) {
  EXPECT_EQ(kill_between([&](const auto& before) { return go_on(forgets_to_persist(), before); }, life_.size()), kDone);
  EXPECT_NE(published(), wanted());
}

TEST_F(LiveCrash, AProcessKilledAtAnyTimePublishesTheSameCountsAfterwards) {
  constexpr std::size_t kMostSlots = 3;  // a child publishes, so that there are many kills at whatever pace
  std::mt19937 random(20260301);         // only chooses when to kill
  int kills = 0;
  life_.resize(120);  // a sanitizer makes every fork dear
  for (std::size_t slots = 0; slots < life_.size(); ++kills) {
    const pid_t child = run_in_child([&] {
      const int ended = go_on(in_file(), [&](std::size_t step) {
        if (step == slots + kMostSlots) pause();
      });
      if (ended == kDone) pause();
      return ended;
    });
    const std::size_t awaited = std::min(slots + random() % (kMostSlots + 1), life_.size());
    while (published().size() / kRecord < awaited) {
      ASSERT_EQ(waitpid(child, nullptr, WNOHANG), 0) << "the child ended by itself, with an error";
      usleep(20);
    }
    usleep(static_cast<useconds_t>(random() % 400));
    kill(child, SIGKILL);
    ASSERT_EQ(wait_for(child), -1) << "the child ended by itself, with an error";
    slots = published().size() / kRecord;
  }
  EXPECT_EQ(published(), wanted());
  RecordProperty("kills", kills);
}

TEST_F(LiveCrash, AFullDiskIsAStorageErrorAndTheReleaseGoesOnOnceThereIsRoom) {
  int full = 0, done = 0;
  life_.resize(30);
  for (rlim_t most = 0; done == 0 && most < 4'000'000; most += 15'000) {
    std::filesystem::remove(people_);
    std::filesystem::remove(people_ + "-wal");
    std::filesystem::remove(outputs_);
    const auto with_limit = [&] {
      signal(SIGXFSZ, SIG_IGN);
      rlimit limit{};
      getrlimit(RLIMIT_FSIZE, &limit);
      limit.rlim_cur = most;
      if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return kOtherError;
      return go_on(in_file(), go_ahead);
    };
    const int status = wait_for(run_in_child(with_limit));
    // Where there is no room for the outputs either, the child cannot say that it published.
    if (most >= kRecord * life_.size()) {
      EXPECT_TRUE(status == kStorageError || status == kDone) << status << " with room for " << most;
    }
    (status == kDone ? done : full) += 1;
    EXPECT_EQ(wait_for(run_in_child([&] { return go_on(in_file(), go_ahead); })), kDone);
    EXPECT_EQ(published(), wanted()) << "with room for " << most;
  }
  EXPECT_GT(full, 10);
  EXPECT_EQ(done, 1);
}

TEST_F(LiveCrash, AReadOnlyFolderIsAStorageError) {
  constexpr uid_t kNobody = 65534;
  const bool root = geteuid() == 0;
  const auto as_anybody = [&](const std::function<int()>& body) {
    return wait_for(run_in_child([&] { return root && setuid(kNobody) != 0 ? kOtherError : body(); }));
  };
  const auto error_of = [&](const std::string& path) {
    const auto opened = Participation::open(path);
    return opened ? kDone : static_cast<int>(opened.error().kind);
  };
  { ASSERT_TRUE(value_of(Participation::open(people_))->use(0, {"ann"}, {1})); }
  ASSERT_TRUE(!root || chown(people_.c_str(), kNobody, kNobody) == 0);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0555), 0);
  EXPECT_EQ(as_anybody([&] { return error_of(folder_.path() + "/new"); }), kStorageError);
  EXPECT_EQ(as_anybody([&] { return error_of(people_); }), kStorageError);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0777), 0);
  EXPECT_EQ(as_anybody([&] { return error_of(people_); }), kDone);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0700), 0);
}

}  // namespace
}  // namespace chronoveil::bound
