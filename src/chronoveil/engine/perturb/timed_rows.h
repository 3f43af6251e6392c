// Rows on their way through a check, which tells the owner the times of the first and of the last one, as written there.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "chronoveil/data/field_rows.h"

namespace chronoveil::engine {

class TimedRows final : public data::FieldRows {
 public:
  TimedRows(std::unique_ptr<data::FieldRows> rows, std::optional<std::size_t> time)
      : rows_(std::move(rows)), time_(time) {}

  const std::vector<std::string>& columns() const override { return rows_->columns(); }
  Result<void> use(const std::vector<std::size_t>& columns) override { return rows_->use(columns); }
  Result<std::span<const std::string_view>> next() override {
    CV_TRY(const std::span<const std::string_view> fields, rows_->next());
    if (!time_ || fields.size() <= *time_) return fields;
    last_ = fields[*time_];
    if (rows_->rows() == 1) first_ = last_;
    return fields;
  }
  std::int64_t rows() const override { return rows_->rows(); }
  char delimiter() const override { return rows_->delimiter(); }

  const std::string& first() const { return first_; }
  const std::string& last() const { return last_; }

 private:
  std::unique_ptr<data::FieldRows> rows_;
  std::optional<std::size_t> time_;
  std::string first_, last_;
};

}  // namespace chronoveil::engine
