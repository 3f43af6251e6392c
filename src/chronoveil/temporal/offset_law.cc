#include "chronoveil/temporal/offset_law.h"

#include <cmath>

#include "chronoveil/noise/bernoulli.h"

namespace chronoveil::temporal {

OffsetLaw::OffsetLaw(std::int64_t window, double stay) : moves_(static_cast<std::uint64_t>(window) - 1) {
  // Both steps are exact in binary floating point.
  const double words = stay * 0x1p64;
  stay_fraction_ = words - std::floor(words);
  stay_words_ = static_cast<std::uint64_t>(words);
  const std::uint64_t others = 0 - stay_words_;  // 2^64 - stay_words_
  share_ = (stay_fraction_ > 0 ? others - 1 : others) / moves_;
  dealt_words_ = share_ * moves_;
  left_words_ = others - dealt_words_;
  reciprocal_ = share_ == 0 ? 0 : ~std::uint64_t{0} / share_;
}

// One word of those left over belongs to staying, by its fraction; the rest to the moves, evenly.
std::uint32_t OffsetLaw::settle(BitSource& bits) const {
  if (stay_fraction_ > 0 && noise::uniform_below(left_words_, bits) == 0 && noise::bernoulli(stay_fraction_, bits))
    return 0;
  return 1 + static_cast<std::uint32_t>(noise::uniform_below(moves_, bits));
}

}  // namespace chronoveil::temporal
