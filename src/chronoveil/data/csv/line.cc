#include "chronoveil/data/csv/line.h"

#include <cstring>

#include "chronoveil/data/csv/form.h"

namespace chronoveil::data {
namespace {

char* find(char* from, char* to, char wanted) {
  return static_cast<char*>(std::memchr(from, wanted, static_cast<std::size_t>(to - from)));
}

// The quote that closes a field which opened before `from`, or null.
char* closing_quote(char* from, char* to) {
  for (;;) {
    char* const quote = find(from, to, '"');
    if (quote == nullptr || quote + 1 == to || quote[1] != '"') return quote;
    from = quote + 2;
  }
}

}  // namespace

CsvFault split_line(char* from, char* to, char delimiter, std::vector<std::string_view>& fields) {
  fields.clear();
  if (find(from, to, '\0') != nullptr) [[unlikely]] {
    return CsvFault::nul;
  }
  const bool quotes = find(from, to, '"') != nullptr;
  for (;;) {
    char* end = nullptr;  // of the field
    if (quotes && from < to && *from == '"') {
      char* const quote = closing_quote(from + 1, to);
      if (quote == nullptr) return CsvFault::open_quote;
      end = quote + 1;
      if (end < to && *end != delimiter) return CsvFault::text_after_quote;
      fields.push_back(unescape(from + 1, quote));
    } else {
      end = find(from, to, delimiter);
      if (end == nullptr) end = to;
      if (quotes && find(from, end, '"') != nullptr) return CsvFault::quote_inside_field;
      fields.emplace_back(from, static_cast<std::size_t>(end - from));
    }
    if (end == to) return CsvFault::none;
    from = end + 1;
  }
}

}  // namespace chronoveil::data
