// Whether a file says of itself that it is not private.
#pragma once

#include <string_view>

namespace chronoveil::report {

// `start`: the first kMarkWithin bytes of a release CSV, JSON, GeoJSON, report or chart, or of a model. True only where
// it has the mark of a seed or a replay, in the place where this program puts it: a title, a key or a value that reads
// like a mark is none, since it is quoted there.
inline constexpr std::size_t kMarkWithin = std::size_t{1} << 18;
bool is_marked(std::string_view start);

}  // namespace chronoveil::report
