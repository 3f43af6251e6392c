// Numbers as text: exact ones for files, short ones for people.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace chronoveil::report {

// Appends the shortest decimal that reads back as the same double; "inf", "-inf" and "nan" as every reader of CSV takes
// them.
void append_shortest(std::string& out, double value);

// 1,234,567
std::string grouped(std::int64_t value);

// For people: to `digits` significant digits, no trailing zeros, thousands grouped; less than 1e-4 as 2.5e-6.
//   rounded(0) = "0", rounded(1234.4) = "1,234", rounded(0.12345) = "0.123", rounded(-0.0004) = "-0.0004"
std::string rounded(double value, int digits = 3);

// The same, never less than the value: for ε, δ and what follows from them. Infinity is "∞".
std::string rounded_up(double value, int digits = 4);

// "12.5 %" of 0.125
std::string percent(double fraction);

// rounded() to whole steps of `unit`: the label of a tick on an axis with ticks every `unit`.
std::string tick_text(double value, double unit);

// A member of a JSON object, "key":[1,2.5,null]: a number that JSON cannot hold is null. Long lists go straight to the
// text, since a document in memory would take ten times the room.
void append_numbers(std::string& out, std::string_view key, std::span<const double> numbers);

}  // namespace chronoveil::report
