// The window on a CSV in which its rows are found. source.h says what a CSV may be.
//   Files    a last line without end is a row
//   Streams  a row is found as soon as the end of its line was read; a last line without end may have been cut off: it
//            is bad_data, after all rows before it
//   Memory   the window, or twice the longest row
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/data/csv/byte_source.h"
#include "chronoveil/data/csv/scanner.h"

namespace chronoveil::data {

class CsvWindow {
 public:
  // Without a delimiter the first line, a header, shows it.
  CsvWindow(std::unique_ptr<ByteSource>, std::optional<char> delimiter, std::size_t window);
  // From here on this is a stream. `before_wait`, if any, is called before every read after the first row.
  void be_stream(std::function<void()> before_wait);

  // The number of fields of the first line (header or first row), which stays unread. Without any line, an error if
  // there must be a header; else 0, an input without rows, since whether anybody is in the data must not decide whether
  // there is a release.
  Result<std::size_t> open(bool header);
  // The names in the header, which is left behind.
  Result<std::vector<std::string>> take_header();

  char delimiter() const { return *delimiter_; }  // once it is open
  std::size_t columns() const { return columns_; }
  std::int64_t rows() const { return rows_; }                // left behind so far
  std::int64_t other_lines() const { return other_lines_; }  // the header, and empty lines

  // If rows have one field, empty lines are rows with one empty field.
  void keep_empty_lines() { keeps_empty_lines_ = true; }

  // Whether a whole row lies in the window; then it has fields() fields. Skips empty lines unless they are kept.
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
      if (keeps_empty_lines_ && columns_ == 1) return true;
      leave_line();
      ++other_lines_;
    }
  }
  // The same, reading on as needed: texts of earlier rows are no longer valid. False at the end.
  Result<bool> find_row();

  std::size_t fields() const { return row_marks_; }
  // The text of a field of the row that is here. False when it is not well formed; then problem() says why.
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
  const std::string& problem() const { return problem_; }
  // Goes on to the next row; the texts of this one stay valid until find_row().
  void leave_row() {
    leave_line();
    ++rows_;
  }

  // "row 17 (line 20): why", for the row that is here or could not be found.
  Failure bad_row(std::string_view why) const;

 private:
  Result<void> skip_byte_order_mark();
  Result<void> find_delimiter();
  void make_room();
  Result<void> read_more();
  void scan();
  void leave_line() {
    begin_ = std::size_t{marks_[next_mark_ + row_marks_ - 1]} + 1;
    next_mark_ += row_marks_;
  }
  bool quoted_field(char* from, char* to, std::string_view& text);
  std::int64_t line_of_row() const;

  std::unique_ptr<ByteSource> bytes_;
  std::optional<char> delimiter_;
  CsvScanner scanner_;
  bool stream_ = false, keeps_empty_lines_ = false;
  std::function<void()> before_wait_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;             // of the next row
  std::size_t scanned_ = 0;           // up to where the scanner came
  std::size_t end_ = 0;               // of what was read
  bool ended_ = false;                // the bytes
  bool cut_off_ = false;              // in the middle of a line, and this is a stream
  std::vector<std::uint32_t> marks_;  // offsets of separators in the window
  std::size_t next_mark_ = 0;         // the first that belongs to the next row
  std::size_t row_marks_ = 0;         // how many belong to it
  std::size_t columns_ = 0;           // 0: not known yet
  std::int64_t rows_ = 0;
  std::int64_t other_lines_ = 0;  // the header and lines without a byte
  std::string problem_;
};

}  // namespace chronoveil::data
