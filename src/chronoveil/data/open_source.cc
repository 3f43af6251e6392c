#include <utility>

#include "chronoveil/data/arrow/stream.h"
#include "chronoveil/data/csv/byte_source.h"
#include "chronoveil/data/csv/source.h"
#include "chronoveil/data/memory/source.h"
#include "chronoveil/data/record_source.h"
#include "chronoveil/data/sql/source.h"

namespace chronoveil::data {
namespace {

// Without a header the first row, which is somebody's, says how many columns there are: a job that chooses the
// delimiter could find out how often any byte is in it. So nothing is read before the first next().
class CsvWithoutHeader final : public RecordSource {
 public:
  CsvWithoutHeader(std::unique_ptr<ByteSource> file, SourceSpec spec)
      : file_(std::move(file)), spec_(std::move(spec)) {}

  Result<bool> next(RecordBatch& batch) override {
    if (file_ != nullptr) {
      CV_TRY(std::unique_ptr<ByteSource> bytes, decompress_if_needed(std::move(file_)));
      CV_TRY(rows_, open_csv(std::move(bytes), spec_));
    }
    return rows_->next(batch);
  }

 private:
  std::unique_ptr<ByteSource> file_;  // until it is read
  SourceSpec spec_;
  std::unique_ptr<RecordSource> rows_;
};

Result<std::unique_ptr<RecordSource>> open_csv_file(const SourceSpec& spec) {
  CV_TRY(std::unique_ptr<ByteSource> file, open_file(spec.path));
  if (!spec.header) {
    CV_CHECK(check_without_header(spec));
    return std::make_unique<CsvWithoutHeader>(std::move(file), spec);
  }
  CV_TRY(std::unique_ptr<ByteSource> bytes, decompress_if_needed(std::move(file)));
  return open_csv(std::move(bytes), spec);
}

}  // namespace

Result<std::unique_ptr<RecordSource>> open_source(const SourceSpec& spec) {
  switch (spec.kind) {
    case SourceKind::csv: return open_csv_file(spec);
    case SourceKind::sqlite: return open_sqlite(spec);
    case SourceKind::postgresql: return open_postgres(spec);
    case SourceKind::memory: return spec.stream != nullptr ? open_arrow(spec) : open_memory(spec);
  }
  return fail(ErrorKind::internal, "a kind of source that does not exist");
}

}  // namespace chronoveil::data
