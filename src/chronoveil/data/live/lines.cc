#include "chronoveil/data/live/lines.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "chronoveil/data/csv/form.h"
#include "chronoveil/data/csv/line.h"

namespace chronoveil::data {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::size_t kLeastRoom = std::size_t{64} << 10;
constexpr std::size_t kMostRefused = 4096;  // at a time: their messages are longer than the lines

}  // namespace

Result<LiveLines> LiveLines::make(const SourceSpec& spec) {
  CV_CHECK(check_delimiter(spec.delimiter));
  CV_TRY(RowDecoder decoder, RowDecoder::make(spec));
  return LiveLines(spec, std::move(decoder));
}

LiveLines::LiveLines(const SourceSpec& spec, RowDecoder decoder)
    : decoder_(std::move(decoder)),
      given_delimiter_(delimiter_known(spec.delimiter, spec.header)),
      delimiter_(given_delimiter_.value_or(',')),
      header_(spec.header),
      buffer_(kPiece) {}

void LiveLines::begin(std::string part) {
  part_ = std::move(part);
  begin_ = scanned_ = end_ = 0;
  skipping_ = false;
  first_line_ = true;
  columns_ = 0;
  rows_ = 0;
}

std::span<char> LiveLines::room() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    scanned_ -= begin_;
    begin_ = 0;
  }
  // Bounded, since lines of kLongestRow are not kept.
  if (buffer_.size() - end_ < kLeastRoom) buffer_.resize(2 * buffer_.size());
  return std::span(buffer_).subspan(end_);
}

Result<void> LiveLines::take(Arrival& arrival) {
  while (arrival.refused.size() < kMostRefused) {
    char* const from = buffer_.data() + begin_;
    char* const newline = static_cast<char*>(std::memchr(buffer_.data() + scanned_, '\n', end_ - scanned_));
    if (newline == nullptr) {
      scanned_ = end_;
      if (!skipping_ && end_ - begin_ >= kLongestRow) {
        CV_CHECK(refuse_length(arrival));
        skipping_ = true;
      }
      if (skipping_) begin_ = end_;
      return {};
    }
    begin_ = scanned_ = static_cast<std::size_t>(newline - buffer_.data()) + 1;
    if (std::exchange(skipping_, false)) continue;
    if (static_cast<std::size_t>(newline - from) >= kLongestRow) {
      CV_CHECK(refuse_length(arrival));
    } else {
      CV_CHECK(take_line(from, newline, arrival));
    }
  }
  return {};
}

Result<void> LiveLines::take_rest(Arrival& arrival) {
  if (skipping_ || begin_ == end_) return {};
  char* const from = buffer_.data() + begin_;
  char* const to = buffer_.data() + end_;
  begin_ = scanned_ = end_;
  return take_line(from, to, arrival);
}

void LiveLines::refuse_rest(Arrival& arrival, std::string_view reason) {
  if (skipping_ || begin_ == end_) return;
  begin_ = scanned_ = end_;
  ++rows_;
  refuse(arrival, reason);
}

Result<void> LiveLines::take_line(char* from, char* to, Arrival& arrival) {
  if (std::exchange(first_line_, false) &&
      std::string_view(from, static_cast<std::size_t>(to - from)).starts_with(kByteOrderMark)) {
    from += kByteOrderMark.size();
  }
  if (from < to && to[-1] == '\r') --to;
  if (from == to) return {};
  if (columns_ == 0 && !given_delimiter_) delimiter_ = delimiter_in({from, static_cast<std::size_t>(to - from)});
  const CsvFault fault = split_line(from, to, delimiter_, fields_);
  if (columns_ == 0) {
    if (header_) return take_header(fault);
    if (fault == CsvFault::none) {
      CV_CHECK(take_columns(place_numbers(decoder_, fields_.size())));
    }
  }
  ++rows_;
  if (fault != CsvFault::none) {
    refuse(arrival, explain(fault));
    return {};
  }
  if (fields_.size() != columns_) {
    refuse(arrival, explain_fields(fields_.size(), columns_));
    return {};
  }
  RowFields fields = decoder_.empty_row();
  for (const ColumnPlace& place : places_) field_at(fields, place) = fields_[place.column];
  if (!decoder_.add(fields, arrival.rows)) {
    refuse(arrival, decoder_.problem());
    return {};
  }
  if (arrival.number.empty()) arrival.rows.first_row = rows_;
  arrival.number.resize(arrival.rows.rows(), rows_);
  return {};
}

Result<void> LiveLines::take_header(CsvFault fault) {
  if (fault != CsvFault::none) return bad_input({ErrorKind::bad_data, "the header: " + std::string(explain(fault))});
  return take_columns(place_columns(decoder_, {fields_.begin(), fields_.end()}, "the header"));
}

Result<void> LiveLines::take_columns(Result<std::vector<ColumnPlace>> places) {
  if (!places) return bad_input(places.error());
  places_ = std::move(*places);
  columns_ = fields_.size();
  return {};
}

Result<void> LiveLines::refuse_length(Arrival& arrival) {
  first_line_ = false;
  if (header_ && columns_ == 0) return bad_input({ErrorKind::bad_data, "the header: " + explain_length()});
  ++rows_;
  refuse(arrival, explain_length());
  return {};
}

void LiveLines::refuse(Arrival& arrival, std::string_view reason) {
  arrival.refused.push_back({where(rows_), std::string(reason)});
}

std::string LiveLines::where(std::int64_t row) const {
  return "row " + std::to_string(row) + (part_.empty() ? "" : " of " + part_);
}

Failure LiveLines::bad_input(const Error& error) const {
  return part_.empty() ? Failure(error) : Failure(at(part_, Result<void>(Failure(error))).error());
}

void clear(Arrival& arrival) {
  RowDecoder::begin(arrival.rows, 0);
  arrival.number.clear();
  arrival.part.clear();
  arrival.refused.clear();
  arrival.complete = arrival.anew = false;
}

Result<bool> read_on(ByteSource& bytes, LiveLines& lines, Arrival& arrival, const Patience& patience) {
  for (;;) {
    CV_CHECK(lines.take(arrival));
    if (!nothing_in(arrival)) return true;
    CV_TRY(const bool ready, bytes.ready(patience.left()));
    if (!ready && patience.over()) return false;
    if (!ready) continue;
    const std::span<char> room = lines.room();
    const auto got = bytes.read(room.data(), room.size());
    if (!got) {
      const std::string where = lines.rows() == 0 ? "before the first row" : "after " + lines.where(lines.rows());
      return fail(got.error().kind, got.error().text() + " (" + where + ")");
    }
    lines.add(*got);
    if (*got > 0) continue;
    arrival.complete = true;
    CV_CHECK(lines.take_rest(arrival));
    return true;
  }
}

}  // namespace chronoveil::data
