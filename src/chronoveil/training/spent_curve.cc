#include "chronoveil/training/spent_curve.h"

#include <algorithm>

#include "chronoveil/engine/train/plan.h"

namespace chronoveil::training {
namespace {

constexpr int kSpentPoints = 16;

}  // namespace

Result<std::vector<SpentAfter>> spent_curve(const engine::TrainPlanned& planned) {
  std::vector<SpentAfter> curve;
  const std::int64_t all = planned.steps + planned.spare_steps;
  for (int i = 1; i <= kSpentPoints; ++i) {
    const std::int64_t steps = (all * i + kSpentPoints - 1) / kSpentPoints;
    if (!curve.empty() && curve.back().steps == steps) continue;
    CV_TRY(const accounting::Price price, engine::price_after(planned, steps));
    curve.push_back({steps, price.epsilon});
  }
  return curve;
}

double spent_after(const std::vector<SpentAfter>& curve, std::int64_t steps) {
  const auto point = std::find_if(curve.begin(), curve.end(), [&](const SpentAfter& at) { return at.steps >= steps; });
  return point == curve.end() ? (curve.empty() ? 0 : curve.back().epsilon) : point->epsilon;
}

}  // namespace chronoveil::training
