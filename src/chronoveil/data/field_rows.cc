#include "chronoveil/data/field_rows.h"

#include <sys/stat.h>

#include <utility>

#include "chronoveil/data/arrow/stream.h"
#include "chronoveil/data/csv/form.h"
#include "chronoveil/data/csv/pipe_source.h"
#include "chronoveil/data/csv/source.h"
#include "chronoveil/data/csv/window.h"
#include "chronoveil/data/memory/source.h"

namespace chronoveil::data {
namespace {

class CsvFieldRows final : public FieldRows {
 public:
  explicit CsvFieldRows(CsvWindow window) : window_(std::move(window)) {}

  Result<void> open(bool header) {
    CV_TRY(const std::size_t columns, window_.open(true));
    fields_.resize(columns);
    // A missing value is a value: if its row were left out, exchanging two values would move all rows between.
    window_.keep_empty_lines();
    if (header) {
      CV_TRY(columns_, window_.take_header());
    } else {
      if (columns == 1 && window_.other_lines() > 0)
        return fail(ErrorKind::bad_data,
                    "row 1 (line 1): it is empty; give a header, or write \"\" for an empty value");
      for (std::size_t column = 1; column <= columns; ++column) columns_.push_back(std::to_string(column));
    }
    return {};
  }

  const std::vector<std::string>& columns() const override { return columns_; }

  Result<std::span<const std::string_view>> next() override {
    if (!window_.next_row_is_here()) {
      CV_TRY(const bool found, window_.find_row());
      if (!found) return std::span<const std::string_view>();
    }
    if (window_.fields() != fields_.size()) {
      return window_.bad_row(explain_fields(window_.fields(), fields_.size()));
    }
    for (std::size_t column = 0; column < fields_.size(); ++column) {
      if (!window_.field(column, fields_[column])) return window_.bad_row(window_.problem());
    }
    window_.leave_row();
    return std::span<const std::string_view>(fields_);
  }

  std::int64_t rows() const override { return window_.rows(); }
  char delimiter() const override { return window_.delimiter(); }

 private:
  CsvWindow window_;
  std::vector<std::string> columns_;
  std::vector<std::string_view> fields_;
};

}  // namespace

bool is_stream(const std::string& path) {
  struct stat found {};
  return path == "-" || (stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode));
}

Result<std::unique_ptr<FieldRows>> open_field_rows(const FieldRowsSpec& spec, std::function<void()> before_wait) {
  if (spec.stream != nullptr) return open_arrow_rows(spec.stream);
  if (spec.rows != nullptr || spec.path.empty()) return open_memory_rows(spec.rows);
  CV_CHECK(check_delimiter(spec.delimiter));  // before a stream is waited for
  const RowsFrom from = is_stream(spec.path) ? RowsFrom::stream : RowsFrom::file;
  CV_TRY(std::unique_ptr<ByteSource> bytes, from == RowsFrom::stream ? open_pipe(spec.path) : open_file(spec.path));
  CV_TRY(bytes, decompress_if_needed(std::move(bytes)));
  return read_field_rows(std::move(bytes), spec, from, std::move(before_wait), kWindow);
}

Result<void> check_field_rows(const FieldRowsSpec& spec) {
  if (spec.stream != nullptr) {
    CV_CHECK(open_arrow_rows(spec.stream));
    return {};
  }
  if (spec.rows != nullptr || spec.path.empty()) {
    CV_CHECK(open_memory_rows(spec.rows));
    return {};
  }
  CV_CHECK(check_delimiter(spec.delimiter));
  // A pipe's writer would take it for closed if it were opened and closed here.
  if (!is_stream(spec.path)) CV_CHECK(open_file(spec.path));
  return {};
}

Result<std::unique_ptr<FieldRows>> read_field_rows(std::unique_ptr<ByteSource> bytes, const FieldRowsSpec& spec,
                                                   RowsFrom from, std::function<void()> before_wait,
                                                   std::size_t window) {
  CV_CHECK(check_delimiter(spec.delimiter));
  CsvWindow rows(std::move(bytes), delimiter_known(spec.delimiter, spec.header), window);
  if (from == RowsFrom::stream) rows.be_stream(std::move(before_wait));
  auto reader = std::make_unique<CsvFieldRows>(std::move(rows));
  CV_CHECK(reader->open(spec.header));
  return reader;
}

}  // namespace chronoveil::data
