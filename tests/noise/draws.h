// How many draws a statistical test takes. Sanitizers do not look for small biases, and are slow.
#pragma once

#include <cstdint>

namespace chronoveil::noise {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

inline constexpr std::int64_t kLawDraws = kSanitized ? 200'000 : 10'000'000;

}  // namespace chronoveil::noise
