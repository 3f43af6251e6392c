#include "chronoveil/data/csv/form.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace chronoveil::data {

Result<void> check_delimiter(std::optional<char> delimiter) {
  if (!delimiter || std::string_view("\"\n\r\0", 4).find(*delimiter) == std::string_view::npos) return {};
  return fail(ErrorKind::usage, "delimiter", "it must be one byte other than a quote, a newline or NUL");
}

namespace {

constexpr std::string_view kUsual = ",;\t|";  // delimiters

// Follows the quotes of a line whose delimiter is not known yet. A quote opens a field only at its beginning, so that a
// stray one does not lead on into the rows.
class Quotes {
 public:
  // Whether the next byte lies inside quotes.
  bool next(char c) {
    const bool turns = c == '"' && (inside_ || may_open_);
    inside_ = inside_ != turns;
    may_open_ = turns || kUsual.find(c) != std::string_view::npos;  // or the second quote of a pair
    return inside_;
  }

 private:
  bool inside_ = false, may_open_ = true;
};

}  // namespace

char delimiter_in(std::string_view header) {
  std::array<std::size_t, kUsual.size()> times{};
  Quotes quotes;
  for (const char c : header) {
    const std::size_t which = kUsual.find(c);
    if (!quotes.next(c) && which != std::string_view::npos) ++times[which];
  }
  return kUsual[static_cast<std::size_t>(std::max_element(times.begin(), times.end()) - times.begin())];
}

std::optional<std::string_view> header_in(std::string_view text) {
  while (!text.empty() && (text.front() == '\n' || text.starts_with("\r\n"))) text.remove_prefix(1);
  Quotes quotes;
  for (std::size_t at = 0; at < text.size(); ++at)
    if (!quotes.next(text[at]) && text[at] == '\n') return text.substr(0, at);
  return std::nullopt;
}

std::string_view explain(CsvFault fault) {
  switch (fault) {
    case CsvFault::none: break;
    case CsvFault::nul: return "a NUL byte (is the file UTF-16 or binary? it must be UTF-8 text)";
    case CsvFault::quote_inside_field:
      return "a quote inside a field that does not begin with one (such fields must be quoted, their quotes doubled)";
    case CsvFault::text_after_quote: return "text after a closing quote (quotes inside a quoted field must be doubled)";
    case CsvFault::open_quote: return "a quote that is never closed";
  }
  return {};
}

std::string explain_fields(std::size_t fields, std::size_t columns) {
  const char* const hint = fields > columns ? " (a field that holds the delimiter must be quoted)"
                                            : " (is the line cut off, or its delimiter another?)";
  return std::to_string(fields) + (fields == 1 ? " field" : " fields") + " instead of " + std::to_string(columns) +
         hint;
}

std::string explain_length() {
  return "longer than " + std::to_string(kLongestRow >> 20) + " MiB (is a quote left open?)";
}

Result<std::vector<ColumnPlace>> place_numbers(const RowDecoder& decoder, std::size_t columns) {
  std::vector<ColumnPlace> places;
  for (const RowDecoder::Wanted& wanted : decoder.wanted()) {
    std::size_t number = 0;
    const char* const end = wanted.column.data() + wanted.column.size();
    const auto [stop, error] = std::from_chars(wanted.column.data(), end, number);
    if (error != std::errc() || stop != end || number == 0) {
      return invalid(wanted.key, wanted.column, "without a header it must be the number of a column, from 1");
    }
    if (number > columns) {
      return fail(ErrorKind::bad_data, std::string(wanted.key),
                  "there is no column " + wanted.column + ", the first row has " + std::to_string(columns) +
                      (columns == 1 ? "; is `source.delimiter` right?" : ""));
    }
    places.push_back({number - 1, wanted.field, wanted.wide});
  }
  return places;
}

std::string_view unescape(char* from, char* to) {
  char* const quote = static_cast<char*>(std::memchr(from, '"', static_cast<std::size_t>(to - from)));
  if (quote != nullptr) {
    char* out = quote;
    for (char* in = quote; in < to; ++in) {
      *out++ = *in;
      if (*in == '"') ++in;
    }
    std::fill(out, to, '"');
    to = out;
  }
  return {from, static_cast<std::size_t>(to - from)};
}

}  // namespace chronoveil::data
