// Rows of an Arrow record batch as columns in memory, a part at a time: so the rules of memory/cells.h hold for them.
//   Text      stays where it is; the batch lives until the next one is opened
//   Numbers   are copied into columns of 64 bits, or of 32 for float32, a part at a time
//   Broken    lengths, offsets, indices and pointers are checked before they are followed, as far as the interface
//             tells how long a buffer is; the error is bad_data and names the column
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "chronoveil/data/arrow/columns.h"
#include "chronoveil/data/arrow/owned.h"
#include "chronoveil/data/memory/table.h"

namespace chronoveil::data {

class ArrowBatch {
 public:
  // `used`: which of the columns are read, at least one; the others are never looked at.
  ArrowBatch(std::vector<ArrowColumn> columns, std::vector<std::size_t> used);

  // The rows that come next. The batch before is released.
  Result<void> open(Owned<ArrowArray> batch);
  void close();
  // The next of them, at most so many, as the used columns in their order. Valid until the next call of either; empty
  // columns at the end.
  Result<const Batch*> next(std::size_t most);

 private:
  // The cells of a column in the part that was asked for last. Which vector holds them is up to the type.
  struct Part {
    // Where they are in the buffers, or in those of the dictionary: so many from there on if every cell is there, else
    // listed, and negative for nulls.
    std::int64_t first = 0, rows = 0;
    bool listed = false;
    std::vector<std::int64_t> places;
    std::vector<std::uint8_t> present;  // of listed ones
    std::vector<std::int64_t> numbers;  // and times
    std::vector<std::uint64_t> large;
    std::vector<double> reals;
    std::vector<float> singles;
    std::vector<std::string_view> texts;
  };

  Result<void> check_batch(const ArrowArray& batch) const;
  Result<void> check_column(const ArrowColumn& column, const ArrowArray& batch) const;
  // Finds the places of the cells.
  Result<void> find(const ArrowColumn& column, const ArrowArray& array, std::int64_t rows, Part& part) const;
  Result<Cells> fill(const ArrowColumn& column, const ArrowArray& values, Part& part) const;
  template <class Offset>
  Result<void> fill_texts(const ArrowColumn& column, const ArrowArray& values, Part& part) const;
  Result<void> fill_views(const ArrowColumn& column, const ArrowArray& values, Part& part) const;

  std::vector<ArrowColumn> columns_;
  std::vector<std::size_t> used_;
  std::vector<Part> parts_;  // one per used column
  Owned<ArrowArray> batch_;
  std::int64_t row_ = 0;
  Batch rows_;
};

}  // namespace chronoveil::data
