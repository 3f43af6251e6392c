// What noisy_sort draws with a staircase is said in its event, plateau and all.
#include <gtest/gtest.h>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/base/staircase.h"
#include "temporal_setting.h"

namespace chronoveil::mechanisms::testing {
namespace {

using accounting::NoisySort;

TemporalPlan plan_of(const TemporalRequest& request) {
  return value_of(value_of(find_temporal_mechanism("noisy_sort"))->prepare(request));
}

std::vector<TemporalPlan> staircase_plans() {
  std::vector<TemporalPlan> plans;
  for (TemporalRequest request : temporal_requests(*value_of(find_temporal_mechanism("noisy_sort")))) {
    request.window = 10;
    request.epsilon = 6;
    request.parameters["law"] = "staircase";
    plans.push_back(plan_of(request));
  }
  return plans;
}

TEST(NoisySortPlateau, IsSaidByEveryStaircaseAndByNoLaplace) {
  for (const TemporalPlan& plan : staircase_plans()) {
    const auto& sort = std::get<NoisySort>(plan.event.kind);
    EXPECT_EQ(sort.plateau, staircase_plateau(sort.window, sort.epsilon)) << accounting::to_text(plan.event);
  }
  TemporalRequest request = temporal_request(*value_of(find_temporal_mechanism("noisy_sort")));
  request.parameters["law"] = "laplace";
  EXPECT_EQ(std::get<NoisySort>(plan_of(request).event.kind).plateau, std::nullopt);
}

TEST(NoisySortPlateau, IsTheOneThatIsDrawnWith) {
  const TemporalMechanism& row = *value_of(find_temporal_mechanism("noisy_sort"));
  for (const TemporalPlan& plan : staircase_plans()) {
    TemporalPlan wider = plan;
    auto& sort = std::get<NoisySort>(wider.event.kind);
    sort.plateau = 9;
    EXPECT_EQ(accounting::to_text(value_of(row.event(wider))), accounting::to_text(wider.event));
    const std::vector<std::string> given = temporal_values(row, 300);
    EXPECT_NE(texts_of(run_seeded(wider, 1, given)), texts_of(run_seeded(plan, 1, given)));
  }
}

TEST(NoisySortPlateau, IsNotLeftToARuleWhenItRuns) {
  for (TemporalPlan plan : staircase_plans()) {
    std::get<NoisySort>(plan.event.kind).plateau.reset();
    Draws draws = Draws::seeded(1);
    EXPECT_FALSE(Perturbation::start(plan, draws).has_value());
  }
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
