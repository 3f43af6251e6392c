// The weights of running totals as dense columns in long double, and every set of slots that a person can have.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "chronoveil/mechanisms/parts/decaying_weights.h"
#include "chronoveil/mechanisms/series/running_total.h"
#include "neighbours.h"

namespace chronoveil::mechanisms::testing {

struct ByHand {
  std::vector<long double> c;     // c_0, ..., c_{T−1}
  std::vector<long double> back;  // the first column of A C⁻¹: Σ_{i<=k} b_i c_{k−i} = 1

  ByHand(const DecayingWeights& weights, std::int64_t steps) {
    for (std::int64_t k = 0; k < steps; ++k) {
      long double now = k == 0 ? 1 : 0, b = 1;
      for (std::size_t j = 0; k > 0 && j < weights.keep.size(); ++j)
        now += weights.weight[j] * powl(weights.keep[j], static_cast<long double>(k - 1));
      c.push_back(now);
      for (std::size_t i = 0; i < back.size(); ++i) b -= back[i] * c[c.size() - 1 - i];
      back.push_back(b);
    }
  }

  struct Norms {
    double energy = 0, mass = 0;
  };
  // Of the sum of these columns.
  Norms pattern(const std::vector<std::size_t>& slots) const {
    long double energy = 0, mass = 0;
    for (std::size_t t = 0; t < c.size(); ++t) {
      long double sum = 0;
      for (const std::size_t slot : slots) sum += slot <= t ? c[t - slot] : 0;
      energy += sum * sum;
      mass += sum;
    }
    return {static_cast<double>(energy), static_cast<double>(mass)};
  }
};

// Calls `visit` with every set of at most `most` of the slots [from, steps) that are at least `apart` apart.
inline void each_pattern(std::size_t from, std::size_t steps, std::size_t apart, std::size_t most,
                         std::vector<std::size_t>& chosen,
                         const std::function<void(const std::vector<std::size_t>&)>& visit) {
  visit(chosen);
  for (std::size_t slot = from; slot < steps && chosen.size() < most; ++slot) {
    chosen.push_back(slot);
    each_pattern(slot + apart, steps, apart, most, chosen, visit);
    chosen.pop_back();
  }
}

// The largest distance of what is measured with and without one person, over what the plan allows: everybody who is in
// at most max_steps slots over all series, at least `apart` apart in each of them.
inline double worst_of_all_patterns(const SeriesPlan& plan, std::int64_t apart) {
  const auto series = static_cast<std::size_t>(plan.shape.series), steps = static_cast<std::size_t>(plan.shape.steps);
  const std::vector<double> nobody = without_noise(running_total(), plan, Counts(cells(plan), 0));
  double worst = 0;
  Counts person(cells(plan), 0);
  const std::function<void(std::size_t, std::size_t)> fill = [&](std::size_t s, std::size_t left) {
    if (s == series) {
      const std::vector<double> moved = without_noise(running_total(), plan, person);
      double energy = 0, mass = 0;
      for (std::size_t i = 0; i < moved.size(); ++i) {
        energy += (moved[i] - nobody[i]) * (moved[i] - nobody[i]);
        mass += std::abs(moved[i] - nobody[i]);
      }
      worst = std::max(worst, plan.noise == NoiseKind::gaussian ? std::sqrt(energy) : mass);
      return;
    }
    std::vector<std::size_t> chosen;
    each_pattern(0, steps, static_cast<std::size_t>(apart), left, chosen, [&](const std::vector<std::size_t>& slots) {
      for (std::size_t t = 0; t < steps; ++t) person[s * steps + t] = 0;
      for (const std::size_t slot : slots) person[s * steps + slot] = plan.shape.max_per_slot;
      fill(s + 1, left - slots.size());
    });
    for (std::size_t t = 0; t < steps; ++t) person[s * steps + t] = 0;
  };
  fill(0, static_cast<std::size_t>(plan.shape.max_steps));
  return worst / plan.sensitivity;
}

}  // namespace chronoveil::mechanisms::testing
