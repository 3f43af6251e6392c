#include "chronoveil/accounting/grid/tilted.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "chronoveil/accounting/grid/real_transform.h"
#include "chronoveil/base/interrupted.h"

namespace chronoveil::accounting {
namespace {

constexpr double kUnit = 0x1p-53;

// The working memory of a convolution. One per thread, so that little is allocated and no transform is prepared twice.
struct Workspace {
  struct Buffers {
    std::vector<double> folded, re, im, part_re, part_im, product;
    std::vector<std::vector<double>> squares;
  } buffers;

  RealTransform& transform(std::size_t size) {
    const auto found = transforms_.find(size);
    if (found != transforms_.end()) return found->second;
    if (sizes_ + size > static_cast<std::size_t>(kMostPoints)) {
      transforms_.clear();
      sizes_ = 0;
    }
    sizes_ += size;
    return transforms_.try_emplace(size, size).first->second;
  }

 private:
  std::map<std::size_t, RealTransform> transforms_;
  std::size_t sizes_ = 0;  // of all of them
};

Eigen::Map<const Eigen::ArrayXd> array(const std::vector<double>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

// z^n for a whole spectrum by repeated squaring; multiplies it into (re, im).
void multiply_power(std::vector<double>& re, std::vector<double>& im, const std::vector<double>& part_re,
                    const std::vector<double>& part_im, std::int64_t n) {
  const std::size_t size = re.size();
  constexpr std::size_t kBlock = 256;  // stays in the first-level cache over all squarings
  double br[kBlock], bi[kBlock];
  for (std::size_t start = 0; start < size; start += kBlock) {
    const std::size_t length = std::min(kBlock, size - start);
    std::copy_n(part_re.data() + start, length, br);
    std::copy_n(part_im.data() + start, length, bi);
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

// e^{rate k}, k = 0..size−1, by products of earlier ones: a unit of rounding for each doubling.
template <std::size_t kSize>
void fill_powers(double rate, double (&power)[kSize]) {
  power[0] = 1;
  for (std::size_t done = 1; done < kSize; done *= 2) {
    const double factor = std::exp(rate * static_cast<double>(done));
    for (std::size_t k = 0; k < std::min(done, kSize - done); ++k) power[done + k] = factor * power[k];
  }
}

// log E e^{t S} of the sum S of all parts under the tilted law, rounded up; infinite if unknown.
double log_moment(std::span<const Tilted> parts, double t) {
  constexpr std::size_t kBlock = 64, kRow = 16;
  double total = 0;
  for (const Tilted& part : parts) {
    const std::vector<double>& mass = part.loss.mass;
    const double rate = t * part.loss.step;
    // Powers are the same within all blocks, and from block to block within all rows, so few exponentials are needed. A
    // row is so short that what underflows at its start is negligible at its end.
    double within[kBlock], blocks[kRow];
    fill_powers(rate, within);
    fill_powers(rate * static_cast<double>(kBlock), blocks);
    const std::size_t row_blocks = std::abs(rate) * static_cast<double>(kBlock * kRow) < 100 ? kRow : 1;
    double sum = 0, row = 0;
    for (std::size_t start = 0; start < mass.size(); start += kBlock) {
      const std::size_t in_row = start / kBlock % row_blocks;
      if (in_row == 0) row = std::exp(rate * static_cast<double>(part.loss.first + static_cast<long>(start)));
      const auto length = static_cast<Eigen::Index>(std::min(kBlock, mass.size() - start));
      const Eigen::Map<const Eigen::VectorXd> block(mass.data() + start, length);
      const double inside = block.dot(Eigen::Map<const Eigen::VectorXd>(within, length));
      if (inside > 0) sum += row * blocks[in_row] * inside;
    }
    // A sum that under- or overflows bounds nothing, nor does one whose powers do so within a block.
    if (!(sum > 1e-240 && sum < 1e280 && std::abs(rate) * static_cast<double>(kBlock) < 600))
      return std::numeric_limits<double>::infinity();
    total += static_cast<double>(part.count) * (std::log(sum) + 1e-13);
  }
  return total;
}

// The variance of the same sum at t = 0, in units of the grid's step.
double variance_of(std::span<const Tilted> parts) {
  double total = 0;
  for (const Tilted& part : parts) {
    const auto size = static_cast<Eigen::Index>(part.loss.mass.size());
    const auto mass = array(part.loss.mass);
    const auto index = Eigen::ArrayXd::LinSpaced(size, 0.0, static_cast<double>(size - 1));
    const double sum = mass.sum(), mean = (mass * index).sum() / sum;
    total += static_cast<double>(part.count) * (mass * (index - mean).square()).sum() / sum;
  }
  return total;
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
  const double deviation = step * std::max(std::sqrt(variance_of(parts)), 1.0);
  const double tilt = parts[0].tilt;
  double log_scale = 0;
  for (const Tilted& part : parts) log_scale += part.log_scale * static_cast<double>(part.count);
  // Chernoff's bound says which edge leaves at most so much outside: log E e^{tS} − t·edge <= log(allowed), for every
  // t.
  const double log_tilted = std::log(outside.tilted), log_above = std::log(outside.above) - log_scale;
  const double start = std::sqrt(-2 * log_tilted) / deviation;
  auto above = [&](double t) {
    const double k = log_moment(parts, t);
    return std::max((k - log_tilted) / t, (k - log_above) / (t + tilt));  // the P-mass falls by e^{−tilt·edge} besides
  };
  auto below = [&](double t) { return (log_moment(parts, -t) - log_tilted) / t; };  // −edge
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
    // Each exponent has a relative error of one unit: that of every mass, the scale, its multiple by the count, its sum
    // with others, and what is subtracted again at the loss asked for. So many units enter a mass, plus those of its
    // own logarithm if it is among them.
    const double furthest =
        std::max(std::abs(static_cast<double>(loss.first)), std::abs(static_cast<double>(loss.last())));
    const double exponents = std::abs(rate) * (furthest + static_cast<double>(loss.mass.size()));
    const double rounding = 6 * kUnit * (exponents + (wild ? 800 : 16));
    out.log_scale = peak + std::log(sum) + (side == Side::upper ? rounding : -rounding);
  }
  return out;
}

Result<Convolved> convolve(std::span<const Tilted> parts, Side side, Stage stage, Outside outside) {
  Convolved out;
  Tilted& sum = out.sum;
  sum.tilt = parts[0].tilt;
  sum.loss.step = parts[0].loss.step;
  double factors = 0;    // how many factors the product has
  double log_total = 0;  // of the product of all sums of masses, rounded up
  std::vector<double> totals;
  for (const Tilted& part : parts) {
    const double n = static_cast<double>(part.count);
    sum.log_scale += n * part.log_scale;
    sum.loss.infinite += n * part.loss.infinite;
    sum.loss.slack += n * part.loss.slack;
    factors += n;
    // A sum of positive numbers, in any order, loses at most one unit per number.
    const double sum_of_masses = array(part.loss.mass).sum();
    totals.push_back(
        std::max(1e-300, sum_of_masses * (1 + 2 * kUnit * static_cast<double>(part.loss.mass.size() + 8))));
    log_total += n * std::log(totals.back());
  }
  out.total = std::exp(log_total) * (1 + 1e-9);
  if (factors * 64 * kUnit > 1e-3)
    return fail(ErrorKind::cannot_certify, "count", "more than 10^11 steps cannot be composed with certainty");
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
  thread_local Workspace work;
  RealTransform& transform = work.transform(n);
  const double transform_error = kTransformError * std::log2(static_cast<double>(size)) * kUnit;
  const double root_size = std::sqrt(static_cast<double>(size));

  auto& [folded, re, im, part_re, part_im, product, squares] = work.buffers;
  folded.resize(n);
  re.assign(half, 1.0);
  im.assign(half, 0.0);
  part_re.resize(half);
  part_im.resize(half);
  squares.resize(std::max(squares.size(), parts.size()));  // of the magnitudes
  std::vector<double> input_errors;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    CV_CHECK(check_interrupted());
    const Tilted& part = parts[i];
    std::fill(folded.begin(), folded.end(), 0.0);
    long at = part.loss.first % size;
    if (at < 0) at += size;
    for (double mass : part.loss.mass) {
      folded[static_cast<std::size_t>(at)] += mass;
      if (++at == size) at = 0;
    }
    transform.forward(folded.data(), part_re.data(), part_im.data());
    input_errors.push_back(transform_error * array(folded).matrix().norm() * root_size);
    squares[i].resize(half);
    for (std::size_t k = 0; k < half; ++k) squares[i][k] = part_re[k] * part_re[k] + part_im[k] * part_im[k];
    multiply_power(re, im, part_re, part_im, part.count);
  }
  // Error of the product: Σ_i n_i |Z/z_i| |e_i| plus its own rounding, then that of the inverse transform.
  product.resize(half);
  for (std::size_t k = 0; k < half; ++k) product[k] = re[k] * re[k] + im[k] * im[k];
  const double product_norm = std::sqrt(2 * array(product).sum());
  double error = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double count = static_cast<double>(parts[i].count);
    // |Z/z|². If z is negligible, the quotient of one factor is the product of all others, each at most its sum of
    // masses (which may exceed 1 after coarsening); of several factors, that times another |z| of at most 1e-8.
    const double others = out.total / totals[i];
    const double unknown = parts[i].count == 1 ? others * others : 1e-16 * (others / totals[i]) * (others / totals[i]);
    auto& square = squares[i];
    for (std::size_t k = 0; k < half; ++k) square[k] = square[k] > 1e-16 ? product[k] / square[k] : unknown;
    error += count * std::sqrt(2 * array(square).sum()) * input_errors[i];
  }
  error = 1.01 * (error / static_cast<double>(size) + 8 * factors * kUnit * product_norm / root_size +
                  transform_error * product_norm / root_size);

  transform.inverse(re.data(), im.data(), folded.data());
  sum.loss.first = window.first;
  sum.loss.mass.resize(static_cast<std::size_t>(points));
  long at = window.first % size;
  if (at < 0) at += size;
  // Masses outside the window wrap onto it: harmless for an upper bound, subtracted for a lower one.
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
