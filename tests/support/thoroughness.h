// How much a test does: all of it in `make torture`, a sample at every change, little under a sanitizer, which does not
// look for small biases or last digits, and is slow.
#pragma once

#include <cstdlib>

namespace chronoveil {

#if defined(CHRONOVEIL_SANITIZED)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

inline bool in_torture() { return std::getenv("CHRONOVEIL_TORTURE") != nullptr; }

// So many of n generated cases.
inline int cases(int n) {
  if (kSanitized) return (n + 14) / 15;
  return in_torture() ? n : (n + 3) / 4;
}

}  // namespace chronoveil
