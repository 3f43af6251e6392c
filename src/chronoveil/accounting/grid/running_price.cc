#include "chronoveil/accounting/grid/running_price.h"

#include <array>
#include <list>
#include <map>

#include "chronoveil/accounting/events/neighbours.h"
#include "chronoveil/accounting/grid/composer.h"

namespace chronoveil::accounting {
namespace {

// A model that remembers its last answers: neighbouring questions ask for the same discretisations again.
class RememberingModel final : public LossModel {
 public:
  explicit RememberingModel(std::shared_ptr<const LossModel> model) : model_(std::move(model)) {}

  long double delta(double epsilon) const override { return model_->delta(epsilon); }
  long double delta_lower(double epsilon) const override { return model_->delta_lower(epsilon); }
  double infinite_lower() const override { return model_->infinite_lower(); }
  Lattice lattice() const override { return model_->lattice(); }
  double infinite() const override { return model_->infinite(); }
  bool tight() const override { return model_->tight(); }
  bool tight_at(double epsilon) const override { return model_->tight_at(epsilon); }
  std::optional<long double> quick_delta(double epsilon) const override { return model_->quick_delta(epsilon); }
  bool attainable() const override { return model_->attainable(); }
  double terms() const override { return model_->terms(); }
  double least_terms() const override { return model_->least_terms(); }
  bool bounded() const override { return model_->bounded(); }
  bool directed() const override { return model_->directed(); }
  bool symmetric() const override { return model_->symmetric(); }
  const LossModel& once() const override { return model_->once(); }
  double top(double tail) const override {
    const auto [it, added] = tops_.try_emplace(tail, 0.0);
    if (added) it->second = model_->top(tail);
    return it->second;
  }
  LossHalves halves(double step, std::size_t bins, bool attained) const override {
    if (attained) return model_->halves(step, bins, true);
    return recall(halves_, step, bins, [&] { return model_->halves(step, bins, false); });
  }
  LossGrids grids(double step, std::size_t bins, Reading reading) const override {
    return recall(grids_[static_cast<std::size_t>(reading)], step, bins,
                  [&] { return model_->grids(step, bins, reading); });
  }

 private:
  template <class T>
  struct Entry {
    double step;
    std::size_t bins;
    T answer;
  };
  template <class T, class Make>
  static const T& recall(std::list<Entry<T>>& entries, double step, std::size_t bins, Make make) {
    for (auto it = entries.begin(); it != entries.end(); ++it) {
      if (it->step != step || it->bins != bins) continue;
      entries.splice(entries.begin(), entries, it);
      return entries.front().answer;
    }
    entries.push_front({step, bins, make()});
    if (entries.size() > 8) entries.pop_back();
    return entries.front().answer;
  }

  std::shared_ptr<const LossModel> model_;
  mutable std::map<double, double> tops_;
  mutable std::list<Entry<LossHalves>> halves_;
  mutable std::array<std::list<Entry<LossGrids>>, 3> grids_;  // one per reading
};

}  // namespace

struct RunningPrice::State {
  Leaves added, leaves;  // as they were added, and in one relation, with models
};

RunningPrice::RunningPrice() : state_(std::make_unique<State>()) {}
RunningPrice::~RunningPrice() = default;
RunningPrice::RunningPrice(RunningPrice&&) noexcept = default;
RunningPrice& RunningPrice::operator=(RunningPrice&&) noexcept = default;

Result<void> RunningPrice::add(const Event& event) {
  CV_CHECK(validate(event));
  Leaves added = state_->added, leaves;
  CV_CHECK(add_leaves(event, added));
  Compose all;
  for (const auto& [text, leaf] : added) all.events.push_back({leaf.once.kind, leaf.count});
  CV_TRY(const Event one, in_one_relation({std::move(all), 1}));
  CV_CHECK(add_leaves(one, leaves));
  for (auto& [text, leaf] : leaves) {
    if (std::holds_alternative<Gaussian>(leaf.once.kind)) continue;
    if (const auto known = state_->leaves.find(text); known != state_->leaves.end()) {
      leaf.model = known->second.model;
      continue;
    }
    CV_TRY(auto model, make_loss_model(leaf.once));
    leaf.model = std::make_shared<RememberingModel>(std::move(model));
  }
  state_->added = std::move(added);
  state_->leaves = std::move(leaves);
  return {};
}

Result<Price> RunningPrice::epsilon_at(Delta delta, const Options& options) {
  if (state_->leaves.empty()) {
    Price nothing;
    nothing.delta = nothing.delta_lower = delta.value();
    nothing.certificate = Certificate::exact;
    return nothing;
  }
  CV_TRY(const Steps steps, steps_of(state_->leaves));
  return price_of(steps, {true, delta.value()}, options);
}

}  // namespace chronoveil::accounting
