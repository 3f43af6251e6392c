#include "chronoveil/post/causal/seasons.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace chronoveil::post {

CausalSeasons::CausalSeasons(double noise_variance, std::int64_t season)
    : half_precision_(0.5 / noise_variance), season_(season), models_(kCount) {
  const std::int64_t harmonics = std::min(kHarmonics, season / 2);
  states_ = static_cast<std::size_t>(2 * harmonics + (2 * harmonics == season ? 0 : 1));

  struct Shape {
    double amplitude, irregular;
  };
  std::size_t i = 0;
  for (const double step : {1e-5, 1e-2})
    for (const Shape shape : {Shape{0.03, 0}, Shape{0.3, 0.1}, Shape{3, 0.3}, Shape{30, 10}}) {
      Model& model = models_[i++];
      model.irregular = shape.irregular;
      model.walk[0] = step;
      for (std::size_t k = 1; k < states_; ++k) {
        const std::size_t j = (k + 1) / 2;
        const auto harmonic = static_cast<double>(j);
        model.initial[k] = shape.amplitude / (harmonic * harmonic);
        model.walk[k] = model.initial[k] / (100 * static_cast<double>(season));
      }
    }
}

void CausalSeasons::look(std::int64_t phase) {
  const double angle = 2 * std::numbers::pi * static_cast<double>(phase) / static_cast<double>(season_);
  const double first_cosine = std::cos(angle), first_sine = std::sin(angle);
  double cosine = 1, sine = 0;
  now_[0] = 1;
  for (std::size_t k = 1; k < states_; k += 2) {
    const double turned = cosine * first_cosine - sine * first_sine;
    sine = sine * first_cosine + cosine * first_sine;
    cosine = turned;
    now_[k] = cosine;
    if (k + 1 < states_) now_[k + 1] = sine;
  }
}

void CausalSeasons::aim(Model& model) const {
  model.mean = model.variance = 0;
  model.with_truth.fill(0);
  for (std::size_t k = 0; k < states_; ++k)
    for (std::size_t i = 0; i < states_; ++i) model.with_truth[i] += model.covariance[k][i] * now_[k];
  for (std::size_t k = 0; k < states_; ++k) {
    model.mean += now_[k] * model.state[k];
    model.variance += now_[k] * model.with_truth[k];
  }
}

// Without prior knowledge, the level is the value less season, irregularity and noise.
void CausalSeasons::start(double measured, std::int64_t phase) {
  look(phase);
  for (Model& model : models_) {
    model.state.fill(0);
    model.state[0] = measured;
    for (Vector& row : model.covariance) row.fill(0);
    model.covariance[0][0] = 1 + model.irregular;
    for (std::size_t k = 1; k < states_; ++k) {
      model.covariance[k][k] = model.initial[k];
      model.covariance[0][k] = model.covariance[k][0] = -model.initial[k] * now_[k];
      model.covariance[0][0] += model.initial[k] * now_[k] * now_[k];
    }
  }
}

void CausalSeasons::advance(std::int64_t phase) {
  look(phase);
  for (Model& model : models_) {
    for (std::size_t k = 0; k < states_; ++k) model.covariance[k][k] += model.walk[k];
    aim(model);
  }
}

void CausalSeasons::predicted(const CausalViews& views) const {
  for (std::size_t i = 0; i < kCount; ++i) {
    views.mean[i] = models_[i].mean;
    views.variance[i] = models_[i].variance + models_[i].irregular;
  }
}

void CausalSeasons::correct(double measured, const CausalViews& views) {
  for (std::size_t m = 0; m < kCount; ++m) {
    Model& model = models_[m];
    const double truth = model.variance + model.irregular, spread = truth + 1, innovation = measured - model.mean;
    views.spread[m] = spread;
    views.surprise[m] = innovation * innovation * half_precision_ / spread;
    views.mean[m] = model.mean + truth / spread * innovation;
    views.variance[m] = truth / spread;
    const double root = std::sqrt(spread);
    Vector scaled{};
    for (std::size_t k = 0; k < states_; ++k) scaled[k] = model.with_truth[k] / root;
    for (std::size_t k = 0; k < states_; ++k) {
      model.state[k] += scaled[k] * (innovation / root);
      // The product of two scaled entries is the same from both sides, so the matrix stays symmetric bit by bit.
      for (std::size_t i = 0; i < states_; ++i) model.covariance[k][i] -= scaled[k] * scaled[i];
    }
  }
}

void CausalSeasons::save(StateWriter& out) const {
  for (const Model& model : models_)
    for (std::size_t k = 0; k < states_; ++k) {
      out.put(model.state[k]);
      for (std::size_t i = 0; i <= k; ++i) out.put(model.covariance[k][i]);
    }
}

void CausalSeasons::load(StateReader& in) {
  for (Model& model : models_)
    for (std::size_t k = 0; k < states_; ++k) {
      model.state[k] = in.number();
      for (std::size_t i = 0; i <= k; ++i) model.covariance[k][i] = model.covariance[i][k] = in.number();
    }
}

}  // namespace chronoveil::post
