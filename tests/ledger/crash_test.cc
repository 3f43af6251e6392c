// Processes killed at random points of reserve, release and settle: whatever they released is covered by a debit.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <random>

#include "backend.h"
#include "fixtures.h"
#include "processes.h"

namespace chronoveil::ledger::testing {
namespace {

constexpr int kKillsBeforeALook = 100;

class CrashSafety : public OnEveryStore {
 protected:
  std::string outputs() const { return folder_.path() + "/outputs"; }

  void start_over() {
    place_ = GetParam() == "sqlite" ? make_sqlite_place() : make_postgres_place();
    truncate(outputs().c_str(), 0);
    ASSERT_TRUE(value_of(Ledger::open(place_->where())).create(dataset("city", 100'000)));
  }

  // What a release writes: the debit that covers it, in one write.
  void publish(const std::string& id, const std::string& chain_head) const {
    const int file = open(outputs().c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    const std::string line = id + " " + chain_head + "\n";
    if (write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(1);
    close(file);
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
  std::mt19937 random(20260301);  // only chooses when to kill
  std::uniform_int_distribution<int> microseconds(0, GetParam() == "sqlite" ? 6'000 : 16'000);
  Look total;
  for (int kill_number = 0; kill_number < kills; ++kill_number) {
    if (kill_number % kKillsBeforeALook == 0) start_over();
    const pid_t child = run_in_child([&] {
      Result<Ledger> ledger = Ledger::open(place_->where());
      if (!ledger) return 1;
      for (;;) {
        Result<Receipt> receipt = ledger->reserve(terms("city"), pure(0.001));
        if (!receipt) return 1;
        const Result<DebitReference> reference = redeem(std::move(*receipt), pure(0.001));
        if (!reference) return 1;
        publish(reference->id.text(), reference->chain_head);
        if (!ledger->settle(reference->id, State::released)) return 1;
      }
    });
    usleep(static_cast<useconds_t>(microseconds(random)));
    kill(child, SIGKILL);
    ASSERT_EQ(wait_for(child), -1) << "the child ended by itself, with an error";
    if ((kill_number + 1) % kKillsBeforeALook == 0 || kill_number + 1 == kills) {
      const Look seen = look();
      ASSERT_EQ(seen.uncovered, 0);
      ASSERT_TRUE(seen.chain_holds);
      total.outputs += seen.outputs;
      total.debits += seen.debits;
    }
  }
  // The kills fell where they matter: some between a debit and its output, and outputs there were.
  EXPECT_GT(total.outputs, kills / 4);
  EXPECT_GE(total.debits, total.outputs);
  RecordProperty("kills", kills);
  RecordProperty("outputs", total.outputs);
  RecordProperty("debits_without_output", total.debits - total.outputs);
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
