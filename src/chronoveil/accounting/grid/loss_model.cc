#include "chronoveil/accounting/grid/loss_model.h"

#include <algorithm>
#include <cmath>

#include "chronoveil/accounting/events/event.h"

namespace chronoveil::accounting {

LossGrids LossModel::grids(double step, std::size_t bins, Reading reading) const {
  const LossHalves halves = this->halves(step, bins, reading != Reading::symmetric);
  if (reading == Reading::symmetric || !halves.attained) {
    const PositiveLoss& below = halves.lower ? *halves.lower : halves.upper;
    return {dominating(halves.upper), dominated(below, below)};
  }
  const auto& [above, below] = *halves.attained;
  if (reading == Reading::forward) return {dominating(above, below), dominated(above, below)};
  return {dominating(below, above), dominated(below, above)};
}

MadeLoss make_loss_model(const Event& event) {
  return std::visit([](const auto& e) { return e.loss(); }, event.kind);
}

PositiveLoss empty_half(double step, std::size_t bins) {
  return {.step = step, .p = std::vector<double>(bins), .q = std::vector<double>(bins)};
}

void add_atom(PositiveLoss& half, double loss, double mass) {
  const double bin = bins_up_to(loss, half.step) - 1;
  if (half.bins() > 0 && bin < static_cast<double>(half.bins())) {
    const auto i = static_cast<std::size_t>(std::max(0.0, bin));
    half.p[i] += mass;
    half.q[i] += mass * std::exp(-std::clamp(loss - half.loss(i), 0.0, half.step));
  } else {
    half.beyond_p += mass;
    half.beyond_q += mass * std::exp(half.loss(half.bins()) - loss);
  }
}

}  // namespace chronoveil::accounting
