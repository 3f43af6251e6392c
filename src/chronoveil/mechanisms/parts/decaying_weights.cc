#include "chronoveil/mechanisms/parts/decaying_weights.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <numeric>

namespace chronoveil::mechanisms {
namespace {

// π/2 over the complete elliptic integral of the modulus whose complement is b: the mean of 1 and b.
double arithmetic_geometric_mean(double b) {
  double a = 1;
  for (int i = 0; i < 64 && std::abs(a - b) > 1e-15 * a; ++i) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  return a;
}

// q_1, ..., q_{n−1}. By theta functions of the complementary nome, which is small where μ is: nothing cancels, so that
// machines agree in all but the last bits.
std::vector<double> poles_and_zeros(double memory, int n) {
  const double mu = 1 / memory;
  const double whole = std::numbers::pi * arithmetic_geometric_mean(std::sqrt(1 - mu)) /
                       arithmetic_geometric_mean(std::sqrt(mu));  // π K/K'
  std::vector<double> all;
  for (int l = 1; l < n; ++l) {
    const double at = l * whole / (2 * n);
    double above = 0, below = 1;
    for (int i = 0; i < 12; ++i) {
      const double sign = i % 2 == 0 ? 1 : -1;
      above +=
          sign * (std::exp((2 * i + 1) * at - i * (i + 1) * whole) - std::exp(-(2 * i + 1) * at - i * (i + 1) * whole));
      const int k = i + 1;
      below -= sign * (std::exp(2 * k * at - k * k * whole) + std::exp(-2 * k * at - k * k * whole));
    }
    // sc² = q'^(1/2)/κ' (above/below)²
    all.push_back(std::sqrt(mu) * std::exp(-whole / 2) * (above / below) * (above / below));
  }
  return all;
}

double rounded_down(double value, int places) { return std::ldexp(std::floor(std::ldexp(value, places)), -places); }

}  // namespace

DecayingWeights decaying_weights(std::int64_t steps, double memory) {
  DecayingWeights weights;
  if (steps == 1 || memory == 1) return weights;
  std::size_t d = 1;
  for (std::int64_t reach = 10; reach < steps; reach *= 10) ++d;
  const std::vector<double> q = poles_and_zeros(memory, static_cast<int>(2 * d + 1));
  std::vector<double> residue(d, 1.0);
  double first = 1;  // c_0, until it is scaled to 1
  for (std::size_t j = 0; j < d; ++j) {
    const double pole = q[2 * j];
    for (std::size_t l = 0; l < d; ++l) {
      residue[j] *= q[2 * l + 1] - pole;
      if (l != j) residue[j] /= q[2 * l] - pole;
    }
    first += residue[j] / (1 + pole);
  }
  for (std::size_t j = 0; j < d; ++j) {
    const double pole = q[2 * j], lost = pole / (1 + pole);
    weights.keep.push_back(1 - rounded_down(lost, 23 - std::ilogb(lost)));
    weights.weight.push_back(std::max(0.0, rounded_down(residue[j] / ((1 + pole) * (1 + pole) * first), 32)));
  }
  return weights;
}

std::vector<double> flat(const DecayingWeights& weights) {
  std::vector<double> all = weights.keep;
  all.insert(all.end(), weights.weight.begin(), weights.weight.end());
  return all;
}

DecayingWeights weights_in(const std::vector<double>& flat) {
  const auto half = flat.begin() + std::ssize(flat) / 2;
  return {{flat.begin(), half}, {half, flat.end()}};
}

bool are_weights(const std::vector<double>& flat) {
  const DecayingWeights weights = weights_in(flat);
  const auto between = [](double number) { return number >= 0 && number < 1; };
  return flat.size() % 2 == 0 && flat.size() <= 2 * kMostDecays && std::all_of(flat.begin(), flat.end(), between) &&
         std::accumulate(weights.weight.begin(), weights.weight.end(), 0.0) <= 1;
}

ColumnNorms column_norms(const DecayingWeights& weights, std::int64_t steps, std::int64_t apart, std::int64_t most) {
  const std::size_t d = weights.keep.size(), columns = static_cast<std::size_t>(most);
  // Of the column from row i·b on, n = T − i b rows: Σ c_m², Σ c_m and Σ c_m θ_j^m, m < n.
  std::vector<double> squares(columns), sums(columns), decayed(columns * d);
  std::vector<double> power(d, 1.0), part = weights.weight, running(d, 0.0);  // θ_j^m, ω_j θ_j^m, Σ c_m θ_j^m
  double c = 1, square = 0, sum = 0;
  for (std::int64_t n = 1; n <= steps; ++n) {
    square += c * c;
    sum += c;
    for (std::size_t j = 0; j < d; ++j) running[j] += c * power[j];
    c = 0;
    for (std::size_t j = 0; j < d; ++j) {
      power[j] *= weights.keep[j];
      c += part[j];
      part[j] *= weights.keep[j];
    }
    const std::int64_t before = (steps - n) / apart;
    if (before * apart != steps - n || before >= most) continue;
    const auto i = static_cast<std::size_t>(before);
    squares[i] = square;
    sums[i] = sum;
    std::copy(running.begin(), running.end(), decayed.begin() + static_cast<std::ptrdiff_t>(i * d));
  }
  // <C e_ib, Σ_{l<i} C e_lb> = Σ_m c_m Σ_{k=1..i} c_{m+kb} = Σ_j (Σ_k ω_j θ_j^{kb−1}) Σ_m c_m θ_j^m
  std::vector<double> reach = weights.weight, before(d, 0.0), over(d);  // ω_j θ_j^{kb−1}, its sum over k, θ_j^b
  for (std::size_t j = 0; j < d; ++j) {
    over[j] = std::pow(weights.keep[j], static_cast<double>(apart));
    reach[j] *= std::pow(weights.keep[j], static_cast<double>(apart - 1));
  }
  const double up = 1 + (8 * static_cast<double>(steps) + 64) * std::numeric_limits<double>::epsilon();
  ColumnNorms norms;
  double energy = 0, mass = 0;
  for (std::size_t i = 0; i < columns; ++i) {
    double shared = 0;
    for (std::size_t j = 0; j < d; ++j) shared += before[j] * decayed[i * d + j];
    energy += squares[i] + 2 * shared;
    mass += sums[i];
    norms.energy.push_back(energy * up);
    norms.mass.push_back(mass * up);
    for (std::size_t j = 0; j < d; ++j) {
      before[j] += reach[j];
      reach[j] *= over[j];
    }
  }
  return norms;
}

double total_spread(const DecayingWeights& weights, std::int64_t steps) {
  const std::size_t d = weights.keep.size();
  std::vector<double> sums(d, 0.0);
  double total = 0, energy = 0;
  for (std::int64_t t = 0; t < steps; ++t) {
    double estimate = t == 0 ? 1 : 0;
    for (std::size_t j = 0; j < d; ++j) estimate -= weights.weight[j] * sums[j];
    for (std::size_t j = 0; j < d; ++j) sums[j] = weights.keep[j] * sums[j] + estimate;
    total += estimate;
    energy += total * total;
  }
  return std::sqrt(energy);
}

}  // namespace chronoveil::mechanisms
