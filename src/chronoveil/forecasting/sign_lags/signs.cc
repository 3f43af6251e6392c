#include "chronoveil/forecasting/sign_lags/signs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace chronoveil::forecasting {
namespace {

// Both as bits, 64 steps a word: whether a sign is not 0, and whether it is -1.
struct SignBits {
  const std::uint64_t* there;
  const std::uint64_t* falls;
};

// Σ s_t s_{t+k} from words that are already shifted: signs that are both there, less twice those that differ.
[[gnu::always_inline]] inline std::int64_t agreement_of(const SignBits& now, const SignBits& later, std::size_t words) {
  std::int64_t both = 0, differ = 0;
  for (std::size_t i = 0; i < words; ++i) {
    const std::uint64_t there = now.there[i] & later.there[i];
    both += std::popcount(there);
    differ += std::popcount(there & (now.falls[i] ^ later.falls[i]));
  }
  return both - 2 * differ;
}

// The same twice: counting bits is one instruction where the processor has it, a dozen where it has not.
using Agreement = std::int64_t (*)(const SignBits&, const SignBits&, std::size_t);
std::int64_t agreement_anywhere(const SignBits& now, const SignBits& later, std::size_t words) {
  return agreement_of(now, later, words);
}
#if defined(__x86_64__)
[[gnu::target("popcnt")]] std::int64_t agreement_by_popcnt(const SignBits& now, const SignBits& later,
                                                           std::size_t words) {
  return agreement_of(now, later, words);
}
Agreement agreement() {
  static const Agreement best = __builtin_cpu_supports("popcnt") ? agreement_by_popcnt : agreement_anywhere;
  return best;
}
#else
Agreement agreement() { return agreement_anywhere; }
#endif

}  // namespace

Result<SignProducts> SignProducts::make(const SignLagsConfig& config) {
  CV_CHECK(check_sign_lags(config));
  return SignProducts(config);
}

SignProducts::SignProducts(SignLagsConfig config)
    : config_(std::move(config)),
      products_(static_cast<std::size_t>(config_.released())),
      counts_(static_cast<std::size_t>(config_.released())) {}

void SignProducts::add(std::span<const float> values) {
  const auto lags = static_cast<std::size_t>(config_.lags());
  for (std::size_t season = 0; season < config_.seasons.size(); ++season) {
    const auto m = static_cast<std::size_t>(config_.seasons[season]);
    if (values.size() <= m) continue;
    const std::size_t signs = values.size() - m, words = (signs + 63) / 64;
    // One word more, so that words can be put together from neighbours.
    for (std::vector<std::uint64_t>* bits : {&there_, &falls_, &later_there_, &later_falls_})
      bits->assign(words + 1, 0);
    for (std::size_t t = 0; t < signs; ++t) {
      const float now = values[t + m], before = values[t];
      const bool observed = std::isfinite(now) && std::isfinite(before);
      there_[t / 64] |= std::uint64_t{observed && now != before} << (t % 64);
      falls_[t / 64] |= std::uint64_t{observed && now < before} << (t % 64);
    }
    std::int64_t* const products = products_.data() + season * (lags + 1);
    std::int64_t* const counts = counts_.data() + season * (lags + 1);
    for (std::size_t k = 0; k <= std::min(lags, signs - 1); ++k) counts[k] += static_cast<std::int64_t>(signs - k);
    // Lags k, k + 64, k + 128, ... need the same shift within words.
    for (std::size_t shift = 0; shift < 64 && shift <= lags; ++shift) {
      for (std::size_t i = 0; i < words; ++i) {
        const auto from = [&](const std::vector<std::uint64_t>& bits) {
          return shift == 0 ? bits[i] : bits[i] >> shift | bits[i + 1] << (64 - shift);
        };
        later_there_[i] = from(there_);
        later_falls_[i] = from(falls_);
      }
      for (std::size_t skipped = 0; skipped < words && 64 * skipped + shift <= lags; ++skipped)
        products[64 * skipped + shift] +=
            agreement()({there_.data(), falls_.data()}, {later_there_.data() + skipped, later_falls_.data() + skipped},
                        words - skipped);
    }
  }
}

void SignProducts::add(const PanelSeries& series, std::int64_t channels) {
  if (channels == 1) return add(series.values);
  std::vector<float> one(static_cast<std::size_t>(series.length));
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    for (std::int64_t t = 0; t < series.length; ++t)
      one[static_cast<std::size_t>(t)] = series.values[static_cast<std::size_t>(t * channels + channel)];
    add(one);
  }
}

void SignProducts::merge(const SignProducts& other) {
  for (std::size_t i = 0; i < products_.size(); ++i) {
    products_[i] += other.products_[i];
    counts_[i] += other.counts_[i];
  }
}

}  // namespace chronoveil::forecasting
