// The link from a page to the CSV that has all of its numbers.
#pragma once

#include <string>

namespace chronoveil::report {

// Where all numbers are (HTML); nothing without a file.
std::string csv_note(const std::string& csv);

// The name of the CSV, where it is in the same folder as the report; else empty. A link to another folder would tell
// where files are, and break when they are published.
std::string csv_beside(const std::string& csv, const std::string& report);

}  // namespace chronoveil::report
