// Rows in memory as a source of records, and as rows of fields: the same rules as for a CSV, see cells.h.
//   Opening   looks at names and lengths, never at a cell
//   Refused   a missing cell (except a measure that may be missing, and then is no number either), a NUL byte, and what
//             is refused in a CSV
#pragma once

#include <memory>
#include <memory_resource>
#include <string>
#include <vector>

#include "chronoveil/data/field_rows.h"
#include "chronoveil/data/memory/cells.h"
#include "chronoveil/data/memory/columns.h"
#include "chronoveil/data/record_source.h"
#include "chronoveil/data/row_decoder.h"

namespace chronoveil::data {

Result<std::unique_ptr<RecordSource>> open_memory(const SourceSpec&);
Result<std::unique_ptr<FieldRows>> open_memory_rows(std::shared_ptr<const Table>);

// "row 3: column n: null", as every source of rows in memory says it.
Failure bad_row(std::int64_t row, const std::string& why);

// Batches to records: by columns, or row by row where that does not go.
class BatchDecoder {
 public:
  static Result<BatchDecoder> make(const SourceSpec&);

  // The batch of the next rows; it must outlive them. Errors are usage, and bad_data for a missing column.
  Result<void> open(const Batch&);
  // Empties the records. Views of earlier ones are no longer valid.
  void begin(RecordBatch&, std::int64_t first_row);
  // Appends a row; if false, problem() says why and the records are unchanged.
  bool add(std::size_t row, RecordBatch&);
  // Appends the rows from `first` to before `end` to empty records, or those before the first that is refused, and says
  // how many it appended.
  std::size_t fill(std::size_t first, std::size_t end, RecordBatch&);
  const std::string& problem() const { return problem_; }
  // Knows which columns are wanted.
  const RowDecoder& rows() const { return texts_; }

 private:
  BatchDecoder(bool may_be_missing, ColumnDecoder columns, RowDecoder texts, RowDecoder instants, RowDecoder local)
      : may_be_missing_(may_be_missing),
        columns_(std::move(columns)),
        texts_(std::move(texts)),
        instants_(std::move(instants)),
        local_(std::move(local)) {}
  std::string_view keep(std::string_view text);

  bool may_be_missing_;  // of a measure
  ColumnDecoder columns_;
  RowDecoder texts_, instants_, local_;  // for times that are texts or numbers, instants, or local times
  const Batch* batch_ = nullptr;
  std::vector<ColumnPlace> places_;
  std::vector<CellRoom> rooms_;                           // by place
  RowDecoder BatchDecoder::*by_ = &BatchDecoder::texts_;  // which of the three, by the times of the batch
  std::string problem_;
  std::unique_ptr<std::pmr::monotonic_buffer_resource> kept_ =
      std::make_unique<std::pmr::monotonic_buffer_resource>(std::size_t{64} << 10);  // for names that are not texts
};

}  // namespace chronoveil::data
