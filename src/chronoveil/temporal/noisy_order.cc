#include <algorithm>
#include <numeric>

#include "chronoveil/noise/sampler.h"
#include "chronoveil/temporal/noisy_sorting.h"

namespace chronoveil::temporal {
namespace {

std::vector<std::int64_t> draw_keys(std::int64_t n, const KeySampler& sampler, BitSource& bits) {
  std::vector<std::int64_t> keys(static_cast<std::size_t>(n));
  constexpr std::size_t kAtOnce = 2048;
  for (std::size_t begin = 0; begin < keys.size(); begin += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, keys.size() - begin);
    sampler.fill(std::span(keys.data() + begin, count), bits);
    for (std::size_t i = begin; i < begin + count; ++i)
      keys[i] = noise::add_noise(static_cast<std::int64_t>(i), keys[i]);
  }
  return keys;
}

// Steps by their keys; `settle(std::span<std::uint32_t>)` puts those of one key in order.
template <class Settle>
std::vector<std::uint32_t> sorted_steps(const std::vector<std::int64_t>& keys, Settle settle) {
  std::vector<std::uint32_t> order(keys.size());
  const auto [least, greatest] = std::minmax_element(keys.begin(), keys.end());
  const auto range = static_cast<std::uint64_t>(*greatest - *least) + 1;
  if (range / 4 > keys.size() + 1024) {
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      while (end < order.size() && keys[order[end]] == keys[order[begin]]) ++end;
      settle(std::span(order.data() + begin, end - begin));
    }
    return order;
  }
  // Counting sort: keys differ little from steps, so reads and writes advance side by side.
  std::vector<std::uint32_t> places(range);
  const std::int64_t lowest = *least;
  for (const std::int64_t key : keys) ++places[static_cast<std::size_t>(key - lowest)];
  std::exclusive_scan(places.begin(), places.end(), places.begin(), std::uint32_t{0});
  for (std::size_t step = 0; step < keys.size(); ++step)
    order[places[static_cast<std::size_t>(keys[step] - lowest)]++] = static_cast<std::uint32_t>(step);
  std::uint32_t begin = 0;
  for (const std::uint32_t end : places) {  // where the steps of each key end now
    settle(std::span(order.data() + begin, end - begin));
    begin = end;
  }
  return order;
}

}  // namespace

Result<std::vector<std::uint32_t>> noisy_order(std::int64_t n, const NoisySortLaw& law, BitSource& bits) {
  CV_TRY(const KeySampler sampler, KeySampler::make(law));
  return noisy_order(n, sampler, bits);
}

Result<std::vector<std::uint32_t>> noisy_order(std::int64_t n, const KeySampler& sampler, BitSource& bits) {
  if (n < 0 || n > std::int64_t{std::numeric_limits<std::uint32_t>::max()})
    return invalid("n", std::to_string(n), "between 0 and 2^32 - 1");
  if (n == 0) return std::vector<std::uint32_t>{};
  const std::vector<std::int64_t> keys = draw_keys(n, sampler, bits);
  return sorted_steps(keys, [&bits](std::span<std::uint32_t> ties) { shuffle(ties, bits); });
}

}  // namespace chronoveil::temporal
