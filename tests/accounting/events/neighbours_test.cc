// A composition of what moves values with what changes them: one price, for one kind of neighbours.
#include "chronoveil/accounting/events/neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "accounting/samples.h"
#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/accounting/grid/running_price.h"

namespace chronoveil::accounting {
namespace {

constexpr std::int64_t kWindow = 6;
const Event kSort{NoisySort{kWindow, 0.5, NoisySort::Law::laplace, {}}, 1};
const Event kResponse{RandomizedResponse{0.5, 3}, 1};

Event both(const Event& a, const Event& b, std::int64_t count = 1) { return {Compose{{a, b}}, count}; }

double pure_price(const Event& event) {
  const auto price = epsilon_at(event, *Delta::make(0));
  EXPECT_TRUE(price) << price.error().text();
  return price ? price->epsilon : 0;
}

TEST(Neighbours, ASwapChangesTwoValuesOfARandomizedResponse) {
  // All outputs of two values, 0 and 1, and of the same two swapped.
  const double truth = std::exp(0.5) / (std::exp(0.5) + 2), other = (1 - truth) / 2;
  auto said = [&](int value, int answer) { return value == answer ? truth : other; };
  const auto seen = in_one_relation(both(kSort, kResponse));
  ASSERT_TRUE(seen);
  const Event& response = std::get<Compose>(seen->kind).events[1];
  for (double epsilon : {0.0, 0.3, 0.7, 0.99}) {
    double most = 0, delta = 0;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) {
        const double p = said(0, a) * said(1, b), q = said(1, a) * said(0, b);
        most = std::max(most, std::log(p / q));
        delta += std::max(0.0, p - std::exp(epsilon) * q);
      }
    EXPECT_NEAR(most, 1, 1e-12);
    EXPECT_GE(delta_at(response, *Epsilon::make(epsilon))->delta, delta * (1 - 1e-12));
    EXPECT_LT(delta_at(kResponse, *Epsilon::make(epsilon))->delta, delta) << "once would be too little";
  }
}

TEST(Neighbours, WhatChangesOneValueCountsTwiceBesideWhatMovesValues) {
  EXPECT_EQ(pure_price(both(kSort, kResponse)), 1.5);
  EXPECT_EQ(pure_price(both(kResponse, kSort)), 1.5);
  EXPECT_EQ(pure_price(both(kSort, kResponse, 3)), 4.5);
  EXPECT_EQ(pure_price(both(kSort, {RandomizedResponse{0.5, 3}, 4})), 4.5);
  EXPECT_EQ(pure_price(both({Compose{{kSort}}, 2}, {Compose{{kResponse}}, 1})), 2) << "however deep they are";
  EXPECT_EQ(pure_price(both(kResponse, kResponse)), 1) << "nothing moves values";
}

TEST(Neighbours, WhatSaysNothingOfItsNeighboursIsPricedAsGiven) {
  for (const Event& event : {Event{Gaussian{2}, 1},
                             {Laplace{2}, 1},
                             {DiscreteGaussian{6, 2}, 1},
                             {DiscreteLaplace{6, 2}, 2},
                             {Exponential{0.3}, 1},
                             {Pure{0.5}, 1},
                             {Approximate{0.5, 1e-6}, 1},
                             {Mixture{{{0, 1}, {0.9, 0.1}}, {{0}, {1}}, 2}, 1}}) {
    const auto seen = in_one_relation(both(kSort, event));
    ASSERT_TRUE(seen);
    EXPECT_EQ(to_text(*seen), to_text(both(kSort, event)));
  }
  EXPECT_EQ(pure_price(both(kSort, {Pure{0.5}, 1})), 1);
}

TEST(Neighbours, ASwapIsAnotherSeriesOfThePerson) {
  const Event thinned{TimeSubsampling{5, 0.1, 3, 8, {}}, 1};
  const auto seen = in_one_relation(both(kSort, thinned));
  ASSERT_TRUE(seen);
  EXPECT_EQ(std::get<TimeSubsampling>(std::get<Compose>(seen->kind).events[1].kind).participation, 8)
      << "one series removed and another added, of eight steps in all";
  StructuredSubsampling training = sample_structured();
  training.unit = Unit::user;
  training.width = 2;
  EXPECT_EQ(to_text(*in_one_relation(both(kSort, {training, 1}))), to_text(both(kSort, {training, 1})));
  training.unit = Unit::event;
  training.width = kWindow;  // in a row: both values lie among them
  EXPECT_EQ(to_text(*in_one_relation(both(kSort, {training, 1}))), to_text(both(kSort, {training, 1})));
}

TEST(Neighbours, WhatCannotBeSeenAsASwapIsRefusedAndBothAreNamed) {
  StructuredSubsampling narrow = sample_structured();
  narrow.width = kWindow - 1;
  StructuredSubsampling one_step = sample_structured();
  one_step.unit = Unit::user;
  for (const Event& event : {Event{narrow, 1}, {one_step, 1}, {RandomizedResponse{1e308, 2}, 1}}) {
    const auto price = epsilon_at(both(event, kSort), *Delta::make(1e-6));
    ASSERT_FALSE(price);
    EXPECT_EQ(price.error().kind, ErrorKind::cannot_certify);
    EXPECT_NE(price.error().text().find("noisy_sort"), std::string::npos);
    EXPECT_NE(price.error().text().find(std::string(name(event))), std::string::npos) << price.error().text();
  }
}

TEST(Neighbours, TheNarrowestWindowDecides) {
  StructuredSubsampling training = sample_structured();
  training.width = 4;
  const Event wide{NoisySort{9, 0.5, NoisySort::Law::laplace, {}}, 1};
  const Event narrow{NoisySort{4, 0.5, NoisySort::Law::laplace, {}}, 1};
  EXPECT_FALSE(in_one_relation({Compose{{wide, {training, 1}}}, 1}));
  EXPECT_TRUE(in_one_relation({Compose{{wide, {training, 1}, narrow}}, 1}));
}

TEST(Neighbours, ACompositionThatMovesValuesHoldsForSwaps) {
  EXPECT_EQ(relation_of(both(kSort, kResponse)), Relation::swap);
  EXPECT_EQ(relation_of(both({Compose{{kResponse}}, 1}, {Compose{{kSort}}, 1})), Relation::swap);
  EXPECT_EQ(relation_of(both(kSort, {Gaussian{1}, 1})), Relation::swap);
  EXPECT_EQ(relation_of(both(kResponse, {Gaussian{1}, 1})), Relation::replace);
}

TEST(Neighbours, EveryQuestionSeesTheSameComposition) {
  const Event mixed = both(kSort, kResponse);
  const Event as_pure = both(kSort, {Pure{1}, 1});
  const Delta delta = *Delta::make(1e-6);
  EXPECT_EQ(epsilon_at(mixed, delta)->epsilon, epsilon_at(as_pure, delta)->epsilon);
  EXPECT_EQ(delta_at(mixed, *Epsilon::make(1.2))->delta, delta_at(as_pure, *Epsilon::make(1.2))->delta);
  EXPECT_EQ(*max_count(mixed, *Epsilon::make(20), delta), *max_count(as_pure, *Epsilon::make(20), delta));
  // Half of what is left beside the sort.
  const auto found = calibrate(both(kSort, opened(kResponse)), *Epsilon::make(1.5), *Delta::make(0));
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_NEAR(found->noise, 0.5, 1e-3);
  EXPECT_LE(found->price.epsilon, 1.5);
}

TEST(Neighbours, WhatIsFittedAlreadyIsNotTranslatedAgain) {
  EXPECT_EQ(epsilon_at(both(kSort, kResponse), *Delta::make(0), {.fitted = true})->epsilon, 1);
}

TEST(Neighbours, ARunningPriceTranslatesWhatCameBeforeTheMove) {
  const Delta pure = *Delta::make(0);
  RunningPrice run;
  ASSERT_TRUE(run.add(kResponse));
  EXPECT_EQ(run.epsilon_at(pure)->epsilon, 0.5);
  ASSERT_TRUE(run.add(kSort));
  EXPECT_EQ(run.epsilon_at(pure)->epsilon, 1.5);
  ASSERT_TRUE(run.add(kResponse));
  EXPECT_EQ(run.epsilon_at(pure)->epsilon, 2.5);
  EXPECT_FALSE(run.add({sample_structured(), 1}));
  EXPECT_EQ(run.epsilon_at(pure)->epsilon, 2.5) << "what is refused is not added";
}

}  // namespace
}  // namespace chronoveil::accounting
