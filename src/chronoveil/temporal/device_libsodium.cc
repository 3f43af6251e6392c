// A file of its own: only a program that names cv_libsodium is linked with libsodium.
#include <sodium.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/temporal/device.h"

int cv_libsodium(void* /*context*/, void* bytes, size_t size) {
  if (sodium_init() < 0) return 1;
  auto& bits = chronoveil::BitSource::for_this_thread();
  auto* out = static_cast<unsigned char*>(bytes);
  std::array<std::uint64_t, 32> words;
  while (size > 0) {
    const std::size_t count = std::min(size, sizeof words);
    bits.fill(std::span(words).first((count + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t)));
    std::memcpy(out, words.data(), count);
    out += count;
    size -= count;
  }
  sodium_memzero(words.data(), sizeof words);
  return 0;
}
