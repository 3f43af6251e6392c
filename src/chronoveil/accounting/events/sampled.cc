#include "chronoveil/accounting/events/sampled.h"

#include <algorithm>
#include <cmath>

#include "chronoveil/accounting/events/gaussian_mixtures.h"
#include "chronoveil/accounting/events/sampled_loss.h"
#include "chronoveil/accounting/grid/extremes.h"

namespace chronoveil::accounting {
namespace {

using Model = std::unique_ptr<const LossModel>;

// Any inner mechanism, by its dominating and dominated pairs on a grid of inner losses: each atom of those is one atom
// outside, with masses (1 − η)q + ηp and q.
class SampledModel final : public LossModel {
 public:
  SampledModel(Model inner, double share, Directions directions)
      : inner_(std::move(inner)), share_(share), directions_(directions) {}

  // Losses inside are rounded outward: a profile falls with its loss.
  long double delta(double epsilon) const override {
    return share_ * inner_->delta(loss_inside(epsilon, share_) * (1 - kLossError));
  }
  long double delta_lower(double epsilon) const override {
    return share_ * inner_->delta_lower(loss_inside(epsilon, share_) * (1 + kLossError));
  }
  double infinite() const override { return share_ * inner_->infinite(); }
  double infinite_lower() const override { return share_ * inner_->infinite_lower(); }
  // (1 − η)Q + ηP has no more mass above a loss than P. What only P has is an infinite loss of it, and in the reverse
  // direction one of −ln(1 − η).
  double top(double tail) const override {
    const double finite = loss_outside(inner_->top(tail), share_);
    return larger(finite, inner_->infinite() > tail ? -std::log1p(-share_) : 0.0) * (1 + kLossError);
  }
  bool bounded() const override { return inner_->bounded(); }
  bool tight() const override { return inner_->tight(); }
  bool attainable() const override { return inner_->tight() && inner_->attainable(); }
  bool directed() const override { return directions_ == Directions::fixed; }
  bool symmetric() const override { return false; }
  // The grid inside is a few times as large; atoms of it are placed one by one.
  double terms() const override { return 4 * (1 + inner_->terms()); }
  double least_terms() const override { return inner_->least_terms(); }

  LossHalves halves(double step, std::size_t bins, bool) const override {
    const auto [fine, inner_bins] = inner_grid(step, bins);
    const LossHalves inside = inner_->halves(fine, inner_bins, false);
    const GridLoss grid = dominating(inside.upper);
    LossHalves out;
    out.upper = positive(forward(grid, Side::upper), share_ * grid.infinite, step, bins);
    // Outputs are merged within bins of losses above 0 alone: what is mirrored must not hold any below.
    const PositiveLoss& half = inside.lower ? *inside.lower : inside.upper;
    std::vector<MassAt> merged;
    for (std::size_t i = inner_bins; i-- > 0;) {
      if (half.p[i] == 0 || half.q[i] == 0) continue;
      const double loss = half.loss(i) + std::clamp(std::log(half.p[i] / half.q[i]), 0.0, half.step);
      merged.push_back(outside(loss, half.p[i], half.q[i] * std::exp(-half.loss(i))));
    }
    out.lower = positive(merged, share_ * half.infinite, step, bins);
    return out;
  }

  LossGrids grids(double step, std::size_t bins, Reading reading) const override {
    if (reading == Reading::symmetric) return LossModel::grids(step, bins, reading);
    const auto [fine, inner_bins] = inner_grid(step, bins);
    const LossGrids inside = inner_->grids(fine, inner_bins, Reading::symmetric);
    const double reach = step * static_cast<double>(bins + 1);
    LossGrids out;
    // Losses are rounded up, so the highest may need one more bin.
    if (reading == Reading::forward) {
      out.upper = dominating(forward(inside.upper, Side::upper), share_ * inside.upper.infinite, step, bins + 1);
      out.lower = dominated(within(forward(inside.lower, Side::lower), reach), share_ * inside.lower.infinite, step);
    } else {
      out.upper = dominating(backward(inside.upper), 0, step, bins + 1);
      out.lower = dominated(within(backward(inside.lower), reach), 0, step);
    }
    out.lower.slack += inside.lower.slack;  // losses outside move by no more than those inside
    return out;
  }

 private:
  enum class Side { upper, lower };
  static constexpr double kLossError = 1e-15;

  // Fine enough that neighbouring losses inside are at most a step apart outside, where they are furthest apart.
  std::pair<double, std::size_t> inner_grid(double step, std::size_t bins) const {
    double highest = loss_inside(step * static_cast<double>(bins), share_);
    if (inner_->bounded()) highest = smaller(highest, inner_->top(0));
    const double slope = share_ * std::exp(highest - loss_outside(highest, share_));
    constexpr double kMostBins = 1 << 19;
    double fine = larger(step / smaller(1.0, slope), highest / kMostBins);
    if (const double spacing = inner_->lattice().spacing; spacing > fine) fine = spacing / std::ceil(spacing / fine);
    return {fine, std::max<std::size_t>(1, static_cast<std::size_t>(bins_up_to(highest, fine)))};
  }

  // An atom of the inner pair, with these masses under P and Q, as it looks outside.
  MassAt outside(double loss, double p, double q) const {
    return {loss_outside(loss, share_), (1 - share_) * q + share_ * p};
  }

  // Of a pair that is dominated: losses beyond the grid are lowered to its end, or left out below it.
  static std::vector<MassAt> within(std::vector<MassAt> atoms, double reach) {
    while (!atoms.empty() && atoms.back().loss < -reach) atoms.pop_back();
    for (MassAt& atom : atoms) atom.loss = smaller(atom.loss, reach);
    return atoms;
  }

  // ((1 − η)Q + ηP, Q) by falling loss. Q-mass that the grid does not show, where P has none, has the lowest loss.
  std::vector<MassAt> forward(const GridLoss& inside, Side side) const {
    std::vector<MassAt> atoms;
    double shown = 0;
    for (std::size_t k = inside.mass.size(); k-- > 0;) {
      if (inside.mass[k] == 0) continue;  // what is no number goes on, to be refused
      const double loss = inside.step * static_cast<double>(inside.first + static_cast<long>(k));
      // A dominated grid merges outputs and shows the lowest with too little loss, that is with too much under Q.
      double q = inside.mass[k] * std::exp(-loss);
      if (side == Side::lower) q = smaller(q, 1 - shown);
      shown += q;
      atoms.push_back(outside(loss, inside.mass[k], q));
    }
    if (side == Side::upper && shown < 1) atoms.push_back({std::log1p(-share_), (1 - share_) * (1 - shown)});
    return atoms;
  }

  // (P, (1 − η)P + ηQ) by falling loss: what only P has is still there with probability 1 − η.
  std::vector<MassAt> backward(const GridLoss& inside) const {
    std::vector<MassAt> atoms;
    if (inside.infinite > 0) atoms.push_back({-std::log1p(-share_), inside.infinite});
    for (std::size_t k = inside.mass.size(); k-- > 0;) {
      const double loss = inside.step * static_cast<double>(inside.first + static_cast<long>(k));
      if (inside.mass[k] != 0) atoms.push_back({-loss_outside(-loss, share_), inside.mass[k]});
    }
    return atoms;
  }

  static PositiveLoss positive(const std::vector<MassAt>& atoms, double infinite, double step, std::size_t bins) {
    PositiveLoss half = empty_half(step, bins);
    half.infinite = infinite;
    double taken = infinite;
    for (const MassAt& atom : atoms) {
      if (!(atom.loss > 0)) break;
      if (atom.loss > half.loss(bins)) {
        half.beyond_p += atom.mass;
        half.beyond_q += atom.mass * std::exp(half.loss(bins) - atom.loss);
      } else {
        add_atom(half, atom.loss, atom.mass);
      }
      taken += atom.mass * (1 + std::exp(-atom.loss));
    }
    half.zero = larger(0.0, 1 - taken);
    return half;
  }

  Model inner_;
  double share_;
  Directions directions_;
};

// One of several symmetric mechanisms, which one being shown: Σ w_k h_k. `tail` is the probability of all others.
class RevealedModel final : public LossModel {
 public:
  RevealedModel(std::vector<Model> models, std::vector<double> weights, double tail)
      : models_(std::move(models)), weights_(std::move(weights)), tail_(tail) {}

  long double delta(double epsilon) const override {
    long double sum = tail_;
    for (std::size_t k = 0; k < models_.size(); ++k) sum += weights_[k] * models_[k]->delta(epsilon);
    return sum;
  }
  // Of a unit drawn several times the noise was rounded down (drawn_again()), by less than this.
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
  // Of a pair thinned to rate w, without the rest that sits at 0.
  PositiveLoss weighted(const LossModel& model, std::size_t k, double step, std::size_t bins) const {
    PositiveLoss half = thinned(model.halves(step, bins, false).upper, weights_[k]);
    half.zero -= 1 - weights_[k];
    return half;
  }

  std::vector<Model> models_;
  std::vector<double> weights_;
  double tail_;
};

Directions directions_for(Relation relation) {
  return relation == Relation::add_remove ? Directions::fixed : Directions::free;
}

Result<Model> sampled(const Event& inner, double share, Directions directions) {
  if (share <= 0) return response_model(0, 2, 0);
  if (share < kLeastShare) return share_too_small();
  if (const auto* gaussian = std::get_if<Gaussian>(&inner.kind))
    return subsampled_gaussian_model(1 / static_cast<long double>(gaussian->noise_multiplier), share, directions);
  CV_TRY(Model model, make_loss_model(inner));
  if (share >= 1) return model;
  return std::make_unique<SampledModel>(std::move(model), share, directions);
}

}  // namespace

Failure share_too_small() {
  return fail(ErrorKind::cannot_certify, "rate: less than 1e-290, but not 0, cannot be priced");
}

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
  if (!fits) return fail(ErrorKind::cannot_certify, "sensitivity: a unit drawn several times changes more than 2^63");
  return more;
}

double sampled_share(const Event& event) {
  if (const auto* e = std::get_if<DpSgd>(&event.kind)) return e->rate;
  if (const auto* e = std::get_if<PoissonSampled>(&event.kind)) return e->rate;
  constexpr double kUp = 1 + 4e-16;
  if (const auto* e = std::get_if<SampledWithoutReplacement>(&event.kind))
    return std::min(1.0, static_cast<double>(e->batch_size) / static_cast<double>(e->population) * kUp);
  if (const auto* e = std::get_if<SampledWithReplacement>(&event.kind)) {
    if (e->population == 1) return 1;
    return std::min(
        1.0,
        -std::expm1(static_cast<double>(e->batch_size) * std::log1p(-1 / static_cast<double>(e->population))) * kUp);
  }
  return 1;
}

Result<Model> poisson_sampled_model(const PoissonSampled& e) {
  return sampled(*e.inner, e.rate, directions_for(e.relation));
}

Result<Model> sampled_without_replacement_model(const SampledWithoutReplacement& e) {
  return sampled(*e.inner, sampled_share({e}), directions_for(e.relation));
}

Result<Model> sampled_with_replacement_model(const SampledWithReplacement& e) {
  const double share = sampled_share({e});
  // How often a unit is drawn spreads over about 30 standard deviations, and each number of draws is a model.
  constexpr double kMostSpread = 1000;
  const double mean = static_cast<double>(e.batch_size) / static_cast<double>(e.population);
  if (!(mean <= kMostSpread))
    return fail(ErrorKind::cannot_certify, "batch_size: more than 1000 draws of every unit cannot be priced");
  const Binomial drawn = binomial(e.batch_size, 1 / static_cast<double>(e.population));
  std::vector<Model> models;
  std::vector<double> weights;
  for (std::size_t k = 1; k < drawn.weights.size(); ++k) {
    if (!(drawn.weights[k] > 0)) continue;
    CV_TRY(const Event more, drawn_again(*e.inner, static_cast<std::int64_t>(k)));
    CV_CHECK(validate(more));
    if (const auto* gaussian = std::get_if<Gaussian>(&e.inner->kind)) {
      models.push_back(gaussian_model(static_cast<long double>(k) / gaussian->noise_multiplier));
    } else {
      CV_TRY(Model model, make_loss_model(more));
      models.push_back(std::move(model));
    }
    weights.push_back(drawn.weights[k] / share);
  }
  auto revealed = std::make_unique<RevealedModel>(std::move(models), std::move(weights), drawn.tail / share);
  if (share >= 1) return revealed;
  return std::make_unique<SampledModel>(std::move(revealed), share, directions_for(e.relation));
}

}  // namespace chronoveil::accounting
