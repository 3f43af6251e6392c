#include "chronoveil/engine/perturb/kept_rows.h"

#include <gtest/gtest.h>

namespace chronoveil::engine {
namespace {

// Rows from a list, and an error after the last where there is to be one.
class ListedRows final : public data::FieldRows {
 public:
  explicit ListedRows(std::vector<std::vector<std::string>> rows, bool breaks = false)
      : rows_(std::move(rows)), breaks_(breaks) {}
  const std::vector<std::string>& columns() const override { return columns_; }
  Result<std::span<const std::string_view>> next() override {
    if (at_ == rows_.size() && breaks_) return fail(ErrorKind::bad_data, "row 3: broken");
    fields_.clear();
    if (at_ < rows_.size()) fields_.assign(rows_[at_].begin(), rows_[at_].end());
    if (at_ < rows_.size()) ++at_;
    return std::span<const std::string_view>(fields_);
  }
  std::int64_t rows() const override { return static_cast<std::int64_t>(at_); }

 private:
  std::vector<std::string> columns_{"a", "b"};
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::string_view> fields_;
  std::size_t at_ = 0;
  bool breaks_;
};

TEST(KeptRows, AreHandedOutAsTheyCameAsOftenAsAsked) {
  const std::vector<std::vector<std::string>> rows{{"1", ""}, {"", "two, with a comma"}, {"x", "y"}};
  ListedRows from(rows);
  Result<KeptRows> kept = KeptRows::of(from);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->columns(), from.columns());
  for (int time = 0; time < 2; ++time) {
    for (const std::vector<std::string>& row : rows) {
      const std::span<const std::string_view> fields = kept->next().value();
      EXPECT_EQ(std::vector<std::string>(fields.begin(), fields.end()), row);
    }
    EXPECT_TRUE(kept->next().value().empty());
    EXPECT_EQ(kept->rows(), 3);
    kept->rewind();
  }
}

TEST(KeptRows, AnErrorOfTheRowsIsTheirs) {
  ListedRows from({{"1", "2"}}, true);
  const Result<KeptRows> kept = KeptRows::of(from);
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().text(), "row 3: broken");
}

}  // namespace
}  // namespace chronoveil::engine
