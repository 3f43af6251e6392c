#include "chronoveil/neural/window_kernels.h"

#include <algorithm>
#include <array>

#include "chronoveil/neural/vector_math.h"

namespace chronoveil::neural {
namespace {

// Eight floats anywhere in memory.
using Eight = float __attribute__((vector_size(32), aligned(4), may_alias));

struct Matrix {
  const float *gradient, *input;  // [places, rows], [places, width]
  std::int64_t places, rows, columns;
  std::int64_t width;  // columns, up to the next multiple of eight
  float* out;          // [rows, columns]
  bool first;
};

// Rows and eights of columns of Σ_s gradient[s] ⊗ input[s], from row and column on: they stay in registers. Of the last
// eight of a row only `kept` exist.
template <int kRows, int kEights>
CHRONOVEIL_INLINE void product_tile(const Matrix& m, std::int64_t row, std::int64_t column, std::int64_t kept = 8) {
  Eight sums[kRows][kEights];
  const auto place = [&](int r, int k) { return m.out + (row + r) * m.columns + column + std::int64_t{8} * k; };
  const auto each = [&](const auto& whole, const auto& part) {
    for (int r = 0; r < kRows; ++r)
      for (int k = 0; k < kEights; ++k)
        if (kept == 8)
          whole(place(r, k), sums[r][k]);
        else
          for (std::int64_t lane = 0; lane < kept; ++lane) part(place(r, k), sums[r][k], lane);
  };
  for (auto& of_row : sums)
    for (Eight& sum : of_row) sum = Eight{};
  if (!m.first)
    each([](float* from, Eight& sum) { sum = *reinterpret_cast<const Eight*>(from); },
         [](float* from, Eight& sum, std::int64_t lane) { sum[lane] = from[lane]; });
  for (std::int64_t s = 0; s < m.places; ++s) {
    const float* const g = m.gradient + s * m.rows + row;
    const float* const x = m.input + s * m.width + column;
    for (int k = 0; k < kEights; ++k) {
      const Eight factor = *reinterpret_cast<const Eight*>(x + 8 * k);
      for (int r = 0; r < kRows; ++r) sums[r][k] += g[r] * factor;
    }
  }
  each([](float* to, Eight& sum) { *reinterpret_cast<Eight*>(to) = sum; },
       [](float* to, Eight& sum, std::int64_t lane) { to[lane] = sum[lane]; });
}

// Eight sums at a time: as many as two multipliers of four cycles need.
CHRONOVEIL_INLINE void product(const Matrix& m) {
  const std::int64_t pairs = m.columns / 16 * 16;
  std::int64_t row = 0;
  for (; row + 8 <= m.rows; row += 8) {
    for (std::int64_t column = 0; column < pairs; column += 16) {
      product_tile<4, 2>(m, row, column);
      product_tile<4, 2>(m, row + 4, column);
    }
    for (std::int64_t column = pairs; column < m.columns; column += 8)
      product_tile<8, 1>(m, row, column, std::min<std::int64_t>(8, m.columns - column));
  }
  for (; row < m.rows; ++row)
    for (std::int64_t column = 0; column < m.columns; column += 8)
      product_tile<1, 1>(m, row, column, std::min<std::int64_t>(8, m.columns - column));
}

std::int64_t in_eights(std::int64_t width) { return (width + 7) / 8 * 8; }

// The places of one window side by side, each padded with zeros to `padded` numbers. Far apart, as an LSTM leaves them,
// each would touch its own page of memory, again for every tile.
CHRONOVEIL_INLINE const float* gathered(const float* from, std::int64_t place, std::int64_t places, std::int64_t width,
                                        std::int64_t padded, float* scratch) {
  if (place == padded && width == padded) return from;
  for (std::int64_t s = 0; s < places; ++s) {
    std::copy_n(from + s * place, width, scratch + s * padded);
    std::fill_n(scratch + s * padded + width, padded - width, 0.0F);
  }
  return scratch;
}

CHRONOVEIL_INLINE void form(const PlacedUse& use, std::int64_t window, float* formed, float* scratch) {
  const float* const gradient = use.gradient.at + window * use.gradient.window;
  const float* const input = use.kind == PlacedUse::Kind::sum ? nullptr : use.input.at + window * use.input.window;
  float* const __restrict out = formed + use.offset;
  if (use.kind == PlacedUse::Kind::product) {
    const std::int64_t width = in_eights(use.in);
    return product(
        {.gradient = gathered(gradient, use.gradient.place, use.places, use.out, use.out, scratch),
         .input = gathered(input, use.input.place, use.places, use.in, width, scratch + use.places * use.out),
         .places = use.places,
         .rows = use.out,
         .columns = use.in,
         .width = width,
         .out = out,
         .first = use.first});
  }
  if (use.first) std::fill_n(out, use.out, 0.0F);
  for (std::int64_t s = 0; s < use.places; ++s) {
    const float* const g = gradient + s * use.gradient.place;
    if (use.kind == PlacedUse::Kind::sum) {
      CHRONOVEIL_APART
      for (std::int64_t j = 0; j < use.out; ++j) out[j] += g[j];
    } else {
      const float* const x = input + s * use.input.place;
      CHRONOVEIL_APART
      for (std::int64_t j = 0; j < use.out; ++j) out[j] += g[j] * x[j];
    }
  }
}

CHRONOVEIL_INLINE void form_all(std::span<const PlacedUse> uses, std::int64_t window, float* formed, float* scratch) {
  for (const PlacedUse& use : uses) form(use, window, formed, scratch);
}

CHRONOVEIL_INLINE double squares_loop(const float* v, std::int64_t count) {
  std::array<double, 8> parts{};
  std::int64_t j = 0;
  for (; j + 8 <= count; j += 8)
    for (std::size_t k = 0; k < 8; ++k) {
      const auto x = static_cast<double>(v[j + static_cast<std::int64_t>(k)]);
      parts[k] += x * x;
    }
  for (; j < count; ++j) parts[0] += static_cast<double>(v[j]) * static_cast<double>(v[j]);
  return ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]));
}

template <class Number>
CHRONOVEIL_INLINE void multiple_loop(float c, const float* v, std::int64_t count, Number* sum) {
  CHRONOVEIL_APART
  for (std::int64_t j = 0; j < count; ++j) sum[j] += static_cast<Number>(c) * static_cast<Number>(v[j]);
}

#if defined(CHRONOVEIL_WIDE)
CHRONOVEIL_WIDE void form_wide(std::span<const PlacedUse> uses, std::int64_t window, float* formed, float* scratch) {
  form_all(uses, window, formed, scratch);
}
CHRONOVEIL_WIDE double squares_wide(const float* v, std::int64_t count) { return squares_loop(v, count); }
CHRONOVEIL_WIDE void multiple_wide(float c, const float* v, std::int64_t count, float* sum) {
  multiple_loop(c, v, count, sum);
}
CHRONOVEIL_WIDE void multiple_wide(float c, const float* v, std::int64_t count, double* sum) {
  multiple_loop(c, v, count, sum);
}
#endif

}  // namespace

std::int64_t scratch_for(std::span<const PlacedUse> uses) {
  std::int64_t most = 0;
  for (const PlacedUse& use : uses) most = std::max(most, use.places * (use.out + in_eights(use.in)));
  return most;
}
void form_gradient(std::span<const PlacedUse> uses, std::int64_t window, float* formed, float* scratch) {
  CHRONOVEIL_RETURN_CHOSEN(form_wide(uses, window, formed, scratch), form_all(uses, window, formed, scratch));
}
double sum_of_squares(const float* v, std::int64_t count) {
  CHRONOVEIL_RETURN_CHOSEN(squares_wide(v, count), squares_loop(v, count));
}
void add_multiple(float c, const float* v, std::int64_t count, float* sum) {
  CHRONOVEIL_RETURN_CHOSEN(multiple_wide(c, v, count, sum), multiple_loop(c, v, count, sum));
}
void add_multiple(float c, const float* v, std::int64_t count, double* sum) {
  CHRONOVEIL_RETURN_CHOSEN(multiple_wide(c, v, count, sum), multiple_loop(c, v, count, sum));
}

}  // namespace chronoveil::neural
