// What one event more or less reveals if a cap on a person's slots pushes another one out: computed from the definition
// over every choice of the cap and every most revealing output, and compared with what is charged.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <map>
#include <vector>

#include "chronoveil/ledger/filters/pricing.h"
#include "fixtures.h"
#include "support/temporary_folder.h"

namespace chronoveil::ledger::testing {
namespace {

using ::testing::HasSubstr;

using Slots = std::uint32_t;  // a set of slots, one per bit

constexpr Slots slot(int number) { return Slots{1} << number; }

// The sets that the cap may keep of a person's slots, with their probabilities.
using Kept = std::map<Slots, double>;

// A uniformly random choice of `cap` slots, as offline bounding makes it.
Kept kept_at_random(Slots slots, int cap) {
  Kept kept;
  for (Slots choice = slots;; choice = (choice - 1) & slots) {
    if (std::popcount(choice) == std::min(cap, std::popcount(slots))) kept[choice] = 1;
    if (choice == 0) break;
  }
  for (auto& [choice, probability] : kept) probability = 1 / static_cast<double>(kept.size());
  return kept;
}

// The first `cap` slots, as live bounding keeps them.
Kept kept_from_the_front(Slots slots, int cap) {
  Slots first = 0;
  for (int i = 0; i < 32 && std::popcount(first) < cap; ++i) first |= slots & slot(i);
  return {{first, 1}};
}

using Bounding = Kept (*)(Slots, int cap);

// The density, up to a constant, of counts plus Laplace noise of a scale where the counts of `high` come out as 1 and
// all others as 0. No other output tells more: in each coordinate the ratio of two such mixtures is monotone.
double density(const Kept& kept, Slots high, double scale) {
  double sum = 0;
  for (const auto& [choice, probability] : kept) sum += probability * std::exp(-std::popcount(choice ^ high) / scale);
  return sum;
}

double loss(const Kept& with, const Kept& without, Slots all, double scale) {
  double largest = 0;
  for (Slots high = 0; high <= all; ++high)
    largest = std::max(largest, std::abs(std::log(density(with, high, scale) / density(without, high, scale))));
  return largest;
}

// The largest loss when what somebody did in `width` slots in a row is added to anything else that they did.
double largest_loss(Bounding bounding, int steps, int cap, int width) {
  const Slots all = slot(steps) - 1;
  double largest = 0;
  for (Slots slots = 0; slots <= all; ++slots)
    for (int first = 0; first + width <= steps; ++first) {
      const Slots window = slot(first + width) - slot(first);
      largest = std::max(largest, loss(bounding(slots, cap), bounding(slots & ~window, cap), all, cap));
    }
  return largest;
}

// What a dataset that adds up charges for user-level Laplace noise of ε = 1, whatever the cap.
double charged(const Protected& promise, const Stated& stated) {
  DatasetRequest request = dataset("city", 100);
  request.promise = promise;
  Terms asked = terms("city");
  asked.stated = stated;
  return value_of(price(value_of(make_dataset(request)), asked, {accounting::Laplace{1}})).values[0].value();
}

const Protected kEvents{Unit::event, 1, Relation::add_remove};

Protected windows(std::int64_t width) { return {Unit::w_event, width, Relation::add_remove}; }

Stated user(Eviction eviction) { return {Unit::user, std::nullopt, Relation::add_remove, eviction}; }

TEST(Eviction, OneSlotMoreOfSomebodyAtTheCapCostsMoreThanTheUser) {
  EXPECT_NEAR(largest_loss(kept_at_random, 2, 1, 1), std::log((1 + std::exp(2)) / 2), 1e-12);  // 1.434
  EXPECT_NEAR(largest_loss(kept_from_the_front, 2, 1, 1), 2, 1e-12);
  EXPECT_GE(charged(kEvents, user(Eviction::possible)), 2);
  // As it was charged before, and as it is where nothing can be evicted.
  EXPECT_EQ(charged(kEvents, user(Eviction::unsaid)), 1);
  EXPECT_EQ(charged(kEvents, user(Eviction::none)), 1);
}

TEST(Eviction, AWindowMoreOfSomebodyAtTheCapCostsMoreThanTheUser) {
  // One slot before, 24 more: each of the 25 is kept with equal chance. Where it was comes out low, all others high.
  Kept with;
  for (int i = 0; i <= 24; ++i) with[slot(i)] = 1.0 / 25;
  const Slots others = slot(25) - slot(1);
  const double truth = std::log(density(with, others, 1) / density({{slot(0), 1}}, others, 1));
  EXPECT_NEAR(truth, 1.965, 1e-3);
  EXPECT_GE(charged(windows(24), user(Eviction::possible)), truth);
  EXPECT_LT(charged(windows(24), user(Eviction::unsaid)), truth);
}

// δ(1) of the same pair, from below. With u_i = e^{|x_i| − |x_i − 1|} the ratio of both densities is (1 + Σ
// u_i/u_0)/25, the sum over the 24 slots of the window; the law of the sum is convolved on a grid onto which each u is
// rounded down.
TEST(Eviction, AWindowMoreShowsItselfBeyondAnyEpsilonThatWasCharged) {
  const double low = std::exp(-1), high = std::exp(1), step = 0.01;
  const auto bin = [&](double u) { return static_cast<std::size_t>((u - low) / step); };
  std::vector<double> one(bin(high) + 1);
  constexpr int kPieces = 20'000;
  one.front() += 0.5;                // below 0
  one.back() += 0.5 * std::exp(-1);  // above 1
  for (int i = 0; i < kPieces; ++i) {
    const double x = (i + 0.5) / kPieces;
    one[bin(std::exp(2 * x - 1))] += 0.5 * std::exp(-x) / kPieces;
  }
  std::vector<double> sum{1};
  for (int slots = 0; slots < 24; ++slots) {
    std::vector<double> next(sum.size() + one.size() - 1);
    for (std::size_t i = 0; i < sum.size(); ++i)
      for (std::size_t j = 0; j < one.size(); ++j) next[i + j] += sum[i] * one[j];
    sum = std::move(next);
  }
  const auto beyond = [&](double before) {  // E (ratio − e)₊ given u_0
    double delta = 0;
    for (std::size_t i = 0; i < sum.size(); ++i)
      delta += sum[i] * std::max(0.0, (1 + (24 * low + step * static_cast<double>(i)) / before) / 25 - std::exp(1));
    return delta;
  };
  double delta = 0.5 * beyond(high) + 0.5 * std::exp(-1) * beyond(low);
  constexpr int kNodes = 100;
  for (int i = 0; i < kNodes; ++i) {
    const double x = (i + 0.5) / kNodes;
    delta += 0.5 * std::exp(x - 1) / kNodes * beyond(std::exp(2 * x - 1));
  }
  EXPECT_GT(delta, 0.028);  // 0.032; a pure ε of 1, as it was charged, has none
  EXPECT_LT(delta, 0.033);
  EXPECT_EQ(charged(windows(24), user(Eviction::unsaid)), 1);
}

TEST(Eviction, NoCapAndNoWindowCostsMoreThanIsCharged) {
  constexpr int kSteps = 5;
  for (const Bounding bounding : {kept_at_random, kept_from_the_front})
    for (int cap = 1; cap < kSteps; ++cap)
      for (int width = 1; width <= 3; ++width) {
        const double truth = largest_loss(bounding, kSteps, cap, width);
        EXPECT_LE(truth, charged(windows(width), user(Eviction::possible)) + 1e-12) << cap << " " << width;
      }
}

TEST(Eviction, ACapOfEverythingPushesNothingOut) {
  constexpr int kSteps = 4;
  for (const Bounding bounding : {kept_at_random, kept_from_the_front})
    for (int width = 1; width <= kSteps; ++width)
      EXPECT_LE(largest_loss(bounding, kSteps, kSteps, width), charged(windows(width), user(Eviction::none)) + 1e-12);
}

TEST(Eviction, AnEventReplacedByOneOfSomebodyElseMovesTwoPeople) {
  // With a cap of 1, live: the first person's slot 0 goes and 1 comes in; the second's 2 comes and pushes 3 out.
  const Kept before{{slot(0) | slot(3), 1}}, after{{slot(1) | slot(2), 1}};
  const double truth = loss(before, after, slot(4) - 1, 2);  // a user replaced: two counts change, so a scale of 2
  EXPECT_NEAR(truth, 2, 1e-12);
  const Protected replaced{Unit::event, 1, Relation::replace};
  EXPECT_GE(charged(replaced, {Unit::user, std::nullopt, Relation::replace, Eviction::possible}), truth);
  EXPECT_EQ(charged(replaced, {Unit::user, std::nullopt, Relation::replace, Eviction::none}), 1);
  EXPECT_EQ(charged(replaced, user(Eviction::possible)), 4);
  EXPECT_EQ(charged(replaced, user(Eviction::none)), 2);
}

TEST(Eviction, OnlyAWiderUnitIsDearer) {
  const auto of = [](Unit unit, std::int64_t width, Relation relation = Relation::add_remove) {
    return Stated{unit, width, relation};
  };
  EXPECT_EQ(charged({Unit::user, 1, Relation::add_remove}, of(Unit::user, 1)), 1);
  EXPECT_EQ(charged(windows(24), of(Unit::w_event, 24)), 1);
  EXPECT_EQ(charged(windows(24), of(Unit::w_event, 25)), 2);
  EXPECT_EQ(charged(windows(24), of(Unit::user, 1)), 2);
  EXPECT_EQ(charged(kEvents, of(Unit::w_event, 1)), 2);
  EXPECT_EQ(charged(kEvents, {}), 1) << "the dataset's unit";
  // New values stay with their user, where and when they were.
  EXPECT_EQ(charged({Unit::event, 1, Relation::replace_values}, of(Unit::user, 1, Relation::replace)), 1);
  EXPECT_EQ(charged({Unit::event, 1, Relation::replace_values}, of(Unit::user, 1)), 2);
  EXPECT_EQ(charged({Unit::event, 24, Relation::swap}, of(Unit::user, 1, Relation::replace)), 1);
}

TEST(Eviction, EventsThatKnowTheirNeighboursAndCompositionsAreDearerToo) {
  const accounting::Event steps{accounting::TimeSubsampling{5, 0.1, 3, 20, std::nullopt}};
  const auto participation = [](const accounting::Event& event) {
    return std::get<accounting::TimeSubsampling>(event.kind).participation;
  };
  EXPECT_EQ(participation(value_of(fitted(steps, {}, kEvents))), 10);
  EXPECT_EQ(participation(value_of(fitted(steps, {{}, {}, {}, Eviction::none}, kEvents))), 5);
  EXPECT_EQ(participation(value_of(fitted(steps, {}, {Unit::user, 1, Relation::add_remove}))), 5);
  const accounting::Event both{accounting::Compose{{steps, pure(0.5)}}};
  const accounting::Event charged_both = value_of(fitted(both, user(Eviction::possible), kEvents));
  const auto& parts = std::get<accounting::Compose>(charged_both.kind);
  EXPECT_EQ(participation(parts.events[0]), 10);
  EXPECT_EQ(std::get<accounting::Pure>(parts.events[1].kind).epsilon, 1);
}

TEST(Eviction, WhatCannotBeChargedForBothIsRefused) {
  const accounting::Event mixture{accounting::Mixture{{{0, 1}, {0.5, 0.5}}, {{0}, {1}}, 1}};
  EXPECT_THAT(refusal(fitted(mixture, user(Eviction::possible), kEvents), ErrorKind::usage),
              HasSubstr("a cap can replace one event"));
  EXPECT_TRUE(fitted(mixture, user(Eviction::none), kEvents));
}

TEST(Eviction, IsKeptInTheRowAndVerified) {
  const chronoveil::testing::TemporaryFolder folder;
  Ledger ledger = value_of(Ledger::open(folder.path() + "/ledger.db"));
  DatasetRequest request = dataset("city", 10);
  request.promise = kEvents;
  value_of(ledger.create(request));
  for (const Eviction eviction : {Eviction::possible, Eviction::none}) {
    Terms asked = terms("city");
    asked.stated = user(eviction);
    value_of(ledger.reserve_slots(asked, {pure(1), pure(1)}));
  }
  Terms silent = terms("city");
  silent.stated = user(Eviction::unsaid);
  refusal(ledger.reserve(silent, pure(1)), ErrorKind::internal);
  refusal(ledger.check(silent, pure(1)), ErrorKind::internal);
  const std::vector<Debit> debits = value_of(ledger.history("city"));
  EXPECT_EQ(debits[0].terms.stated.eviction, Eviction::possible);
  EXPECT_EQ(debits[0].cost.values[0].value(), 4);
  EXPECT_EQ(debits[1].terms.stated.eviction, Eviction::none);
  EXPECT_EQ(debits[1].cost.values[0].value(), 2);
  ASSERT_TRUE(ledger.open_slot({"city", 1, 0}, pure(0.5)));
  ASSERT_TRUE(ledger.open_slot({"city", 2, 0}, pure(0.5)));
  const Verification verification = value_of(ledger.verify());
  EXPECT_TRUE(verification.holds());
  EXPECT_TRUE(verification.affected.empty());
}

}  // namespace
}  // namespace chronoveil::ledger::testing
