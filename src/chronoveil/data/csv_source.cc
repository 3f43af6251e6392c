#include "chronoveil/data/csv_source.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chronoveil/data/csv_form.h"
#include "chronoveil/data/csv_scanner.h"
#include "chronoveil/data/row_decoder.h"

namespace chronoveil::data {
namespace {

class CsvSource final : public RecordSource {
 public:
  CsvSource(std::unique_ptr<ByteSource> bytes, const SourceSpec& spec, RowDecoder decoder, std::size_t window)
      : bytes_(std::move(bytes)),
        decoder_(std::move(decoder)),
        scanner_(spec.delimiter),
        buffer_(std::max(window, kBlock) + 1) {}  // one more for the newline that a last line may lack

  Result<void> open(bool header) {
    CV_CHECK(skip_byte_order_mark());
    CV_TRY(const bool found, find_row());
    if (!found) return fail(ErrorKind::bad_data, std::string(kNoHeader));
    columns_ = row_marks_;
    if (!header) {
      CV_TRY(places_, place_numbers(decoder_, columns_));
      return {};
    }
    std::vector<std::string> names;
    names.reserve(columns_);
    for (std::size_t column = 0; column < columns_; ++column) {
      std::string_view name;
      if (!field(column, name)) return fail(ErrorKind::bad_data, "the header: " + problem_);
      names.emplace_back(name);
    }
    leave_row();
    ++other_lines_;
    CV_TRY(places_, place_columns(decoder_, names, "the header"));
    return {};
  }

  Result<bool> next(RecordBatch& batch) override {
    RowDecoder::begin(batch, rows_ + 1);
    RowFields fields;  // every row fills the same ones
    while (batch.rows() < kBatchRows) {
      if (!next_row_is_here()) {
        if (batch.rows() > 0) break;  // its views would not survive
        CV_TRY(const bool found, find_row());
        if (!found) return false;
      }
      if (row_marks_ != columns_) {
        return bad_row(explain_fields(row_marks_, columns_));
      }
      for (const ColumnPlace& place : places_) {
        if (!field(place.column, fields.*place.field)) return bad_row(problem_);
      }
      if (!decoder_.add(fields, batch)) return bad_row(decoder_.problem());
      leave_row();
      ++rows_;
    }
    return true;
  }

 private:
  // A byte order mark must not reach the scanner: a quote after it still opens a field.
  Result<void> skip_byte_order_mark() {
    while (end_ < kByteOrderMark.size() && !ended_) CV_CHECK(read_more());
    if (std::string_view(buffer_.data(), end_).starts_with(kByteOrderMark)) begin_ = scanned_ = kByteOrderMark.size();
    scan();
    return {};
  }

  // Whether a whole row lies in the window from begin_ on; then it has row_marks_ fields. Skips empty lines.
  bool next_row_is_here() {
    for (;;) {
      // Nearly every row has as many fields as the first one.
      std::size_t count = columns_;
      const std::size_t left = marks_.size() - next_mark_;
      const std::uint32_t* const marks = marks_.data() + next_mark_;
      bool regular = count > 0 && left >= count && buffer_[marks[count - 1]] == '\n';
      for (std::size_t i = 0; regular && i + 1 < count; ++i) regular = buffer_[marks[i]] != '\n';
      if (!regular) {
        count = 0;
        while (count < left && buffer_[marks[count]] != '\n') ++count;
        if (count++ == left) return false;
      }
      row_marks_ = count;
      if (count != 1) return true;
      const std::size_t length = marks[0] - begin_;
      if (length > 1 || (length == 1 && buffer_[begin_] != '\r')) return true;
      leave_row();
      ++other_lines_;
    }
  }

  // The same, reading on as needed. False at the end.
  Result<bool> find_row() {
    while (!next_row_is_here()) {
      if (scanner_.fault() != CsvFault::none) return bad_row(explain(scanner_.fault()));
      if (ended_) return false;  // and all was scanned
      make_room();
      if (end_ + 1 == buffer_.size()) {
        return bad_row(explain_length());
      }
      CV_CHECK(read_more());
      scan();
    }
    return true;
  }

  // Moves what is left of the window to its beginning, and lets it grow when a row fills it.
  void make_room() {
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      marks_.erase(marks_.begin(), marks_.begin() + static_cast<std::ptrdiff_t>(next_mark_));
      for (std::uint32_t& mark : marks_) mark -= static_cast<std::uint32_t>(begin_);
      next_mark_ = 0;
      end_ -= begin_;
      scanned_ -= begin_;
      begin_ = 0;
    }
    if (end_ + 1 == buffer_.size() && end_ < kLongestRow) {
      buffer_.resize(std::min(2 * (buffer_.size() - 1), kLongestRow) + 1);
    }
  }

  Result<void> read_more() {
    const auto got = bytes_->read(buffer_.data() + end_, buffer_.size() - 1 - end_);
    if (!got) {
      const std::string where = rows_ == 0 ? "before the first row" : "after row " + std::to_string(rows_);
      return fail(got.error().kind, got.error().message + " (" + where + ")");
    }
    end_ += *got;
    ended_ = *got == 0;
    return {};
  }

  void scan() {
    scanned_ = scanner_.scan(buffer_.data(), scanned_, end_, ended_, marks_);
    if (!ended_ || scanner_.fault() != CsvFault::none) return;
    // The last line may lack its end.
    std::size_t last = begin_;
    bool has_end = true;
    if (!marks_.empty()) {
      last = std::size_t{marks_.back()} + 1;
      has_end = buffer_[marks_.back()] == '\n';
    }
    if (last < end_ || !has_end) {
      buffer_[end_] = '\n';
      marks_.push_back(static_cast<std::uint32_t>(end_));
    }
  }

  void leave_row() {
    begin_ = std::size_t{marks_[next_mark_ + row_marks_ - 1]} + 1;
    next_mark_ += row_marks_;
  }

  // The text of a field of the row at begin_. False when it is not well formed; then problem_ says why.
  bool field(std::size_t column, std::string_view& text) {
    const std::uint32_t* const marks = marks_.data() + next_mark_;
    char* from = buffer_.data() + (column == 0 ? begin_ : std::size_t{marks[column - 1]} + 1);
    char* to = buffer_.data() + marks[column];
    if (column + 1 == row_marks_ && to > from && to[-1] == '\r') --to;
    if (from == to || *from != '"') [[likely]] {
      text = {from, static_cast<std::size_t>(to - from)};
      return true;
    }
    return quoted_field(from + 1, to, text);
  }

  bool quoted_field(char* from, char* to, std::string_view& text) {
    if (to == from || to[-1] != '"') {
      problem_ = explain(CsvFault::text_after_quote);
      return false;
    }
    text = unescape(from, to - 1);  // the scanner has seen that inner quotes come in pairs
    return true;
  }

  Failure bad_row(std::string_view why) const {
    const std::int64_t line = line_of_row();
    if (columns_ == 0) return fail(ErrorKind::bad_data, "line " + std::to_string(line) + ": " + std::string(why));
    std::string where = "row " + std::to_string(rows_ + 1);
    if (line != rows_ + 1) where += " (line " + std::to_string(line) + ")";
    return fail(ErrorKind::bad_data, where + ": " + std::string(why));
  }

  // Lines of the file, from 1: those of the rows before this one, and those inside their quotes.
  std::int64_t line_of_row() const {
    const auto newlines = std::count(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                                     buffer_.begin() + static_cast<std::ptrdiff_t>(std::max(begin_, scanned_)), '\n');
    const auto ends = std::count_if(marks_.begin() + static_cast<std::ptrdiff_t>(next_mark_), marks_.end(),
                                    [&](std::uint32_t mark) { return mark < scanned_ && buffer_[mark] == '\n'; });
    return rows_ + other_lines_ + 1 + scanner_.quoted_newlines() - (newlines - ends);
  }

  std::unique_ptr<ByteSource> bytes_;
  RowDecoder decoder_;
  CsvScanner scanner_;
  std::vector<char> buffer_;          // the window on the file
  std::size_t begin_ = 0;             // of the next row
  std::size_t scanned_ = 0;           // up to where the scanner came
  std::size_t end_ = 0;               // of what was read
  bool ended_ = false;                // the bytes
  std::vector<std::uint32_t> marks_;  // offsets of separators in the window
  std::size_t next_mark_ = 0;         // the first that belongs to the next row
  std::size_t row_marks_ = 0;         // how many belong to it
  std::size_t columns_ = 0;           // 0: not known yet
  std::vector<ColumnPlace> places_;
  std::int64_t rows_ = 0;         // that went out
  std::int64_t other_lines_ = 0;  // the header and lines without a byte
  std::string problem_;
};

}  // namespace

Result<std::unique_ptr<RecordSource>> open_csv(std::unique_ptr<ByteSource> bytes, const SourceSpec& spec,
                                               std::size_t window) {
  CV_CHECK(check_delimiter(spec.delimiter));
  CV_TRY(RowDecoder decoder, RowDecoder::make(spec));
  auto source = std::make_unique<CsvSource>(std::move(bytes), spec, std::move(decoder), window);
  CV_CHECK(source->open(spec.header));
  return source;
}

}  // namespace chronoveil::data
