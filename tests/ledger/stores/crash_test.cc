// Processes killed at random points of reserve, release and settle: whatever they released is covered by a debit.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <random>

#include "backend.h"
#include "chronoveil/ledger/body.h"
#include "fixtures.h"
#include "processes.h"

namespace chronoveil::ledger::testing {
namespace {

constexpr int kKillsBeforeALook = 100;
constexpr int kLongest = 20'000;  // microseconds: a child that was held up once must not hold up all others

class CrashSafety : public OnEveryStore {
 protected:
  std::string outputs() const { return folder_.path() + "/outputs"; }

  void start_over() {
    place_ = GetParam() == "sqlite" ? make_sqlite_place() : make_postgres_place();
    truncate(outputs().c_str(), 0);
    ASSERT_TRUE(value_of(Ledger::open(place_->where())).create(dataset("city", 100'000)));
  }

  // What a release writes: the debit that covers it, in one write. Records of 128 bytes never cross a page: the kernel
  // may cut a write short there when the writer is killed.
  void publish(const std::string& id, const std::string& chain_head) const {
    const int file = open(outputs().c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    std::string line = id + " " + chain_head;
    line.resize(127, ' ');
    line += '\n';
    if (write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(1);
    close(file);
  }

  // Debits, publishes and settles until something fails, which nothing should.
  Result<void> release_for_ever(const Counter& published, const Counter& cycle) const {
    CV_TRY(Ledger ledger, Ledger::open(place_->where()));
    for (auto start = std::chrono::steady_clock::now();;) {
      CV_TRY(Receipt receipt, ledger.reserve(terms("city"), pure(0.001)));
      CV_TRY(const DebitReference reference, redeem(std::move(receipt), pure(0.001)));
      publish(reference.id.text(), reference.chain_head);
      published.set(published.value() + 1);
      CV_CHECK(ledger.settle(reference.id, State::released));
      const auto end = std::chrono::steady_clock::now();
      cycle.set(static_cast<int>(std::chrono::duration_cast<std::chrono::microseconds>(end - start).count()));
      start = end;
    }
  }

  // Runs `for_ever` in a child and kills it at a random moment of the cycle that follows its first few outputs, at
  // whatever pace. Returns how many those were.
  static int killed_after_a_while(std::mt19937& random, const Counter& published, const Counter& cycle,
                                  const std::function<Result<void>()>& for_ever) {
    published.set(0);
    const pid_t child = run_in_child([&] {
      const Result<void> ended = for_ever();
      std::fprintf(stderr, "the child ended by itself: %s\n", ended.error().text().c_str());
      return 1;
    });
    const int wanted = std::uniform_int_distribution<int>(0, 2)(random);
    while (published.value() < wanted) {
      if (waitpid(child, nullptr, WNOHANG) != 0) {
        ADD_FAILURE() << "the child ended by itself, with an error";
        return 0;
      }
      usleep(50);
    }
    usleep(static_cast<useconds_t>(std::uniform_int_distribution<int>(0, std::min(cycle.value(), kLongest))(random)));
    kill(child, SIGKILL);
    EXPECT_EQ(wait_for(child), -1) << "the child ended by itself, with an error";
    return wanted;
  }

  // The reader afterwards: how many released outputs no debit covers.
  struct Look {
    int outputs = 0;
    int uncovered = 0;
    int debits = 0;
    bool chain_holds = false;
  };
  Look look() const {
    Ledger ledger = value_of(Ledger::open(place_->where()));
    std::map<std::string, std::string> covered;
    Look result;
    for (const Debit& debit : value_of(ledger.history("city"))) {
      covered[debit.id.text()] = debit.chain_head;
      ++result.debits;
    }
    result.chain_holds = value_of(ledger.verify()).holds();
    std::ifstream released(outputs());
    std::string id, chain_head;
    while (released >> id >> chain_head) {
      ++result.outputs;
      if (!covered.contains(id) || covered[id] != chain_head) ++result.uncovered;
    }
    return result;
  }

  TemporaryFolder folder_;
};
CHRONOVEIL_ON_EVERY_STORE(CrashSafety);

// The numbers of kills are those of CHRONOVEIL_TORTURE; make test kills less often.
TEST_P(CrashSafety, AfterEveryKillEachReleasedOutputIsCoveredByADebit) {
  const int kills = kills_or(GetParam() == "sqlite" ? 1700 : 500);
  std::mt19937 random(20260301);   // only chooses when to kill
  const Counter published, cycle;  // cycle: how many microseconds a child's last one took
  cycle.set(1'000);
  int awaited = 0, debits = 0, outputs = 0;
  for (int kill_number = 0; kill_number < kills; ++kill_number) {
    if (kill_number % kKillsBeforeALook == 0) start_over();
    awaited += killed_after_a_while(random, published, cycle, [&] { return release_for_ever(published, cycle); });
    ASSERT_FALSE(HasFailure());
    if ((kill_number + 1) % kKillsBeforeALook == 0 || kill_number + 1 == kills) {
      const Look seen = look();
      ASSERT_EQ(seen.uncovered, 0);
      ASSERT_TRUE(seen.chain_holds);
      outputs += seen.outputs;
      debits += seen.debits;
    }
  }
  EXPECT_GE(outputs, awaited);
  EXPECT_GE(debits, outputs);
  RecordProperty("kills", kills);
  RecordProperty("outputs", outputs);
  RecordProperty("debits_without_output", debits - outputs);
}

// The twin that publishes before its debit: the same reader must catch it.
TEST_P(CrashSafety, TheReaderCatchesAReleaseThatCameBeforeItsDebit) {
  start_over();
  const pid_t child = run_in_child([&] {
    Result<Ledger> ledger = Ledger::open(place_->where());
    if (!ledger) return 1;
    publish("city:1", std::string(64, '0'));
    raise(SIGKILL);
    return ledger->reserve(terms("city"), pure(0.001)) ? 0 : 1;
  });
  ASSERT_EQ(wait_for(child), -1);
  const Look seen = look();
  EXPECT_EQ(seen.outputs, 1);
  EXPECT_EQ(seen.uncovered, 1);
}

// Processes killed at random points of resuming a run, using it and publishing what came of the use.
class RunCrashSafety : public CrashSafety {
 protected:
  static constexpr std::int64_t kUses = 1'000'000;

  void start_run() {
    start_over();
    run_ = value_of(value_of(Ledger::open(place_->where())).reserve_run(terms("city"), pure(1), kUses)).id;
  }

  // Goes on where the ledger says, a few uses at a time.
  Result<void> use_for_ever(const Counter& published, const Counter& cycle) const {
    CV_TRY(Ledger ledger, Ledger::open(place_->where()));
    CV_TRY(const ledger::Run run, ledger.resume_run(run_));
    std::int64_t used = run.used();
    for (auto start = std::chrono::steady_clock::now();;) {
      const std::int64_t count = 1 + used % 3;
      CV_CHECK(ledger.use_run(run_, used, count));
      publish(std::to_string(used), std::to_string(count));
      used += count;
      published.add(1);
      const auto end = std::chrono::steady_clock::now();
      cycle.set(static_cast<int>(std::chrono::duration_cast<std::chrono::microseconds>(end - start).count()));
      start = end;
    }
  }

  // The reader afterwards: what was published must stand in the ledger, and nothing was used for two outputs.
  struct UsesSeen {
    int outputs = 0;
    int uncovered = 0;
    int repeated = 0;
    int rows = 0;
    bool chain_holds = false;
  };
  UsesSeen look_at_uses() const {
    Ledger ledger = value_of(Ledger::open(place_->where()));
    UsesSeen seen;
    std::map<std::int64_t, std::int64_t> written;
    for (const Entry& row : value_of(ledger.entries("city"))) {
      if (row.kind != "use") continue;
      const UseBody use = value_of(use_from_body(row.body));
      written[use.first] = use.count;
      ++seen.rows;
    }
    seen.chain_holds = value_of(ledger.verify()).holds();
    std::ifstream released(outputs());
    std::int64_t first = 0, count = 0, next = 0;
    while (released >> first >> count) {
      ++seen.outputs;
      if (!written.contains(first) || written[first] != count) ++seen.uncovered;
      if (first < next) ++seen.repeated;
      next = std::max(next, first + count);
    }
    return seen;
  }

  DebitId run_;
};
CHRONOVEIL_ON_EVERY_STORE(RunCrashSafety);

TEST_P(RunCrashSafety, AfterEveryKillEachAcknowledgedUseIsThereAndNoneWasUsedTwice) {
  const int kills = kills_or(GetParam() == "sqlite" ? 300 : 100);
  std::mt19937 random(20260401);  // only chooses when to kill
  const Counter published, cycle;
  cycle.set(1'000);
  start_run();
  int awaited = 0;
  for (int kill_number = 0; kill_number < kills; ++kill_number) {
    awaited += killed_after_a_while(random, published, cycle, [&] { return use_for_ever(published, cycle); });
    ASSERT_FALSE(HasFailure());
  }
  const UsesSeen seen = look_at_uses();
  EXPECT_TRUE(seen.chain_holds);
  EXPECT_EQ(seen.uncovered, 0);
  EXPECT_EQ(seen.repeated, 0);
  EXPECT_GE(seen.outputs, awaited);
  EXPECT_GE(seen.rows, seen.outputs);
  EXPECT_LE(seen.rows, seen.outputs + kills) << "a kill costs one use at most";
  RecordProperty("kills", kills);
  RecordProperty("outputs", seen.outputs);
  RecordProperty("uses_without_output", seen.rows - seen.outputs);
}

// The twins: one publishes before its use is written down, one goes on from what it remembers and does not ask.
TEST_P(RunCrashSafety, TheReaderCatchesAnOutputThatCameBeforeItsUseAndOneThatCameTwice) {
  start_run();
  pid_t child = run_in_child([&] {
    publish("0", "1");
    raise(SIGKILL);
    return 0;
  });
  ASSERT_EQ(wait_for(child), -1);
  EXPECT_EQ(look_at_uses().uncovered, 1);

  start_run();
  for (int i = 0; i < 2; ++i) {
    child = run_in_child([&] {
      Result<Ledger> ledger = Ledger::open(place_->where());
      if (!ledger) return 1;
      (void)ledger->use_run(run_, 0, 1);
      publish("0", "1");
      raise(SIGKILL);
      return 0;
    });
    ASSERT_EQ(wait_for(child), -1);
  }
  const UsesSeen seen = look_at_uses();
  EXPECT_EQ(seen.uncovered, 0);
  EXPECT_EQ(seen.repeated, 1);
}

}  // namespace
}  // namespace chronoveil::ledger::testing
