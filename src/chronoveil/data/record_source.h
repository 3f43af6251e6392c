// Records as they come in: who, when, where, how many. A source is read once, batch by batch, in bounded memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/data/source_spec.h"

namespace chronoveil::data {

// Columns of equal length; absent ones are empty. Views are valid until the next call.
struct RecordBatch {
  std::vector<std::string_view> user;
  std::vector<std::int64_t> time;  // milliseconds since 1970-01-01T00:00Z
  std::vector<std::string_view> series;
  std::vector<std::int64_t> value;
  std::vector<double> measure;              // finite, or NaN where the source may lack it
  std::vector<double> longitude, latitude;  // finite
  std::int64_t first_row = 0;               // the number of the first row, counted from 1 without the header
  std::size_t per_row = 1;                  // records that a row of the source makes

  std::size_t rows() const { return time.size(); }
  // The number of the row that a record comes from.
  std::int64_t row_of(std::size_t record) const { return first_row + static_cast<std::int64_t>(record / per_row); }
};

class RecordSource {
 public:
  virtual ~RecordSource() = default;
  // Fills the batch; false at the end. Errors are bad_data, storage or interrupted; they name the row, never a value.
  virtual Result<bool> next(RecordBatch&) = 0;
  // Of a CSV whose delimiter is not given: the one that its header shows.
  virtual std::optional<char> shown_delimiter() const { return std::nullopt; }
};

// Opens the source and checks that every named column is there, as far as can be told without looking at a value: a CSV
// without a header is looked at with the first next().
Result<std::unique_ptr<RecordSource>> open_source(const SourceSpec&);

}  // namespace chronoveil::data
