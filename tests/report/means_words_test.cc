#include <gtest/gtest.h>

#include "chronoveil/report/means/words.h"
#include "report/means_sample.h"

namespace chronoveil::report {
namespace {

TEST(MeansWords, WhereAndWhenAreNotProtectedWhereOnlyValuesAre) {
  const Facts facts = facts_of(testing::means_sample(12, 24));
  EXPECT_EQ(facts.unit, "Every person: all their values, in all cells together.");
  EXPECT_EQ(facts.relation,
            "The means would come out much the same if all values of any one person had been different; ε says how "
            "close.");
  EXPECT_EQ(facts.cap,
            "One person counts in at most 20 cells (one place in one hour each), with at most 50 records in each. "
            "Anything beyond was left out.");
  EXPECT_EQ(facts.public_facts,
            "The places, the period, the bounds of a value (0 to 65), the caps and the method, all fixed beforehand; "
            "and who was where and when, and how often.");
  EXPECT_EQ(facts.not_protected,
            "Where and when a person was, and how often: that is taken to be known. Only the values are hidden.");
  EXPECT_TRUE(facts.limits_stand_out);
}

TEST(MeansWords, WhereAndWhenAreProtectedWhereCountsAre) {
  for (const auto& [relation, words] : {std::pair(Relation::add_remove, "records were not there"),
                                        std::pair(Relation::replace, "records had been different")}) {
    MeansPublished published = testing::means_sample(12, 24);
    published.release.guarantee.relation = relation;
    const Facts facts = facts_of(published);
    EXPECT_EQ(facts.unit, "Every person, with all their records in all cells together.");
    EXPECT_NE(facts.relation.find(words), std::string::npos);
    EXPECT_EQ(facts.public_facts.find("where and when"), std::string::npos);
    EXPECT_EQ(facts.not_protected.find("Where and when"), std::string::npos);
    EXPECT_FALSE(facts.limits_stand_out);
  }
}

TEST(MeansWords, EdgesOfTheCap) {
  MeansPublished published = testing::means_sample(2, 5);
  mechanisms::CellShape& shape = published.plan.shape;
  EXPECT_NE(facts_of(published).cap.find("counts in every cell, with at most 50 records in each."), std::string::npos);
  shape.max_cells = 1;
  shape.max_records = 1;
  EXPECT_NE(facts_of(published).cap.find("in at most 1 cell (one place in one hour each), with at most 1 record in"),
            std::string::npos);
  shape.max_records.reset();
  EXPECT_EQ(facts_of(published).cap.find("record"), std::string::npos);
  shape.places = shape.steps = 1;
  shape.registered = 400;
  EXPECT_NE(facts_of(published).cap.find("in this one cell."), std::string::npos);
  EXPECT_NE(facts_of(published).public_facts.find("how many people are registered"), std::string::npos);
}

TEST(MeansWords, WhatIsMarkedPromisesNothing) {
  MeansPublished published = testing::means_sample(1, 24);
  published.release.mark = "seeded: not private";
  EXPECT_EQ(facts_of(published).not_protected, "Everything.");
  EXPECT_EQ(facts_of(published).unit.substr(0, 6), "Nobody");
}

TEST(MeansWords, TheStrengthIsAboutValuesWhereOnlyTheyAreReplaced) {
  EXPECT_EQ(strength_of(testing::means_sample(1, 1).release.guarantee),
            "Exchanging one person’s values makes no result more than 2.72 times as likely or unlikely.");
}

TEST(MeansWords, CellsAreCountedByWhatBecameOfThem) {
  const CellNumbers numbers = cell_numbers(testing::means_sample(3, 24).release);
  EXPECT_EQ(numbers.published + numbers.empty + numbers.sparse, 72);
  EXPECT_EQ(numbers.empty, 10);
  EXPECT_EQ(numbers.sparse, 6);
  EXPECT_EQ(cell_number_words(numbers), "72 cells: 56 with a mean, 10 with nobody there, 6 with too few to publish");
  EXPECT_EQ(cell_number_words({1, 0, 0}), "1 cell: 1 with a mean");
}

TEST(MeansWords, NoiseIsInUnitsOfWhatOnePersonCanDo) {
  mechanisms::CellsPlan plan = testing::cells_plan("clip_mean", 2, 2);
  EXPECT_EQ(noise_words(plan), "Laplace noise with b = 20 times the most that one person moves the sum of a cell");
  plan.noise = NoiseKind::gaussian;
  EXPECT_TRUE(noise_words(plan).starts_with("Gaussian noise with a standard deviation of 20 times"));
}

}  // namespace
}  // namespace chronoveil::report
