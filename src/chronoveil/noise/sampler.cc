#include "chronoveil/noise/sampler.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>

namespace chronoveil::noise {

namespace {

// Of the 64 bits of a word: the column, the coin, the sign, then up to 37 bits of position.
constexpr unsigned kColumnBits = 10;
constexpr std::size_t kColumns = std::size_t{1} << kColumnBits;
constexpr std::size_t kStrips = kColumns - 1;
constexpr std::size_t kBeside = kStrips;  // the outcome that is not a strip
constexpr unsigned kSignBit = kColumnBits + kAliasCoinBits;
constexpr unsigned kPositionShift = kSignBit + 1;
constexpr std::uint64_t kTotalWeight = std::uint64_t{kColumns} << kAliasCoinBits;

// The strips reach out to at least so many scales; what is left to the tail is 3e-4 or 6e-7.
constexpr double kLaplaceReach = 8.0;
constexpr double kGaussianReach = 5.0;

constexpr std::uint64_t low_bits(unsigned count) { return (std::uint64_t{1} << count) - 1; }

// 0, 1, 2, ... with probabilities 1/2, 1/4, 1/8, ...
std::int64_t fair_geometric(BitSource& bits) {
  std::int64_t count = 0;
  std::uint64_t word = bits.next_u64();
  for (; word == 0; word = bits.next_u64()) count += 64;
  return count + std::countl_zero(word);
}

// Integers on the safe side of c f: near_density allows for its own error, and 1e-200 for a density it calls 0.
std::uint64_t at_least(double c_f) {
  return static_cast<std::uint64_t>(std::ceil(c_f * (1 + kNearDensityError) + 1e-200));
}
std::uint64_t at_most(double c_f) { return static_cast<std::uint64_t>(std::floor(c_f * (1 - kNearDensityError))); }

}  // namespace

Result<Sampler> Sampler::make(Law law, double scale, Route route) {
  if (!(scale >= kSmallestScale && scale <= kLargestScale)) {
    return invalid("scale", scale, "between 2^-40 and 2^40 grid steps");
  }
  return Sampler(law, scale, route);
}

Sampler::Sampler(Law law, double scale, Route route)
    : law_(law), scale_(scale), route_(route), curve_{is_gaussian(law), scale} {
  choose_strips();
  build_tables();
}

void Sampler::choose_strips() {
  const double reach = curve_.gaussian ? kGaussianReach : kLaplaceReach;
  const double scale_in_whole_units = is_rounded(law_) ? 2 * scale_ : scale_;
  // The least power of two with kStrips strips reaching that far; any power would do for exactness.
  const int strip_log2 = std::ilogb(reach * scale_in_whole_units / kStrips) + 1;
  strip_bits_ = static_cast<unsigned>(std::max(strip_log2, 0));
  unit_bits_ = is_rounded(law_) ? static_cast<unsigned>(std::max(-strip_log2, 0)) : 0;
  curve_.scale = std::ldexp(scale_in_whole_units, static_cast<int>(unit_bits_));  // exact

  // A block must lower f by e at least: 2^q >= scale for Laplace, 2^q >= scale^2 / (end of the strips) for Gauss, as
  // phi(x + 2^q) - phi(x) >= x 2^q / scale^2. The factor covers the rounding of this very line.
  const double end = std::ldexp(static_cast<double>(kStrips), static_cast<int>(strip_bits_));
  const double least_block = curve_.gaussian ? curve_.scale * (curve_.scale / end) * (1 + 1e-9) : curve_.scale;
  block_bits_ = static_cast<unsigned>(std::max(std::ilogb(least_block) + 1, 0));
}

void Sampler::build_tables() {
  const auto left_edge = [&](std::size_t strip) {
    return std::ldexp(static_cast<double>(strip), static_cast<int>(strip_bits_));
  };
  // The last position of a strip of a discrete law is an integer; of a rounded law, the beginning of the next strip.
  const double last = is_rounded(law_) ? 0.0 : 1.0;
  std::vector<double> left(kStrips + 1), right(kStrips);
  for (std::size_t i = 0; i <= kStrips; ++i) left[i] = near_density(curve_, left_edge(i));
  for (std::size_t i = 0; i < kStrips; ++i) right[i] = near_density(curve_, left_edge(i + 1) - last);

  // Block J is 2^-(J+1) tail_height 2^(P-q) high and must be at least c f(its left edge) <= c f(end) 2^-J.
  const double tail = std::ldexp(left[kStrips], static_cast<int>(block_bits_) - static_cast<int>(strip_bits_) + 1);
  double area = tail;
  for (std::size_t i = 0; i < kStrips; ++i) area += left[i];

  // The largest c for which all that is rounded up still fits; the slack of 2 a strip more than covers the rounding.
  factor_ = static_cast<std::uint64_t>(static_cast<double>(kTotalWeight - 2 * kColumns) / area);
  const auto c = static_cast<double>(factor_);

  std::vector<std::uint64_t> weights(kColumns);
  inner_.resize(kStrips);
  sliver_begin_.resize(kStrips + 2);
  std::uint64_t used = 0, slivers = 0;
  for (std::size_t i = 0; i < kStrips; ++i) {
    const std::uint64_t outer = at_least(c * left[i]);
    weights[i] = at_most(c * right[i]);
    inner_[i] = static_cast<std::uint32_t>(weights[i]);
    sliver_begin_[i] = static_cast<std::uint32_t>(slivers);
    slivers += outer - weights[i];
    used += weights[i];
  }
  tail_height_ = at_least(c * tail);
  sliver_begin_[kStrips] = static_cast<std::uint32_t>(slivers);
  sliver_begin_[kStrips + 1] = static_cast<std::uint32_t>(slivers + tail_height_);
  beside_weight_ = kTotalWeight - used;
  weights[kBeside] = beside_weight_;
  columns_ = make_alias_table(weights);
}

template <bool kRounded>
Sampler::Draw Sampler::signed_value(Uint128 position, bool negative) const {
  // Rounded: half steps 2k-1 and 2k make up the cell of k > 0; half step 0, with both signs, the cell of 0.
  const Uint128 magnitude = kRounded ? ((position >> unit_bits_) + 1) >> 1 : position;
  // Discrete: 0 has one sign only, or it would count twice.
  if (!kRounded && negative && magnitude == 0) return {0, false};
  const std::int64_t limited =
      magnitude > static_cast<Uint128>(kNoiseLimit) ? kNoiseLimit : static_cast<std::int64_t>(magnitude);
  return {negative ? -limited : limited, true};
}

// The outcome beside the inner strips: a sliver, the tail, or nothing. Sign and position bits of `word` are unused yet.
template <bool kRounded>
Sampler::Draw Sampler::draw_beside(std::uint64_t word, BitSource& bits) const {
  const std::uint64_t point = uniform_below(beside_weight_, bits);
  const auto after = std::upper_bound(sliver_begin_.begin(), sliver_begin_.end(), point);
  const auto part = static_cast<std::size_t>(after - sliver_begin_.begin()) - 1;
  if (part > kStrips) return {0, false};
  const bool negative = (word >> kSignBit) & 1;
  Candidate candidate{point - sliver_begin_[part], 0, !kRounded, factor_, 0};
  if (part < kStrips) {
    candidate.height += inner_[part];
    candidate.position = (Uint128{part} << strip_bits_) + ((word >> kPositionShift) & low_bits(strip_bits_));
  } else {
    const std::int64_t block = fair_geometric(bits);
    candidate.position = (Uint128{kStrips} << strip_bits_) + (static_cast<Uint128>(block) << block_bits_) +
                         (bits.next_u64() & low_bits(block_bits_));
    candidate.exponent = block + 1 + static_cast<std::int64_t>(block_bits_) - static_cast<std::int64_t>(strip_bits_);
  }
  if (!accepts(curve_, candidate, bits, route_)) return {0, false};
  return signed_value<kRounded>(candidate.position, negative);
}

template <bool kRounded>
inline Sampler::Draw Sampler::draw(std::uint64_t word, BitSource& bits) const {
  const std::uint64_t column = word & low_bits(kColumnBits);
  const std::uint64_t coin = (word >> kColumnBits) & low_bits(kAliasCoinBits);
  const AliasColumn entry = columns_[column];
  const std::uint64_t strip = coin < entry.threshold ? column : entry.other;
  if (strip == kBeside) [[unlikely]]
    return draw_beside<kRounded>(word, bits);
  const std::uint64_t position = (strip << strip_bits_) + ((word >> kPositionShift) & low_bits(strip_bits_));
  // As in signed_value, without branches; strips end far below the limit.
  const auto magnitude = static_cast<std::int64_t>(kRounded ? ((position >> unit_bits_) + 1) >> 1 : position);
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
