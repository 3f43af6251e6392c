#include "chronoveil/mechanisms/cells/parts/cell_guarantee.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "chronoveil/mechanisms/cells/array_averaging.h"
#include "chronoveil/mechanisms/cells/registered_mean.h"
#include "chronoveil/mechanisms/cells/sum_over_count.h"
#include "setting.h"

namespace chronoveil::mechanisms::testing {
namespace {

CellRequest city() {
  CellRequest request;
  request.shape.places = 100;
  request.shape.steps = 24;
  request.shape.max_cells = 5;
  request.shape.max_records = 20;
  request.shape.upper = 65;
  request.shape.registered = 1000;
  request.epsilon = 1;
  return request;
}

Guarantee guarantee_for(const CellMechanism& row, const CellRequest& request = city()) {
  return guarantee_of(value_of(row.prepare(request)));
}

const Assumption* find(const Guarantee& guarantee, std::string_view start) {
  const auto found = std::find_if(guarantee.assumptions.begin(), guarantee.assumptions.end(),
                                  [&](const Assumption& each) { return each.text.starts_with(start); });
  return found == guarantee.assumptions.end() ? nullptr : &*found;
}

void expect_basis(const Guarantee& guarantee, std::string_view start, Basis basis) {
  const Assumption* assumption = find(guarantee, start);
  ASSERT_TRUE(assumption) << start;
  EXPECT_EQ(assumption->basis, basis) << start;
}

TEST(CellGuarantee, NamesWhatIsEnforcedAndWhatIsDeclared) {
  for (const CellMechanism* row : {&array_averaging(), &sum_over_count(), &registered_mean()}) {
    const Guarantee guarantee = guarantee_for(*row);
    expect_basis(guarantee, "one person is in at most 5 cells", Basis::enforced);
    expect_basis(guarantee, "one person has at most 20 records in a cell", Basis::enforced);
    expect_basis(guarantee, "one person has one identifier", Basis::declared);
    expect_basis(guarantee, "a value outside 0 to 65 is taken as the nearer", Basis::enforced);
    expect_basis(guarantee, "the list of places, the span of time and the slots come from the job", Basis::enforced);
    expect_basis(guarantee, "the job was written without looking at the data", Basis::declared);
    expect_basis(guarantee, "the noise is exact", Basis::enforced);
    EXPECT_FALSE(find(guarantee, "the formula of the paper"));
  }
}

TEST(CellGuarantee, SaysThatPresenceIsPublicWhereItIs) {
  const std::string_view presence = "where and when a person was, and with how many records, is public";
  const Guarantee values = guarantee_for(array_averaging());
  EXPECT_EQ(values.relation, Relation::replace_values);
  expect_basis(values, presence, Basis::declared);
  for (const CellMechanism* row : {&sum_over_count(), &registered_mean()})
    EXPECT_FALSE(find(guarantee_for(*row), presence));
  EXPECT_EQ(guarantee_for(sum_over_count()).relation, Relation::add_remove);
  EXPECT_EQ(guarantee_for(registered_mean()).relation, Relation::replace);
}

TEST(CellGuarantee, RegisteredPeopleAreTheCallersWord) {
  expect_basis(guarantee_for(registered_mean()), "everybody who may be there is one of 1000 registered people",
               Basis::declared);
  EXPECT_FALSE(find(guarantee_for(sum_over_count()), "everybody who may be there"));
}

TEST(CellGuarantee, ACapThatIsNotGivenIsNotClaimed) {
  CellRequest request = city();
  request.shape.max_records = std::nullopt;
  request.shape.max_cells = 1;
  const Guarantee guarantee = guarantee_for(array_averaging(), request);
  EXPECT_FALSE(find(guarantee, "one person has at most"));
  EXPECT_TRUE(find(guarantee, "one person is in at most 1 cell ("));
}

TEST(CellGuarantee, AClaimOfThePaperIsNotCertified) {
  CellRequest request = city();
  request.parameters["grouping"] = "wrap_around";
  EXPECT_NE(guarantee_for(array_averaging(), request).certificate, Certificate::as_published);
  request.analysis = accounting::Analysis::published;
  const Guarantee guarantee = guarantee_for(array_averaging(), request);
  EXPECT_EQ(guarantee.certificate, Certificate::as_published);
  expect_basis(guarantee, "the formula of the paper holds", Basis::declared);
  request.parameters["grouping"] = "best_fit";
  EXPECT_NE(guarantee_for(array_averaging(), request).certificate, Certificate::as_published)
      << "of best_fit the paper says what we say";
}

TEST(CellGuarantee, TheFirstSentenceSaysWhetherPresenceIsProtected) {
  const auto first = [](const CellMechanism& row) { return not_protected(value_of(row.prepare(city()))).front(); };
  EXPECT_TRUE(first(array_averaging()).starts_with("Where and when a person was is not protected"));
  EXPECT_TRUE(first(sum_over_count()).starts_with("Where and when a person was is protected"));
  EXPECT_TRUE(first(registered_mean()).starts_with("Where and when a person was is protected"));
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
