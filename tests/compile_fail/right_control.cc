// The control of the cases with rights: of draws that took a receipt, of draws that took a run, and of a seed.
// expect-success
#include <utility>

#include "chronoveil/bound/bounded_series.h"
#include "chronoveil/forecasting/sampling.h"
#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/neural/augmentation.h"
#include "chronoveil/training/noised_history.h"

using namespace chronoveil;

auto windows(ledger::Run run, const accounting::Event& event, const forecasting::WindowSampler& sampler) {
  auto draws = mechanisms::Draws::continued(std::move(run), event);
  return sampler.draw(0, draws->right());
}

auto rehearsed(const forecasting::WindowSampler& sampler) {
  DrawRight right = DrawRight::seeded(1);
  return sampler.draw(0, right);
}

auto noisy_windows(const neural::Augmentation& noise, const forecasting::Panel& panel,
                   std::vector<forecasting::Window>& windows, mechanisms::Draws& draws) {
  return noise.apply(panel, {1, 1}, windows, draws.right());
}

auto noisy_history(ledger::Receipt receipt, const forecasting::Panel& panel, const training::PrivateHistoryPlan& plan) {
  auto draws = mechanisms::Draws::authorised(std::move(receipt), plan.event);
  return training::noised(panel, 1, plan, *draws);
}

auto bounded(data::RecordSource& source, const SlotAxis& axis, const std::vector<std::string>& keys,
             const bound::Caps& caps, mechanisms::Draws& draws) {
  return bound::bound_records(source, axis, keys, caps, draws.right());
}
