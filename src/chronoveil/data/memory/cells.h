// Cells of memory as the texts that a CSV of the same table would hold. So what a job takes and refuses is the same for
// every kind of source, and equal tables give equal releases.
//   integers   their digits
//   reals      the fewest digits that read back, without an exponent where 32 characters are enough for that
//   texts      as they are; a NUL byte is refused
//   instants   2026-03-01T12:30:15Z, with .250 where there are milliseconds; years kFirstYear to kLastYear
//   local      the same without Z
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "chronoveil/base/result.h"
#include "chronoveil/data/memory/table.h"

namespace chronoveil::data {

// Room for the text of a cell that is not a text itself.
using CellRoom = std::array<char, 32>;

// False if the cell has no text, with a problem that never quotes a value.
bool read_cell(const Column&, std::size_t row, CellRoom&, std::string_view& text, std::string& problem);

std::string_view digits_of(std::int64_t, CellRoom&);

inline bool is_text(const Column& column) {
  return std::holds_alternative<std::span<const std::string>>(column.cells) ||
         std::holds_alternative<std::span<const std::string_view>>(column.cells);
}
inline bool is_present(const Column& column, std::size_t row) {
  return column.valid.empty() || (column.valid[row / 8] >> (row % 8) & 1) != 0;
}
// Also a real that is no number.
bool is_missing(const Column&, std::size_t row);

// Checks that all columns, and their bits of presence, are of one length. Errors are usage; they do not say how many
// rows there are.
Result<void> check_batch(const Batch&);
// The same for every batch, and that all have the columns of the first.
Result<void> check_table(const Table&);
std::vector<std::string> names_of(const Batch&);

}  // namespace chronoveil::data
