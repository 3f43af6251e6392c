#include "chronoveil/ledger/receipt.h"

#include <type_traits>

#include "fixtures.h"

namespace chronoveil::ledger::testing {
namespace {

static_assert(!std::is_copy_constructible_v<Receipt> && !std::is_copy_assignable_v<Receipt>);
static_assert(!std::is_default_constructible_v<Receipt>);
static_assert(std::is_nothrow_move_constructible_v<Receipt>);

class ReceiptTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(ledger_.create(dataset("city", 1))); }
  Ledger ledger_ = value_of(Ledger::open(":memory:"));
};

TEST_F(ReceiptTest, CoversExactlyItsEvent) {
  EXPECT_TRUE(redeem(value_of(ledger_.reserve(terms("city"), pure(0.1))), pure(0.1)));
  EXPECT_FALSE(redeem(value_of(ledger_.reserve(terms("city"), pure(0.1))), pure(0.05)));
  EXPECT_FALSE(redeem(value_of(ledger_.reserve(terms("city"), pure(0.1))), pure(0.1, 2)));
  EXPECT_FALSE(redeem(value_of(ledger_.reserve(terms("city"), pure(0.1))), {accounting::Laplace{10}}));
}

TEST_F(ReceiptTest, IsUsedUpEvenByARefusal) {
  Receipt receipt = value_of(ledger_.reserve(terms("city"), pure(0.1)));
  EXPECT_FALSE(redeem(std::move(receipt), pure(0.2)));
  EXPECT_FALSE(redeem(std::move(receipt), pure(0.1)));
  Receipt moved_from = value_of(ledger_.reserve(terms("city"), pure(0.1)));
  Receipt moved_to = std::move(moved_from);
  EXPECT_FALSE(redeem(std::move(moved_from), pure(0.1)));
  EXPECT_TRUE(redeem(std::move(moved_to), pure(0.1)));
}

}  // namespace
}  // namespace chronoveil::ledger::testing
