// Records from the columns of a batch, a whole column before the next: quicker than row by row. It gives
// the records that RowDecoder gives, or none: whatever it does not understand at once (a missing cell, a real of 32
// bits, a time that the clocks skipped, ...) is left to who reads row by row, and so are errors, whose words and whose
// order are then those of every other source.
#pragma once

#include <cstddef>
#include <functional>
#include <memory_resource>
#include <span>
#include <string_view>
#include <utility>

#include "chronoveil/data/memory/table.h"
#include "chronoveil/data/record_source.h"
#include "chronoveil/data/row_decoder.h"
#include "chronoveil/data/time/reader.h"

namespace chronoveil::data {

class ColumnDecoder {
 public:
  static Result<ColumnDecoder> make(const SourceSpec&);

  // Fills empty records with the rows from `first` to before `end`, or leaves them empty and says false. `kept` holds
  // names that are not texts.
  bool fill(const Batch&, std::span<const ColumnPlace>, std::size_t first, std::size_t end,
            std::pmr::memory_resource& kept, RecordBatch&);

 private:
  ColumnDecoder(const SourceSpec& spec, TimeReader times)
      : times_(std::move(times)),
        by_pattern_(spec.time_format.find('%') != std::string::npos),
        needs_place_(spec.measure.has_value()),
        may_be_missing_(spec.measure_may_be_missing),
        key_of_point_(spec.key_of_point) {}
  bool fill_column(const Column&, const ColumnPlace&, std::size_t first, std::size_t end,
                   std::pmr::memory_resource& kept, RecordBatch&);

  TimeReader times_;
  bool by_pattern_, needs_place_, may_be_missing_;
  std::function<std::string_view(double, double)> key_of_point_;
};

}  // namespace chronoveil::data
