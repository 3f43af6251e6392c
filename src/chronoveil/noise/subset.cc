#include "chronoveil/noise/subset.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "chronoveil/noise/bernoulli.h"
#include "chronoveil/noise/uniform.h"

namespace chronoveil::noise {

Result<std::vector<std::int64_t>> poisson_subset(std::int64_t n, double rate, BitSource& bits) {
  if (n < 0) return invalid("n", std::to_string(n), "at least 0");
  if (!(rate >= 0 && rate <= 1)) return invalid("rate", rate, "between 0 and 1");
  std::vector<std::int64_t> chosen;
  if (rate == 0) return chosen;
  for (std::int64_t i = 0; i < n; ++i) {
    if (bernoulli(rate, bits)) chosen.push_back(i);
  }
  return chosen;
}

Result<std::vector<std::int64_t>> poisson_subset(std::int64_t n, std::int64_t numerator, std::int64_t denominator,
                                                 BitSource& bits) {
  if (n < 0) return invalid("n", std::to_string(n), "at least 0");
  if (denominator < 1) return invalid("denominator", std::to_string(denominator), "at least 1");
  if (numerator < 0 || numerator > denominator)
    return invalid("numerator", std::to_string(numerator), "between 0 and the denominator");
  std::vector<std::int64_t> chosen;
  // The first 16 binary digits of a uniform real are compared with those of the rate, four coins per word. If they are
  // equal, the rest of the rate is a ratio with the same denominator, and one uniform integer decides.
  const Uint128 scaled = static_cast<Uint128>(numerator) << 16;
  const auto digits = static_cast<std::uint64_t>(scaled / static_cast<std::uint64_t>(denominator));
  const auto rest = static_cast<std::uint64_t>(scaled % static_cast<std::uint64_t>(denominator));
  for (std::int64_t i = 0; i < n;) {
    std::uint64_t word = bits.next_u64();
    for (const std::int64_t end = std::min(n, i + 4); i < end; ++i, word >>= 16) {
      const std::uint64_t first = word & 0xffff;
      if (first > digits) continue;
      if (first < digits || (rest > 0 && uniform_below(static_cast<std::uint64_t>(denominator), bits) < rest))
        chosen.push_back(i);
    }
  }
  return chosen;
}

Result<std::vector<std::int64_t>> fixed_size_subset(std::int64_t n, std::int64_t size, BitSource& bits) {
  if (n < 0) return invalid("n", std::to_string(n), "at least 0");
  if (size < 0 || size > n) return invalid("size", std::to_string(size), "between 0 and n");
  std::vector<std::int64_t> chosen;
  chosen.reserve(static_cast<std::size_t>(size));
  if (size > n / 8) {
    // Dense: walk over all and take each with probability (still needed) / (still left) (Algorithm S of Knuth).
    std::int64_t needed = size;
    for (std::int64_t i = 0; needed > 0; ++i) {
      if (uniform_below(static_cast<std::uint64_t>(n - i), bits) < static_cast<std::uint64_t>(needed)) {
        chosen.push_back(i);
        --needed;
      }
    }
    return chosen;
  }
  // Sparse: Floyd's algorithm [Bentley87], one draw for each chosen index however large n is.
  std::unordered_set<std::int64_t> seen;
  for (std::int64_t last = n - size; last < n; ++last) {
    const std::int64_t drawn = uniform_between(0, last, bits);
    const std::int64_t index = seen.insert(drawn).second ? drawn : last;
    seen.insert(index);
    chosen.push_back(index);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace chronoveil::noise
