// SipHash-2-4, a keyed pseudo-random function with 64 bits of output [AumassonBernstein12]
//   Why our own   several calls per record, which the compiler can inline; the tests compare it with libsodium's
//                 crypto_shorthash
//   Edges         the empty message is a message
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "chronoveil/base/bit_source.h"

namespace chronoveil::bound {

static_assert(std::endian::native == std::endian::little, "words are read as they lie in memory");

class SipHash {
 public:
  SipHash(std::uint64_t k0, std::uint64_t k1) : k0_(k0), k1_(k1) {}
  static SipHash with_key_from(BitSource& bits) {
    const std::uint64_t k0 = bits.next_u64();
    return {k0, bits.next_u64()};
  }

  std::uint64_t operator()(std::string_view message) const {
    State state(k0_, k1_);
    const char* next = message.data();
    for (std::size_t left = message.size() / 8; left > 0; --left, next += 8) state.absorb(load<std::uint64_t>(next));
    state.absorb(last_word(next, message.size() % 8) | static_cast<std::uint64_t>(message.size()) << 56);
    return state.squeeze();
  }

  // Of the 16 bytes of two words.
  std::uint64_t operator()(std::uint64_t first, std::uint64_t second) const {
    State state(k0_, k1_);
    state.absorb(first);
    state.absorb(second);
    state.absorb(std::uint64_t{16} << 56);
    return state.squeeze();
  }

 private:
  template <class Word>
  static std::uint64_t load(const char* bytes) {
    Word word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
  }

  // Fewer than 8 bytes, padded with zeros. Loads of fixed size that overlap are quicker than a copy of variable size.
  static std::uint64_t last_word(const char* bytes, std::size_t size) {
    if (size >= 4) return load<std::uint32_t>(bytes) | load<std::uint32_t>(bytes + size - 4) << 8 * (size - 4);
    if (size == 0) return 0;
    const std::size_t middle = size / 2, last = size - 1;
    return load<std::uint8_t>(bytes) | load<std::uint8_t>(bytes + middle) << 8 * middle |
           load<std::uint8_t>(bytes + last) << 8 * last;
  }

  struct State {
    State(std::uint64_t k0, std::uint64_t k1)
        : v0(k0 ^ 0x736f6d6570736575),
          v1(k1 ^ 0x646f72616e646f6d),
          v2(k0 ^ 0x6c7967656e657261),
          v3(k1 ^ 0x7465646279746573) {}
    void round() {
      v0 += v1;
      v1 = std::rotl(v1, 13) ^ v0;
      v0 = std::rotl(v0, 32);
      v2 += v3;
      v3 = std::rotl(v3, 16) ^ v2;
      v0 += v3;
      v3 = std::rotl(v3, 21) ^ v0;
      v2 += v1;
      v1 = std::rotl(v1, 17) ^ v2;
      v2 = std::rotl(v2, 32);
    }
    void absorb(std::uint64_t m) {
      v3 ^= m;
      round();
      round();
      v0 ^= m;
    }
    std::uint64_t squeeze() {
      v2 ^= 0xff;
      round();
      round();
      round();
      round();
      return v0 ^ v1 ^ v2 ^ v3;
    }
    std::uint64_t v0, v1, v2, v3;
  };

  std::uint64_t k0_, k1_;
};

}  // namespace chronoveil::bound
