// A tape of random choices, for tests and experiments: a release drawn from it is not private, and is marked so.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace chronoveil::mechanisms {

struct Replay {
  std::optional<std::vector<double>> noise;       // real numbers in the order drawn; each is rounded to the grid
  std::optional<std::vector<std::int64_t>> kept;  // positions series * T + step, ascending
};

}  // namespace chronoveil::mechanisms
