#include "chronoveil/base/guarantee.h"

#include <gtest/gtest.h>

namespace chronoveil {
namespace {

TEST(GuaranteeTest, AUserCoversWEventsCoverAnEventAndNeverTheReverse) {
  EXPECT_TRUE(covers(Unit::user, Unit::user));
  EXPECT_TRUE(covers(Unit::user, Unit::w_event));
  EXPECT_TRUE(covers(Unit::user, Unit::event));
  EXPECT_TRUE(covers(Unit::w_event, Unit::event));
  EXPECT_FALSE(covers(Unit::event, Unit::w_event));
  EXPECT_FALSE(covers(Unit::event, Unit::user));
  EXPECT_FALSE(covers(Unit::w_event, Unit::user));
}

TEST(GuaranteeTest, UnitsAndRelationsReadBackAsTheyAreWritten) {
  for (const Unit unit : {Unit::event, Unit::w_event, Unit::user}) EXPECT_EQ(parse_unit(name(unit)).value(), unit);
  for (const Relation relation : {Relation::add_remove, Relation::replace})
    EXPECT_EQ(parse_relation(name(relation)).value(), relation);
}

TEST(GuaranteeTest, NamesAreThoseOfTheFileFormats) {
  EXPECT_EQ(name(Unit::w_event), "w-event");
  EXPECT_EQ(name(Relation::add_remove), "add_remove");
  EXPECT_EQ(name(Certificate::exact), "exact");
  EXPECT_EQ(name(Certificate::upper_bound), "upper bound");
  EXPECT_EQ(name(Certificate::upper_bound_with_confidence), "upper bound with confidence 1−β");
  EXPECT_EQ(name(Certificate::as_published), "as published");
  EXPECT_EQ(name(Basis::enforced), "enforced");
  EXPECT_EQ(name(Basis::declared), "declared");
}

TEST(GuaranteeTest, WindowsAreNamedWithTheirWidth) {
  Guarantee guarantee;
  guarantee.unit = Unit::user;
  EXPECT_EQ(unit_text(guarantee), "user");
  guarantee.unit = Unit::w_event;
  guarantee.width = 24;
  EXPECT_EQ(unit_text(guarantee), "w-event of width 24");
}

TEST(GuaranteeTest, AnUnknownNameSaysWhichWouldBeKnown) {
  EXPECT_EQ(parse_unit("w_event").error().text(), "unit: w_event is not valid; it must be event, w-event or user");
  EXPECT_EQ(parse_unit("").error().kind, ErrorKind::usage);
  EXPECT_EQ(parse_relation("add-remove").error().text(),
            "relation: add-remove is not valid; it must be add_remove, replace, replace_values or swap");
}

TEST(GuaranteeTest, WithoutFurtherWordNothingIsClaimedAsEnforcedOrExact) {
  EXPECT_EQ(Assumption{}.basis, Basis::declared);
  EXPECT_EQ(Guarantee{}.certificate, Certificate::upper_bound);
}

}  // namespace
}  // namespace chronoveil
