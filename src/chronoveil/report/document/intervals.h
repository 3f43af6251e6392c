// What intervals allow to be said about the values in them. Ends may be infinite.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace chronoveil::report {

// "302, between 290 and 315"; "302, at least 290", "302, at most 315" or "302, without bounds" where ends are missing.
std::string between_words(double value, double lower, double upper);

// The width that half of the intervals do not exceed; 0 without intervals.
double usual_width(std::span<const double> lower, std::span<const double> upper);

// Whether two of the intervals do not overlap: only then may a difference be named.
bool some_differ(std::span<const double> lower, std::span<const double> upper);

// The value that is greater than all others whatever they are in their intervals; none of a single value.
std::optional<std::size_t> clear_maximum(std::span<const double> lower, std::span<const double> upper);

// Whether the usual interval is as wide as everything from zero to the values: then not even their size is known.
bool uninformative(std::span<const double> value, std::span<const double> lower, std::span<const double> upper);

}  // namespace chronoveil::report
