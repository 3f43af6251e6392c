#include "chronoveil/accounting/events/sampled/sampled_with_replacement.h"

#include <algorithm>
#include <cmath>

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/events/sampled/sampled.h"
#include "chronoveil/accounting/grid/extremes.h"
#include "chronoveil/accounting/mixtures/gaussian_mixtures.h"
#include "chronoveil/accounting/moments.h"

namespace chronoveil::accounting {
namespace {

using Model = std::unique_ptr<const LossModel>;

// One of several symmetric mechanisms, and which one is revealed: Σ w_k h_k. `tail` is the probability of all others.
class RevealedModel final : public LossModel {
 public:
  RevealedModel(std::vector<Model> models, std::vector<double> weights, double tail)
      : models_(std::move(models)), weights_(std::move(weights)), tail_(tail) {}

  long double delta(double epsilon) const override {
    long double sum = tail_;
    for (std::size_t k = 0; k < models_.size(); ++k) sum += weights_[k] * models_[k]->delta(epsilon);
    return sum;
  }
  // For a unit drawn several times the noise was rounded down (drawn_again()), by less than this.
  long double delta_lower(double epsilon) const override {
    constexpr double kUp = 1 + 4e-16;
    long double sum = 0;
    for (std::size_t k = 0; k < models_.size(); ++k) sum += weights_[k] * models_[k]->delta_lower(epsilon * kUp);
    return sum;
  }
  double infinite() const override { return tail_; }
  double infinite_lower() const override { return 0; }
  double top(double tail) const override {
    double highest = 0;
    for (const Model& model : models_) highest = larger(highest, model->top(tail));
    return highest;
  }
  bool bounded() const override { return models_.front()->bounded(); }
  bool attainable() const override { return false; }
  bool tight() const override { return false; }
  double terms() const override {
    double sum = 0;
    for (const Model& model : models_) sum += model->terms();
    return sum;
  }
  double least_terms() const override {
    double sum = 0;
    for (const Model& model : models_) sum += model->least_terms();
    return sum;
  }

  LossHalves halves(double step, std::size_t bins, bool) const override {
    LossHalves out{weighted(*models_[0], 0, step, bins), std::nullopt, std::nullopt};
    for (std::size_t k = 1; k < models_.size(); ++k) {
      const PositiveLoss more = weighted(*models_[k], k, step, bins);
      for (std::size_t i = 0; i < bins; ++i) {
        out.upper.p[i] += more.p[i];
        out.upper.q[i] += more.q[i];
      }
      out.upper.beyond_p += more.beyond_p;
      out.upper.beyond_q += more.beyond_q;
      out.upper.zero += more.zero;
    }
    out.upper.charged = tail_;
    return out;
  }

 private:
  // The losses of a pair thinned to rate w, without the rest, which is at 0.
  PositiveLoss weighted(const LossModel& model, std::size_t k, double step, std::size_t bins) const {
    PositiveLoss half = thinned(model.halves(step, bins, false).upper, weights_[k]);
    half.zero -= 1 - weights_[k];
    return half;
  }

  std::vector<Model> models_;
  std::vector<double> weights_;
  double tail_;
};

// The inner event when a unit is drawn `times` times, and replaced every time; its noise rounded down, or its ε up.
Result<Event> drawn_again(const Event& inner, std::int64_t times) {
  Event more = inner;
  const auto factor = static_cast<double>(times);
  bool fits = true;
  std::visit(
      [&](auto& e) {
        if constexpr (requires { e.noise_multiplier; }) {
          const double noise = e.noise_multiplier / factor;
          e.noise_multiplier = std::fma(noise, factor, -e.noise_multiplier) > 0 ? std::nextafter(noise, 0.0) : noise;
        } else if constexpr (requires { e.sensitivity; }) {
          fits = !__builtin_mul_overflow(e.sensitivity, times, &e.sensitivity);
        } else if constexpr (requires { e.epsilon; }) {
          const double epsilon = e.epsilon * factor;
          e.epsilon = std::fma(e.epsilon, factor, -epsilon) > 0 ? std::nextafter(epsilon, HUGE_VAL) : epsilon;
        }
      },
      more.kind);
  if (!fits) return fail(ErrorKind::cannot_certify, "sensitivity", "a unit drawn several times changes more than 2^63");
  return more;
}

// "gaussian, laplace or pure": the kinds for which the cost of a unit drawn several times is known.
std::string kinds_that_scale() {
  std::vector<std::string_view> known;
  each_kind([&]<class E>() {
    if constexpr (requires { E::kScalesWithDraws; }) known.push_back(E::kName);
  });
  std::string names(known[0]);
  for (std::size_t i = 1; i < known.size(); ++i)
    names += (i + 1 < known.size() ? ", " : " or ") + std::string(known[i]);
  return names;
}

}  // namespace

Result<void> SampledWithReplacement::check(bool) const {
  CV_CHECK(check_inner(inner, relation, Relation::replace));
  if (!std::visit(
          []<class E>(const E&) {
            return requires { E::kScalesWithDraws; };
          },
          inner->kind))
    return invalid(
        "inner", name(*inner),
        kinds_that_scale() + ": a unit may be drawn several times, and only for these is the cost of that known");
  if (relation == Relation::add_remove && population < 2)
    return invalid("population", std::to_string(population), "at least 2 under add_remove: one unit may be missing");
  return {};
}

double SampledWithReplacement::share() const {
  constexpr double kUp = 1 + 4e-16;
  if (population == 1) return 1;
  return std::min(
      1.0, -std::expm1(static_cast<double>(batch_size) * std::log1p(-1 / static_cast<double>(population))) * kUp);
}

MadeLoss SampledWithReplacement::loss() const {
  const double chance = share();
  // The number of draws of a unit spreads over about 30 standard deviations, and each number has a model.
  constexpr double kMostSpread = 1000;
  const double mean = static_cast<double>(batch_size) / static_cast<double>(population);
  if (!(mean <= kMostSpread))
    return fail(ErrorKind::cannot_certify, "batch_size", "more than 1000 draws of every unit cannot be priced");
  const Binomial drawn = binomial(batch_size, 1 / static_cast<double>(population));
  std::vector<Model> models;
  std::vector<double> weights;
  for (std::size_t k = 1; k < drawn.weights.size(); ++k) {
    if (!(drawn.weights[k] > 0)) continue;
    CV_TRY(const Event more, drawn_again(*inner, static_cast<std::int64_t>(k)));
    CV_CHECK(validate(more));
    if (const auto* gaussian = std::get_if<Gaussian>(&inner->kind)) {
      models.push_back(gaussian_model(static_cast<long double>(k) / gaussian->noise_multiplier));
    } else {
      CV_TRY(Model model, make_loss_model(more));
      models.push_back(std::move(model));
    }
    weights.push_back(drawn.weights[k] / chance);
  }
  Model revealed = std::make_unique<RevealedModel>(std::move(models), std::move(weights), drawn.tail / chance);
  return sampled_model(std::move(revealed), chance, directions_for(relation));
}

// The inner event is already for a replacement.
Result<Event> SampledWithReplacement::for_replacement() const {
  if (relation != Relation::add_remove) return not_convertible(kName);
  return Event{SampledWithReplacement{population, batch_size, inner, Relation::replace}};
}

Result<double> SampledWithReplacement::gaussian_distance() const {
  CV_TRY(const Event all, drawn_again(*inner, batch_size));
  return accounting::gaussian_distance(all);
}

}  // namespace chronoveil::accounting
