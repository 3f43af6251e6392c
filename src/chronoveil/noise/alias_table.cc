#include "chronoveil/noise/alias_table.h"

#include <cstddef>

namespace chronoveil::noise {

std::vector<AliasColumn> make_alias_table(std::span<const std::uint64_t> weights) {
  constexpr std::uint64_t kFull = std::uint64_t{1} << kAliasCoinBits;
  std::vector<std::uint64_t> left(weights.begin(), weights.end());
  std::vector<AliasColumn> columns(weights.size());
  std::vector<std::uint16_t> poor, rich;
  for (std::size_t i = 0; i < left.size(); ++i)
    (left[i] < kFull ? poor : rich).push_back(static_cast<std::uint16_t>(i));
  // Each round closes one column: the room that a poor outcome leaves is given to a rich one. All in integers, so that
  // the weights are exact.
  while (!poor.empty()) {
    const std::uint16_t small = poor.back();
    poor.pop_back();
    const std::uint16_t large = rich.back();
    columns[small] = {static_cast<std::uint16_t>(left[small]), large};
    left[large] -= kFull - left[small];
    if (left[large] < kFull) {
      rich.pop_back();
      poor.push_back(large);
    }
  }
  for (const std::uint16_t full : rich) columns[full] = {0, full};
  return columns;
}

}  // namespace chronoveil::noise
