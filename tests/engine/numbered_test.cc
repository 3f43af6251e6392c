// What happens in numbered uses: each is recorded before it draws, none is drawn for twice, and what was lost is spent.
#include "chronoveil/engine/release/numbered.h"

#include <gtest/gtest.h>

#include "chronoveil/base/bit_source.h"
#include "engine/fixtures.h"

namespace chronoveil::engine {
namespace {

using testing::fails;

class Numbered : public testing::JobFolder {
 protected:
  static constexpr std::int64_t kUses = 4;

  void SetUp() override {
    JobFolder::SetUp();
    create_dataset();
    kind_.claim = claim_of(job()).value();
    kind_.debited = [this](const ledger::DebitReference& debit) { debit_ = debit.id; };
    kind_.begin = [this](std::int64_t used, std::int64_t uses) -> Result<void> {
      begun_with_ = used;
      EXPECT_EQ(uses, kUses);
      return {};
    };
    kind_.finished = [this] { return stored_ + unstored_ >= 3; };
    kind_.use = [this](std::int64_t number, DrawRight& right) -> Result<void> {
      EXPECT_EQ(debits().back().used, number + 1) << "the ledger has it before a bit is drawn";
      if (number == fails_at_) return fail(ErrorKind::storage, "the disk is full");
      bits_.push_back(right.bits().value()->next_u64());
      numbers_.push_back(number);
      ++unstored_;
      return {};
    };
    kind_.keep = [this](std::int64_t, bool last) -> Result<void> {
      if (last) stored_ += std::exchange(unstored_, 0);
      return {};
    };
    kind_.store = [this](std::int64_t used) -> Result<std::string> {
      used_ = used;
      EXPECT_EQ(debits().back().state, ledger::State::reserved) << "settled only once it is stored";
      if (cannot_store_) return fail(ErrorKind::storage, "the disk is full");
      return std::string(64, 'a');
    };
    options_.note_debit = [this](const std::string& id) { noted_ = id; };
    options_.note_released = [this](const std::string& id, bool) { released_ = id; };
  }

  static Ask ask() {
    Ask made{"training", "model", {accounting::Gaussian{40}, kUses}, 1e-6};
    made.uses = kUses;
    return made;
  }
  // A process: what it holds in memory is gone when it ends.
  Result<void> run() {
    unstored_ = 0;
    Result<OpenBudget> budget = open_budget(kind_.claim, options_.ledger);
    return budget ? run_numbered(options_, *budget, ask(), kind_) : Failure(std::move(budget).error());
  }

  NumberedKind kind_;
  std::optional<ledger::DebitId> debit_;
  std::string noted_, released_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::int64_t> numbers_;
  std::int64_t fails_at_ = -1, begun_with_ = -1, used_ = -1, stored_ = 0, unstored_ = 0;
  bool cannot_store_ = false;
};

TEST_F(Numbered, EachUseIsRecordedBeforeItDrawsAndTheDebitIsSettledLast) {
  ASSERT_TRUE(run());
  EXPECT_EQ(numbers_, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(used_, 3);
  ASSERT_EQ(debits().size(), 1U);
  EXPECT_EQ(debits()[0].state, ledger::State::released);
  EXPECT_EQ(debits()[0].digest, std::string(64, 'a'));
  EXPECT_EQ(debits()[0].id, *debit_);
  EXPECT_EQ(noted_, debit_->text());
  EXPECT_EQ(released_, debit_->text());
}

TEST_F(Numbered, WhatWasLostIsSpentAndItsNumberNeverComesAgain) {
  fails_at_ = 1;
  EXPECT_TRUE(fails(run(), ErrorKind::storage, "full"));
  EXPECT_EQ(debits()[0].state, ledger::State::reserved);
  fails_at_ = -1;
  kind_.unfinished = debit_;
  ASSERT_TRUE(run());
  EXPECT_EQ(begun_with_, 2);
  EXPECT_EQ(numbers_, (std::vector<std::int64_t>{0, 2, 3})) << "0 was lost with the first process, 1 was begun";
  EXPECT_EQ(used_, kUses) << "none is left, so it ends with two steps instead of three";
  EXPECT_EQ(debits().size(), 1U);
  EXPECT_EQ(debits()[0].state, ledger::State::released);
}

TEST_F(Numbered, WhatCannotBeStoredIsNotSettled) {
  cannot_store_ = true;
  EXPECT_TRUE(fails(run(), ErrorKind::storage, "full"));
  EXPECT_EQ(debits()[0].state, ledger::State::reserved);
  EXPECT_EQ(released_, "");
  cannot_store_ = false;
  kind_.unfinished = debit_;
  ASSERT_TRUE(run());
  EXPECT_EQ(numbers_.size(), 3U) << "what was stored as a state is not drawn anew";
}

TEST_F(Numbered, AnOutputOfAnotherReleaseIsRefusedBeforeTheDebit) {
  kind_.check_replaces_other = [](ledger::Ledger&) -> Result<void> { return fail(ErrorKind::usage, "of another"); };
  EXPECT_TRUE(fails(run(), ErrorKind::usage, "of another"));
  EXPECT_TRUE(debits().empty());
  options_.before_debit = [](const DebitAhead&) -> Result<void> { return fail(ErrorKind::usage, "too dear"); };
  kind_.check_replaces_other = {};
  EXPECT_TRUE(fails(run(), ErrorKind::usage, "too dear"));
  EXPECT_TRUE(debits().empty());
}

TEST_F(Numbered, AProcessThatCountsFromAnOldStateIsRefused) {
  Result<OpenBudget> budget = open_budget(kind_.claim, options_.ledger);
  ASSERT_TRUE(budget);
  Result<NumberedRun> one = NumberedRun::debited(*budget, kind_.claim, ask(), {});
  ASSERT_TRUE(one) << one.error().text();
  ASSERT_TRUE(one->resume(budget->ledger));
  NumberedRun other(one->debit());
  ASSERT_TRUE(other.resume(budget->ledger));
  ASSERT_TRUE(one->record_until(budget->ledger, 2, "of one"));
  EXPECT_EQ(one->recorded(), 2);
  EXPECT_FALSE(other.record_until(budget->ledger, 1, "of the other"));
  EXPECT_EQ(debits()[0].used, 2);
  ASSERT_TRUE(one->record_until(budget->ledger, 2)) << "nothing to record";
  ASSERT_TRUE(other.resume(budget->ledger));
  EXPECT_EQ(other.recorded(), 2);
  EXPECT_EQ(other.token(), "of one");
  const Result<mechanisms::Draws> draws = other.draws(budget->ledger, ask().event);
  ASSERT_TRUE(draws) << draws.error().text();
  EXPECT_EQ(draws->used(), 2);
}

// Each has a copy of the state, and believes that it alone goes on.
TEST_F(Numbered, OfTwoProcessesThatGoOnFromOneStateOneDraws) {
  Result<OpenBudget> budget = open_budget(kind_.claim, options_.ledger);
  ASSERT_TRUE(budget);
  const auto refused = [&](NumberedRun& run) {
    return fails(run.draws(budget->ledger, ask().event), ErrorKind::storage, "another process");
  };
  Result<NumberedRun> one = NumberedRun::debited(*budget, kind_.claim, ask(), {});
  ASSERT_TRUE(one) << one.error().text();
  NumberedRun other(one->debit());
  ASSERT_TRUE(one->draws(budget->ledger, ask().event));
  ASSERT_TRUE(one->record_until(budget->ledger, 1, "of one"));
  EXPECT_TRUE(refused(other)) << "it was unused when the other one looked";
  // Both catch up with a state that is ahead of the ledger; one draws and records before the other draws.
  NumberedRun third(one->debit()), fourth(one->debit());
  ASSERT_TRUE(third.resume(budget->ledger));
  ASSERT_TRUE(third.record_until(budget->ledger, 2, "of both"));
  ASSERT_TRUE(fourth.resume(budget->ledger));
  ASSERT_TRUE(fourth.draws(budget->ledger, ask().event));
  ASSERT_TRUE(fourth.record_until(budget->ledger, 3, "of the fourth"));
  EXPECT_TRUE(refused(third));
  ASSERT_TRUE(fourth.draws(budget->ledger, ask().event)) << "what it recorded itself";
}

}  // namespace
}  // namespace chronoveil::engine
