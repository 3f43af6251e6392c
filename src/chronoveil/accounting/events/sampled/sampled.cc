#include "chronoveil/accounting/events/sampled/sampled.h"

#include <algorithm>
#include <cmath>

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/events/sampled/sampled_loss.h"
#include "chronoveil/accounting/grid/extremes.h"
#include "chronoveil/accounting/mixtures/gaussian_mixtures.h"
#include "chronoveil/accounting/moments.h"

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
  // (1 − η)Q + ηP has no more mass above a loss than P. Mass that only P has is an infinite loss, and in the reverse
  // direction a loss of −ln(1 − η).
  double top(double tail) const override {
    const double finite = loss_outside(inner_->top(tail), share_);
    return larger(finite, inner_->infinite() > tail ? -std::log1p(-share_) : 0.0) * (1 + kLossError);
  }
  bool bounded() const override { return inner_->bounded(); }
  bool tight() const override { return inner_->tight(); }
  bool attainable() const override { return inner_->tight() && inner_->attainable(); }
  bool directed() const override { return directions_ == Directions::fixed; }
  bool symmetric() const override { return false; }
  // The inner grid is a few times larger; its atoms are placed one by one.
  double terms() const override { return 4 * (1 + inner_->terms()); }
  double least_terms() const override { return inner_->least_terms(); }

  LossHalves halves(double step, std::size_t bins, bool) const override {
    const auto [fine, inner_bins] = inner_grid(step, bins);
    const LossHalves inside = inner_->halves(fine, inner_bins, false);
    const GridLoss grid = dominating(inside.upper);
    LossHalves out;
    out.upper = positive(forward(grid, Side::upper), share_ * grid.infinite, step, bins);
    // Outputs are merged within bins only for losses above 0: the mirrored half must not hold losses below 0.
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

  // So fine that neighbouring inner losses are at most one step apart outside, even where they are furthest apart.
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

  // For a dominated pair: losses above the grid are lowered to its end, those below it are left out.
  static std::vector<MassAt> within(std::vector<MassAt> atoms, double reach) {
    while (!atoms.empty() && atoms.back().loss < -reach) atoms.pop_back();
    for (MassAt& atom : atoms) atom.loss = smaller(atom.loss, reach);
    return atoms;
  }

  // ((1 − η)Q + ηP, Q) by falling loss. Q-mass that is not on the grid, because P has none there, has the lowest loss.
  std::vector<MassAt> forward(const GridLoss& inside, Side side) const {
    std::vector<MassAt> atoms;
    double shown = 0;
    for (std::size_t k = inside.mass.size(); k-- > 0;) {
      if (inside.mass[k] == 0) continue;  // NaN goes on, to be refused later
      const double loss = inside.step * static_cast<double>(inside.first + static_cast<long>(k));
      // A dominated grid merges outputs and gives the lowest too small a loss, that is too much mass under Q.
      double q = inside.mass[k] * std::exp(-loss);
      if (side == Side::lower) q = smaller(q, 1 - shown);
      shown += q;
      atoms.push_back(outside(loss, inside.mass[k], q));
    }
    if (side == Side::upper && shown < 1) atoms.push_back({std::log1p(-share_), (1 - share_) * (1 - shown)});
    return atoms;
  }

  // (P, (1 − η)P + ηQ) by falling loss: under the second, mass that only P has remains with probability 1 − η.
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

}  // namespace

Result<void> check_inner(const std::shared_ptr<const Event>& inner, Relation relation, Relation wanted) {
  if (relation != Relation::add_remove && relation != Relation::replace)
    return invalid("relation", chronoveil::name(relation), "add_remove or replace");
  if (!inner) return invalid("inner", "a missing value", "an event");
  const bool samples = std::visit(
      []<class E>(const E&) {
        return requires { E::kSamplesUnits; };
      },
      inner->kind);
  if (samples || window_of(*inner) || std::holds_alternative<Compose>(inner->kind))
    return invalid("inner", name(*inner), "a simple event that does not sample units itself and does not move values");
  if (inner->count != 1)
    return invalid("inner.count", std::to_string(inner->count), "1; a count outside draws a new sample every time");
  if (const auto own = relation_of(*inner); own && *own != wanted)
    return invalid("inner", name(*inner), "for the relation " + std::string(chronoveil::name(wanted)));
  return {};
}

Directions directions_for(Relation relation) {
  return relation == Relation::add_remove ? Directions::fixed : Directions::free;
}

MadeLoss sampled_model(const Event& inner, double share, Directions directions) {
  if (share <= 0) return response_model({});
  if (share < kLeastShare) return share_too_small();
  if (const auto* gaussian = std::get_if<Gaussian>(&inner.kind))
    return subsampled_gaussian_model(1 / static_cast<long double>(gaussian->noise_multiplier), share, directions);
  CV_TRY(Model model, make_loss_model(inner));
  return sampled_model(std::move(model), share, directions);
}

Model sampled_model(Model inner, double share, Directions directions) {
  if (share >= 1) return inner;
  return std::make_unique<SampledModel>(std::move(inner), share, directions);
}

Failure share_too_small() {
  return fail(ErrorKind::cannot_certify, "rate", "less than 1e-290, but not 0, cannot be priced");
}

Result<double> sampled_pure_epsilon(const Event& inner, double share) {
  if (share > 0 && share < kLeastShare) return share_too_small();
  CV_TRY(const double inside, pure_bound(inner));
  return share > 0 ? loss_outside(inside, share) * kRoundedUp : 0.0;
}

double sampled_share(const Event& event) {
  return std::visit(
      [](const auto& e) {
        if constexpr (requires { e.share(); }) return e.share();
        return 1.0;
      },
      event.kind);
}

}  // namespace chronoveil::accounting
