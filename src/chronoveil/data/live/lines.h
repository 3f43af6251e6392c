// Bytes that come in over time to rows, line by line, in bounded memory. See input.h for what a line may be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/data/csv/byte_source.h"
#include "chronoveil/data/csv/scanner.h"
#include "chronoveil/data/live/input.h"
#include "chronoveil/data/live/patience.h"
#include "chronoveil/data/row_decoder.h"

namespace chronoveil::data {

class LiveLines {
 public:
  // Checks what does not need the input.
  static Result<LiveLines> make(const SourceSpec&);

  // Begins another input, with its own header and rows from 1; the name is empty outside directories. Drops what is
  // left of the one before.
  void begin(std::string part);

  // Where the next bytes go, and how many went there. Earlier arrivals are no longer valid.
  std::span<char> room();
  void add(std::size_t size) { end_ += size; }

  // Adds the complete lines; if very many are broken, leaves some for the next time. An error is bad_data, about the
  // header.
  Result<void> take(Arrival&);
  // The input has ended: what is left is the last line.
  Result<void> take_rest(Arrival&);
  // What is left will never be a line.
  void refuse_rest(Arrival&, std::string_view reason);

  // Whether the header, or without one the first row, has come.
  bool has_columns() const { return columns_ > 0; }
  std::int64_t rows() const { return rows_; }
  // "row 17 of 2026-03.csv"
  std::string where(std::int64_t row) const;

 private:
  LiveLines(const SourceSpec&, RowDecoder);
  Result<void> take_line(char* from, char* to, Arrival&);
  Result<void> take_header(CsvFault);
  Result<void> take_columns(Result<std::vector<ColumnPlace>>);
  Result<void> refuse_length(Arrival&);
  void refuse(Arrival&, std::string_view reason);
  Failure bad_input(const Error&) const;

  RowDecoder decoder_;
  std::optional<char> given_delimiter_;  // absent: each header shows it
  char delimiter_;
  bool header_;
  std::string part_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;    // of the next line
  std::size_t scanned_ = 0;  // no newline up to here
  std::size_t end_ = 0;      // of what came in
  bool skipping_ = false;    // the rest of a line that was refused for its length
  bool first_line_ = true;
  std::size_t columns_ = 0;  // 0: not known yet
  std::vector<ColumnPlace> places_;
  std::vector<std::string_view> fields_;
  std::int64_t rows_ = 0;
};

// Empties it.
void clear(Arrival&);
inline bool nothing_in(const Arrival& arrival) { return arrival.rows.rows() == 0 && arrival.refused.empty(); }

// Reads on in an input that ends, until rows, good or bad, or the end are there; the end is complete. False if neither
// came in time.
Result<bool> read_on(ByteSource&, LiveLines&, Arrival&, const Patience& = Patience(Patience::kEndless));

}  // namespace chronoveil::data
