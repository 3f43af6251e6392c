// The fields of one line of a CSV (RFC 4180), for rows that come one by one: a quote must be closed on its line.
#pragma once

#include <string_view>
#include <vector>

#include "chronoveil/data/csv/scanner.h"

namespace chronoveil::data {

// Splits a non-empty line without its line break, the bytes [from, to). Quoted fields are unescaped in place: the views
// are valid as long as the bytes. After a fault the fields mean nothing.
CsvFault split_line(char* from, char* to, char delimiter, std::vector<std::string_view>& fields);

}  // namespace chronoveil::data
