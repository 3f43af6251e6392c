// The formulas of post/shrink*.h written out in long double, with explicit basis vectors and no transform: what the
// quick implementation must agree with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <vector>

namespace chronoveil::post::direct {

using Real = long double;
using Reals = std::vector<Real>;
inline constexpr Real kPi = std::numbers::pi_v<Real>;

inline Real phi(std::size_t k, std::size_t t, std::size_t n) {
  const Real length = static_cast<Real>(n);
  if (k == 0) return std::sqrt(1 / length);
  return std::sqrt(2 / length) * std::cos(kPi * static_cast<Real>(k) * static_cast<Real>(2 * t + 1) / (2 * length));
}

// φ_k(t) for all k and t.
inline std::vector<Reals> basis(std::size_t n) {
  std::vector<Reals> all(n, Reals(n));
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t t = 0; t < n; ++t) all[k][t] = phi(k, t, n);
  return all;
}

// The prior variances g_k of every cosine spectrum.
inline std::vector<Reals> spectra(std::size_t n, std::size_t season, bool slab) {
  constexpr Real infinity = std::numeric_limits<Real>::infinity();
  const Real length = static_cast<Real>(n);
  const auto filled = [&](auto&& g) {
    Reals all(n, infinity);
    for (std::size_t k = 1; k < n; ++k) all[k] = g(k);
    return all;
  };
  const auto smooth = [&](std::size_t k, Real cutoff, int order) {
    const Real mu = 2 - 2 * std::cos(kPi * static_cast<Real>(k) / length);
    return std::pow(std::pow(kPi * cutoff / length, Real{2}) / mu, static_cast<Real>(order));
  };
  std::vector<Reals> all;
  const Real factor = slab ? 4 : 2;
  for (int order = 1; order <= (slab ? 1 : 2); ++order)
    for (Real cutoff = 0.25L; cutoff <= 8 * length; cutoff *= factor)
      for (const Real white : {0.0L, 1.0L})
        all.push_back(filled([&](std::size_t k) { return smooth(k, cutoff, order) + white; }));
  // The flat variances are doubles of the interface: 0.1 is the double nearest to it.
  for (const double white : {0.0, 0.1, 1.0, 10.0}) all.push_back(filled([&](std::size_t) { return Real{white}; }));
  if (slab) return all;
  all.push_back(Reals(n, infinity));
  if (season == 0) return all;
  for (const Real decay : {2.0L, 3.0L})
    for (const Real width : {0.5L, 2.0L}) {
      const auto lines = [&](std::size_t k) {
        Real sum = 0;
        for (std::size_t j = 1; j <= std::min<std::size_t>(season / 2, 50); ++j) {
          const Real off =
              (static_cast<Real>(k) - 2 * length * static_cast<Real>(j) / static_cast<Real>(season)) / width;
          sum += std::pow(static_cast<Real>(j), -decay) / (1 + off * off);
        }
        return sum;
      };
      for (const Real height : {1.0L, 10.0L, 100.0L, 1000.0L, 10000.0L}) {
        all.push_back(filled([&](std::size_t k) { return height * lines(k); }));
        for (Real cutoff = 0.25L; cutoff <= 8 * length; cutoff *= 4)
          all.push_back(filled([&](std::size_t k) { return smooth(k, cutoff, 1) + height * lines(k); }));
      }
    }
  return all;
}

struct One {
  Real estimate, slope;
};

inline One shrink_one(Real c, Real g, bool slab, Real probability) {
  const Real keep = std::isinf(g) ? 1 : g / (1 + g);
  if (!slab || keep == 1) return {c * keep, keep};
  // Bayes' rule: two Gaussians of variance 1 + g and 1 + g + 100, whose ratio is that at c = 0 times exp(c²u/2).
  const Real usual = (1 - probability) / std::sqrt(1 + g);
  const Real outlier = probability / std::sqrt(1 + g + 100) * std::exp(c * c * (1 - keep) / 2);
  const Real r = std::isinf(outlier) ? 1 : outlier / (usual + outlier);
  return {c * ((1 - r) * keep + r), (1 - r) * keep + r + r * (1 - r) * (1 - keep) * (1 - keep) * c * c};
}

struct Candidate {
  Reals estimate;     // in time
  Reals variance;     // in time
  Real risk = 0;      // of the sum over the steps
  Reals coefficient;  // of the cosine family, else empty
  Reals slope;
};

inline Candidate cosine_candidate(const Reals& z, const Reals& g, bool slab, const std::vector<Reals>& vectors) {
  const std::size_t n = z.size();
  Candidate result{Reals(n, 0), Reals(n, 0), 0, {}, {}};
  Real slopes = 0;
  for (std::size_t k = 0; k < n; ++k) {
    Real c = 0;
    for (std::size_t t = 0; t < n; ++t) c += z[t] * vectors[k][t];
    const One one = shrink_one(c, g[k], slab, std::min(0.5L, 3 / static_cast<Real>(n)));
    slopes += one.slope;
    result.coefficient.push_back(one.estimate);
    result.slope.push_back(one.slope);
    for (std::size_t t = 0; t < n; ++t) {
      result.estimate[t] += one.estimate * vectors[k][t];
      result.variance[t] += one.slope * vectors[k][t] * vectors[k][t];
    }
  }
  for (std::size_t t = 0; t < n; ++t) result.risk += (z[t] - result.estimate[t]) * (z[t] - result.estimate[t]);
  result.risk += 2 * slopes - static_cast<Real>(n);
  return result;
}

inline Candidate haar_candidate(const Reals& z, Real scale) {
  const std::size_t n = z.size();
  std::size_t widest = 1;
  while (2 * widest <= n) widest *= 2;
  Candidate result{Reals(n, 0), Reals(n, 0), 0, {}, {}};
  Real slopes = static_cast<Real>(n) / static_cast<Real>(widest);
  // The mean over every run of `widest` steps, averaged over the runs that hold a step.
  for (std::size_t start = 0; start < n; ++start) {
    Real sum = 0;
    for (std::size_t i = 0; i < widest; ++i) sum += z[(start + i) % n];
    const Real share = sum / static_cast<Real>(widest) / static_cast<Real>(widest);
    for (std::size_t i = 0; i < widest; ++i) result.estimate[(start + i) % n] += share;
  }
  for (Real& v : result.variance) v = 1 / static_cast<Real>(widest);
  for (std::size_t support = 2; support <= widest; support *= 2) {
    const Real length = static_cast<Real>(support), height = 1 / std::sqrt(length);
    for (std::size_t start = 0; start < n; ++start) {
      const auto sign = [&](std::size_t i) { return i < support / 2 ? Real{1} : Real{-1}; };
      Real d = 0;
      for (std::size_t i = 0; i < support; ++i) d += sign(i) * height * z[(start + i) % n];
      const One one = shrink_one(d, length / scale, true, std::min(0.5L, 3 * length / static_cast<Real>(n)));
      slopes += one.slope / length;
      for (std::size_t i = 0; i < support; ++i) {
        result.estimate[(start + i) % n] += sign(i) * height * one.estimate / length;
        result.variance[(start + i) % n] += one.slope / length / length;
      }
    }
  }
  for (std::size_t t = 0; t < n; ++t) result.risk += (z[t] - result.estimate[t]) * (z[t] - result.estimate[t]);
  result.risk += 2 * slopes - static_cast<Real>(n);
  return result;
}

struct Result {
  Reals value, half_width;
};

// All candidates of shrink for a series in units of its noise.
inline std::vector<Candidate> dictionary(const Reals& z, std::size_t season, const std::vector<Reals>& vectors) {
  const std::size_t n = z.size();
  std::vector<Candidate> all;
  for (const bool slab : {false, true})
    for (const Reals& g : spectra(n, season, slab)) all.push_back(cosine_candidate(z, g, slab, vectors));
  if (n > 1)
    for (Real scale = 1; scale <= 8 * static_cast<Real>(n); scale *= 4) all.push_back(haar_candidate(z, scale));
  return all;
}

// p ∝ prior · exp(−R/4).
inline Reals weights(const std::vector<Candidate>& all, const Reals& prior) {
  Real least = all.front().risk, total = 0;
  for (const Candidate& one : all) least = std::min(least, one.risk);
  Reals weight;
  for (std::size_t i = 0; i < all.size(); ++i)
    total += weight.emplace_back(prior[i] * std::exp((least - all[i].risk) / 4));
  for (Real& one : weight) one /= total;
  return weight;
}

struct Mixed {
  Reals estimate, variance;  // the variance as it is, not raised
  Real stein = 0;            // Σ p R/T
  Real divergence = 0;
};

inline Mixed mixed(const std::vector<Candidate>& all, const Reals& weight, const std::vector<Reals>& vectors) {
  const std::size_t n = vectors.size();
  Mixed result{Reals(n, 0), Reals(n, 0)};
  Real cosine_weight = 0;
  Reals mean_coefficient(n, 0), cosine_mean(n, 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    result.stein += weight[i] * all[i].risk / static_cast<Real>(n);
    for (std::size_t t = 0; t < n; ++t) {
      result.estimate[t] += weight[i] * all[i].estimate[t];
      result.variance[t] += weight[i] * all[i].variance[t];
      result.divergence += weight[i] * all[i].variance[t];
    }
    if (all[i].coefficient.empty()) continue;
    cosine_weight += weight[i];
    for (std::size_t k = 0; k < n; ++k) mean_coefficient[k] += weight[i] * all[i].coefficient[k];
    for (std::size_t t = 0; t < n; ++t) cosine_mean[t] += weight[i] * all[i].estimate[t];
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (weight[i] == 0) continue;
    for (std::size_t k = 0; k < n && !all[i].coefficient.empty(); ++k) {
      const Real off = all[i].coefficient[k] - mean_coefficient[k] / cosine_weight;
      for (std::size_t t = 0; t < n; ++t) result.variance[t] += weight[i] * off * off * vectors[k][t] * vectors[k][t];
    }
    for (std::size_t t = 0; t < n; ++t) {
      const Real centre = all[i].coefficient.empty() ? all[i].estimate[t] : cosine_mean[t] / cosine_weight;
      result.variance[t] += weight[i] * (centre - result.estimate[t]) * (centre - result.estimate[t]);
    }
  }
  return result;
}

inline Real mean(const Reals& values) {
  Real sum = 0;
  for (const Real value : values) sum += value / static_cast<Real>(values.size());
  return sum;
}

inline Result shrink(const std::vector<double>& values, double sigma, double half_width, std::size_t season) {
  const std::size_t n = values.size();
  Reals z;
  for (const double value : values) z.push_back(Real{value} / Real{sigma});
  const std::vector<Reals> vectors = basis(n);
  const std::vector<Candidate> all = dictionary(z, season, vectors);
  const Mixed mixture = mixed(all, weights(all, Reals(all.size(), 1)), vectors);
  const Real raise = std::max(Real{0}, mixture.stein + std::sqrt(2 / static_cast<Real>(n)) - mean(mixture.variance));
  Result result{mixture.estimate, Reals(n, 0)};
  for (std::size_t t = 0; t < n; ++t) {
    result.value[t] *= Real{sigma};
    result.half_width[t] = Real{half_width} * std::sqrt(std::min(Real{1}, mixture.variance[t] + raise));
  }
  return result;
}

}  // namespace chronoveil::post::direct
