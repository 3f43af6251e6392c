// The causal filter without filters: the joint normal law of all values and the truth under each model, conditioned by
// a dense Cholesky factor that grows by one row per value, in long double; weights as logarithms.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "chronoveil/post/causal/filter.h"

namespace chronoveil::post {

using Real = long double;

// One model. With t counted from the first value z_0, and everything in units of R:
//   proper = 0: x_t − z_0 = W_t − W_0 + e_t − e_0 − n_0   nothing known of the level before
//   proper > 0: x_t = N(0, proper) + W_t
struct DenseModel {
  Real prior = 0;      // π
  Real irregular = 0;  // v: the variance of e
  Real proper = 0;
  Real relative = 0;                                     // q = (relative max(x̂, 1))² instead of what `walk` says
  std::function<Real(std::int64_t, std::int64_t)> walk;  // Cov(W_i, W_j), i, j >= 0

  Real weight = 0;          // the logarithm
  std::vector<Real> moved;  // of the relative: Cov(W_i, W_i)
  Real mean = 0, variance = 0;
};

inline std::vector<DenseModel> dense_bank(std::int64_t season) {
  std::vector<DenseModel> all;
  const auto level = [](Real q) {
    return [q](std::int64_t i, std::int64_t j) { return q * static_cast<Real>(std::min(i, j)); };
  };
  const Real families = season >= 2 ? 6 : 5;
  const auto family = [&](std::vector<DenseModel> members) {
    for (DenseModel& member : members) {
      member.prior = 1 / (families * static_cast<Real>(members.size()));
      member.weight = std::log(member.prior);
      all.push_back(std::move(member));
    }
  };

  std::vector<DenseModel> members;
  for (const int k : {-10, -9, -8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 9, 13, 18, 30}) {
    DenseModel m;
    m.walk = level(std::pow(Real{4}, k));
    members.push_back(m);
  }
  family(std::move(members));

  members.clear();
  for (int k = 0; k <= 9; ++k) {
    DenseModel m;
    m.relative = std::pow(Real{2}, -k);
    members.push_back(m);
  }
  family(std::move(members));

  members.clear();
  for (const int k : {-6, -4, -2})
    for (int j = -2; j <= 2; ++j) {
      DenseModel m;
      m.walk = level(std::pow(Real{10}, k));
      m.irregular = std::pow(Real{10}, Real{0.5} * j);
      members.push_back(m);
    }
  family(std::move(members));

  members.clear();
  for (int k = 1; k <= 8; ++k) {
    DenseModel m;
    const Real gain = std::pow(Real{10}, -Real{0.5} * k);
    m.walk = level(gain / 1000);
    m.proper = gain / (1 - gain);
    members.push_back(m);
  }
  family(std::move(members));

  members.clear();
  for (int k = -8; k <= 2; ++k) {
    DenseModel m;
    // W_t = Σ_{k <= t} b_k holds b_0 t times and the turn of step n t − n + 1 times: Σ_{a <= m} a(a + d).
    m.walk = [c = std::pow(Real{8}, k)](std::int64_t i, std::int64_t j) {
      const Real less = static_cast<Real>(std::min(i, j)), d = static_cast<Real>(std::max(i, j)) - less;
      return c * (256 * less * (less + d) + less * (less + 1) * (2 * less + 1) / 6 + d * less * (less + 1) / 2);
    };
    members.push_back(m);
  }
  family(std::move(members));

  if (season < 2) return all;
  members.clear();
  // a_j and b_j have one variance and walk alike, so two steps share what the cosine of their distance says:
  // cos cos + sin sin. It does not depend on where the season began; at j = s/2 all sines are 0 by themselves.
  std::vector<Real> alike(static_cast<std::size_t>(season));
  for (std::size_t d = 0; d < alike.size(); ++d)
    for (std::int64_t j = 1; j <= std::min<std::int64_t>(6, season / 2); ++j)
      alike[d] += std::cos(2 * std::numbers::pi_v<Real> * static_cast<Real>(j) * static_cast<Real>(d) /
                           static_cast<Real>(season)) /
                  static_cast<Real>(j * j);
  struct Shape {
    double amplitude, irregular;
  };
  for (const double q : {1e-5, 1e-2})
    for (const Shape shape : {Shape{0.03, 0}, Shape{0.3, 0.1}, Shape{3, 0.3}, Shape{30, 10}}) {
      DenseModel m;
      m.irregular = shape.irregular;
      m.walk = [=](std::int64_t i, std::int64_t j) {
        const auto seasons = [&](std::int64_t a, std::int64_t b) {
          const Real walked = 1 + static_cast<Real>(std::min(a, b)) / (100 * static_cast<Real>(season));
          return Real{shape.amplitude} * alike[static_cast<std::size_t>(std::abs(a - b) % season)] * walked;
        };
        return Real{q} * static_cast<Real>(std::min(i, j)) + seasons(i, j) - seasons(i, 0) - seasons(0, j) +
               seasons(0, 0);
      };
      members.push_back(m);
    }
  family(std::move(members));
  return all;
}

// The law of one normal vector after another, given those before.
class GrowingCholesky {
 public:
  struct Law {
    Real mean = 0, variance = 0;
    std::vector<Real> row;
  };

  // Of a variable with these covariances with all values so far, and this variance.
  Law given(std::vector<Real> covariances, Real variance) const {
    Law law{0, variance, std::move(covariances)};
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) law.row[i] -= rows_[i][k] * law.row[k];
      law.row[i] /= rows_[i][i];
      law.mean += law.row[i] * whitened_[i];
      law.variance -= law.row[i] * law.row[i];
    }
    return law;
  }
  void add(Law law, Real value) {
    const Real root = std::sqrt(law.variance);
    whitened_.push_back((value - law.mean) / root);
    law.row.push_back(root);
    rows_.push_back(std::move(law.row));
  }

 private:
  std::vector<std::vector<Real>> rows_;
  std::vector<Real> whitened_;
};

inline std::vector<CausalValue> causal_directly(const CausalSpec& spec,
                                                const std::vector<std::optional<double>>& values) {
  const Real deviation = std::sqrt(Real{spec.noise_variance});
  std::vector<CausalValue> out;
  std::size_t first = 0;
  while (first < values.size() && !values[first]) {
    out.push_back({0, std::numeric_limits<double>::infinity()});
    ++first;
  }
  if (first == values.size()) return out;
  out.push_back({*values[first], spec.noise_variance});
  const Real origin = *values[first];

  std::vector<DenseModel> bank = dense_bank(spec.season);
  std::vector<GrowingCholesky> laws(bank.size());
  std::vector<std::int64_t> times;  // of the values in `laws`
  for (std::size_t m = 0; m < bank.size(); ++m) {
    bank[m].moved = {0};
    bank[m].mean = origin / deviation;
    if (bank[m].proper > 0) laws[m].add({0, bank[m].proper + 1, {}}, origin / deviation);
  }

  for (std::size_t step = first + 1; step < values.size(); ++step) {
    const auto t = static_cast<std::int64_t>(step - first);
    std::vector<Real> surprise(bank.size());
    for (std::size_t m = 0; m < bank.size(); ++m) {
      DenseModel& model = bank[m];
      if (model.relative > 0) {
        const Real size = model.relative * std::max(model.mean, 1 / deviation);
        model.moved.push_back(model.moved.back() + size * size);
      }
      const auto walk = [&](std::int64_t i, std::int64_t j) {
        return model.relative > 0 ? model.moved[static_cast<std::size_t>(std::min(i, j))] : model.walk(i, j);
      };
      const bool proper = model.proper > 0;
      // What all values and truths share: the start, or the first value that is taken off.
      const Real common = proper ? model.proper : 1 + model.irregular, off = proper ? 0 : origin / deviation;
      std::vector<Real> covariances;
      if (proper) covariances.push_back(common);
      for (const std::int64_t time : times) covariances.push_back(common + walk(time, t));
      const Real here = common + walk(t, t) + model.irregular;

      // Truth and value have the same covariances with all before; given those, the value has the noise on top. (The
      // truth given its own value, too, comes from the law of the two: a jump of variance 4^30 less what it explains
      // would leave nothing of the noise.)
      GrowingCholesky::Law law = laws[m].given(std::move(covariances), here);
      model.mean = law.mean + off;
      model.variance = law.variance;
      if (!values[step]) continue;
      const Real seen = *values[step] / deviation - off, apart = seen - law.mean;
      law.variance += 1;
      surprise[m] = (std::log(law.variance) + apart * apart / law.variance) / 2;
      model.mean += model.variance / law.variance * apart;
      model.variance /= law.variance;
      laws[m].add(std::move(law), seen);
    }
    if (values[step]) {
      times.push_back(t);
      Real highest = -std::numeric_limits<Real>::infinity(), sum = 0;
      for (std::size_t m = 0; m < bank.size(); ++m) {
        DenseModel& model = bank[m];
        model.weight = std::log(std::exp(model.weight) * Real{0.999} + model.prior / 1000) - surprise[m];
        highest = std::max(highest, model.weight);
      }
      for (const DenseModel& model : bank) sum += std::exp(model.weight - highest);
      for (DenseModel& model : bank) model.weight -= highest + std::log(sum);
    }

    std::vector<const DenseModel*> heard;
    const DenseModel* best = &bank.front();
    for (const DenseModel& model : bank) {
      if (model.weight > best->weight) best = &model;
      if (values[step] || std::exp(model.weight) >= Real{0.001}) heard.push_back(&model);
    }
    Real total = 0, mean = 0, variance = 0;
    for (const DenseModel* model : heard) {
      total += std::exp(model->weight);
      mean += std::exp(model->weight) * model->mean;
    }
    mean /= total;
    const auto around = [&](const DenseModel& model) {
      return model.variance + (model.mean - mean) * (model.mean - mean);
    };
    for (const DenseModel* model : heard) variance += std::exp(model->weight) * around(*model) / total;
    out.push_back({static_cast<double>(mean * deviation),
                   static_cast<double>(std::max(variance, around(*best)) * deviation * deviation)});
  }
  return out;
}

}  // namespace chronoveil::post
