// A table that leaves as an Arrow stream of one record batch. It owns what it hands out: a stream, a schema, a batch or
// a column that somebody moved out of it keeps the table alive until it is released.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "chronoveil/base/arrow_abi.h"

namespace chronoveil {

class ArrowTable {
 public:
  // large_utf8. `text_at(row)` is a string or a view.
  template <class TextAt>
  void add_texts(std::string name, std::size_t rows, const TextAt& text_at) {
    Column& column = add(std::move(name), "U", rows);
    std::vector<std::int64_t> ends{0};
    for (std::size_t row = 0; row < rows; ++row) {
      column.text += text_at(row);
      ends.push_back(static_cast<std::int64_t>(column.text.size()));
    }
    column.cells = std::move(ends);
  }
  // NaN is null: no release has one that is a value.
  void add_reals(std::string name, std::vector<double> numbers);
  void add_bools(std::string name, const std::vector<bool>& bits);
  // In milliseconds since 1970-01-01T00:00Z, with the zone by whose clocks they are shown.
  void add_instants(std::string name, std::vector<std::int64_t> milliseconds, const std::string& zone);
  // Since 1970-01-01.
  void add_days(std::string name, std::vector<std::int32_t> days);

  // All columns have one length.
  static void hand_out(ArrowTable table, ArrowArrayStream* out);

  struct Column {
    std::string name, format;
    std::int64_t rows = 0, nulls = 0;
    std::vector<std::uint8_t> present = {};  // bits; empty if no cell is null
    std::variant<std::vector<std::int64_t>, std::vector<std::int32_t>, std::vector<double>, std::vector<std::uint8_t>>
        cells = {};         // of texts: where each ends, after a 0
    std::string text = {};  // of texts
  };
  const std::vector<Column>& columns() const { return columns_; }

 private:
  Column& add(std::string name, std::string format, std::size_t rows);
  std::vector<Column> columns_;
};

}  // namespace chronoveil
