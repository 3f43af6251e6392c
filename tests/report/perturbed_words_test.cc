#include <gtest/gtest.h>

#include <limits>

#include "chronoveil/report/perturbed/words.h"
#include "report/page_checks.h"
#include "report/perturbed_sample.h"

namespace chronoveil::report {
namespace {

using testing::has;

TEST(PerturbedWords, WhenIsProtectedAndWhatIsNot) {
  const Facts facts = facts_of(testing::perturbed_sample());
  EXPECT_EQ(facts.unit_label, "Protected");
  EXPECT_EQ(facts.unit, "Which of two values at most 9 rows apart was measured when.");
  EXPECT_EQ(facts.relation,
            "The file would come out much the same if any two such values were exchanged; ε says how "
            "close.");
  EXPECT_TRUE(facts.cap.starts_with("Values moved to other rows nearby, on average 2.74 rows away; times stayed."))
      << facts.cap;
  EXPECT_EQ(facts.public_facts,
            "How many rows there are and when, the window (10 rows), the columns that were left as they are and the "
            "method.");
  EXPECT_EQ(facts.not_protected,
            "The values: those in the file are as they were measured. What shows over 10 rows or more does so here, "
            "too.");
  EXPECT_TRUE(facts.limits_stand_out);
  EXPECT_TRUE(has(facts_of(testing::sorted_sample()).cap, "Rows kept their values"));
}

TEST(PerturbedWords, WhatIsOnlyPublishedPromisesNothingForSets) {
  const Facts facts = facts_of(testing::threshold_sample());
  EXPECT_TRUE(facts.relation.starts_with("None for sets of outputs."));
  EXPECT_TRUE(has(facts.cap, "About 10 % of the values get lost and 10 % of the rows stay empty."));
}

TEST(PerturbedWords, ChangedValuesAreOneOrAll) {
  Perturbed perturbed = testing::changed_sample();
  EXPECT_EQ(facts_of(perturbed).unit, "Each single value; not all of them together.");
  EXPECT_TRUE(has(facts_of(perturbed).relation, "any one value had been different"));
  EXPECT_TRUE(has(facts_of(perturbed).public_facts, "the 3 values there can be"));
  EXPECT_TRUE(facts_of(perturbed).limits_stand_out);
  perturbed.guarantee.unit = perturbed.plan.unit = Unit::user;
  perturbed.plan.length = 1440;
  perturbed.plan.categories.clear();
  perturbed.plan.lower = -1;
  perturbed.plan.upper = 2.5;
  EXPECT_EQ(facts_of(perturbed).unit, "All values of the series together, up to 1,440.");
  EXPECT_TRUE(has(facts_of(perturbed).relation, "all values had been different"));
  EXPECT_TRUE(has(facts_of(perturbed).public_facts, "the bounds of a value (-1 to 2.5)"));
}

TEST(PerturbedWords, WhatIsMarkedPromisesNothing) {
  Perturbed perturbed = testing::perturbed_sample();
  perturbed.mark = "seeded: not private";
  EXPECT_EQ(facts_of(perturbed).not_protected, "Everything.");
  EXPECT_TRUE(facts_of(perturbed).unit.starts_with("Nothing."));
}

TEST(PerturbedWords, ListsEndAfterSoManyNames) {
  EXPECT_EQ(list_words({}, 3), "");
  EXPECT_EQ(list_words({"a"}, 3), "a");
  EXPECT_EQ(list_words({"a", "b"}, 3), "a and b");
  EXPECT_EQ(list_words({"a", "b", "c"}, 3), "a, b and c");
  EXPECT_EQ(list_words({"a", "b", "c", "d", "e"}, 3), "a, b, c and 2 more");
}

TEST(PerturbedWords, DistancesAreCountedToBothSides) {
  const mechanisms::Moves moves{.first = -2, .shares = {0.1, 0.2, 0.4, 0.2, 0.1}};
  EXPECT_EQ(distance_of(moves, 0.4), 0);
  EXPECT_EQ(distance_of(moves, 0.41), 1);
  EXPECT_EQ(distance_of(moves, 0.8), 1);
  EXPECT_EQ(distance_of(moves, 0.81), 2);
  EXPECT_EQ(distance_of(moves, 1), 2);
  EXPECT_EQ(distance_of({}, 0.9), 0);
  EXPECT_EQ(moves_words(moves), "40 % of the values stay where they are; 9 of 10 move by at most 2 rows.");
  const mechanisms::Moves later{.first = 1, .shares = {1}};
  EXPECT_EQ(moves_words(later), "0 % of the values stay where they are; 9 of 10 move by at most 1 row.");
  EXPECT_EQ(moves_words({}), "");
  const auto staying = [](double share) { return moves_words({.first = 0, .shares = {share, 1 - share}}); };
  EXPECT_TRUE(staying(0.42871).starts_with("43 % of")) << "no digit that may be another the next time";
  EXPECT_TRUE(staying(0.99516).starts_with("99.5 % of"));
  EXPECT_TRUE(staying(0.00316).starts_with("0.3 % of"));
}

// RanSwitch has a formula: what is read off its curve is never below it, and not far above.
TEST(PerturbedWords, DeltaBetweenTwoPointsIsAnUpperBound) {
  const Perturbed perturbed = testing::perturbed_sample();
  for (double epsilon = 0; epsilon < 8; epsilon += 0.03125) {
    const auto delta = delta_on(perturbed.curve, epsilon);
    const double exact = testing::ranswitch_delta(10, 0.4636, epsilon);
    ASSERT_TRUE(delta);
    EXPECT_GE(*delta, exact - 1e-15) << epsilon;
    EXPECT_LE(*delta, exact + 0.02) << epsilon;
  }
  EXPECT_EQ(delta_on(perturbed.curve, 2), perturbed.curve[8].delta);
  EXPECT_EQ(delta_on(perturbed.curve, 100), perturbed.curve.back().delta);
  EXPECT_EQ(delta_on({{1, 0.5}, {2, 0.25}}, 0.5), std::nullopt);
  EXPECT_EQ(delta_on({}, 1), std::nullopt);
  EXPECT_EQ(delta_on({{0, 0.5}, {2000, 0.25}}, 1999), 0.5);
  EXPECT_EQ(delta_on(perturbed.curve, std::numeric_limits<double>::quiet_NaN()), std::nullopt);
}

TEST(PerturbedWords, APapersNumberIsHeldAgainstTheCertifiedOne) {
  const std::string words = nominal_words(testing::perturbed_sample());
  EXPECT_TRUE(has(words, "A paper states ε = 2 and δ = 0.0596")) << words;
  EXPECT_TRUE(has(words, "At that ε the certified δ is 0.451.")) << words;
  EXPECT_TRUE(has(words, "every set of outputs"));
  EXPECT_EQ(nominal_words(testing::sorted_sample()), "");
  EXPECT_EQ(nominal_words(testing::changed_sample()), "");
  const std::string published = nominal_words(testing::threshold_sample());
  EXPECT_TRUE(has(published, "A paper states ε = 2.2 and δ = 0")) << published;
  EXPECT_FALSE(has(published, "At that ε"));
}

}  // namespace
}  // namespace chronoveil::report
