// The offset of a switch: 0 with probability p, each of 1, ..., k-1 with probability (1 - p)/(k - 1), exactly.
//   Method  one 64-bit word: below floor(2^64 p) it stays; the words above are dealt out evenly to the moves. At most k
//           words of 2^64 are left over: they hold the fraction of 2^64 p and the remainder of the division by k - 1,
//           and are settled by further draws
#pragma once

#include <cstdint>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/noise/uniform.h"

namespace chronoveil::temporal {

class OffsetLaw {
 public:
  // Precondition: 2 <= window <= 2^20, 2^-21 <= stay < 1.
  OffsetLaw(std::int64_t window, double stay);

  std::uint32_t operator()(BitSource& bits) const {
    const std::uint64_t word = bits.next_u64();
    const std::uint64_t beyond = word - stay_words_;
    if (word >= stay_words_ && beyond >= dealt_words_) [[unlikely]]
      return settle(bits);
    // floor(beyond / share), the product with the rounded reciprocal falls short of it by at most 1.
    std::uint64_t move = static_cast<std::uint64_t>((static_cast<noise::Uint128>(beyond) * reciprocal_) >> 64);
    move += beyond - move * share_ >= share_ ? 1 : 0;
    return word < stay_words_ ? 0 : static_cast<std::uint32_t>(move + 1);
  }

 private:
  std::uint32_t settle(BitSource&) const;

  std::uint64_t moves_;       // k - 1
  double stay_fraction_;      // of a word, that staying has besides its whole words
  std::uint64_t stay_words_;  // floor(2^64 p)
  std::uint64_t share_;       // words of each move
  std::uint64_t dealt_words_, left_words_;
  std::uint64_t reciprocal_;  // of the share: at least 2^64 / share - 1
};

}  // namespace chronoveil::temporal
