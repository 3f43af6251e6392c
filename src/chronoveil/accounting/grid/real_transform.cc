#include "chronoveil/accounting/grid/real_transform.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

namespace chronoveil::accounting {
namespace {

// Two numbers side by side, which the processor handles at once.
using Pair = double __attribute__((vector_size(16)));

template <class T>
struct Complex {
  T re, im;
  friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
  friend Complex operator*(Complex a, Complex<double> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend Complex operator*(double a, Complex b) { return {a * b.re, a * b.im}; }
};
template <class T>
Complex<T> turned(Complex<T> a) {  // times −i
  return {a.im, -a.re};
}

template <class T>
struct Four {
  Complex<T> y0, y1, y2, y3;
};
template <class T>
Four<T> four_points(Complex<T> a, Complex<T> b, Complex<T> c, Complex<T> d) {
  const Complex<T> p = a + c, m = a - c, q = b + d, n = turned(b - d);
  return {p + q, m + n, p - q, m - n};
}

// Rounds go from one array to another and leave the points in order (Stockham). `stride` transforms lie side by side;
// from the second round on that is an even number, so T may be a Pair.
struct From {
  const double *re, *im;
  template <class T>
  Complex<T> get(std::size_t at) const {
    Complex<T> z;
    std::memcpy(&z.re, re + at, sizeof(T));
    std::memcpy(&z.im, im + at, sizeof(T));
    return z;
  }
};
struct To {
  double *re, *im;
  template <class T>
  void set(std::size_t at, Complex<T> z) const {
    std::memcpy(re + at, &z.re, sizeof(T));
    std::memcpy(im + at, &z.im, sizeof(T));
  }
};
using Roots = From;

template <class T>
void radix_2(From x, To y, std::size_t left, std::size_t stride, Roots roots) {
  for (std::size_t p = 0; p < left; ++p) {
    const auto w = roots.get<double>(p);
    for (std::size_t q = 0; q < stride; q += sizeof(T) / sizeof(double)) {
      const auto a = x.get<T>(stride * p + q), b = x.get<T>(stride * (p + left) + q);
      y.set(stride * 2 * p + q, a + b);
      y.set(stride * (2 * p + 1) + q, (a - b) * w);
    }
  }
}

void radix_4(From x, To y, std::size_t left, std::size_t stride, Roots roots) {
  const std::size_t apart = stride * left;
  for (std::size_t p = 0; p < left; ++p) {
    const auto w1 = roots.get<double>(p), w2 = roots.get<double>(p + left), w3 = roots.get<double>(p + 2 * left);
    const std::size_t to = stride * 4 * p;
    for (std::size_t q = 0; q < stride; q += 2) {
      const std::size_t at = stride * p + q;
      const auto [y0, y1, y2, y3] = four_points(x.get<Pair>(at), x.get<Pair>(at + apart), x.get<Pair>(at + 2 * apart),
                                                x.get<Pair>(at + 3 * apart));
      y.set(to + q, y0);
      y.set(to + stride + q, y1 * w1);
      y.set(to + 2 * stride + q, y2 * w2);
      y.set(to + 3 * stride + q, y3 * w3);
    }
  }
}

// The first round has a stride of 1: compilers find the pairs among neighbouring p, as nothing overlaps.
[[gnu::noinline]] void first_radix_4(const double* __restrict re, const double* __restrict im, double* __restrict to_re,
                                     double* __restrict to_im, std::size_t left, const double* __restrict roots_re,
                                     const double* __restrict roots_im) {
  for (std::size_t p = 0; p < left; ++p) {
    const auto y = four_points<double>({re[p], im[p]}, {re[p + left], im[p + left]},
                                       {re[p + 2 * left], im[p + 2 * left]}, {re[p + 3 * left], im[p + 3 * left]});
    const auto y1 = y.y1 * Complex<double>{roots_re[p], roots_im[p]};
    const auto y2 = y.y2 * Complex<double>{roots_re[p + left], roots_im[p + left]};
    const auto y3 = y.y3 * Complex<double>{roots_re[p + 2 * left], roots_im[p + 2 * left]};
    to_re[4 * p] = y.y0.re;
    to_re[4 * p + 1] = y1.re;
    to_re[4 * p + 2] = y2.re;
    to_re[4 * p + 3] = y3.re;
    to_im[4 * p] = y.y0.im;
    to_im[4 * p + 1] = y1.im;
    to_im[4 * p + 2] = y2.im;
    to_im[4 * p + 3] = y3.im;
  }
}

// An odd radix comes in the last round, which has no roots to multiply with.
void last_radix_3(From x, To y, std::size_t stride) {
  for (std::size_t q = 0; q < stride; q += 2) {
    const auto a = x.get<Pair>(q), b = x.get<Pair>(q + stride), c = x.get<Pair>(q + 2 * stride);
    const auto s = b + c, t = std::numbers::sqrt3 / 2 * turned(b - c), m = a - 0.5 * s;
    y.set(q, a + s);
    y.set(q + stride, m + t);
    y.set(q + 2 * stride, m - t);
  }
}

void last_radix_5(From x, To y, std::size_t stride) {
  // cos and sin of 2π/5 and 4π/5.
  constexpr double c1 = 0.30901699437494742410, c2 = -0.80901699437494742410;
  constexpr double s1 = 0.95105651629515357212, s2 = 0.58778525229247312917;
  for (std::size_t q = 0; q < stride; q += 2) {
    const auto a = x.get<Pair>(q), b = x.get<Pair>(q + stride), c = x.get<Pair>(q + 2 * stride),
               d = x.get<Pair>(q + 3 * stride), e = x.get<Pair>(q + 4 * stride);
    const auto p = b + e, m = turned(b - e), r = c + d, n = turned(c - d);
    const auto u = a + c1 * p + c2 * r, v = a + c2 * p + c1 * r, s = s1 * m + s2 * n, t = s2 * m - s1 * n;
    y.set(q, a + p + r);
    y.set(q + stride, u + s);
    y.set(q + 2 * stride, v + t);
    y.set(q + 3 * stride, v - t);
    y.set(q + 4 * stride, u - s);
  }
}

}  // namespace

long transform_size(long n) {
  long best = std::numeric_limits<long>::max();
  for (const long odd : {1L, 3L, 5L}) {
    long size = odd * 4;
    while (size < n) size *= 2;
    best = std::min(best, size);
  }
  return best;
}

RealTransform::RealTransform(std::size_t size) : size_(size), turn_re_(size / 4 + 1), turn_im_(size / 4 + 1) {
  const std::size_t quarter = size / 4;
  for (std::size_t k = 0; 2 * k <= quarter; ++k) {  // the rest of the quarter is its mirror image
    const auto angle = static_cast<double>(2 * std::numbers::pi_v<long double> * static_cast<long double>(k) /
                                           static_cast<long double>(size));
    const double cosine = std::cos(angle), sine = std::sin(angle);
    turn_re_[k] = cosine;
    turn_im_[k] = -sine;
    turn_re_[quarter - k] = sine;
    turn_im_[quarter - k] = -cosine;
  }
  const std::size_t half = size / 2;
  for (Points* points : {&from_, &to_}) {
    points->re.resize(half);
    points->im.resize(half);
  }
  for (std::size_t points = half; points > 1;) {
    Round round{.radix = points % 4 == 0 ? 4u : points % 2 == 0 ? 2u : points, .left = 0, .re = {}, .im = {}};
    round.left = points / round.radix;
    for (std::size_t j = 1; j < round.radix; ++j)
      for (std::size_t p = 0; p < round.left; ++p) {
        const auto [re, im] = root(j * p * (size / points));
        round.re.push_back(re);
        round.im.push_back(im);
      }
    points = round.left;
    rounds_.push_back(std::move(round));
  }
}

std::pair<double, double> RealTransform::root(std::size_t k) const {
  const std::size_t quarter = size_ / 4;
  const double re = turn_re_[k % quarter], im = turn_im_[k % quarter];
  switch (k / quarter % 4) {  // times (−i)^j
    case 0: return {re, im};
    case 1: return {im, -re};
    case 2: return {-re, -im};
    default: return {-im, re};
  }
}

void RealTransform::transform() {
  std::size_t stride = 1;
  for (const auto& [radix, left, roots_re, roots_im] : rounds_) {
    const From x{from_.re.data(), from_.im.data()};
    const To y{to_.re.data(), to_.im.data()};
    const Roots roots{roots_re.data(), roots_im.data()};
    if (radix == 5)
      last_radix_5(x, y, stride);
    else if (radix == 3)
      last_radix_3(x, y, stride);
    else if (radix == 2)
      (stride == 1 ? radix_2<double> : radix_2<Pair>)(x, y, left, stride, roots);
    else if (stride == 1)
      first_radix_4(x.re, x.im, y.re, y.im, left, roots.re, roots.im);
    else
      radix_4(x, y, left, stride, roots);
    stride *= radix;
    std::swap(from_, to_);
  }
}

// Even and odd numbers are the real and imaginary parts of a transform of half the size; from its values z_k and
// z_{m−k} follow those of the even and of the odd ones, and from these the whole.
void RealTransform::forward(const double* x, double* re, double* im) {
  const std::size_t half = size_ / 2;
  for (std::size_t k = 0; k < half; ++k) {
    from_.re[k] = x[2 * k];
    from_.im[k] = x[2 * k + 1];
  }
  transform();
  for (std::size_t k = 0; k <= half / 2; ++k) {
    const std::size_t mirror = k == 0 ? 0 : half - k;
    const double zr = from_.re[k], zi = from_.im[k], yr = from_.re[mirror], yi = from_.im[mirror];
    const double er = 0.5 * (zr + yr), ei = 0.5 * (zi - yi), dr = 0.5 * (zr - yr), di = 0.5 * (zi + yi);
    const double tr = turn_re_[k] * di + turn_im_[k] * dr, ti = turn_im_[k] * di - turn_re_[k] * dr;
    re[k] = er + tr;
    im[k] = ei + ti;
    re[half - k] = er - tr;
    im[half - k] = ti - ei;
  }
}

void RealTransform::inverse(const double* re, const double* im, double* x) {
  const std::size_t half = size_ / 2;
  // With both parts exchanged the transform is its own inverse.
  for (std::size_t k = 0; k <= half / 2; ++k) {
    const double xr = re[k], xi = im[k], yr = re[half - k], yi = im[half - k];
    const double er = xr + yr, ei = xi - yi, dr = xr - yr, di = xi + yi;
    const double orr = turn_re_[k] * dr + turn_im_[k] * di, oi = turn_re_[k] * di - turn_im_[k] * dr;
    from_.im[k] = er - oi;
    from_.re[k] = ei + orr;
    if (k == 0) continue;
    from_.im[half - k] = er + oi;
    from_.re[half - k] = orr - ei;
  }
  transform();
  const double scale = 1 / static_cast<double>(size_);
  for (std::size_t k = 0; k < half; ++k) {
    x[2 * k] = scale * from_.im[k];
    x[2 * k + 1] = scale * from_.re[k];
  }
}

}  // namespace chronoveil::accounting
