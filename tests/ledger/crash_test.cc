// Processes killed at random points of reserve, release and settle: whatever they released is covered by a debit.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <new>
#include <random>

#include "backend.h"
#include "fixtures.h"
#include "processes.h"

namespace chronoveil::ledger::testing {
namespace {

constexpr int kKillsBeforeALook = 100;
constexpr int kLongest = 20'000;  // microseconds: a child that was held up once must not hold up all others

// A number that a test shares with its children.
class Counter {
 public:
  Counter()
      : shared_(static_cast<std::atomic<int>*>(
            mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    new (shared_) std::atomic<int>(0);
  }
  ~Counter() { munmap(shared_, sizeof(std::atomic<int>)); }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  void set(int value) const { shared_->store(value); }
  int value() const { return shared_->load(); }

 private:
  std::atomic<int>* shared_;
};

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

TEST_P(CrashSafety, AfterEveryKillEachReleasedOutputIsCoveredByADebit) {
  const int kills = kills_or(GetParam() == "sqlite" ? 1700 : 500);
  std::mt19937 random(20260301);   // only chooses when to kill
  const Counter published, cycle;  // cycle: how many microseconds a child's last one took
  cycle.set(1'000);
  // Each child is killed at a random moment of the cycle that follows its first few outputs, at whatever pace.
  int awaited = 0, debits = 0, outputs = 0;
  for (int kill_number = 0; kill_number < kills; ++kill_number) {
    if (kill_number % kKillsBeforeALook == 0) start_over();
    published.set(0);
    const pid_t child = run_in_child([&] {
      const Result<void> ended = release_for_ever(published, cycle);
      std::fprintf(stderr, "the child ended by itself: %s\n", ended.error().message.c_str());
      return 1;
    });
    const int wanted = std::uniform_int_distribution<int>(0, 2)(random);
    while (published.value() < wanted) {
      ASSERT_EQ(waitpid(child, nullptr, WNOHANG), 0) << "the child ended by itself, with an error";
      usleep(50);
    }
    awaited += wanted;
    usleep(static_cast<useconds_t>(std::uniform_int_distribution<int>(0, std::min(cycle.value(), kLongest))(random)));
    kill(child, SIGKILL);
    ASSERT_EQ(wait_for(child), -1) << "the child ended by itself, with an error";
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

}  // namespace
}  // namespace chronoveil::ledger::testing
