// An Arrow stream as the rows of a job: read batch by batch, once; or often, by what reads its rows more than once.
//   Opening   looks at the schema, never at a batch: no batch is asked for before the first row is read
//   Memory    one batch of the producer, and kBatchRows rows in columns; of a stream that is read often, all of it
//   Release   each batch before the next is asked for, the stream at its end or with its first error; of one that is
//             read often, the batches with the last reader
//   Errors    storage if the producer fails: its own words are left out, since they may quote data
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "chronoveil/data/arrow/columns.h"
#include "chronoveil/data/arrow/owned.h"
#include "chronoveil/data/field_rows.h"
#include "chronoveil/data/record_source.h"

namespace chronoveil::data {

class ArrowStream {
 public:
  enum class Reads { once, often };

  // Takes the stream over and asks it for its schema.
  static Result<std::shared_ptr<ArrowStream>> take(ArrowArrayStream&, Reads = Reads::once);

  const std::vector<ArrowColumn>& columns() const { return columns_; }
  // A usage error once somebody began to read it, unless it is read often.
  Result<void> check_unread() const;
  Result<void> begin();  // at the first batch
  // None at the end.
  Result<Owned<ArrowArray>> next();

 private:
  Owned<ArrowArrayStream> stream_;
  std::vector<ArrowColumn> columns_;
  Reads reads_ = Reads::once;
  bool begun_ = false;
  int error_ = 0;  // of the producer: whoever reads again must not take what came before for all
  std::vector<std::shared_ptr<Owned<ArrowArray>>> kept_;  // of one that is read often
  std::size_t next_ = 0;                                  // of them
};

Result<std::unique_ptr<RecordSource>> open_arrow(const SourceSpec&);
// `missing`: what becomes of a cell that is null, or a real that is not a number.
enum class MissingCell { refused, empty };
Result<std::unique_ptr<FieldRows>> open_arrow_rows(std::shared_ptr<ArrowStream>,
                                                   MissingCell missing = MissingCell::refused);

}  // namespace chronoveil::data
