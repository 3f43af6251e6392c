// One debit, at most one draw: when a debit is taken up, who may draw for it, and what is released after that.
#include <gmock/gmock.h>

#include "backend.h"
#include "chronoveil/ledger/account.h"
#include "chronoveil/ledger/body.h"
#include "chronoveil/ledger/stores/store.h"
#include "fixtures.h"
#include "processes.h"

namespace chronoveil::ledger::testing {
namespace {

using ::testing::HasSubstr;

const std::string kJob = "0123456789abcdef";
const std::string kDigest(64, 'a');

Terms job_terms(const std::string& job = kJob) {
  Terms all = terms("city");
  all.job = job;
  return all;
}

// Asks before a second debit, as a run does.
Result<void> ask_first(const DebitId& earlier, State state) {
  return fail(ErrorKind::usage, earlier.text() + " " + std::string(name(state)));
}

class Drawing : public OnEveryStore {
 protected:
  void SetUp() override {
    OnEveryStore::SetUp();
    ledger_.emplace(value_of(Ledger::open(place_->where())));
    ASSERT_TRUE(ledger_->create(dataset("city", 1)));
  }
  void TearDown() override {
    ledger_.reset();
    OnEveryStore::TearDown();
  }
  Receipt reserved(const Terms& asked = job_terms()) { return value_of(ledger_->reserve(asked, pure(0.4), ask_first)); }
  std::vector<State> states() {
    std::vector<State> all;
    for (const Debit& debit : value_of(ledger_->history("city"))) all.push_back(debit.state);
    return all;
  }
  // A row behind the ledger's back.
  void append_row(const std::string& kind, const std::string& body) {
    const std::unique_ptr<Store> store = value_of(open_store(place_->where(), seal_of));
    ok(store->append("city", [&](const Store::Reader& read) -> Result<Addition> {
      CV_TRY(const Stored stored, read(0));
      Entry row = stored.rows.back();
      row.kind = kind;
      row.body = body;
      Addition all{{linked(row, stored.rows.back().sequence + 1, stored.rows.back().hash)}, {}};
      std::vector<Entry> rows = stored.rows;
      rows.push_back(all.rows.front());
      CV_TRY(all.seal, seal_of(rows));
      return all;
    }));
  }
  void note_backup() { append_row("opened", to_body(Origin::backup)); }

  std::optional<Ledger> ledger_;
};
CHRONOVEIL_ON_EVERY_STORE(Drawing);

TEST_P(Drawing, IsWrittenDownWhenAReceiptIsRedeemed) {
  Receipt receipt = reserved();
  EXPECT_EQ(states(), std::vector{State::reserved});
  const DebitReference reference = value_of(redeem(std::move(receipt), pure(0.4)));
  EXPECT_EQ(states(), std::vector{State::drawing});
  ok(ledger_->settle(reference.id, State::released, kDigest));
  const std::vector<Debit> history = value_of(ledger_->history("city"));
  EXPECT_EQ(history[0].state, State::released);
  EXPECT_EQ(history[0].digest, kDigest);
  EXPECT_EQ(history[0].terms.job, kJob);
  EXPECT_TRUE(value_of(ledger_->verify()).holds());
}

TEST_P(Drawing, TheSameJobTakesUpWhatNothingWasDrawnFor) {
  const DebitReference first = reserved().reference();
  Receipt second = reserved();
  EXPECT_TRUE(second.taken_up());
  EXPECT_EQ(second.reference().id, first.id);
  EXPECT_EQ(second.reference().chain_head, first.chain_head);
  EXPECT_EQ(states().size(), 1u);
  EXPECT_EQ(value_of(ledger_->to_take_up(job_terms(), pure(0.4)))->id, first.id);
  EXPECT_TRUE(ledger_->check(job_terms(), pure(0.4)));
}

TEST_P(Drawing, OfAllReceiptsOfADebitOneIsRedeemed) {
  Receipt first = reserved(), second = reserved();
  ASSERT_TRUE(redeem(std::move(second), pure(0.4)));
  EXPECT_THAT(refusal(redeem(std::move(first), pure(0.4)), ErrorKind::usage), HasSubstr("another process draws"));
  EXPECT_EQ(states(), std::vector{State::drawing});
}

TEST_P(Drawing, ADebitThatWasDrawnForOrSettledIsNotTakenUp) {
  ASSERT_TRUE(redeem(reserved(), pure(0.4)));
  EXPECT_EQ(refusal(ledger_->reserve(job_terms(), pure(0.4), ask_first), ErrorKind::usage), "city:1 drawing");
  EXPECT_FALSE(value_of(ledger_->to_take_up(job_terms(), pure(0.4))));
  ok(ledger_->settle({"city", 1, std::nullopt}, State::abandoned));
  EXPECT_EQ(refusal(ledger_->reserve(job_terms(), pure(0.4), ask_first), ErrorKind::usage), "city:1 abandoned");
  const Receipt meant = value_of(ledger_->reserve(job_terms(), pure(0.4)));
  EXPECT_FALSE(meant.taken_up());
  EXPECT_EQ(states(), (std::vector{State::abandoned, State::reserved}));
}

TEST_P(Drawing, WhatIsSettledIsNotDrawnFor) {
  Receipt receipt = reserved();
  ok(ledger_->settle({"city", 1, std::nullopt}, State::abandoned));
  refusal(redeem(std::move(receipt), pure(0.4)), ErrorKind::usage);
  EXPECT_EQ(states(), std::vector{State::abandoned});
}

TEST_P(Drawing, OtherTermsOrAnotherEventDoNotTakeItUp) {
  const Receipt receipt = reserved();
  Terms other = job_terms();
  other.purpose = "another one";
  EXPECT_EQ(refusal(ledger_->reserve(other, pure(0.4), ask_first), ErrorKind::usage), "city:1 reserved");
  EXPECT_EQ(refusal(ledger_->reserve(job_terms(), pure(0.3), ask_first), ErrorKind::usage), "city:1 reserved");
  EXPECT_FALSE(value_of(ledger_->reserve(job_terms("fedcba9876543210"), pure(0.4), ask_first)).taken_up());
  EXPECT_FALSE(value_of(ledger_->reserve(terms("city"), pure(0.1), ask_first)).taken_up()) << "by hand";
}

TEST_P(Drawing, ADebitOfAnEarlierVersionIsAskedAboutAndNeverTakenUp) {
  // An earlier version may have drawn without recording it.
  Terms old = terms("city");
  old.mechanism = "gaussian [job " + kJob + "]";
  ASSERT_TRUE(ledger_->reserve(old, pure(0.4)));
  EXPECT_EQ(value_of(ledger_->history("city"))[0].terms.job, kJob);
  Terms now = job_terms();
  now.mechanism = old.mechanism;
  EXPECT_EQ(refusal(ledger_->reserve(now, pure(0.4), ask_first), ErrorKind::usage), "city:1 reserved");
  ok(ledger_->settle({"city", 1, std::nullopt}, State::released));
  EXPECT_TRUE(value_of(ledger_->verify()).holds());
}

TEST_P(Drawing, WhatIsOfAJobIsReleasedAfterADrawAndNotBefore) {
  Receipt receipt = reserved();
  refusal(ledger_->settle({"city", 1, std::nullopt}, State::released), ErrorKind::usage);
  EXPECT_EQ(states(), std::vector{State::reserved});
  const Receipt by_hand = value_of(ledger_->reserve(terms("city"), pure(0.1)));
  ok(ledger_->settle(by_hand.reference().id, State::released));
  ASSERT_TRUE(redeem(std::move(receipt), pure(0.4)));
  ok(ledger_->settle({"city", 1, std::nullopt}, State::released));
}

TEST_P(Drawing, AReleaseWithoutADrawIsAFinding) {
  const Receipt receipt = reserved();
  {
    const std::unique_ptr<Store> store = value_of(open_store(place_->where(), seal_of));
    const std::string who = store->writer_name();
    ok(store->append("city", [&](const Store::Reader& read) -> Result<Addition> {
      CV_TRY(const Stored stored, read(0));
      const Entry& last = stored.rows.back();
      Entry row{"city",
                0,
                last.recorded_at,
                who.empty() ? "somebody" : who,
                "state",
                to_body(StateBody{1, std::nullopt, State::released}),
                "",
                ""};
      Seal seal = *stored.seal;
      const Entry forged = linked(std::move(row), last.sequence + 1, last.hash);
      seal.length += 1;
      seal.head = forged.hash;
      seal.signature.clear();
      return Addition{{forged}, seal};
    }));
  }
  const Verification verified = value_of(value_of(Ledger::open(place_->where())).verify());
  ASSERT_EQ(verified.findings.size(), 1u);
  EXPECT_THAT(verified.findings[0].message, HasSubstr("nothing was drawn for this one"));
}

TEST_P(Drawing, ARunIsTakenUpUntilItIsUsed) {
  const Reservation first = value_of(ledger_->reserve_run(job_terms(), pure(0.01, 10), 10, ask_first));
  const Reservation second = value_of(ledger_->reserve_run(job_terms(), pure(0.01, 10), 10, ask_first));
  EXPECT_FALSE(first.taken_up);
  EXPECT_TRUE(second.taken_up);
  EXPECT_EQ(first.id, second.id);
  refusal(ledger_->reserve_run(job_terms(), pure(0.01, 10), 9, ask_first), ErrorKind::usage);
  ok(ledger_->use_run(first.id, 0, 1));
  refusal(ledger_->reserve_run(job_terms(), pure(0.01, 10), 10, ask_first), ErrorKind::usage);
  EXPECT_EQ(states().size(), 1u);
}

// The ledger that a backup is of may have drawn since: one debit would be drawn for in two places.
TEST_P(Drawing, WhatCameOutOfABackupIsNotTakenUp) {
  const chronoveil::testing::TemporaryFolder folder;
  const DebitReference once = reserved().reference();
  const Reservation run = value_of(ledger_->reserve_run(job_terms("fedcba9876543210"), pure(0.01, 10), 10, ask_first));
  ok(ledger_->back_up(folder.path() + "/backup.db"));
  Ledger restored = value_of(Ledger::open(folder.path() + "/restored.db"));
  ok(restored.restore(folder.path() + "/backup.db"));
  EXPECT_EQ(refusal(restored.reserve(job_terms(), pure(0.4), ask_first), ErrorKind::usage), "city:1 reserved");
  EXPECT_EQ(
      refusal(restored.reserve_run(job_terms("fedcba9876543210"), pure(0.01, 10), 10, ask_first), ErrorKind::usage),
      "city:2 reserved");
  EXPECT_FALSE(value_of(restored.to_take_up(job_terms(), pure(0.4))));
  for (const Debit& debit : value_of(restored.history("city"))) EXPECT_TRUE(debit.from_backup);
  Receipt second = value_of(restored.reserve(job_terms(), pure(0.4)));
  EXPECT_FALSE(second.taken_up());
  EXPECT_EQ(value_of(restored.reserve(job_terms(), pure(0.4))).reference().id, second.reference().id);
  ASSERT_TRUE(redeem(std::move(second), pure(0.4)));
  EXPECT_EQ(value_of(restored.view("city")).debits, 3);
  EXPECT_TRUE(value_of(restored.verify()).holds());

  // What was moved is in one place, and was closed in the other.
  ok(ledger_->move(folder.path() + "/there.db"));
  Ledger there = value_of(Ledger::open(folder.path() + "/there.db"));
  EXPECT_EQ(value_of(there.reserve(job_terms(), pure(0.4), ask_first)).reference().id, once.id);
  EXPECT_EQ(value_of(there.reserve_run(job_terms("fedcba9876543210"), pure(0.01, 10), 10, ask_first)).id, run.id);
}

// A backup is a ledger like any other, whether somebody restores it, moves it or just opens it.
TEST_P(Drawing, NothingIsDrawnInABackupThatIsUsedAsItIsOrMoved) {
  const chronoveil::testing::TemporaryFolder folder;
  const std::string backup = folder.path() + "/backup.db", moved = folder.path() + "/moved.db";
  const DebitId once = reserved().reference().id;
  const DebitId run = value_of(ledger_->reserve_run(job_terms("fedcba9876543210"), pure(0.01, 10), 10, ask_first)).id;
  const DebitId slots = value_of(ledger_->reserve_slots(terms("city"), {pure(0.1), pure(0.1)})).id;
  ASSERT_TRUE(ledger_->open_slot({"city", slots.sequence, 0}, pure(0.1)));
  ok(ledger_->back_up(backup));
  const auto expect_nothing_is_drawn = [&](Ledger& copy) {
    EXPECT_EQ(refusal(copy.reserve(job_terms(), pure(0.4), ask_first), ErrorKind::usage), "city:1 reserved");
    EXPECT_FALSE(value_of(copy.to_take_up(job_terms(), pure(0.4))));
    EXPECT_THAT(refusal(copy.resume_run(run), ErrorKind::usage), HasSubstr("out of a backup"));
    EXPECT_THAT(refusal(copy.use_run(run, 0, 1), ErrorKind::usage), HasSubstr("out of a backup"));
    EXPECT_THAT(refusal(copy.open_slot({"city", slots.sequence, 1}, pure(0.1)), ErrorKind::usage),
                HasSubstr("out of a backup"));
    EXPECT_TRUE(value_of(copy.verify()).holds());
  };
  {
    Ledger copy = value_of(Ledger::open(backup));
    expect_nothing_is_drawn(copy);
    ok(copy.move(moved));
  }
  Ledger there = value_of(Ledger::open(moved));
  expect_nothing_is_drawn(there);
  ok(there.settle(run, State::abandoned));  // what became of it may be written down
  // The ledger that the backup is of goes on.
  EXPECT_EQ(reserved().reference().id, once);
  ok(ledger_->use_run(run, 0, 1));
  ASSERT_TRUE(ledger_->open_slot({"city", slots.sequence, 1}, pure(0.1)));
}

TEST_P(Drawing, ASlotThatWasOpenedBeforeABackupIsNotDrawnForAfterIt) {
  const DebitId slots = value_of(ledger_->reserve_slots(terms("city"), {pure(0.1), pure(0.1)})).id;
  Receipt receipt = value_of(ledger_->open_slot({"city", slots.sequence, 0}, pure(0.1)));
  note_backup();
  EXPECT_THAT(refusal(redeem(std::move(receipt), pure(0.1)), ErrorKind::usage), HasSubstr("out of a backup"));
}

// Versions that let a run go on out of a backup have left such rows.
TEST_P(Drawing, UsesThatFollowABackupAreStillRead) {
  const DebitId run = value_of(ledger_->reserve_run(job_terms(), pure(0.01, 10), 10, ask_first)).id;
  note_backup();
  append_row("use", to_body(UseBody{run.sequence, 0, 1, ""}));
  EXPECT_EQ(value_of(ledger_->history("city"))[0].used, 1);
  EXPECT_TRUE(value_of(ledger_->verify()).holds());
  refusal(ledger_->use_run(run, 1, 1), ErrorKind::usage);
}

TEST_P(Drawing, WhoHoldsAReceiptWhileTheRowsComeOutOfABackupDoesNotDraw) {
  Receipt receipt = reserved();
  note_backup();
  EXPECT_THAT(refusal(redeem(std::move(receipt), pure(0.4)), ErrorKind::usage), HasSubstr("out of a backup"));
  EXPECT_EQ(states(), std::vector{State::reserved});
}

TEST_P(Drawing, ADigestBelongsToWhatWasReleased) {
  EXPECT_FALSE(state_from_body(R"({"debit":1,"digest":"aa","state":"released"})"));
  EXPECT_FALSE(state_from_body(R"({"debit":1,"digest":")" + kDigest + R"(","state":"abandoned"})"));
  EXPECT_FALSE(state_from_body(R"({"debit":1,"state":"drawing"})"));
  EXPECT_TRUE(state_from_body(R"({"debit":1,"digest":")" + kDigest + R"(","state":"released"})"));
}

// Everybody starts the same job at once: one makes the debit, at most all others take it up, and one of them draws.
TEST_P(Drawing, EightProcessesWithOneJobMakeOneDebitAndDrawOnce) {
  for (int round = 0; round < 10; ++round) {
    const std::string job = "job" + std::to_string(round);
    std::vector<pid_t> children;
    for (int i = 0; i < 8; ++i) {
      children.push_back(run_in_child([&] {
        Result<Ledger> ledger = Ledger::open(place_->where());
        if (!ledger) return 200;
        Result<Receipt> receipt = ledger->reserve(job_terms(job), pure(0.1), ask_first);
        if (!receipt) return receipt.error().kind == ErrorKind::usage ? 0 : 201;
        const Result<DebitReference> drawn = redeem(*std::move(receipt), pure(0.1));
        if (!drawn) return drawn.error().kind == ErrorKind::usage ? 0 : 202;
        return 1;
      }));
    }
    int drew = 0;
    for (const pid_t child : children) {
      const int status = wait_for(child);
      ASSERT_LE(status, 1);
      ASSERT_GE(status, 0);
      drew += status;
    }
    EXPECT_EQ(drew, 1);
    EXPECT_EQ(states(), std::vector<State>(static_cast<std::size_t>(round) + 1, State::drawing));
  }
}

}  // namespace
}  // namespace chronoveil::ledger::testing
