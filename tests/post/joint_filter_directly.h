// The live filter of many series without state: whole histories at once, banks by dense conditioning
// (causal_directly.h), and every sum over the past written out. For series that report every step.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "causal_directly.h"
#include "chronoveil/post/causal/joint_filter.h"

namespace chronoveil::post {

struct LiveDirectly {
  std::vector<std::vector<CausalValue>> cells;  // by series, then by step
  std::vector<CausalValue> total;
};

namespace direct {

using Row = std::vector<double>;

// Weights at step t from the risks of all steps before it.
template <std::size_t kMany>
std::array<double, kMany> weights_before(const std::vector<std::array<double, kMany>>& risks, std::size_t t,
                                         const std::array<double, kMany>& prior) {
  std::array<double, kMany> w = prior;
  for (std::size_t i = 0; i < t; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < kMany; ++k)
      sum += w[k] = (0.999 * w[k] + 0.001 * prior[k]) * std::exp(-risks[i][k] / 8);
    for (double& one : w) one /= sum;
  }
  return w;
}

// lacks[s][i] for i <= t: the raise of series s at step t.
inline double raise_at(const std::vector<Row>& lacks, std::size_t s, std::size_t t, double memory) {
  const double series = static_cast<double>(lacks.size());
  Row means;
  double weights = 0, squares = 0, all = 0, all_squared = 0;
  for (const Row& row : lacks) {
    double w = 0, sum = 0;
    for (std::size_t i = 0; i <= t; ++i) {
      const double faded = std::pow(1 - 1 / memory, static_cast<double>(t - i));
      w += faded;
      squares += faded * faded;
      sum += faded * row[i];
      all_squared += faded * row[i] * row[i];
    }
    means.push_back(sum / w);
    weights += w;
    all += sum;
  }
  const double mean = all / weights;
  const double v = std::max(0.0, all_squared / weights - mean * mean) / (weights * weights / squares) * series;
  double b = 1;
  if (lacks.size() > 1) {
    double spread = 0;
    for (const double one : means) spread += (one - mean) * (one - mean) / (series - 1);
    const double real = std::max(0.0, spread - v);
    b = real > 0 ? real / (real + v) : 0;
  }
  return std::max(0.0, mean + b * (means[s] - mean) + std::sqrt(v * (b + (1 - b) / series)));
}

}  // namespace direct

inline LiveDirectly live_directly(const CausalSpec& spec, const std::vector<std::vector<double>>& z) {
  using direct::Row;
  const std::size_t series = z.size(), steps = z[0].size(), folds = std::min<std::size_t>(series, 8);
  const double noise = spec.noise_variance, memory = static_cast<double>(std::max<std::int64_t>(4 * spec.season, 400));
  const double forget = 1 - 1 / (spec.season >= 2 ? 4.0 * static_cast<double>(spec.season) : 400.0);
  const auto bank = [&](const Row& values, double variance) {
    return causal_directly({variance, spec.season}, {values.begin(), values.end()});
  };

  std::vector<std::vector<CausalValue>> alone(series), curve(folds), joint(series);
  Row others(folds);
  for (std::size_t k = 0; k < folds; ++k) {
    Row mean(steps, 0);
    for (std::size_t s = 0; s < series; ++s)
      if (s % folds != k) others[k] += 1;
    for (std::size_t s = 0; s < series; ++s)
      for (std::size_t t = 0; s % folds != k && t < steps; ++t) mean[t] += z[s][t] / others[k];
    curve[k] = bank(mean, noise / others[k]);
  }
  std::vector<Row> slope(series, Row(steps)), known(series, Row(steps)), joint_gain(series, Row(steps));
  for (std::size_t s = 0; s < series; ++s) {
    alone[s] = bank(z[s], noise);
    const auto& f = curve[s % folds];
    Row rest(steps);
    for (std::size_t t = 0; t < steps; ++t) {
      double products = 0, squares = 0;
      for (std::size_t i = 0; i < t; ++i) {
        const double faded = std::pow(forget, static_cast<double>(t - 1 - i));
        products += faded * z[s][i] * f[i].mean;
        squares += faded * f[i].mean * f[i].mean;
      }
      known[s][t] = noise + squares;
      slope[s][t] = products / known[s][t];
      rest[t] = z[s][t] - slope[s][t] * f[t].mean;
    }
    joint[s] = bank(rest, noise);
    for (std::size_t t = 0; t < steps; ++t) {
      joint_gain[s][t] = joint[s][t].variance / noise;
      joint[s][t].mean += slope[s][t] * f[t].mean;
      joint[s][t].variance = std::min(noise, joint[s][t].variance * (1 + f[t].mean * f[t].mean / known[s][t]) +
                                                 slope[s][t] * slope[s][t] * f[t].variance);
    }
  }

  std::vector<std::vector<std::array<double, 2>>> risks(series);
  for (std::size_t s = 0; s < series; ++s)
    for (std::size_t t = 0; t < steps; ++t)
      risks[s].push_back({std::pow(z[s][t] - alone[s][t].mean, 2) / noise + 2 * alone[s][t].variance / noise,
                          std::pow(z[s][t] - joint[s][t].mean, 2) / noise + 2 * joint_gain[s][t]});
  LiveDirectly all;
  all.cells.resize(series);
  std::vector<Row> lacks(series, Row(steps));
  Row before(series, 0.75), sum(steps, 0), noisy(steps, 0), h(steps, 0);
  for (std::size_t t = 0; t < steps; ++t) {
    Row now(series);
    for (std::size_t s = 0; s < series; ++s) {
      const std::array<double, 2> q = direct::weights_before<2>(risks[s], t, {0.5, 0.5});
      double elsewhere = 7.5;
      for (std::size_t r = 0; r < series; ++r) elsewhere += r % folds != s % folds ? before[r] : 0;
      const double p = elsewhere / (10 + others[s % folds]);
      const double w = now[s] = q[0] * p / (q[0] * p + q[1] * (1 - p));
      const CausalValue &a = alone[s][t], &j = joint[s][t];
      const double mean = w * a.mean + (1 - w) * j.mean;
      const double gain = w * a.variance / noise + (1 - w) * joint_gain[s][t];
      const double variance =
          (w * (a.variance + std::pow(a.mean - mean, 2)) + (1 - w) * (j.variance + std::pow(j.mean - mean, 2))) / noise;
      lacks[s][t] = std::pow(z[s][t] - mean, 2) / noise - 1 + 2 * gain - variance;
      all.cells[s].push_back({mean, variance});
      sum[t] += mean;
      noisy[t] += z[s][t];
      const double of_curve = curve[s % folds][t].variance * others[s % folds] / noise;
      h[t] += (gain + (1 - w) * (1 - joint_gain[s][t]) * slope[s][t] * of_curve) / static_cast<double>(series);
    }
    before = now;
    for (std::size_t s = 0; s < series; ++s)
      all.cells[s][t].variance =
          noise * std::min(1.0, all.cells[s][t].variance + direct::raise_at(lacks, s, t, memory));
  }

  const double total_noise = noise * static_cast<double>(series), root = std::sqrt(static_cast<double>(series));
  const std::vector<CausalValue> by_itself = bank(noisy, total_noise);
  std::vector<CausalValue> mending(steps);
  double left = 1;
  if (steps >= 50) {
    left = 0;
    for (std::size_t t = 0; t < 50; ++t) left += (1 - h[t]) / 50;
    left = std::max(left, 0.02);
    Row d;
    for (std::size_t t = 49; t < steps; ++t) d.push_back((noisy[t] - sum[t]) / root);
    const std::vector<CausalValue> found = bank(d, noise * left);
    std::copy(found.begin(), found.end(), mending.begin() + 49);
  }
  std::vector<std::array<double, 3>> total_risks;
  std::vector<Row> total_lacks(1, Row(steps));
  for (std::size_t t = 0; t < steps; ++t) {
    const std::array<double, 3> means{by_itself[t].mean, sum[t], sum[t] + root * mending[t].mean};
    const std::array<double, 3> gains{by_itself[t].variance / total_noise, h[t],
                                      h[t] + (1 - h[t]) * mending[t].variance / (left * noise)};
    const std::array<double, 3> w = direct::weights_before<3>(total_risks, t, {0.5, 0.25, 0.25});
    double mean = 0, gain = 0, variance = by_itself[t].variance;
    std::array<double, 3> risk{};
    for (std::size_t i = 0; i < 3; ++i) {
      mean += w[i] * means[i];
      gain += w[i] * gains[i];
      risk[i] = std::pow(noisy[t] - means[i], 2) / total_noise + 2 * gains[i];
    }
    for (std::size_t i = 0; i < 3; ++i) variance += w[i] * std::pow(means[i] - mean, 2);
    total_risks.push_back(risk);
    total_lacks[0][t] = std::pow(noisy[t] - mean, 2) / total_noise - 1 + 2 * gain - variance / total_noise;
    const double raised = variance / total_noise + direct::raise_at(total_lacks, 0, t, memory);
    all.total.push_back({mean, std::min(1.0, raised) * total_noise});
  }
  return all;
}

}  // namespace chronoveil::post
