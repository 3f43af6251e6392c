#include <utility>

#include "chronoveil/data/byte_source.h"
#include "chronoveil/data/csv_source.h"
#include "chronoveil/data/record_source.h"
#include "chronoveil/data/sql_source.h"

namespace chronoveil::data {

Result<std::unique_ptr<RecordSource>> open_source(const SourceSpec& spec) {
  switch (spec.kind) {
    case SourceKind::csv: {
      CV_TRY(std::unique_ptr<ByteSource> file, open_file(spec.path));
      CV_TRY(std::unique_ptr<ByteSource> bytes, decompress_if_needed(std::move(file)));
      return open_csv(std::move(bytes), spec);
    }
    case SourceKind::sqlite: return open_sqlite(spec);
    case SourceKind::postgresql: return open_postgres(spec);
  }
  return fail(ErrorKind::internal, "a kind of source that does not exist");
}

}  // namespace chronoveil::data
