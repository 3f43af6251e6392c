#include "chronoveil/report/page/words.h"

#include <gtest/gtest.h>

#include <limits>

#include "report/sample.h"

namespace chronoveil::report {
namespace {

TEST(Words, APersonIsProtectedWithEverythingTheyDid) {
  const Facts facts = facts_of(testing::sample(12, 24));
  EXPECT_EQ(facts.unit, "Every person, with all their records in these 12 series together.");
  EXPECT_EQ(facts.relation,
            "The figures would come out much the same if any one person’s records were not there; ε says how close.");
  EXPECT_EQ(facts.cap,
            "One person counts in at most 20 hours of all series together, once in each. Anything beyond was left "
            "out.");
  EXPECT_EQ(facts.public_facts,
            "The list of series, the period, the cap and the method. They were fixed beforehand, not taken from the "
            "data.");
  EXPECT_EQ(facts.not_protected,
            "What holds for many people at once, such as how busy a place is, and what is known from elsewhere.");
}

TEST(Words, ADeclaredCapIsNeverCalledEnforced) {
  const Facts facts = facts_of(testing::declared_sample(1, 24));
  EXPECT_EQ(facts.cap,
            "One person counts in at most 20 hours, once in each. The publisher states this; it was not checked.");
  EXPECT_NE(facts.not_protected.find("People above the cap are protected less."), std::string::npos);
  EXPECT_EQ(Published{}.caps, Basis::declared);
}

TEST(Words, AnEventIsOneSlotAndNotThePerson) {
  Published published = testing::sample(3, 24);
  published.release.guarantee.unit = published.plan.shape.unit = Unit::event;
  published.plan.shape.max_per_slot = 2;
  Facts facts = facts_of(published);
  EXPECT_EQ(facts.unit, "What a person did in any one hour; not all of it together.");
  EXPECT_EQ(facts.cap,
            "One person counts at most twice in one hour, all series together. Anything beyond was left out.");
  EXPECT_NE(facts.not_protected.find("Habits that show over more than one hour"), std::string::npos);
  published.release.guarantee.unit = published.plan.shape.unit = Unit::w_event;
  published.plan.shape.width = 24;
  facts = facts_of(published);
  EXPECT_EQ(facts.unit, "What a person did in any 24 hours in a row; not all of it together.");
  EXPECT_NE(facts.not_protected.find("more than 24 hours"), std::string::npos);
}

TEST(Words, EdgesOfTheCap) {
  Published published = testing::sample(1, 24);
  published.plan.shape.max_steps = 24;
  published.plan.shape.max_per_slot = 5;
  published.plan.shape.maximum = 5000;
  EXPECT_NE(facts_of(published).cap.find("in every hour, at most 5 times in each"), std::string::npos);
  EXPECT_NE(facts_of(published).public_facts.find("the largest count (5,000)"), std::string::npos);
  published.plan.shape.max_steps = 1;
  EXPECT_NE(facts_of(published).cap.find("in at most 1 hour, "), std::string::npos);
}

TEST(Words, WhatIsMarkedPromisesNothing) {
  Published published = testing::sample(1, 24);
  published.release.mark = "seeded: not private";
  EXPECT_EQ(facts_of(published).not_protected, "Everything.");
  EXPECT_EQ(facts_of(published).unit.substr(0, 6), "Nobody");
}

TEST(Words, TheStrengthIsStatedAgainstOurselves) {
  Guarantee guarantee;
  guarantee.unit = Unit::user;
  guarantee.epsilon = 1;
  guarantee.delta = 1e-6;
  EXPECT_EQ(
      strength_of(guarantee),
      "One person’s records make no result more than 2.72 times as likely or unlikely, apart from a chance of 1 in "
      "1,000,000.");
  guarantee.delta = 3e-6;  // 1 in 333,333.3
  EXPECT_NE(strength_of(guarantee).find("1 in 333,333."), std::string::npos);
  guarantee.delta = 0;
  EXPECT_EQ(strength_of(guarantee).find("chance"), std::string::npos);
  guarantee.epsilon = 0;
  EXPECT_NE(strength_of(guarantee).find("more than 1 times"), std::string::npos);
  guarantee.relation = Relation::replace;
  EXPECT_TRUE(strength_of(guarantee).starts_with("Exchanging one person’s records makes no result"));
  guarantee.epsilon = std::numeric_limits<double>::infinity();
  EXPECT_NE(strength_of(guarantee).find("nothing is promised"), std::string::npos);
}

TEST(Words, EveryRelationSaysWhatIsExchanged) {
  Guarantee guarantee;
  guarantee.epsilon = 1;
  const auto starts = [&](Relation relation, Unit unit, const char* words) {
    guarantee.relation = relation;
    guarantee.unit = unit;
    return strength_of(guarantee).starts_with(words);
  };
  EXPECT_TRUE(starts(Relation::add_remove, Unit::event, "Those records make no result"));
  EXPECT_TRUE(starts(Relation::replace, Unit::event, "Exchanging those records makes no result"));
  EXPECT_TRUE(starts(Relation::replace_values, Unit::user, "Exchanging one person’s values makes no result"));
  guarantee.window = 10;
  EXPECT_TRUE(starts(Relation::swap, Unit::event, "Exchanging two values at most 9 rows apart makes no result"));
  guarantee.window = 2;
  EXPECT_TRUE(starts(Relation::swap, Unit::event, "Exchanging two values next to each other makes no result"));
}

TEST(Words, ALargeChanceIsSaidInPercentAndRoundedUp) {
  Guarantee guarantee;
  guarantee.delta = 0.44391;
  EXPECT_NE(strength_of(guarantee).find("apart from a chance of 44.4 %"), std::string::npos);
  guarantee.delta = 0.44411;
  EXPECT_NE(strength_of(guarantee).find("apart from a chance of 44.5 %"), std::string::npos);
  guarantee.delta = 0.05;
  EXPECT_NE(strength_of(guarantee).find("apart from a chance of 1 in 20."), std::string::npos);
}

TEST(Words, WhatAPaperStatesAboutWhenIsNotCalledAResult) {
  Guarantee guarantee;
  guarantee.window = 4;
  guarantee.relation = Relation::swap;
  EXPECT_FALSE(is_nominal(guarantee));
  guarantee.certificate = Certificate::as_published;
  EXPECT_TRUE(is_nominal(guarantee));
  EXPECT_NE(strength_of(guarantee).find("makes no single output more than"), std::string::npos);
  EXPECT_NE(strength_of(guarantee).find("Sets of outputs can tell more."), std::string::npos);
  guarantee.relation = Relation::replace;
  EXPECT_FALSE(is_nominal(guarantee));
}

TEST(Words, EveryCertificateHasItsOwn) {
  EXPECT_EQ(words_of(Certificate::exact).name, "Exact");
  EXPECT_EQ(words_of(Certificate::upper_bound).name, "Certified upper bound");
  EXPECT_EQ(words_of(Certificate::as_published).name, "As published, not certified");
  EXPECT_EQ(words_of(Certificate::upper_bound_with_confidence).name, "Upper bound with confidence 1−β");
  EXPECT_EQ(words_of(Certificate::upper_bound_with_confidence, 1e-6).meaning,
            "The true ε is not larger, except with the small probability β = 1e-6.");
}

}  // namespace
}  // namespace chronoveil::report
