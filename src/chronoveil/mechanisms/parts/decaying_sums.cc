#include "chronoveil/mechanisms/parts/decaying_sums.h"

#include <algorithm>
#include <cmath>

#include "chronoveil/mechanisms/parts/fixed_point.h"

namespace chronoveil::mechanisms {
namespace {

__extension__ using Wide = unsigned __int128;

// ⌊s f / 2^64⌋; exact, since 2^64 divides the upper half of s.
Wide part_of(Wide s, std::uint64_t fraction) {
  return (s >> 64) * fraction + ((static_cast<Wide>(static_cast<std::uint64_t>(s)) * fraction) >> 64);
}

// In units of 2^-64; exact for numbers of 24 bits, or 32 places, below 1.
std::vector<std::uint64_t> fractions(const std::vector<double>& of) {
  std::vector<std::uint64_t> all;
  for (const double each : of) all.push_back(static_cast<std::uint64_t>(std::ldexp(each, 64)));
  return all;
}

class DecayingSums final : public CountMemory {
 public:
  DecayingSums(const DecayingWeights& weights, std::int64_t series)
      : keep_(fractions(weights.keep)),
        weight_(fractions(weights.weight)),
        sums_(static_cast<std::size_t>(series) * keep_.size(), 0) {}

  void take(std::span<const std::int64_t> counts, std::span<FixedSum> asked) override {
    Wide* sum = sums_.data();
    for (std::size_t s = 0; s < counts.size(); ++s) {
      const Wide count = static_cast<Wide>(counts[s] == kMissing ? 0 : counts[s]) << kFixedBits;
      Wide weighted = count;
      for (std::size_t j = 0; j < keep_.size(); ++j, ++sum) {
        weighted += part_of(*sum, weight_[j]);
        *sum = part_of(*sum, keep_[j]) + count;
      }
      asked[s] = static_cast<FixedSum>(weighted);
    }
  }

  void save(StateWriter& to) const override {
    for (const Wide sum : sums_) {
      to.put(static_cast<std::int64_t>(sum >> 64));
      to.put(static_cast<std::int64_t>(static_cast<std::uint64_t>(sum)));
    }
  }
  void load(StateReader& from) override {
    for (Wide& sum : sums_) {
      sum = static_cast<Wide>(static_cast<std::uint64_t>(from.integer())) << 64;
      sum += static_cast<std::uint64_t>(from.integer());
    }
  }

 private:
  std::vector<std::uint64_t> keep_, weight_;
  std::vector<Wide> sums_;  // series by series
};

}  // namespace

std::unique_ptr<CountMemory> decaying_sums(const DecayingWeights& weights, std::int64_t series) {
  return std::make_unique<DecayingSums>(weights, series);
}

double rounding_of_sums(const DecayingWeights& weights, std::int64_t steps) {
  double units = static_cast<double>(weights.keep.size());
  for (std::size_t j = 0; j < weights.keep.size(); ++j)
    units += weights.weight[j] * std::min(static_cast<double>(steps), 1 / (1 - weights.keep[j]));
  return units * kFixedStep * (1 + 0x1p-40);
}

}  // namespace chronoveil::mechanisms
