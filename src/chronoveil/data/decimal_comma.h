// Numbers with a comma in them, as many countries write them: what a message says of them.
#pragma once

#include <algorithm>
#include <string_view>

namespace chronoveil::data {

// Digits with one comma between them; whether it stands before decimals or between thousands cannot be seen.
inline bool has_one_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  return comma != std::string_view::npos && comma > 0 && comma + 1 < text.size() &&
         text.find_first_not_of("0123456789,.-+ ") == std::string_view::npos && text.rfind(',') == comma;
}

inline constexpr std::string_view kNoCommas =
    "has a comma; numbers have a point before their decimals, and nothing between thousands. Where every comma stands "
    "before decimals, this makes points of them (DuckDB: pip install duckdb-cli): duckdb -c \"COPY (FROM "
    "read_csv('in.csv', decimal_separator=',')) TO 'out.csv'\"";

}  // namespace chronoveil::data
