#include "chronoveil/accounting/tilted.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <unsupported/Eigen/FFT>

namespace chronoveil::accounting {
namespace {

constexpr double kUnit = 0x1p-53;

// The smallest 2^a, 3·2^a or 5·2^a that is at least n, divisible by 4 as the real transform wants.
long transform_size(long n) {
  long best = std::numeric_limits<long>::max();
  for (long odd : {1L, 3L, 5L}) {
    long size = odd * 4;
    while (size < n) size *= 2;
    best = std::min(best, size);
  }
  return best;
}

// z^n for a whole spectrum by repeated squaring; multiplies it into (re, im).
void multiply_power(std::vector<double>& re, std::vector<double>& im, const std::vector<std::complex<double>>& z,
                    std::int64_t n) {
  const std::size_t size = z.size();
  constexpr std::size_t kBlock = 256;  // stays in the first-level cache over all squarings
  double br[kBlock], bi[kBlock];
  for (std::size_t start = 0; start < size; start += kBlock) {
    const std::size_t length = std::min(kBlock, size - start);
    for (std::size_t k = 0; k < length; ++k) {
      br[k] = z[start + k].real();
      bi[k] = z[start + k].imag();
    }
    double* const outr = re.data() + start;
    double* const outi = im.data() + start;
    for (std::int64_t bits = n;;) {
      if (bits & 1)
        for (std::size_t k = 0; k < length; ++k) {
          const double r = outr[k] * br[k] - outi[k] * bi[k];
          outi[k] = outr[k] * bi[k] + outi[k] * br[k];
          outr[k] = r;
        }
      bits >>= 1;
      if (bits == 0) break;
      for (std::size_t k = 0; k < length; ++k) {
        const double r = br[k] * br[k] - bi[k] * bi[k];
        bi[k] = 2 * br[k] * bi[k];
        br[k] = r;
      }
    }
  }
}

double norm(const std::vector<double>& values) {
  double sum = 0;
  for (double v : values) sum += v * v;
  return std::sqrt(sum);
}

// The least value of f over t >= least, by steps of a constant factor from `start`; f need not be finite everywhere.
template <class F>
double least_value(F f, double start, double least) {
  double t = std::max(start, least), best = f(t);
  for (const double factor : {1.35, 1 / 1.35}) {
    double next = t;
    while ((next *= factor) >= least) {
      const double value = f(next);
      if (std::isfinite(best) ? !(value < best - 0.01 * std::abs(best)) : factor > 1 || next < t / 64) break;
      best = std::isfinite(best) ? value : (std::isfinite(value) ? value : best);
    }
  }
  return best;
}

struct Window {
  long first = 0, last = 0;
  double outside_below = 0;  // Σ over S < first of tilted mass × e^{tilt (l_first − l)}: mass moved up to the edge
  double outside_above = 0;  // tilted mass above
};

Result<Window> choose_window(std::span<const Tilted> parts, Stage stage, Outside outside) {
  const double step = parts[0].loss.step;
  double support_first = 0, support_last = 0, infinite_steps = 0;
  for (const Tilted& part : parts) {
    support_first += static_cast<double>(part.loss.first) * static_cast<double>(part.count);
    support_last += static_cast<double>(part.loss.last()) * static_cast<double>(part.count);
    infinite_steps += static_cast<double>(part.count);
  }
  if (support_last - support_first < 4096 || infinite_steps <= 1)
    return Window{static_cast<long>(support_first), static_cast<long>(support_last), 0, 0};
  const TiltedMoments centre = moments(parts, 0);
  const double deviation = std::max(std::sqrt(centre.variance), step);
  const double tilt = parts[0].tilt;
  double log_scale = 0;
  for (const Tilted& part : parts) log_scale += part.log_scale * static_cast<double>(part.count);
  // Chernoff's bound says which edge leaves at most so much outside: log E e^{tS} − t·edge <= log(allowed), for every
  // t.
  const double log_tilted = std::log(outside.tilted), log_above = std::log(outside.above) - log_scale;
  const double start = std::sqrt(-2 * log_tilted) / deviation;
  auto above = [&](double t) {
    const double k = moments(parts, t).log_moment;
    return std::max((k - log_tilted) / t, (k - log_above) / (t + tilt));  // the P-mass falls by e^{−tilt·edge} besides
  };
  auto below = [&](double t) { return (moments(parts, -t).log_moment - log_tilted) / t; };  // −edge
  const double last = std::ceil(least_value(above, start, 0) / step);
  const double first = std::floor(-least_value(below, start, stage == Stage::last ? 0 : tilt) / step);
  const bool all_below = !(first > support_first), all_above = !(last < support_last);
  const double from = all_below ? support_first : first, to = all_above ? support_last : last;
  // Also where the edges are not numbers, or lie beyond the range of an index.
  if (!(from <= to && to - from + 1 <= static_cast<double>(kMostPoints) && std::abs(from) < 1e15))
    return fail(ErrorKind::cannot_certify, "this composition needs more than 2^22 grid points at this tolerance");
  return Window{static_cast<long>(from), static_cast<long>(to), all_below ? 0 : outside.tilted,
                all_above ? 0 : std::min(outside.tilted, std::exp(log_above + tilt * to * step))};
}

}  // namespace

std::vector<double> exponentials(double rate, long first, std::size_t size) {
  constexpr std::size_t kBlock = 64;
  double within[kBlock];
  for (std::size_t k = 0; k < kBlock; ++k) within[k] = std::exp(rate * static_cast<double>(k));
  std::vector<double> out(size);
  for (std::size_t start = 0; start < size; start += kBlock) {
    const double base = std::exp(rate * static_cast<double>(first + static_cast<long>(start)));
    const std::size_t length = std::min(kBlock, size - start);
    for (std::size_t k = 0; k < length; ++k) out[start + k] = base * within[k];
  }
  return out;
}

Tilted tilted(const GridLoss& loss, double tilt, std::int64_t count, Side side) {
  Tilted out{.loss = loss, .tilt = tilt, .log_scale = 0, .count = count};
  const double rate = tilt * loss.step;
  // Shift the exponents so that the largest product is near 1: no overflow, no loss.
  double peak = -std::numeric_limits<double>::infinity();
  const std::size_t stride = std::max<std::size_t>(1, loss.mass.size() / 512);
  for (std::size_t k = 0; k < loss.mass.size(); k += stride)
    if (loss.mass[k] > 0)
      peak = std::max(peak, std::log(loss.mass[k]) + rate * static_cast<double>(loss.first + static_cast<long>(k)));
  if (!std::isfinite(peak)) peak = 0;
  const bool wild = std::abs(rate) * static_cast<double>(loss.mass.size()) > 600;
  if (wild) {
    for (std::size_t k = 0; k < loss.mass.size(); ++k)
      if (loss.mass[k] > 0) {
        const double exponent =
            std::log(loss.mass[k]) + rate * static_cast<double>(loss.first + static_cast<long>(k)) - peak;
        peak = std::max(peak, peak + exponent);
      }
    for (std::size_t k = 0; k < loss.mass.size(); ++k)
      if (loss.mass[k] > 0)
        out.loss.mass[k] =
            std::exp(std::log(loss.mass[k]) + rate * static_cast<double>(loss.first + static_cast<long>(k)) - peak);
  } else {
    const long shift = std::lround(peak / (rate != 0 ? rate : 1));
    const long origin = rate != 0 ? std::clamp(shift, loss.first, loss.last()) : 0;
    peak = rate * static_cast<double>(origin);
    const auto factors = exponentials(rate, loss.first - origin, loss.mass.size());
    for (std::size_t k = 0; k < loss.mass.size(); ++k) out.loss.mass[k] = loss.mass[k] * factors[k];
  }
  double sum = 0;
  for (double mass : out.loss.mass) sum += mass;
  if (sum > 0) {
    for (double& mass : out.loss.mass) mass /= sum;
    // The exponents carry a relative error of one unit each, and so many units enter each mass.
    const double rounding = 2 * kUnit * (std::abs(rate) * static_cast<double>(loss.mass.size()) + 16);
    out.log_scale = peak + std::log(sum) + (side == Side::upper ? rounding : -rounding);
  }
  return out;
}

TiltedMoments moments(std::span<const Tilted> parts, double t) {
  constexpr std::size_t kBlock = 64;
  TiltedMoments total;
  for (const Tilted& part : parts) {
    const std::vector<double>& mass = part.loss.mass;
    const double rate = t * part.loss.step;
    // Within a block the powers e^{rate k} k^j are the same for all blocks; a block's own power is one exp.
    double power[3][kBlock];
    for (std::size_t k = 0; k < kBlock; ++k) {
      const double index = static_cast<double>(k);
      power[0][k] = std::exp(rate * index);
      power[1][k] = power[0][k] * index;
      power[2][k] = power[1][k] * index;
    }
    double m0 = 0, m1 = 0, m2 = 0;
    for (std::size_t start = 0; start < mass.size(); start += kBlock) {
      const auto length = static_cast<Eigen::Index>(std::min(kBlock, mass.size() - start));
      const Eigen::Map<const Eigen::VectorXd> block(mass.data() + start, length);
      const double b0 = block.dot(Eigen::Map<const Eigen::VectorXd>(power[0], length));
      if (b0 == 0) continue;
      const double b1 = block.dot(Eigen::Map<const Eigen::VectorXd>(power[1], length));
      const double b2 = block.dot(Eigen::Map<const Eigen::VectorXd>(power[2], length));
      const double origin = static_cast<double>(part.loss.first + static_cast<long>(start));
      const double scale = std::exp(rate * origin);
      m0 += scale * b0;
      m1 += scale * (b1 + origin * b0);
      m2 += scale * (b2 + origin * (2 * b1 + origin * b0));
    }
    const double n = static_cast<double>(part.count), mean = m1 / m0;
    // A sum that under- or overflows bounds nothing, neither does one whose powers do so within a block.
    const bool known = m0 > 1e-280 && m0 < 1e280 && std::abs(rate) * static_cast<double>(kBlock) < 600;
    total.log_moment += known ? n * (std::log(m0) + 1e-13) : std::numeric_limits<double>::infinity();  // rounded upward
    total.mean += n * mean * part.loss.step;
    total.variance += n * std::max(0.0, m2 / m0 - mean * mean) * part.loss.step * part.loss.step;
  }
  return total;
}

Result<Convolved> convolve(std::span<const Tilted> parts, Side side, Stage stage, Outside outside) {
  Convolved out;
  Tilted& sum = out.sum;
  sum.tilt = parts[0].tilt;
  sum.loss.step = parts[0].loss.step;
  double factors = 0;  // how many factors the product has
  for (const Tilted& part : parts) {
    const double n = static_cast<double>(part.count);
    sum.log_scale += n * part.log_scale;
    sum.loss.infinite += n * part.loss.infinite;
    sum.loss.slack += n * part.loss.slack;
    factors += n;
  }
  if (factors * 64 * kUnit > 1e-3)
    return fail(ErrorKind::cannot_certify, "count: more than 10^11 steps cannot be composed with certainty");
  CV_TRY(const Window window, choose_window(parts, stage, outside));
  out.cut_below = stage == Stage::last && window.outside_below > 0;
  out.below = window.outside_below;
  const long points = window.last - window.first + 1;
  if (parts.size() == 1 && parts[0].count == 1 && points == static_cast<long>(parts[0].loss.mass.size())) {
    sum = parts[0];
    return out;
  }
  const long size = transform_size(points);
  const auto n = static_cast<std::size_t>(size), half = n / 2 + 1;
  thread_local Eigen::FFT<double> fft;
  fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  // ‖computed − exact‖₂ <= transform_error · ‖exact‖₂ for one transform; four times the textbook bound.
  const double transform_error = 8 * std::log2(static_cast<double>(size)) * kUnit;

  std::vector<double> re(half, 1.0), im(half, 0.0), folded(n);
  std::vector<std::vector<double>> squares;  // of the magnitudes
  std::vector<double> input_errors;
  std::vector<std::complex<double>> spectrum(half);
  for (const Tilted& part : parts) {
    std::fill(folded.begin(), folded.end(), 0.0);
    long at = part.loss.first % size;
    if (at < 0) at += size;
    for (double mass : part.loss.mass) {
      folded[static_cast<std::size_t>(at)] += mass;
      if (++at == size) at = 0;
    }
    fft.fwd(spectrum.data(), folded.data(), static_cast<Eigen::Index>(size));
    input_errors.push_back(transform_error * norm(folded) * std::sqrt(static_cast<double>(size)));
    auto& square = squares.emplace_back(half);
    for (std::size_t k = 0; k < half; ++k) square[k] = std::norm(spectrum[k]);
    multiply_power(re, im, spectrum, part.count);
  }
  // Error of the product: Σ_i n_i |Z/z_i| |e_i| plus its own rounding, then that of the inverse transform.
  double product_norm = 0;
  for (std::size_t k = 0; k < half; ++k) product_norm += re[k] * re[k] + im[k] * im[k];
  product_norm = std::sqrt(2 * product_norm);
  double error = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double count = static_cast<double>(parts[i].count);
    // |Z/z|, at most 1; where z is as good as nothing, what is left of one factor is, and of several factors less.
    const double unknown = parts[i].count == 1 ? 1.0 : 1e-16;
    double sum_of_squares = 0;
    for (std::size_t k = 0; k < half; ++k) {
      const double product = re[k] * re[k] + im[k] * im[k], z = squares[i][k];
      sum_of_squares += z > 1e-16 ? std::min(1.0, product / z) : unknown;
    }
    error += count * std::sqrt(2 * sum_of_squares) * input_errors[i];
  }
  const double root_size = std::sqrt(static_cast<double>(size));
  error = 1.01 * (error / static_cast<double>(size) + 8 * factors * kUnit * product_norm / root_size +
                  transform_error * product_norm / root_size);

  for (std::size_t k = 0; k < half; ++k) spectrum[k] = {re[k], im[k]};
  fft.inv(folded.data(), spectrum.data(), static_cast<Eigen::Index>(size));
  sum.loss.first = window.first;
  sum.loss.mass.resize(static_cast<std::size_t>(points));
  long at = window.first % size;
  if (at < 0) at += size;
  // Masses outside the window wrap onto it: harmless above, to be taken off below.
  const double wrapped = window.outside_below + window.outside_above;
  for (long k = 0; k < points; ++k) {
    const double mass = folded[static_cast<std::size_t>(at)];
    sum.loss.mass[static_cast<std::size_t>(k)] =
        side == Side::upper ? std::max(mass, 0.0) + error : std::max(mass - error - wrapped, 0.0);
    if (++at == size) at = 0;
  }
  out.error = error + (side == Side::lower ? wrapped : 0.0);
  if (side == Side::upper) {
    if (stage == Stage::inner) sum.loss.mass.front() += window.outside_below;
    sum.loss.infinite +=
        window.outside_above * std::exp(sum.log_scale - sum.tilt * sum.loss.step * static_cast<double>(window.last));
  }
  return out;
}

}  // namespace chronoveil::accounting
