// Rows in memory, as columns: what a program hands over instead of a file or a database. Nothing is copied: the caller
// keeps the rows unchanged for as long as a job may read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace chronoveil::data {

// Moments, in milliseconds since 1970-01-01T00:00Z. A time may also be a text, or a number of seconds or milliseconds:
// it is then read by source.time_format and source.zone, as in a CSV.
struct Instants {
  std::span<const std::int64_t> milliseconds;
};

// What the clocks of source.zone showed, in milliseconds since they showed 1970-01-01T00:00. A time that they skipped
// is refused, one that they showed twice is the earlier, as in a CSV.
struct LocalTimes {
  std::span<const std::int64_t> milliseconds;
};

using Cells = std::variant<std::span<const std::int64_t>, std::span<const double>, std::span<const std::string>,
                           std::span<const std::string_view>, Instants, LocalTimes, std::span<const std::uint64_t>,
                           std::span<const float>>;

struct Column {
  // `present`: one bit per row, the lowest of a byte first, as in Arrow; if empty, every cell is there. A missing cell
  // is an error that names the column and the row, never a value.
  Column(std::string called, Cells held, std::span<const std::uint8_t> present = {})
      : name(std::move(called)), cells(held), valid(present) {}
  // A temporary would be gone before anybody reads it.
  template <class T>
  Column(std::string, std::vector<T>&&, std::span<const std::uint8_t> = {}) = delete;

  std::size_t rows() const;

  std::string name;
  Cells cells;
  std::span<const std::uint8_t> valid;
};

// Columns of one length.
using Batch = std::vector<Column>;

// At least one batch, and in each of them columns of the same names. Rows are counted from 1, over all batches.
struct Table {
  std::vector<Batch> batches;
};

// The text that stands for a real in a job: the fewest digits that read back, without an exponent where 32 characters
// are enough for that. For those who make texts of cells of several types.
std::string text_of_number(double);

}  // namespace chronoveil::data
