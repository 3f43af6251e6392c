// The fields of one line of a CSV (RFC 4180), for rows that come one by one: a quote must be closed on its line.
#pragma once

#include <string_view>
#include <vector>

#include "chronoveil/data/csv/scanner.h"

namespace chronoveil::data {

// Splits the bytes [from, to) of a line without its end, of which there is at least one. Quoted fields are unescaped in
// place: the views are as valid as the bytes. At a fault the fields mean nothing.
CsvFault split_line(char* from, char* to, char delimiter, std::vector<std::string_view>& fields);

}  // namespace chronoveil::data
