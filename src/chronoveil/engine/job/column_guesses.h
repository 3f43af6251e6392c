// What the names of columns, which are public, let one guess about a file.
#pragma once

#include <string>
#include <vector>

namespace chronoveil::engine {

// The column that is called like one of times; empty if none is. A week or a month beside a year is none: the year is
// a part of the time.
std::string guessed_time(const std::vector<std::string>& columns);
// A column of years, and one of weeks or months beside it; two empty names if there are none.
struct YearAndPart {
  std::string year, part;
  bool weeks = false;
};
YearAndPart guessed_year_and_part(const std::vector<std::string>& columns);
// How the times of a column of this name are usually written, and the slots that they fill: "week" is "%G-W%V", "1w".
std::string guessed_time_format(const std::string& column);
std::string guessed_length(const std::string& column, const std::string& time_format);
// Of points on the earth; empty if none is called so.
std::string guessed_longitude(const std::vector<std::string>& columns);
std::string guessed_latitude(const std::vector<std::string>& columns);
// Whether these are hardly names of columns: one begins with a date, or all are numbers.
bool looks_like_a_row(const std::vector<std::string>& columns);
// How many slots of that length come back: a day of hours, a year of months.
int guessed_season(const std::string& length);
// The zone of this machine, where it has a name: from TZ, or from /etc/localtime. Otherwise UTC.
std::string guessed_zone();

}  // namespace chronoveil::engine
