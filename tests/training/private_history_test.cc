#include <gtest/gtest.h>

#include <cmath>

#include "chronoveil/ledger/ledger.h"
#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/training/noised_history.h"
#include "engine/fixtures.h"
#include "noise/statistics.h"
#include "support/temporary_folder.h"

namespace chronoveil::training {
namespace {

using engine::testing::fails;
using forecasting::Panel;

PrivateHistory asked() {
  PrivateHistory history;
  history.epsilon = 1;
  history.delta = 1e-5;
  history.rate = 0.25;
  history.changed_steps = 2;
  history.lower = 0;
  history.upper = 10;
  return history;
}

Panel constant(std::int64_t length, float value, std::int64_t channels = 1) {
  return {channels, {{"a", 0, length, std::vector<float>(static_cast<std::size_t>(length * channels), value)}}};
}

TEST(PrivateHistory, NoiseIsPricedForTheWidthOfTheBoundsAndEveryChannel) {
  const Result<PrivateHistoryPlan> one = plan_history(asked(), 1), four = plan_history(asked(), 4);
  ASSERT_TRUE(one && four);
  EXPECT_NEAR(four->noise / one->noise, 2, 1e-12);
  const auto& event = std::get<accounting::TimeSubsampling>(one->event.kind);
  EXPECT_EQ(event.participation, 2);
  EXPECT_EQ(event.rate, 0.25);
  EXPECT_GE(one->noise, event.noise_multiplier * 10);
  EXPECT_LE(one->price.epsilon, 1);
  // Independently: δ(ε) = Σ_k Bin(k; 2, p) G(√k/σ).
  const double sigma = event.noise_multiplier;
  const auto gaussian = [&](double mu) {
    const auto normal = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
    return normal(mu / 2 - 1 / mu) - std::exp(1.0) * normal(-mu / 2 - 1 / mu);
  };
  const double delta = 2 * 0.25 * 0.75 * gaussian(1 / sigma) + 0.0625 * gaussian(std::sqrt(2.0) / sigma);
  EXPECT_LE(delta, 1e-5 * (1 + 1e-9));
  EXPECT_GE(delta, 1e-5 * (1 - 1e-2));
}

TEST(PrivateHistory, RefusesBoundsTheWrongWayRoundOrOffTheGrid) {
  PrivateHistory wrong = asked();
  wrong.upper = wrong.lower;
  EXPECT_TRUE(fails(plan_history(wrong, 1), ErrorKind::usage, "upper"));
  wrong.lower = 1e17;  // beyond the grid of noise for bounds so close together: found before the debit
  wrong.upper = 1e17 + 16;
  EXPECT_TRUE(fails(plan_history(wrong, 1), ErrorKind::usage, "lower"));
}

TEST(PrivateHistory, NumbersOutOfTheirRangeAreUsageByName) {
  const auto refused = [](auto member, auto value, const std::string& name) {
    PrivateHistory wrong = asked();
    wrong.*member = value;
    return fails(plan_history(wrong, 1), ErrorKind::usage, name + ": ");
  };
  for (const double delta : {0.0, 1.0, -1e-6, std::nan("")})
    EXPECT_TRUE(refused(&PrivateHistory::delta, delta, "delta")) << delta;
  for (const double epsilon : {0.0, -1.0, double{INFINITY}})
    EXPECT_TRUE(refused(&PrivateHistory::epsilon, epsilon, "epsilon")) << epsilon;
  for (const double rate : {0.0, 1.5, std::nan("")}) EXPECT_TRUE(refused(&PrivateHistory::rate, rate, "rate")) << rate;
  EXPECT_TRUE(refused(&PrivateHistory::changed_steps, 0, "max_steps"));
}

TEST(PrivateHistory, ARateAtWhichDeltaCoversAllIsRefused) {
  PrivateHistory rare = asked();
  rare.rate = 5e-6;  // one of two steps is kept with a probability of just less than δ
  EXPECT_TRUE(fails(plan_history(rare, 1), ErrorKind::usage, "without noise"));
  rare.rate = 5.1e-6;
  EXPECT_TRUE(plan_history(rare, 1));
}

TEST(PrivateHistory, IsNoisedOnceForADebitOfItsEvent) {
  const chronoveil::testing::TemporaryFolder folder;
  Result<ledger::Ledger> ledger = ledger::Ledger::open(folder.path() + "/ledger.db");
  ASSERT_TRUE(ledger);
  ledger::DatasetRequest dataset;
  dataset.name = "city";
  dataset.epsilon = 10;
  dataset.delta = 1e-3;
  ASSERT_TRUE(ledger->create(dataset));
  ledger::Terms terms;
  terms.dataset = "city";
  const auto draws_for = [&](const accounting::Event& event) {
    Result<ledger::Receipt> receipt = ledger->reserve(terms, event);
    EXPECT_TRUE(receipt) << receipt.error().text();
    return mechanisms::Draws::authorised(std::move(*receipt), event).value();
  };
  const Result<PrivateHistoryPlan> plan = plan_history(asked(), 1);
  ASSERT_TRUE(plan);
  mechanisms::Draws draws = draws_for(plan->event), other = draws_for({accounting::Pure{0.1}});
  EXPECT_TRUE(noised(constant(9, 5), 9, *plan, draws));
  EXPECT_FALSE(noised(constant(9, 5), 9, *plan, draws)) << "the debit was for one history";
  EXPECT_FALSE(noised(constant(9, 5), 9, *plan, other)) << "the debit was for another event";
}

TEST(PrivateHistory, SaysWhatIsNotProtected) {
  const auto limits = [](std::int64_t steps) {
    PrivateHistory history = asked();
    history.changed_steps = steps;
    return plan_history(history, 1)->not_protected;
  };
  EXPECT_NE(limits(1).front().find("over more than one step is not protected"), std::string::npos);
  EXPECT_NE(limits(3).front().find("behind more than 3 steps"), std::string::npos);
  EXPECT_GE(limits(1).size(), 5u);
}

constexpr std::int64_t kRuns = 40'000;

// kRuns series of so many steps, all 5, noised.
Panel noised_fives(std::int64_t length, const PrivateHistoryPlan& plan) {
  Panel panel;
  for (std::int64_t run = 0; run < kRuns; ++run) panel.series.push_back(constant(length, 5).series[0]);
  mechanisms::Draws draws = mechanisms::Draws::seeded(11);
  Result<Panel> out = noised(panel, length, plan, draws);
  EXPECT_TRUE(out);
  return *out;
}
// How often both of two steps are kept: where they are not, the mean of what was kept is in both.
std::int64_t both_kept(PrivateHistoryPlan plan) {
  plan.asked.fill = GapFill::mean;
  std::int64_t both = 0;
  for (const forecasting::PanelSeries& series : noised_fives(2, plan).series)
    both += series.values[0] != series.values[1];
  return both;
}
// How often a step that is always kept is further off than `distance`.
std::int64_t further_than(double distance, PrivateHistoryPlan plan) {
  plan.asked.rate = 1;
  std::int64_t beyond = 0;
  for (const forecasting::PanelSeries& series : noised_fives(1, plan).series)
    beyond += std::abs(series.values[0] - 5) > distance;
  return beyond;
}

TEST(PrivateHistory, KeepsAtItsRateAndAddsItsNoise) {
  const Result<PrivateHistoryPlan> plan = plan_history(asked(), 1);
  ASSERT_TRUE(plan);
  const double beyond = std::erfc(1 / std::sqrt(2.0));
  EXPECT_GT(noise::binomial_p_value(both_kept(*plan), kRuns, 0.0625), noise::kLevel);
  EXPECT_GT(noise::binomial_p_value(further_than(plan->noise, *plan), kRuns, beyond), noise::kLevel);
  PrivateHistoryPlan often = *plan, quiet = *plan;
  often.asked.rate = 0.3;
  quiet.noise *= 0.9;
  EXPECT_LT(noise::binomial_p_value(both_kept(often), kRuns, 0.0625), noise::kLevel);
  EXPECT_LT(noise::binomial_p_value(further_than(plan->noise, quiet), kRuns, beyond), noise::kLevel);
}

TEST(PrivateHistory, ValuesBeyondTheBoundsAndMissingOnesShowNoMoreThanTheBounds) {
  PrivateHistory quiet = asked();
  quiet.rate = 1;
  const Result<PrivateHistoryPlan> plan = plan_history(quiet, 1);
  ASSERT_TRUE(plan);
  const auto with = [&](float value) {
    mechanisms::Draws draws = mechanisms::Draws::seeded(2);  // the same noise for each
    return noised(constant(1, value), 1, *plan, draws)->series[0].values[0];
  };
  EXPECT_EQ(with(1e30F), with(10));
  EXPECT_EQ(with(-3), with(0));
  EXPECT_EQ(with(forecasting::kMissing), with(5));
}

TEST(PrivateHistory, OnlyTheStepsThatAModelReadsAreLookedAt) {
  PrivateHistory all = asked();
  all.rate = 1;
  const Result<PrivateHistoryPlan> plan = plan_history(all, 1);
  ASSERT_TRUE(plan);
  Panel long_past = constant(50, 5), other = long_past;
  for (std::size_t i = 0; i < 40; ++i) other.series[0].values[i] = 9;
  mechanisms::Draws one = mechanisms::Draws::seeded(4), two = mechanisms::Draws::seeded(4);
  const Result<Panel> a = noised(long_past, 10, *plan, one), b = noised(other, 10, *plan, two);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->series[0].length, 10);
  EXPECT_EQ(a->series[0].start, 40);
  EXPECT_EQ(a->series[0].values, b->series[0].values);
}

}  // namespace
}  // namespace chronoveil::training
