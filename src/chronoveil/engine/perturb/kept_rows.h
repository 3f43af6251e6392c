// Rows of a CSV that were read to the end, to be gone through more than once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chronoveil/data/field_rows.h"

namespace chronoveil::engine {

class KeptRows final : public data::FieldRows {
 public:
  // Reads all that is left.
  static Result<KeptRows> of(data::FieldRows& from);

  const std::vector<std::string>& columns() const override { return columns_; }
  Result<std::span<const std::string_view>> next() override;
  std::int64_t rows() const override { return handed_out_; }
  void rewind();

 private:
  std::vector<std::string> columns_;
  std::string text_;                // of all fields
  std::vector<std::size_t> ends_;   // of each field in it
  std::vector<std::size_t> lasts_;  // for each row: the number of fields up to its end
  std::vector<std::string_view> fields_;
  std::int64_t handed_out_ = 0;
};

}  // namespace chronoveil::engine
