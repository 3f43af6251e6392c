#include "chronoveil/mechanisms/parts/circular_convolution.h"

#include <algorithm>
#include <bit>

namespace chronoveil::mechanisms {
namespace {

__extension__ using Uint128 = unsigned __int128;

// Arithmetic modulo a prime below 2^62 in Montgomery's form: a stands for a 2^64.
struct Field {
  std::uint64_t prime, root;  // root: a generator of the multiplicative group
  std::uint64_t inverse;      // −prime^−1 modulo 2^64
  std::uint64_t one, square;  // 2^64 and 2^128 modulo prime

  constexpr Field(std::uint64_t p, std::uint64_t generator) : prime(p), root(generator), inverse(1), one(0), square(0) {
    for (int i = 0; i < 6; ++i) inverse *= 2 - p * inverse;  // Newton: each round doubles the correct bits
    inverse = 0 - inverse;
    one = static_cast<std::uint64_t>((Uint128{1} << 64) % p);
    square = static_cast<std::uint64_t>(Uint128{one} * one % p);
  }

  constexpr std::uint64_t reduce(Uint128 x) const {
    const std::uint64_t m = static_cast<std::uint64_t>(x) * inverse;
    const auto y = static_cast<std::uint64_t>((x + Uint128{m} * prime) >> 64);
    return y >= prime ? y - prime : y;
  }
  constexpr std::uint64_t times(std::uint64_t a, std::uint64_t b) const { return reduce(Uint128{a} * b); }
  constexpr std::uint64_t plus(std::uint64_t a, std::uint64_t b) const {
    const std::uint64_t sum = a + b;
    return sum >= prime ? sum - prime : sum;
  }
  constexpr std::uint64_t minus(std::uint64_t a, std::uint64_t b) const { return a >= b ? a - b : a + prime - b; }
  constexpr std::uint64_t enter(std::uint64_t a) const { return times(a % prime, square); }
  constexpr std::uint64_t leave(std::uint64_t a) const { return reduce(a); }
  constexpr std::uint64_t power(std::uint64_t base, std::uint64_t exponent) const {
    std::uint64_t result = one;
    for (; exponent > 0; exponent >>= 1, base = times(base, base))
      if (exponent & 1) result = times(result, base);
    return result;
  }
  constexpr std::uint64_t inverted(std::uint64_t a) const { return power(a, prime - 2); }
};

constexpr Field kFields[2] = {{(29ULL << 57) + 1, 3}, {(27ULL << 56) + 1, 5}};

// In place, size a power of two; forward leaves its output in bit-reversed order, backward expects it.
void forward(const Field& field, std::vector<std::uint64_t>& a) {
  std::vector<std::uint64_t> powers(a.size() / 2);
  for (std::size_t half = a.size() / 2; half > 0; half /= 2) {
    const std::uint64_t step = field.power(field.enter(field.root), (field.prime - 1) / (2 * half));
    powers[0] = field.one;
    for (std::size_t i = 1; i < half; ++i) powers[i] = field.times(powers[i - 1], step);
    for (std::size_t start = 0; start < a.size(); start += 2 * half)
      for (std::size_t i = 0; i < half; ++i) {
        const std::uint64_t u = a[start + i], v = a[start + half + i];
        a[start + i] = field.plus(u, v);
        a[start + half + i] = field.times(field.minus(u, v), powers[i]);
      }
  }
}

void backward(const Field& field, std::vector<std::uint64_t>& a) {
  std::vector<std::uint64_t> powers(a.size() / 2);
  for (std::size_t half = 1; half < a.size(); half *= 2) {
    const std::uint64_t step = field.inverted(field.power(field.enter(field.root), (field.prime - 1) / (2 * half)));
    powers[0] = field.one;
    for (std::size_t i = 1; i < half; ++i) powers[i] = field.times(powers[i - 1], step);
    for (std::size_t start = 0; start < a.size(); start += 2 * half)
      for (std::size_t i = 0; i < half; ++i) {
        const std::uint64_t u = a[start + i], v = field.times(a[start + half + i], powers[i]);
        a[start + i] = field.plus(u, v);
        a[start + half + i] = field.minus(u, v);
      }
  }
  const std::uint64_t share = field.inverted(field.enter(a.size()));
  for (std::uint64_t& x : a) x = field.times(x, share);
}

std::vector<std::uint64_t> entered(const Field& field, std::span<const std::int64_t> values, std::size_t size) {
  std::vector<std::uint64_t> all(size, 0);
  for (std::size_t i = 0; i < values.size(); ++i) all[i] = field.enter(static_cast<std::uint64_t>(values[i]));
  return all;
}

void multiply_out(std::span<const std::int64_t> kernel, std::span<const std::int64_t> x, std::span<WideSum> y) {
  const std::size_t n = kernel.size();
  const auto add = [](WideSum k, const std::int64_t* from, WideSum* to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) to[i] += k * from[i];
  };
  std::fill(y.begin(), y.end(), 0);
  for (std::size_t j = 0; j < n; ++j) {
    if (kernel[j] == 0) continue;
    add(kernel[j], x.data(), y.data() + j, n - j);  // t >= j reads x from its start
    add(kernel[j], x.data() + (n - j), y.data(), j);
  }
}

}  // namespace

CircularConvolution::CircularConvolution(std::vector<std::int64_t> kernel, ConvolutionRoute route)
    : kernel_(std::move(kernel)) {
  constexpr std::ptrdiff_t kMany = 512;  // about where both routes take equally long
  const auto zeros = std::count(kernel_.begin(), kernel_.end(), std::int64_t{0});
  const bool many = static_cast<std::ptrdiff_t>(kernel_.size()) - zeros > kMany;
  if (route == ConvolutionRoute::direct || (route == ConvolutionRoute::automatic && !many)) return;
  const std::size_t size = std::bit_ceil(2 * kernel_.size());
  for (int i = 0; i < 2; ++i) {
    transformed_[i] = entered(kFields[i], kernel_, size);
    forward(kFields[i], transformed_[i]);
  }
}

void CircularConvolution::apply(std::span<const std::int64_t> x, std::span<WideSum> y) const {
  if (transformed_[0].empty()) return multiply_out(kernel_, x, y);
  const std::size_t n = kernel_.size();
  std::vector<std::uint64_t> remainder[2];
  for (int i = 0; i < 2; ++i) {
    const Field& field = kFields[i];
    std::vector<std::uint64_t>& a = remainder[i];
    a = entered(field, x, transformed_[i].size());
    forward(field, a);
    for (std::size_t j = 0; j < a.size(); ++j) a[j] = field.times(a[j], transformed_[i][j]);
    backward(field, a);
    for (std::size_t t = 0; t < n; ++t) a[t] = field.leave(field.plus(a[t], a[t + n]));  // around the circle
  }
  const Field &p = kFields[0], &q = kFields[1];
  const std::uint64_t p_inverse = q.inverted(q.enter(p.prime));
  for (std::size_t t = 0; t < n; ++t) {
    // r + p ((s − r) p^−1 mod q)
    const std::uint64_t difference = q.minus(remainder[1][t], remainder[0][t] % q.prime);
    const std::uint64_t multiple = q.times(difference, p_inverse);
    const WideSum upper = static_cast<WideSum>(p.prime) * multiple;
    y[t] = upper + remainder[0][t];
  }
}

}  // namespace chronoveil::mechanisms
