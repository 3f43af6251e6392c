// How many draws a statistical test takes.
#pragma once

#include <cstdint>

#include "support/thoroughness.h"

namespace chronoveil::noise {

inline constexpr std::int64_t kLawDraws = kSanitized ? 200'000 : 10'000'000;

}  // namespace chronoveil::noise
