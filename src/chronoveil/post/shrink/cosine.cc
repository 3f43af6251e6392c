#include "chronoveil/post/shrink/cosine.h"

#include <cmath>
#include <numbers>
#include <unsupported/Eigen/FFT>

namespace chronoveil::post {
namespace {

using Complex = std::complex<double>;

constexpr std::int64_t kLargestPrime = 50;  // the library takes a time proportional to T times the largest prime factor

std::int64_t largest_prime_factor(std::int64_t n) {
  std::int64_t largest = 1;
  for (std::int64_t p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p) largest = p;
  return std::max(largest, n);
}

// exp(−iπ a/b), with a reduced first so that large products lose nothing.
Complex unit(std::int64_t a, std::int64_t b) {
  return std::polar(1.0, -std::numbers::pi * static_cast<double>(a % (2 * b)) / static_cast<double>(b));
}

}  // namespace

// The discrete Fourier transform of length n, forward with exp(−2πi/n), the inverse divided by n.
struct CosineBasis::Fourier {
  explicit Fourier(std::int64_t length) : n(length) {
    if (largest_prime_factor(n) <= kLargestPrime) return;
    // X_k = w_k Σ_j (x_j w_j) conj(w_{k−j}) with w_j = exp(−iπj²/n): a convolution.
    std::int64_t m = 1;
    while (m < 2 * n - 1) m *= 2;
    chirp.resize(static_cast<std::size_t>(n));
    std::vector<Complex> kernel(static_cast<std::size_t>(m));
    for (std::int64_t j = 0; j < n; ++j) {
      const Complex w = unit(j * j, n);
      chirp[static_cast<std::size_t>(j)] = w;
      kernel[static_cast<std::size_t>(j)] = std::conj(w);
      kernel[static_cast<std::size_t>(j == 0 ? 0 : m - j)] = std::conj(w);
    }
    fft.fwd(kernel_transform, kernel);
  }

  void forward(std::vector<Complex>& out, const std::vector<Complex>& in) {
    if (chirp.empty()) return fft.fwd(out, in);
    padded.assign(kernel_transform.size(), 0);
    for (std::size_t j = 0; j < in.size(); ++j) padded[j] = in[j] * chirp[j];
    fft.fwd(padded_transform, padded);
    for (std::size_t j = 0; j < padded_transform.size(); ++j) padded_transform[j] *= kernel_transform[j];
    fft.inv(padded, padded_transform);
    out.resize(in.size());
    for (std::size_t j = 0; j < in.size(); ++j) out[j] = padded[j] * chirp[j];
  }

  void inverse(std::vector<Complex>& out, std::vector<Complex>& in) {
    for (Complex& value : in) value = std::conj(value);
    forward(out, in);
    for (Complex& value : out) value = std::conj(value) / static_cast<double>(n);
  }

  std::int64_t n;
  Eigen::FFT<double> fft;
  std::vector<Complex> chirp, kernel_transform, padded, padded_transform;
};

CosineBasis::CosineBasis(std::int64_t steps)
    : steps_(steps),
      fourier_(std::make_unique<Fourier>(steps)),
      time_(static_cast<std::size_t>(steps)),
      frequency_(static_cast<std::size_t>(steps)),
      folded_(static_cast<std::size_t>(steps)) {
  turn_.reserve(static_cast<std::size_t>(steps));
  for (std::int64_t k = 0; k < steps; ++k) turn_.push_back(unit(k, 2 * steps));
}
CosineBasis::~CosineBasis() = default;
CosineBasis::CosineBasis(CosineBasis&&) noexcept = default;

void CosineBasis::forward(std::span<const double> in, std::span<double> out) {
  const std::size_t n = time_.size();
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  // Even steps upward, then odd steps downward: the transform of that order holds the cosine sums.
  for (std::size_t t = 0; t < n; ++t) time_[t % 2 == 0 ? t / 2 : n - 1 - t / 2] = in[t];
  fourier_->forward(frequency_, time_);
  const double scale = std::sqrt(2.0 / static_cast<double>(n));
  out[0] = frequency_[0].real() / std::sqrt(static_cast<double>(n));
  for (std::size_t k = 1; k < n; ++k) out[k] = scale * (turn_[k] * frequency_[k]).real();
}

void CosineBasis::inverse(std::span<const double> in, std::span<double> out) {
  const std::size_t n = time_.size();
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  const double scale = std::sqrt(static_cast<double>(n) / 2);
  frequency_[0] = in[0] * std::sqrt(static_cast<double>(n));
  for (std::size_t k = 1; k < n; ++k) frequency_[k] = scale * std::conj(turn_[k]) * Complex(in[k], -in[n - k]);
  fourier_->inverse(time_, frequency_);
  for (std::size_t t = 0; t < n; ++t) out[t] = time_[t % 2 == 0 ? t / 2 : n - 1 - t / 2].real();
}

void CosineBasis::inverse_both(std::span<double> first, std::span<double> second) {
  const std::size_t n = time_.size();
  if (n == 1) return;
  const double scale = std::sqrt(static_cast<double>(n) / 2);
  frequency_[0] = std::sqrt(static_cast<double>(n)) * Complex(first[0], second[0]);
  for (std::size_t k = 1; k < n; ++k)
    frequency_[k] = scale * std::conj(turn_[k]) * Complex(first[k] + second[n - k], second[k] - first[n - k]);
  fourier_->inverse(time_, frequency_);
  for (std::size_t t = 0; t < n; ++t) {
    const Complex value = time_[t % 2 == 0 ? t / 2 : n - 1 - t / 2];
    first[t] = value.real();
    second[t] = value.imag();
  }
}

void CosineBasis::spread(std::span<const double> variances, std::span<double> out) {
  const std::size_t n = time_.size();
  if (n == 1) {
    out[0] = variances[0];
    return;
  }
  // φ_k² = (1 + cos(π 2k (2t + 1)/(2T)))/T for k > 0. A frequency 2k > T is 2T − 2k with the sign turned; T itself is 0
  // on every step.
  double total = variances[0];
  folded_.assign(n, 0);
  for (std::size_t k = 1; k < n; ++k) {
    total += variances[k];
    if (2 * k < n) folded_[2 * k] += variances[k];
    if (2 * k > n) folded_[2 * n - 2 * k] -= variances[k];
  }
  const double scale = std::sqrt(1.0 / (2.0 * static_cast<double>(n)));  // cos / T = φ √(T/2) / T
  for (double& value : folded_) value *= scale;
  inverse(folded_, out);
  for (std::size_t t = 0; t < n; ++t) out[t] += total / static_cast<double>(n);
}

}  // namespace chronoveil::post
