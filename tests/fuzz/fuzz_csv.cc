// Feeds arbitrary bytes to the readers of CSV: of records, and of fields as they are. Whatever comes in: no crash,
// errors have one line, and the outcome does not depend on how the bytes fall into windows and pieces.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "chronoveil/data/csv/source.h"
#include "chronoveil/data/field_rows.h"

namespace {

using namespace chronoveil;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz_csv: %s\n", what);
  std::abort();
}

class Pieces final : public data::ByteSource {
 public:
  Pieces(std::string_view text, std::size_t piece) : left_(text), piece_(piece) {}
  Result<std::size_t> read(char* to, std::size_t size) override {
    const std::size_t count = left_.copy(to, std::min(size, piece_));
    left_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view left_;
  std::size_t piece_;
};

// All that a reader learns from the text, as one string. With a measure, the third column is one, and a point, too.
std::string outcome(std::string_view text, bool header, bool measure, std::size_t piece, std::size_t window) {
  data::SourceSpec spec;
  spec.header = header;
  spec.user = header ? "u" : "1";
  spec.time = header ? "t" : "2";
  if (measure) {
    spec.measure = spec.longitude = spec.latitude = header ? "n" : "3";
  } else {
    spec.value = header ? "n" : "3";
  }
  auto source = data::open_csv(std::make_unique<Pieces>(text, piece), spec, window);
  if (!source) return source.error().text();
  std::string result;
  data::RecordBatch batch;
  for (;;) {
    const auto more = (*source)->next(batch);
    if (!more) {
      require(more.error().kind == ErrorKind::bad_data, "a refused row is not bad data");
      require(more.error().text().find('\n') == std::string::npos, "an error has more than one line");
      return more.error().text();
    }
    if (!*more) return result;
    for (std::size_t i = 0; i < batch.rows(); ++i) {
      require(!batch.user[i].empty(), "a record that must not be");
      result.append(batch.user[i]).append("|").append(std::to_string(batch.time[i])).append("|");
      if (measure) {
        require(std::isfinite(batch.measure[i]), "a value that must not be");
        require(batch.longitude[i] == batch.measure[i] && batch.latitude[i] == batch.measure[i],
                "one text is two numbers");
        result.append(std::to_string(batch.measure[i])).append("\n");
      } else {
        require(batch.value[i] >= 0, "a count that must not be");
        result.append(std::to_string(batch.value[i])).append("\n");
      }
    }
  }
}

// All fields, and apart from them how it ended.
struct Fields {
  std::string text, error;
};

Fields fields_of(std::string_view text, bool header, data::RowsFrom from, std::size_t piece, std::size_t window) {
  data::FieldRowsSpec spec;
  spec.header = header;
  const auto rows = data::read_field_rows(std::make_unique<Pieces>(text, piece), spec, from, {}, window);
  if (!rows) return {"", rows.error().text()};
  Fields result;
  const std::size_t columns = (*rows)->columns().size();
  require(columns > 0, "no columns");
  for (const std::string& name : (*rows)->columns()) result.text.append(name).append("\x01");
  for (;;) {
    const auto fields = (*rows)->next();
    if (!fields) {
      require(fields.error().kind == ErrorKind::bad_data, "a refused row is not bad data");
      require(fields.error().text().find('\n') == std::string::npos, "an error has more than one line");
      result.error = fields.error().text();
      return result;
    }
    if (fields->empty()) return result;
    require(fields->size() == columns, "a row has other fields than the first one");
    for (const std::string_view field : *fields) result.text.append(field).append("\x01");
  }
}

void check_fields(std::string_view text, bool header, std::size_t piece) {
  const Fields whole = fields_of(text, header, data::RowsFrom::file, std::size_t{1} << 20, std::size_t{1} << 16);
  const Fields cut = fields_of(text, header, data::RowsFrom::file, piece, 64);
  require(cut.text == whole.text && cut.error == whole.error, "fields depend on where the windows end");
  const Fields stream = fields_of(text, header, data::RowsFrom::stream, piece, 64);
  const Fields at_once = fields_of(text, header, data::RowsFrom::stream, std::size_t{1} << 20, std::size_t{1} << 16);
  require(stream.text == at_once.text && stream.error == at_once.error, "a stream depends on where its pieces end");
  // A stream refuses a last line without end, and is like a file in all else.
  require(whole.text.starts_with(stream.text), "a stream has other fields than a file");
  const bool cut_off = stream.error.find("ended in the middle of a line") != std::string::npos;
  require(cut_off || (stream.text == whole.text && stream.error == whole.error), "a stream ends unlike a file");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const bool header = data[0] % 2 == 0;
  const bool measure = data[0] / 2 % 2 == 1;
  const std::size_t piece = 1 + data[0] / 4;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = outcome(text, header, measure, std::size_t{1} << 20, std::size_t{1} << 16);
  require(outcome(text, header, measure, piece, 64) == whole, "the outcome depends on where the windows end");
  check_fields(text, header, piece);
  return 0;
}
