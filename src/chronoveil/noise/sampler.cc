#include "chronoveil/noise/sampler.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

namespace chronoveil::noise {

namespace {

// Of the 64 bits of a word: the column, the coin, the sign, then up to 37 bits of position.
constexpr unsigned kSignBit = kColumnBits + kAliasCoinBits;
constexpr unsigned kPositionShift = kSignBit + 1;

constexpr std::uint64_t low_bits(unsigned count) { return (std::uint64_t{1} << count) - 1; }

// 0, 1, 2, ... with probabilities 1/2, 1/4, 1/8, ...
std::int64_t fair_geometric(BitSource& bits) {
  std::int64_t count = 0;
  std::uint64_t word = bits.next_u64();
  for (; word == 0; word = bits.next_u64()) count += 64;
  return count + std::countl_zero(word);
}

}  // namespace

Result<Sampler> Sampler::make(Law law, double scale, const Tuning& tuning) {
  if (!(scale >= kSmallestScale && scale <= kLargestScale)) {
    return invalid("scale", scale, "between 2^-40 and 2^40 grid steps");
  }
  if (const double reach = tuning.reach.value_or(default_reach(law)); !(reach >= 0.5 && reach <= 16)) {
    return invalid("reach", reach, "between 1/2 and 16");
  }
  return Sampler(law, scale, tuning);
}

Sampler::Sampler(Law law, double scale, const Tuning& tuning)
    : law_(law),
      scale_(scale),
      route_(tuning.route),
      strips_(make_strips(law, scale, tuning.reach.value_or(default_reach(law)))) {}

template <bool kRounded>
Sampler::Draw Sampler::signed_value(Uint128 position, bool negative) const {
  // Rounded: half steps 2k-1 and 2k make up the cell of k > 0; half step 0, with both signs, the cell of 0.
  const Uint128 magnitude = kRounded ? ((position >> strips_.unit_bits) + 1) >> 1 : position;
  // Discrete: 0 has one sign only, or it would count twice.
  if (!kRounded && negative && magnitude == 0) return {0, false};
  const std::int64_t limited =
      magnitude > static_cast<Uint128>(kNoiseLimit) ? kNoiseLimit : static_cast<std::int64_t>(magnitude);
  return {negative ? -limited : limited, true};
}

// The outcome beside the inner strips: a sliver, the tail, or nothing. Sign and position bits of `word` are unused.
template <bool kRounded>
Sampler::Draw Sampler::draw_beside(std::uint64_t word, BitSource& bits) const {
  const std::uint64_t point = uniform_below(strips_.beside_weight, bits);
  const auto after = std::upper_bound(strips_.sliver_begin.begin(), strips_.sliver_begin.end(), point);
  const auto part = static_cast<std::size_t>(after - strips_.sliver_begin.begin()) - 1;
  if (part > kStrips) return {0, false};
  const bool negative = (word >> kSignBit) & 1;
  Candidate candidate{point - strips_.sliver_begin[part], 0, !kRounded, strips_.factor, 0};
  if (part < kStrips) {
    candidate.height += strips_.inner[part];
    candidate.position =
        (Uint128{part} << strips_.strip_bits) + ((word >> kPositionShift) & low_bits(strips_.strip_bits));
  } else {
    const std::int64_t block = fair_geometric(bits);
    candidate.position = (Uint128{kStrips} << strips_.strip_bits) +
                         (static_cast<Uint128>(block) << strips_.block_bits) +
                         (bits.next_u64() & low_bits(strips_.block_bits));
    candidate.exponent =
        block + 1 + static_cast<std::int64_t>(strips_.block_bits) - static_cast<std::int64_t>(strips_.strip_bits);
  }
  if (!accepts(strips_.curve, candidate, bits, route_)) return {0, false};
  return signed_value<kRounded>(candidate.position, negative);
}

template <bool kRounded>
inline Sampler::Draw Sampler::draw(std::uint64_t word, BitSource& bits) const {
  const std::uint64_t column = word & low_bits(kColumnBits);
  const std::uint64_t coin = (word >> kColumnBits) & low_bits(kAliasCoinBits);
  const AliasColumn entry = strips_.columns[column];
  const std::uint64_t strip = coin < entry.threshold ? column : entry.other;
  if (strip == kBeside) [[unlikely]]
    return draw_beside<kRounded>(word, bits);
  const std::uint64_t position =
      (strip << strips_.strip_bits) + ((word >> kPositionShift) & low_bits(strips_.strip_bits));
  // As in signed_value, without branches; strips end far below the limit.
  const auto magnitude = static_cast<std::int64_t>(kRounded ? ((position >> strips_.unit_bits) + 1) >> 1 : position);
  const auto sign = static_cast<std::int64_t>((word >> kSignBit) & 1);
  return {(magnitude ^ -sign) + sign, kRounded || magnitude != 0 || sign == 0};
}

template <bool kRounded>
void Sampler::fill_with(std::span<std::int64_t> out, BitSource& bits) const {
  std::array<std::uint64_t, 256> words;
  std::size_t done = 0;
  while (done < out.size()) {
    const std::size_t count = std::min(words.size(), out.size() - done);
    bits.fill(std::span(words.data(), count));
    for (std::size_t i = 0; i < count; ++i) {
      const Draw result = draw<kRounded>(words[i], bits);
      out[done] = result.value;
      done += result.kept ? 1 : 0;
    }
  }
}

void Sampler::fill(std::span<std::int64_t> out, BitSource& bits) const {
  is_rounded(law_) ? fill_with<true>(out, bits) : fill_with<false>(out, bits);
}

std::int64_t Sampler::operator()(BitSource& bits) const {
  for (;;) {
    const std::uint64_t word = bits.next_u64();
    const Draw result = is_rounded(law_) ? draw<true>(word, bits) : draw<false>(word, bits);
    if (result.kept) return result.value;
  }
}

}  // namespace chronoveil::noise
