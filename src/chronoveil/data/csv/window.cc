#include "chronoveil/data/csv/window.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "chronoveil/data/csv/form.h"

namespace chronoveil::data {

CsvWindow::CsvWindow(std::unique_ptr<ByteSource> bytes, std::optional<char> delimiter, std::size_t window)
    : bytes_(std::move(bytes)),
      delimiter_(delimiter),
      scanner_(delimiter.value_or(',')),
      buffer_(std::max(window, kBlock) + 1) {}  // one more for the newline that a last line may lack

void CsvWindow::be_stream(std::function<void()> before_wait) {
  stream_ = true;
  before_wait_ = std::move(before_wait);
}

Result<std::size_t> CsvWindow::open(bool header) {
  CV_CHECK(skip_byte_order_mark());
  if (!delimiter_) CV_CHECK(find_delimiter());
  scan();
  CV_TRY(const bool found, find_row());
  if (!found && !header) return 0;
  if (!found) return fail(ErrorKind::bad_data, std::string(kNoHeader));
  columns_ = row_marks_;
  return columns_;
}

Result<std::vector<std::string>> CsvWindow::take_header() {
  std::vector<std::string> names;
  names.reserve(columns_);
  for (std::size_t column = 0; column < columns_; ++column) {
    std::string_view name;
    if (!field(column, name)) return fail(ErrorKind::bad_data, "the header: " + problem_);
    names.emplace_back(name);
  }
  leave_line();
  ++other_lines_;
  return names;
}

// A byte order mark must not reach the scanner: a quote after it still opens a field.
Result<void> CsvWindow::skip_byte_order_mark() {
  const auto start = [&] { return std::string_view(buffer_.data(), end_); };
  while (!ended_ && end_ < kByteOrderMark.size() && kByteOrderMark.starts_with(start())) CV_CHECK(read_more());
  if (start().starts_with(kByteOrderMark)) begin_ = scanned_ = kByteOrderMark.size();
  return {};
}

// Reads on to the end of the header. If there is none, the scanner will say why.
Result<void> CsvWindow::find_delimiter() {
  const auto text = [&] { return std::string_view(buffer_.data() + begin_, end_ - begin_); };
  std::optional<std::string_view> header;
  while (!(header = header_in(text())) && !ended_) {
    make_room();
    if (end_ + 1 == buffer_.size()) break;
    CV_CHECK(read_more());
  }
  delimiter_ = delimiter_in(header.value_or(text()));
  scanner_ = CsvScanner(*delimiter_);
  return {};
}

Result<bool> CsvWindow::find_row() {
  while (!next_row_is_here()) {
    if (scanner_.fault() != CsvFault::none) return bad_row(explain(scanner_.fault()));
    if (cut_off_) return bad_row("the stream ended in the middle of a line; it was not released");
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
void CsvWindow::make_room() {
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

Result<void> CsvWindow::read_more() {
  if (before_wait_ && rows_ > 0) before_wait_();
  const auto got = bytes_->read(buffer_.data() + end_, buffer_.size() - 1 - end_);
  if (!got) {
    const std::string where = rows_ == 0 ? "before the first row" : "after row " + std::to_string(rows_);
    return fail(got.error().kind, got.error().text() + " (" + where + ")");
  }
  end_ += *got;
  ended_ = *got == 0;
  return {};
}

void CsvWindow::scan() {
  // Whole blocks are quicker; but the first line is looked for in the bytes at hand, since reading on would reveal how
  // a small file ends.
  const bool whole_blocks = !stream_ && (columns_ > 0 || ended_);
  scanned_ = whole_blocks ? scanner_.scan(buffer_.data(), scanned_, end_, ended_, marks_)
                          : scanner_.scan_on(buffer_.data(), scanned_, end_, marks_);
  if (!ended_ || scanner_.fault() != CsvFault::none) return;
  std::size_t last = begin_;  // the last line
  bool has_end = true;
  if (!marks_.empty()) {
    last = std::size_t{marks_.back()} + 1;
    has_end = buffer_[marks_.back()] == '\n';
  }
  if (last == end_ && has_end) return;
  if (stream_) {
    cut_off_ = true;
    return;
  }
  buffer_[end_] = '\n';
  marks_.push_back(static_cast<std::uint32_t>(end_));
}

bool CsvWindow::quoted_field(char* from, char* to, std::string_view& text) {
  if (to == from || to[-1] != '"') {
    problem_ = explain(CsvFault::text_after_quote);
    return false;
  }
  text = unescape(from, to - 1);  // the scanner has seen that inner quotes come in pairs
  return true;
}

Failure CsvWindow::bad_row(std::string_view why) const {
  const std::int64_t line = line_of_row();
  if (columns_ == 0) return fail(ErrorKind::bad_data, "line " + std::to_string(line) + ": " + std::string(why));
  std::string where = "row " + std::to_string(rows_ + 1);
  if (line != rows_ + 1) where += " (line " + std::to_string(line) + ")";
  return fail(ErrorKind::bad_data, where + ": " + std::string(why));
}

// Lines of the file, from 1: those of the rows before this one, and those inside their quotes.
std::int64_t CsvWindow::line_of_row() const {
  const auto newlines = std::count(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                                   buffer_.begin() + static_cast<std::ptrdiff_t>(std::max(begin_, scanned_)), '\n');
  const auto ends = std::count_if(marks_.begin() + static_cast<std::ptrdiff_t>(next_mark_), marks_.end(),
                                  [&](std::uint32_t mark) { return mark < scanned_ && buffer_[mark] == '\n'; });
  return rows_ + other_lines_ + 1 + scanner_.quoted_newlines() - (newlines - ends);
}

}  // namespace chronoveil::data
