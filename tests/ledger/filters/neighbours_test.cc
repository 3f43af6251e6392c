#include "chronoveil/ledger/filters/neighbours.h"

#include <gmock/gmock.h>

#include <cmath>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/accounting/moments.h"
#include "chronoveil/ledger/body.h"
#include "chronoveil/ledger/dataset.h"
#include "chronoveil/ledger/filters/filter.h"
#include "fixtures.h"

namespace chronoveil::ledger::testing {
namespace {

using ::testing::HasSubstr;

accounting::Event event(const std::string& json) { return value_of(accounting::parse_event(json)); }

constexpr const char* kTraining =
    R"({"event":"structured_subsampling","series":10,"length":100,"context_length":4,"forecast_length":2,"batch_size":2,"windows_per_series":1,"noise_multiplier":2,"width":3})";

const Protected kUserAddRemove{Unit::user, 1, Relation::add_remove};
const Protected kUserReplace{Unit::user, 1, Relation::replace};
const Protected kSwaps{Unit::event, 24, Relation::swap};

TEST(Neighbours, AReplacementDoublesEverySensitivity) {
  const std::vector<std::pair<std::string, std::string>> doubled = {
      {R"({"event":"gaussian","noise_multiplier":2})", R"({"event":"gaussian","noise_multiplier":1})"},
      {R"({"event":"laplace","noise_multiplier":2,"count":3})",
       R"({"event":"laplace","noise_multiplier":1,"count":3})"},
      {R"({"event":"discrete_gaussian","scale":4,"sensitivity":2})",
       R"({"event":"discrete_gaussian","scale":4,"sensitivity":4})"},
      {R"({"event":"discrete_laplace","scale":4,"sensitivity":2})",
       R"({"event":"discrete_laplace","scale":4,"sensitivity":4})"},
      {R"({"event":"exponential","epsilon":0.5})", R"({"event":"exponential","epsilon":1})"},
      {R"({"event":"pure","epsilon":0.5})", R"({"event":"pure","epsilon":1})"},
      {R"({"event":"time_subsampling","participation":5,"rate":0.1,"noise_multiplier":3})",
       R"({"event":"time_subsampling","participation":10,"rate":0.1,"noise_multiplier":3})"},
      {R"({"event":"time_subsampling","participation":5,"rate":0.1,"noise_multiplier":3,"length":7})",
       R"({"event":"time_subsampling","participation":7,"rate":0.1,"noise_multiplier":3,"length":7})"},
      {R"({"event":"compose","events":[{"event":"pure","epsilon":0.5},{"event":"gaussian","noise_multiplier":1}]})",
       R"({"event":"compose","events":[{"event":"pure","epsilon":1},{"event":"gaussian","noise_multiplier":0.5}]})"}};
  for (const auto& [before, after] : doubled) {
    EXPECT_EQ(accounting::to_text(value_of(for_replacement(event(before)))), accounting::to_text(event(after)));
  }
}

TEST(Neighbours, AnApproximateEventFollowsGroupPrivacy) {
  const accounting::Event twice = value_of(for_replacement(approximate(0.5, 1e-6)));
  const auto& cost = std::get<accounting::Approximate>(twice.kind);
  EXPECT_EQ(cost.epsilon, 1);
  EXPECT_GE(cost.delta, 1e-6 * (1 + std::exp(0.5)));
  EXPECT_LE(cost.delta, 1e-6 * (1 + std::exp(0.5)) * (1 + 1e-12));
  refusal(for_replacement(approximate(5, 0.5)), ErrorKind::usage);
}

TEST(Neighbours, WhatCannotBeConvertedIsRefused) {
  refusal(for_replacement(event(kTraining)), ErrorKind::usage);
  refusal(
      for_replacement(event(
          R"({"event":"mixture","noise_multiplier":1,"p":{"means":[0,1],"weights":[0.5,0.5]},"q":{"means":[0],"weights":[1]}})")),
      ErrorKind::usage);
  refusal(for_replacement(event(R"({"event":"compose","events":[)" + std::string(kTraining) + "]}")), ErrorKind::usage);
  // Ten of somebody's steps may lie in several series of seven, and the event does not say how many there are.
  const std::string filtered =
      R"({"event":"time_subsampling","rate":0.1,"noise_multiplier":3,"length":7,"filter":"gaussian","filter_width":2,"participation":)";
  EXPECT_TRUE(for_replacement(event(filtered + "3}")));
  refusal(for_replacement(event(filtered + "5}")), ErrorKind::usage);
}

TEST(Neighbours, AnEventThatSaysNothingIsTakenAsTheDatasets) {
  EXPECT_EQ(accounting::to_text(value_of(fitted(gaussian(2), {}, kUserReplace))), accounting::to_text(gaussian(2)));
  EXPECT_EQ(accounting::to_text(value_of(fitted(gaussian(2), {}, kUserAddRemove))), accounting::to_text(gaussian(2)));
}

TEST(Neighbours, AddRemoveInADatasetWithReplaceIsConvertedAndTheReverseIsRefused) {
  Stated add_remove, replace;
  add_remove.relation = Relation::add_remove;
  replace.relation = Relation::replace;
  EXPECT_EQ(accounting::to_text(value_of(fitted(gaussian(2), add_remove, kUserReplace))),
            accounting::to_text(gaussian(1)));
  EXPECT_THAT(refusal(fitted(gaussian(2), replace, kUserAddRemove), ErrorKind::usage), HasSubstr("add_remove"));
}

TEST(Neighbours, NewValuesAreLessThanAReplacementAndOnlyADatasetThatPromisesNoMoreTakesThem) {
  const Protected values{Unit::user, 1, Relation::replace_values};
  Stated add_remove, replace, replace_values;
  add_remove.relation = Relation::add_remove;
  replace.relation = Relation::replace;
  replace_values.relation = Relation::replace_values;
  EXPECT_EQ(accounting::to_text(value_of(fitted(gaussian(2), replace_values, values))),
            accounting::to_text(gaussian(2)));
  EXPECT_EQ(accounting::to_text(value_of(fitted(gaussian(2), replace, values))), accounting::to_text(gaussian(2)));
  EXPECT_EQ(accounting::to_text(value_of(fitted(gaussian(2), add_remove, values))), accounting::to_text(gaussian(1)));
  for (const Protected& more : {kUserAddRemove, kUserReplace})
    EXPECT_THAT(refusal(fitted(gaussian(2), replace_values, more), ErrorKind::usage),
                HasSubstr("need not hide where and when"));
}

TEST(Neighbours, TheUnitMustCoverTheDatasets) {
  const Protected windows{Unit::w_event, 24, Relation::add_remove}, events{Unit::event, 1, Relation::add_remove};
  Stated event_unit, window, wide, user;
  event_unit.unit = Unit::event;
  window.unit = wide.unit = Unit::w_event;
  window.width = 12;
  wide.width = 48;
  user.unit = Unit::user;
  EXPECT_FALSE(fitted(gaussian(2), event_unit, kUserAddRemove));
  EXPECT_FALSE(fitted(gaussian(2), window, kUserAddRemove));
  EXPECT_TRUE(fitted(gaussian(2), user, kUserAddRemove));
  EXPECT_FALSE(fitted(gaussian(2), event_unit, windows));
  EXPECT_FALSE(fitted(gaussian(2), window, windows));
  EXPECT_TRUE(fitted(gaussian(2), wide, windows));
  EXPECT_TRUE(fitted(gaussian(2), user, windows));
  EXPECT_TRUE(fitted(gaussian(2), window, events));
}

TEST(Neighbours, AnEventThatKnowsItsNeighboursDecidesForItself) {
  const accounting::Event steps =
      event(R"({"event":"time_subsampling","participation":5,"rate":0.1,"noise_multiplier":3})");  // users, add_remove
  EXPECT_TRUE(fitted(steps, {}, kUserAddRemove));
  EXPECT_EQ(std::get<accounting::TimeSubsampling>(value_of(fitted(steps, {}, kUserReplace)).kind).participation, 10);
  Stated wrong;
  wrong.unit = Unit::event;
  EXPECT_THAT(refusal(fitted(steps, wrong, kUserAddRemove), ErrorKind::usage), HasSubstr("the event says so itself"));

  // In a composition what is stated is for the others.
  const accounting::Event both{accounting::Compose{{gaussian(2), steps}}};
  Stated others;
  others.unit = Unit::user;
  others.relation = Relation::replace;
  const accounting::Event charged = value_of(fitted(both, others, kUserReplace));
  const auto& parts = std::get<accounting::Compose>(charged.kind).events;
  EXPECT_EQ(std::get<accounting::Gaussian>(parts[0].kind).noise_multiplier, 2);
  EXPECT_EQ(std::get<accounting::TimeSubsampling>(parts[1].kind).participation, 10);
  EXPECT_FALSE(fitted(both, others, kUserAddRemove));  // the gaussian hides no more than was stated

  const accounting::Event training = event(kTraining);  // three events in a row, replaced
  EXPECT_FALSE(fitted(training, {}, kUserReplace));
  EXPECT_TRUE(fitted(training, {}, {Unit::w_event, 3, Relation::replace}));
  EXPECT_FALSE(fitted(training, {}, {Unit::w_event, 4, Relation::replace}));
  EXPECT_FALSE(fitted(training, {}, {Unit::w_event, 3, Relation::add_remove}));
}

TEST(Neighbours, DeclaredStepsOfAUserCoverAsManyInARowAndNoMore) {
  std::string text = kTraining;
  text.insert(text.size() - 1, R"(,"unit":"user")");
  const accounting::Event training = event(text);  // any three steps of a user
  EXPECT_TRUE(fitted(training, {}, kUserReplace));
  EXPECT_TRUE(fitted(training, {}, {Unit::w_event, 3, Relation::replace_values}));
  EXPECT_THAT(refusal(fitted(training, {}, {Unit::w_event, 4, Relation::replace_values}), ErrorKind::usage),
              HasSubstr("user with 3 steps"));
  // A swap changes two steps, however far apart.
  EXPECT_TRUE(fitted(training, {}, kSwaps));
  text.replace(text.find("\"width\":3"), 9, "\"width\":1");
  EXPECT_FALSE(fitted(event(text), {}, kSwaps));
}

TEST(Neighbours, EveryPartOfACompositionMustFit) {
  const std::string mixed =
      R"({"event":"compose","events":[{"event":"pure","epsilon":0.5},)" + std::string(kTraining) + "]}";
  EXPECT_FALSE(fitted(event(mixed), {}, kUserReplace));
  EXPECT_TRUE(fitted(event(mixed), {}, {Unit::event, 1, Relation::replace}));
}

TEST(Neighbours, ASwapIsHiddenByAWindowAsWideAtLeast) {
  for (const char* text : {R"({"event":"ranswitch","stay":0.5,"window":24})",
                           R"({"event":"noisy_sort","epsilon":1,"window":30,"law":"laplace"})"})
    EXPECT_EQ(accounting::to_text(value_of(fitted(event(text), {}, kSwaps))), accounting::to_text(event(text)));
  const std::string narrow =
      refusal(fitted(event(R"({"event":"ranswitch","stay":0.5,"window":23})"), {}, kSwaps), ErrorKind::usage);
  EXPECT_THAT(narrow, HasSubstr("window"));
  EXPECT_THAT(narrow, HasSubstr("24"));
}

TEST(Neighbours, HidingWhenDoesNotHideWhat) {
  const accounting::Event switched = event(R"({"event":"ranswitch","stay":0.5,"window":24})");
  for (const Relation relation : {Relation::add_remove, Relation::replace, Relation::replace_values}) {
    const std::string error = refusal(fitted(switched, {}, {Unit::event, 1, relation}), ErrorKind::usage);
    EXPECT_THAT(error, HasSubstr("hiding when does not hide what"));
  }
  refusal(for_replacement(switched), ErrorKind::usage);
}

TEST(Neighbours, WhatHidesNewValuesHidesASwap) {
  const accounting::Event pure = event(R"({"event":"pure","epsilon":0.5})");
  const auto charged = [&](Unit unit, std::int64_t width, Relation relation) {
    return std::get<accounting::Pure>(value_of(fitted(pure, {unit, width, relation}, kSwaps)).kind).epsilon;
  };
  EXPECT_EQ(charged(Unit::user, 1, Relation::replace), 0.5) << "another series of the same user";
  EXPECT_EQ(charged(Unit::event, 1, Relation::replace), 1) << "two values change";
  EXPECT_EQ(charged(Unit::event, 1, Relation::replace_values), 1);
  EXPECT_EQ(charged(Unit::w_event, 24, Relation::replace), 0.5) << "both lie in one window";
  EXPECT_EQ(charged(Unit::w_event, 23, Relation::replace), 1);
  EXPECT_EQ(charged(Unit::user, 1, Relation::add_remove), 1);
  EXPECT_EQ(charged(Unit::event, 1, Relation::add_remove), 2);
  // One value of a local randomizer: it says `replace` itself, and the unit is the dataset's.
  const auto response =
      value_of(fitted(event(R"({"event":"randomized_response","epsilon":0.5,"values":3})"), {}, kSwaps));
  EXPECT_EQ(std::get<accounting::Pure>(response.kind).epsilon, 1);
}

TEST(Neighbours, TheLedgerChargesASwapAsItIsPricedAndNotTwice) {
  const std::string moves = R"({"event":"noisy_sort","epsilon":0.5,"window":24,"law":"laplace"})";
  for (const char* changes : {R"({"event":"randomized_response","epsilon":0.5,"values":3})",
                              R"({"event":"time_subsampling","participation":5,"rate":0.5,"noise_multiplier":9})"}) {
    const accounting::Event mixed =
        event(R"({"event":"compose","events":[)" + moves + "," + std::string(changes) + "]}");
    const accounting::Event charged = value_of(fitted(mixed, {}, kSwaps));
    for (const FilterKind kind : {FilterKind::sum, FilterKind::zcdp}) {
      const Filter filter = value_of(make_filter(kind, value_of(Epsilon::make(9)), value_of(Delta::make(1e-5))));
      const Delta delta = value_of(Delta::make(1e-6));
      const double priced = value_of(accounting::epsilon_at(mixed, delta)).epsilon;
      const Cost expected =
          value_of(cost_of(filter, {accounting::Approximate{std::nextafter(priced, HUGE_VAL), 1e-6}}, std::nullopt));
      EXPECT_EQ(value_of(cost_of(filter, charged, delta)).values, expected.values) << changes;
    }
  }
}

TEST(Neighbours, ADatasetThatPromisesSwapsKeepsItsWindow) {
  DatasetRequest request;
  request.name = "meter";
  request.promise = kSwaps;
  request.epsilon = 1;
  const Dataset dataset = value_of(make_dataset(request));
  const Dataset read = value_of(dataset_from_body(to_body(dataset)));
  EXPECT_EQ(read.promise.width, 24);
  EXPECT_EQ(read.promise.relation, Relation::swap);
  EXPECT_EQ(read.promise.unit, Unit::event);
  request.promise.width = 1;
  refusal(make_dataset(request), ErrorKind::usage);
  request.promise = {Unit::user, 24, Relation::swap};
  refusal(make_dataset(request), ErrorKind::usage);
  request.promise = kSwaps;
  request.partition = Partition{};
  request.partition->names = {"a", "b"};
  EXPECT_THAT(refusal(make_dataset(request), ErrorKind::usage), HasSubstr("swap"));
}

// Two people can be pushed out of one slot at once where an event takes another's place.
TEST(Neighbours, StepsThatAreKeptAtRandomChangeByTwoWhereAnEventIsReplaced) {
  const accounting::Event steps{accounting::TimeSubsampling{1, 1, 10, {}, {}}, 1};
  Stated as_user;
  as_user.unit = Unit::user;
  const auto charged = fitted(steps, as_user, {Unit::event, 1, Relation::replace});
  ASSERT_TRUE(charged) << charged.error().text();
  // (2, 0) becomes (0, 2): μ² = 8/σ².
  const auto mu = accounting::gaussian_cost(*charged);
  ASSERT_TRUE(mu);
  EXPECT_GE(*mu * *mu, 0.08);
  const auto one = fitted(steps, as_user, {Unit::event, 1, Relation::add_remove});
  ASSERT_TRUE(one);
  EXPECT_EQ(std::get<accounting::TimeSubsampling>(one->kind).noise_multiplier, 10);
}

TEST(Neighbours, MoreUsesThanCanBeCountedAreNotComposedAsFewer) {
  const accounting::Event many{accounting::Gaussian{1e10}, 4611686018427387905};
  const auto price = accounting::epsilon_at(composed({many, many, many, many}), value_of(Delta::make(1e-6)));
  EXPECT_FALSE(price);
}

}  // namespace
}  // namespace chronoveil::ledger::testing
