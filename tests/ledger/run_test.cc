// Runs: one debit whose uses are written down one after the other, on every store.
#include "chronoveil/ledger/run.h"

#include <gmock/gmock.h>
#include <sched.h>

#include <limits>
#include <thread>
#include <type_traits>

#include "backend.h"
#include "fixtures.h"
#include "processes.h"

namespace chronoveil::ledger::testing {
namespace {

using ::testing::HasSubstr;

static_assert(!std::is_copy_constructible_v<Run> && !std::is_copy_assignable_v<Run>);
static_assert(!std::is_default_constructible_v<Run> && !std::is_move_assignable_v<Run>);
static_assert(std::is_nothrow_move_constructible_v<Run>);

class RunConformance : public OnEveryStore {
 protected:
  Ledger open(Options options = {}) { return value_of(Ledger::open(place_->where(), std::move(options))); }
  // A ledger with the dataset "city" of ε = 1.
  Ledger open_city() {
    Ledger ledger = open();
    EXPECT_TRUE(ledger.create(dataset("city", 1)));
    return ledger;
  }
};
CHRONOVEIL_ON_EVERY_STORE(RunConformance);

TEST_P(RunConformance, ARunIsDebitedOnceWhateverIsUsedOfIt) {
  Ledger ledger = open_city();
  const DebitReference reference = value_of(ledger.reserve_run(terms("city"), pure(0.01, 75), 100));
  EXPECT_EQ(value_of(ledger.view("city")).admitted.values[0].text(), "0.75");
  ok(ledger.use_run(reference.id, 0, 100));
  EXPECT_EQ(value_of(ledger.view("city")).admitted.values[0].text(), "0.75");
  refusal(ledger.reserve_run(terms("city"), pure(0.3), 1), ErrorKind::over_budget);
  EXPECT_TRUE(ledger.reserve_run(terms("city"), pure(0.25), 1));
  EXPECT_TRUE(value_of(ledger.verify()).holds());
  EXPECT_TRUE(value_of(ledger.verify_against(reference)).holds());
}

TEST_P(RunConformance, ALiveReleaseIsNamedInAFieldOfItsOwn) {
  Ledger ledger = open_city();
  Terms live = terms("city");
  live.mechanism = "laplace [live other 00/9 11 22]";  // a text is a text where the field is there
  live.live = LiveTag{"stops", "0123", 2, "4567", "89ab"};
  const DebitReference reference = value_of(ledger.reserve_run(live, pure(0.1), 10));
  refusal(ledger.reserve(live, pure(0.1)), ErrorKind::internal);
  const Debit debit = value_of(open().history("city")).front();
  EXPECT_EQ(debit.terms.live, live.live);
  EXPECT_EQ(debit.terms.mechanism, live.mechanism);
  EXPECT_THAT(value_of(ledger.entries("city"))[1].body,
              HasSubstr(R"("live":{"holder":"4567","job":"0123","opening":"89ab","release":"stops","span":2})"));
  EXPECT_TRUE(value_of(ledger.verify()).holds());
  EXPECT_TRUE(value_of(ledger.verify_against(reference)).holds());
}

TEST_P(RunConformance, TheLiveReleaseOfAnEarlierVersionIsReadFromItsMechanism) {
  Ledger ledger = open_city();
  const std::vector<std::pair<std::string, std::optional<LiveTag>>> texts = {
      {"laplace [live stops 0123/2 4567 89ab]", LiveTag{"stops", "0123", 2, "4567", "89ab"}},
      {"laplace [live stops 0123/0  89ab]", LiveTag{"stops", "0123", 0, "", "89ab"}},
      {"laplace [live stops 0123/1]", LiveTag{"stops", "0123", 1, "", ""}},
      {"laplace [live stops 0123/x 4567 89ab]", std::nullopt},
      {"laplace [live stops]", std::nullopt},
      {"laplace [live stops 0123/2 4567 89ab] by hand", std::nullopt},
      {"laplace", std::nullopt}};
  for (const auto& [text, unused] : texts) {
    Terms old = terms("city");
    old.mechanism = text;
    ASSERT_TRUE(ledger.reserve_run(old, pure(0.01), 10));
  }
  Terms no_run = terms("city");
  no_run.mechanism = texts.front().first;
  ASSERT_TRUE(ledger.reserve(no_run, pure(0.01)));
  const std::vector<Debit> debits = value_of(open().history("city"));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(debits[i].terms.live, texts[i].second) << texts[i].first;
    EXPECT_EQ(debits[i].terms.mechanism, texts[i].first) << "as it was written";
  }
  EXPECT_EQ(debits.back().terms.live, std::nullopt) << "it has no uses";
  EXPECT_TRUE(value_of(ledger.verify()).holds());
}

TEST_P(RunConformance, WhoeverUsedItLastIsKnownByTheToken) {
  const DebitId run = [&] {
    Ledger ledger = open_city();
    const DebitId id = value_of(ledger.reserve_run(terms("city"), pure(0.01, 75), 100)).id;
    EXPECT_EQ(value_of(ledger.resume_run(id)).token(), "") << "before the first use";
    ok(ledger.use_run(id, 0, 2, "mine"));
    EXPECT_EQ(value_of(ledger.resume_run(id)).token(), "mine");
    refusal(ledger.use_run(id, 0, 1, "other"), ErrorKind::usage);
    EXPECT_EQ(value_of(ledger.resume_run(id)).token(), "mine") << "what was refused leaves nothing";
    ok(ledger.use_run(id, 2, 1, "other"));
    return id;
  }();
  Ledger again = open();
  EXPECT_EQ(value_of(again.resume_run(run)).token(), "other") << "also after opening it again";
  ok(again.use_run(run, 3, 1));
  EXPECT_EQ(value_of(again.resume_run(run)).token(), "") << "a use without a token has none";
  EXPECT_TRUE(value_of(again.verify()).holds());
}

TEST_P(RunConformance, AFirstRunMayTakeTheWholeBudgetByItsOwnPrice) {
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("city", 1, 1e-6)));
  const DebitId run = value_of(ledger.reserve_run(terms("city"), gaussian(4.225), 52)).id;
  refusal(ledger.reserve(terms("city"), gaussian(1e6)), ErrorKind::over_budget);
  ok(ledger.use_run(run, 0, 1));
  EXPECT_TRUE(value_of(ledger.verify()).holds());
}

TEST_P(RunConformance, ARunNeedsAtLeastOneUse) {
  Ledger ledger = open_city();
  for (const std::int64_t uses : {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
    EXPECT_THAT(refusal(ledger.reserve_run(terms("city"), pure(0.5), uses), ErrorKind::usage), HasSubstr("uses"));
  }
  EXPECT_TRUE(value_of(ledger.history("city")).empty());
}

TEST_P(RunConformance, UsesFollowEachOtherWithoutGapOrRepetitionUpToWhatWasReserved) {
  Ledger ledger = open_city();
  const DebitId run = value_of(ledger.reserve_run(terms("city"), pure(0.5), 5)).id;
  EXPECT_THAT(refusal(ledger.use_run(run, 1, 1), ErrorKind::usage), HasSubstr("first: 1 is not valid; it must be 0"));
  ok(ledger.use_run(run, 0, 2));
  EXPECT_THAT(refusal(ledger.use_run(run, 0, 2), ErrorKind::usage), HasSubstr("first: 0 is not valid; it must be 2"));
  refusal(ledger.use_run(run, 1, 1), ErrorKind::usage);
  refusal(ledger.use_run(run, 3, 1), ErrorKind::usage);
  refusal(ledger.use_run(run, -1, 1), ErrorKind::usage);
  refusal(ledger.use_run(run, 2, 0), ErrorKind::usage);
  refusal(ledger.use_run(run, 2, -1), ErrorKind::usage);
  EXPECT_THAT(refusal(ledger.use_run(run, 2, 4), ErrorKind::over_budget),
              HasSubstr("city:1 has 3 of its 5 uses left; 4 are asked"));
  refusal(ledger.use_run(run, 2, std::numeric_limits<std::int64_t>::max()), ErrorKind::over_budget);
  EXPECT_EQ(value_of(ledger.resume_run(run)).used(), 2) << "a refusal uses nothing";
  ok(ledger.use_run(run, 2, 3));
  refusal(ledger.use_run(run, 5, 1), ErrorKind::over_budget);
  EXPECT_EQ(value_of(ledger.entries("city")).size(), 4u);
  EXPECT_TRUE(value_of(ledger.verify()).holds());
}

TEST_P(RunConformance, TheMostUsesThatCanBeWrittenAreCountedWithoutOverflow) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  Ledger ledger = open_city();
  const DebitId run = value_of(ledger.reserve_run(terms("city"), pure(0.5), kMost)).id;
  ok(ledger.use_run(run, 0, kMost - 1));
  refusal(ledger.use_run(run, kMost - 1, 2), ErrorKind::over_budget);
  refusal(ledger.use_run(run, kMost - 1, kMost), ErrorKind::over_budget);
  ok(ledger.use_run(run, kMost - 1, 1));
  refusal(ledger.use_run(run, kMost, 1), ErrorKind::over_budget);
  EXPECT_EQ(value_of(open().resume_run(run)).used(), kMost);
}

TEST_P(RunConformance, GoesOnAfterReopeningWithItsEventAndWhatIsGone) {
  DebitReference reference;
  {
    Ledger ledger = open();
    ASSERT_TRUE(ledger.create(dataset("city", 1, 1e-6)));
    reference = value_of(ledger.reserve_run(terms("city"), gaussian(61.25, 20), 52));
    ok(ledger.use_run(reference.id, 0, 17));
  }
  Ledger ledger = open();
  ASSERT_TRUE(ledger.reserve(terms("city"), gaussian(100)));  // other rows come between
  ledger::Run run = value_of(ledger.resume_run(reference.id));
  EXPECT_EQ(run.reference().id, reference.id);
  EXPECT_EQ(run.reference().chain_head, reference.chain_head);
  EXPECT_EQ(run.uses(), 52);
  EXPECT_EQ(run.used(), 17);
  refusal(ledger.use_run(reference.id, 16, 1), ErrorKind::usage);
  ok(ledger.use_run(reference.id, 17, 1));
  EXPECT_EQ(value_of(redeem(std::move(run), gaussian(61.25, 20))).chain_head, reference.chain_head);
}

TEST_P(RunConformance, AProofCoversExactlyItsEventAndIsUsedUpEvenByARefusal) {
  Ledger ledger = open_city();
  const DebitId id = value_of(ledger.reserve_run(terms("city"), pure(0.01, 50), 50)).id;
  for (const accounting::Event& other :
       {pure(0.01), pure(0.01, 51), pure(0.02, 50), accounting::Event{accounting::Laplace{100}, 50}}) {
    ledger::Run run = value_of(ledger.resume_run(id));
    refusal(redeem(std::move(run), other), ErrorKind::internal);
    refusal(redeem(std::move(run), pure(0.01, 50)), ErrorKind::internal);
  }
  ledger::Run moved_from = value_of(ledger.resume_run(id));
  ledger::Run moved_to = std::move(moved_from);
  refusal(redeem(std::move(moved_from), pure(0.01, 50)), ErrorKind::internal);
  EXPECT_TRUE(redeem(std::move(moved_to), pure(0.01, 50)));
}

TEST_P(RunConformance, UsesOfAnotherConnectionCount) {
  Ledger first = open_city();
  Ledger second = open();
  const DebitId run = value_of(first.reserve_run(terms("city"), pure(0.5), 10)).id;
  EXPECT_EQ(value_of(second.resume_run(run)).used(), 0);
  ok(first.use_run(run, 0, 3));
  refusal(second.use_run(run, 0, 3), ErrorKind::usage);
  ok(second.use_run(run, 3, 3));
  EXPECT_EQ(value_of(first.resume_run(run)).used(), 6);
}

TEST_P(RunConformance, ASettledRunIsNeitherUsedNorResumedAndStaysSpent) {
  Ledger ledger = open_city();
  for (const State state : {State::released, State::abandoned}) {
    const DebitId run = value_of(ledger.reserve_run(terms("city"), pure(0.5), 10)).id;
    ok(ledger.use_run(run, 0, 1));
    ok(ledger.settle(run, state));
    const std::string why = "this one is " + std::string(name(state));
    EXPECT_THAT(refusal(ledger.use_run(run, 1, 1), ErrorKind::usage), HasSubstr(why));
    EXPECT_THAT(refusal(ledger.resume_run(run), ErrorKind::usage), HasSubstr(why));
    refusal(ledger.settle(run, state), ErrorKind::usage);
  }
  refusal(ledger.reserve(terms("city"), pure(0.1)), ErrorKind::over_budget);
  EXPECT_TRUE(value_of(ledger.view("city")).runs.empty());
  EXPECT_TRUE(value_of(ledger.verify()).holds());
}

TEST_P(RunConformance, OnlyARunIsUsedAndResumedAndItHasNoSlots) {
  Ledger ledger = open_city();
  const DebitId plain = value_of(ledger.reserve(terms("city"), pure(0.25))).reference().id;
  const DebitId slots = value_of(ledger.reserve_slots(terms("city"), {pure(0.25), pure(0.25)})).id;
  const DebitId run = value_of(ledger.reserve_run(terms("city"), pure(0.25), 10)).id;
  DebitId slot = slots, of_run = run;
  slot.slot = of_run.slot = 0;
  for (const DebitId& id : {plain, slots, slot, of_run, DebitId{"city", 77, std::nullopt}}) {
    refusal(ledger.use_run(id, 0, 1), ErrorKind::usage);
    refusal(ledger.resume_run(id), ErrorKind::usage);
  }
  refusal(ledger.open_slot(run, pure(0.1)), ErrorKind::usage);
  refusal(ledger.open_slot(of_run, pure(0.1)), ErrorKind::usage);
  refusal(ledger.settle(of_run, State::released), ErrorKind::usage);
  refusal(ledger.use_run({"village", 1, std::nullopt}, 0, 1), ErrorKind::usage);
  refusal(ledger.resume_run({"village", 1, std::nullopt}), ErrorKind::usage);
}

TEST_P(RunConformance, HistoryAndViewTellHowFarARunIs) {
  Ledger ledger = open_city();
  ASSERT_TRUE(ledger.reserve(terms("city"), pure(0.25)));
  const DebitId run = value_of(ledger.reserve_run(terms("city"), pure(0.25), 52)).id;
  const DebitId done = value_of(ledger.reserve_run(terms("city"), pure(0.25), 3)).id;
  ok(ledger.use_run(run, 0, 10));
  ok(ledger.use_run(done, 0, 2));
  ok(ledger.use_run(run, 10, 7));
  ok(ledger.settle(done, State::released));
  const auto history = value_of(ledger.history("city"));
  ASSERT_EQ(history.size(), 3u);
  EXPECT_EQ(history[0].uses, std::nullopt);
  EXPECT_EQ(history[1].uses, 52);
  EXPECT_EQ(history[1].used, 17);
  EXPECT_EQ(history[1].state, State::reserved);
  EXPECT_EQ(history[2].uses, 3);
  EXPECT_EQ(history[2].used, 2);
  EXPECT_EQ(history[2].state, State::released);
  const auto runs = value_of(ledger.view("city")).runs;
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].id, run);
  EXPECT_EQ(runs[0].used, 17);
}

TEST_P(RunConformance, ARunOutlivesThePeriodThatPaysForIt) {
  using namespace std::chrono;
  auto now = std::make_shared<Instant>(sys_days(year(2026) / 3 / 31));
  Options options;
  options.clock = [now] { return *now; };
  Ledger ledger = open(options);
  DatasetRequest monthly = dataset("city", 1);
  monthly.renews = Renewal::month;
  ASSERT_TRUE(ledger.create(monthly));
  const DebitId run = value_of(ledger.reserve_run(terms("city"), pure(0.75), 10)).id;
  ok(ledger.use_run(run, 0, 4));
  *now = sys_days(year(2026) / 4 / 1);
  ok(ledger.use_run(run, 4, 1));
  EXPECT_EQ(value_of(ledger.resume_run(run)).used(), 5);
  const View april = value_of(ledger.view("city"));
  EXPECT_TRUE(april.admitted.values[0].is_zero());
  ASSERT_EQ(april.runs.size(), 1u);
  EXPECT_EQ(april.runs[0].period, "2026-03");
  ASSERT_EQ(april.earlier.size(), 1u);
  EXPECT_EQ(april.earlier[0].id, run);
  ASSERT_TRUE(ledger.reserve(terms("city"), pure(1)));
  EXPECT_TRUE(value_of(ledger.verify()).holds());
}

TEST_P(RunConformance, WhatAnEarlierPeriodPaidForIsShownWhileItMayStillComeOut) {
  using namespace std::chrono;
  auto now = std::make_shared<Instant>(sys_days(year(2026) / 3 / 31));
  Options options;
  options.clock = [now] { return *now; };
  Ledger ledger = open(options);
  DatasetRequest monthly = dataset("city", 1);
  monthly.renews = Renewal::month;
  ASSERT_TRUE(ledger.create(monthly));
  const DebitId slots = value_of(ledger.reserve_slots(terms("city"), {pure(0.25), pure(0.25)})).id;
  const DebitId plain = value_of(ledger.reserve(terms("city"), pure(0.25))).reference().id;
  const DebitId done = value_of(ledger.reserve(terms("city"), pure(0.25))).reference().id;
  ok(ledger.settle(done, State::released));
  const auto earlier = [&] {
    std::vector<std::int64_t> rows;
    for (const Debit& debit : value_of(ledger.view("city")).earlier) rows.push_back(debit.id.sequence);
    return rows;
  };
  EXPECT_TRUE(earlier().empty()) << "its own period";
  *now = sys_days(year(2026) / 4 / 1);
  EXPECT_EQ(earlier(), (std::vector{slots.sequence, plain.sequence}));
  ok(ledger.settle(plain, State::abandoned));
  for (std::int64_t i = 0; i < 2; ++i) {
    EXPECT_EQ(earlier(), std::vector{slots.sequence});
    const DebitId slot{"city", slots.sequence, i};
    ASSERT_TRUE(ledger.open_slot(slot, pure(0.25)));
    EXPECT_EQ(earlier(), std::vector{slots.sequence}) << "it is out only when it is settled";
    ok(ledger.settle(slot, State::released));
  }
  EXPECT_TRUE(earlier().empty());
}

TEST_P(RunConformance, IsCarriedByBackupRestoreAndMoveAndGoesOnOnlyWhereItWent) {
  TemporaryFolder folder;
  Ledger ledger = open_city();
  const DebitReference reference = value_of(ledger.reserve_run(terms("city"), pure(0.5), 10));
  ok(ledger.use_run(reference.id, 0, 4));
  ok(ledger.back_up(folder.path() + "/backup.db"));
  Ledger restored = value_of(Ledger::open(folder.path() + "/restored.db"));
  ok(restored.restore(folder.path() + "/backup.db"));
  EXPECT_EQ(value_of(restored.history("city"))[0].used, 4);
  // The ledger that the backup is of may go on, so the restored one does not.
  EXPECT_EQ(value_of(ledger.view("city")).runs.size(), 1u);
  EXPECT_TRUE(value_of(restored.view("city")).runs.empty());
  EXPECT_THAT(refusal(restored.resume_run(reference.id), ErrorKind::usage), HasSubstr("out of a backup"));
  EXPECT_THAT(refusal(restored.use_run(reference.id, 4, 1), ErrorKind::usage), HasSubstr("out of a backup"));

  ok(ledger.use_run(reference.id, 4, 2));
  // Whoever skips uses is told that the ledger knows less than was used.
  EXPECT_THAT(refusal(ledger.use_run(reference.id, 7, 1), ErrorKind::usage), HasSubstr("the ledger lost rows"));

  ok(ledger.move(folder.path() + "/there.db"));
  EXPECT_THAT(refusal(ledger.use_run(reference.id, 6, 1), ErrorKind::usage), HasSubstr("moved"));
  EXPECT_THAT(refusal(ledger.resume_run(reference.id), ErrorKind::usage), HasSubstr("moved"));
  Ledger there = value_of(Ledger::open(folder.path() + "/there.db"));
  EXPECT_EQ(value_of(there.resume_run(reference.id)).reference().chain_head, reference.chain_head);
  ok(there.use_run(reference.id, 6, 1));
  EXPECT_TRUE(value_of(there.verify_against(reference)).holds());
}

// Both want every use; for each, one of them gets it.
TEST_P(RunConformance, OfTwoProcessesThatWantTheSameUseExactlyOneGetsIt) {
  const int rounds = GetParam() == "sqlite" ? 500 : 150;
  DebitId run;
  {
    Ledger ledger = open_city();
    run = value_of(ledger.reserve_run(terms("city"), pure(0.5), rounds)).id;
  }
  const Counter arrived;
  const Counter wins[2];
  std::vector<pid_t> children;
  for (const Counter& mine : wins) {
    children.push_back(run_in_child([&] {
      Result<Ledger> ledger = Ledger::open(place_->where());
      if (!ledger) return 1;
      for (int round = 0; round < rounds; ++round) {
        arrived.add(1);
        while (arrived.value() < 2 * (round + 1)) sched_yield();
        const Result<void> used = ledger->use_run(run, round, 1);
        if (!used && used.error().kind != ErrorKind::usage) return 2;
        if (used) mine.add(1);
      }
      return 0;
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
  EXPECT_EQ(wins[0].value() + wins[1].value(), rounds);
  Ledger ledger = open();
  EXPECT_EQ(value_of(ledger.history("city"))[0].used, rounds);
  EXPECT_EQ(value_of(ledger.entries("city")).size(), static_cast<std::size_t>(rounds) + 2);
  EXPECT_TRUE(value_of(ledger.verify()).holds());
}

TEST_P(RunConformance, ThreadsThatShareALedgerUseEachOnce) {
  constexpr int kRounds = 50;
  Ledger ledger = open_city();
  const DebitId run = value_of(ledger.reserve_run(terms("city"), pure(0.5), kRounds)).id;
  std::atomic<int> wins = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) wins += ledger.use_run(run, round, 1) ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wins, kRounds);
}

}  // namespace
}  // namespace chronoveil::ledger::testing
