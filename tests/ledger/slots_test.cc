// Slots of a programme, which jobs open by themselves.
#include <gmock/gmock.h>

#include <cstdio>

#include "fixtures.h"

namespace chronoveil::ledger::testing {
namespace {

using ::testing::HasSubstr;

// Two slots, the second of which a job of another unit or a larger event must not take.
TEST(SlotsForJobs, AreTakenOnlyByWhatTheyWereReservedFor) {
  const std::string place = ::testing::TempDir() + "/slots_for_jobs.db";
  std::remove(place.c_str());
  Ledger ledger = value_of(Ledger::open(place));
  ASSERT_TRUE(ledger.create(dataset("city", 2)));
  Terms all = terms("city");
  all.stated.unit = Unit::user;
  const DebitReference debit = value_of(
      ledger.reserve_slots(all, {pure(0.5), pure(0.5)}, {{"weekly", "0123456789abcdef", {"slots.start"}, 0, 2}}));
  const std::vector<DebitId> slots{{"city", debit.id.sequence, 0}, {"city", debit.id.sequence, 1}};
  Terms job = all;
  job.job = "a";
  Terms other = job;
  other.stated.unit = Unit::w_event;
  EXPECT_FALSE(value_of(ledger.slot_for(other, pure(0.5), slots)));
  EXPECT_FALSE(value_of(ledger.slot_for(job, pure(0.6), slots)));
  ASSERT_EQ(value_of(ledger.slot_for(job, pure(0.5), slots)), slots[0]);
  std::optional<Receipt> first = value_of(ledger.open_slot_for(job, pure(0.5), slots));
  std::optional<Receipt> again = value_of(ledger.open_slot_for(job, pure(0.5), slots));
  ASSERT_TRUE(first && again);
  EXPECT_EQ(again->reference().id, slots[0]);
  EXPECT_TRUE(again->taken_up());
  ASSERT_TRUE(redeem(std::move(*again), pure(0.5)));
  // The slot has one draw, whoever holds a receipt of it.
  refusal(redeem(std::move(*first), pure(0.5)), ErrorKind::usage);
  const BeforeSecond refuse = [](const DebitId&, State) -> Result<void> { return fail(ErrorKind::usage, "again"); };
  refusal(ledger.open_slot_for(job, pure(0.5), slots, refuse), ErrorKind::usage);
  // Nothing is released of a slot that nothing was drawn for.
  Terms next = job;
  next.job = "b";
  ASSERT_EQ(value_of(ledger.open_slot_for(next, pure(0.4), slots))->reference().id, slots[1]);
  refusal(ledger.settle(slots[1], State::released), ErrorKind::usage);
  ok(ledger.settle(slots[0], State::released));
  EXPECT_FALSE(value_of(ledger.slot_for(Terms(all), pure(0.1), slots)));
  EXPECT_TRUE(value_of(ledger.verify()).holds());
}

// A release that is drawn for at once, and one that happens in five numbered uses.
class RunsInSlots : public ::testing::Test {
 protected:
  void SetUp() override {
    place_ = ::testing::TempDir() + "/runs_in_slots.db";
    for (const char* suffix : {"", "-wal", "-shm"}) std::remove((place_ + suffix).c_str());
    ledger_.emplace(value_of(Ledger::open(place_)));
    ASSERT_TRUE(ledger_->create(dataset("city", 2)));
    ASSERT_TRUE(ledger_->reserve_slots(terms("city"), {pure(0.5), pure(0.1, 5), pure(0.1, 5)},
                                       {{"weekly", "0123", {}, 0, 1}, {"model", "4567", {}, 1, 2, 5}}));
    job_ = terms("city");
    job_.job = "a";
  }

  Result<std::optional<Reservation>> open_run(const accounting::Event& event, std::int64_t uses) {
    return ledger_->open_run_slot_for(job_, event, uses, slots_);
  }
  std::vector<Entry> opened_and_used(std::int64_t used) {
    EXPECT_TRUE(value_of(open_run(pure(0.1, 5), 5)));
    ok(ledger_->use_run(slots_[1], 0, used));
    return value_of(ledger_->entries("city"));
  }
  // What verify says of rows that somebody wrote behind the ledger's back.
  std::string found_in(std::vector<Entry> rows) {
    ledger_.reset();
    for (const char* suffix : {"", "-wal", "-shm"}) std::remove((place_ + suffix).c_str());
    std::string previous;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i] = linked(rows[i], static_cast<std::int64_t>(i), previous);
      previous = rows[i].hash;
    }
    put_rows(place_, rows);
    ledger_.emplace(value_of(Ledger::open(place_)));
    const Verification verified = value_of(ledger_->verify());
    return verified.holds() ? "" : verified.findings.front().message;
  }

  std::string place_;
  std::optional<Ledger> ledger_;
  Terms job_;
  const std::vector<DebitId> slots_{{"city", 1, 0}, {"city", 1, 1}, {"city", 1, 2}};
};

TEST_F(RunsInSlots, TakeTheVeryEventAndUsesThatWereReserved) {
  EXPECT_FALSE(value_of(open_run(pure(0.1, 5), 6)));
  EXPECT_FALSE(value_of(open_run(pure(0.1, 5), 4)));
  EXPECT_FALSE(value_of(open_run(pure(0.1, 4), 5)));  // cheaper, and yet priced for other uses
  EXPECT_FALSE(value_of(open_run(pure(0.09, 5), 5)));
  EXPECT_FALSE(value_of(open_run(pure(0.5), 5)));  // the slot of a release without uses
  EXPECT_FALSE(value_of(ledger_->open_slot_for(job_, pure(0.1, 5), {slots_[1]})));  // and the reverse
  EXPECT_EQ(value_of(ledger_->slot_for(job_, pure(0.1, 5), slots_, 5)), slots_[1]);
  EXPECT_EQ(value_of(open_run(pure(0.1, 5), 5))->id, slots_[1]);
  // The same job goes on where it was; another one opens the next slot, and there is no third.
  ok(ledger_->use_run(slots_[1], 0, 2));
  const std::optional<Reservation> again = value_of(open_run(pure(0.1, 5), 5));
  EXPECT_TRUE(again && again->id == slots_[1] && again->taken_up);
  job_.job = "b";
  EXPECT_EQ(value_of(open_run(pure(0.1, 5), 5))->id, slots_[2]);
  job_.job = "c";
  EXPECT_FALSE(value_of(open_run(pure(0.1, 5), 5)));
  EXPECT_EQ(value_of(ledger_->view("city")).runs.size(), 2U);
  EXPECT_TRUE(value_of(ledger_->verify()).holds());
}

TEST_F(RunsInSlots, AreUsedOneAfterTheOtherAndNeverBeyondWhatWasReserved) {
  refusal(ledger_->use_run(slots_[1], 0, 1), ErrorKind::usage);  // not open yet
  opened_and_used(3);
  refusal(ledger_->use_run(slots_[1], 2, 1), ErrorKind::usage);
  refusal(ledger_->use_run(slots_[1], 3, 3), ErrorKind::over_budget);
  ok(ledger_->use_run(slots_[1], 3, 2, "mine"));
  refusal(ledger_->use_run(slots_[1], 5, 1), ErrorKind::over_budget);
  const ledger::Run run = value_of(ledger_->resume_run(slots_[1]));
  EXPECT_EQ(run.uses(), 5);
  EXPECT_EQ(run.used(), 5);
  EXPECT_EQ(run.token(), "mine");
  const std::vector<Debit> history = value_of(ledger_->history("city"));
  const Debit debit = *slot_as_debit(history.front(), 1);
  EXPECT_EQ(debit.uses, 5);
  EXPECT_EQ(debit.used, 5);
  EXPECT_EQ(debit.chain_head, run.reference().chain_head);
  EXPECT_FALSE(debit.says_drawing);
  EXPECT_EQ(history.front().used, 0);
  ok(ledger_->settle(slots_[1], State::released));
  refusal(ledger_->resume_run(slots_[1]), ErrorKind::usage);
  EXPECT_TRUE(value_of(ledger_->verify()).holds());
  EXPECT_TRUE(value_of(ledger_->verify_against(run.reference())).holds());
}

TEST_F(RunsInSlots, OutOfABackupAreNotUsed) {
  opened_and_used(3);
  const std::string copy = place_ + ".backup";
  std::remove(copy.c_str());
  ok(ledger_->back_up(copy));
  Ledger restored = value_of(Ledger::open(copy));
  EXPECT_THAT(refusal(restored.use_run(slots_[1], 3, 1), ErrorKind::usage), HasSubstr("out of a backup"));
  refusal(restored.resume_run(slots_[1]), ErrorKind::usage);
}

TEST_F(RunsInSlots, ForgedRowsOfThemAreFound) {
  const std::vector<Entry> rows = opened_and_used(3);
  ASSERT_EQ(rows[2].kind, "slot");
  ASSERT_EQ(rows[3].kind, "use");
  EXPECT_EQ(found_in(rows), "");
  const auto with = [&](std::size_t at, const std::string& body) {
    std::vector<Entry> forged = rows;
    forged[at].body = body;
    return found_in(std::move(forged));
  };
  EXPECT_THAT(with(3, to_body(UseBody{1, 0, 6, "", 1})), HasSubstr("5 of its 5 uses left; 6 are asked"));
  EXPECT_THAT(with(3, to_body(UseBody{1, 0, 3, "", 2})), HasSubstr("reserved as a run"));
  EXPECT_THAT(with(3, to_body(UseBody{1, 0, 3})), HasSubstr("reserved as a run"));
  SlotBody slot = value_of(slot_from_body(rows[2].body));
  slot.uses = 6;
  EXPECT_THAT(with(2, to_body(slot)), HasSubstr("uses"));
  slot.uses = 5;
  slot.event["epsilon"] = 0.05;
  EXPECT_THAT(with(2, to_body(slot)), HasSubstr("reserved for another event"));
}

}  // namespace
}  // namespace chronoveil::ledger::testing
