#include "chronoveil/mechanisms/series/running_total.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "chronoveil/mechanisms/guarantee.h"
#include "chronoveil/mechanisms/live.h"
#include "chronoveil/mechanisms/parts/decaying_weights.h"
#include "neighbours.h"
#include "weights_by_hand.h"

namespace chronoveil::mechanisms::testing {
namespace {

Request total_request(std::int64_t series, std::int64_t steps, double delta = 1e-6) {
  Request request = request_for(steps, 0.8, delta);
  request.shape.series = series;
  request.shape.unit = Unit::event;
  return request;
}

Request user_request(std::int64_t series, std::int64_t steps, std::int64_t slots, std::int64_t apart = 1) {
  Request request = total_request(series, steps);
  request.shape.unit = Unit::user;
  request.shape.max_steps = slots;
  request.parameters["separation"] = apart;
  return request;
}

SeriesPlan plan_of(const Request& request) { return value_of(running_total().prepare(request)); }

ByHand by_hand(const SeriesPlan& plan) {
  return ByHand(decaying_weights(plan.shape.steps, number(plan.parameters, "memory")), plan.shape.steps);
}

// The first column of the square root, and the squared length of that.
struct SquareRoot {
  explicit SquareRoot(std::int64_t steps) {
    double now = 1;
    for (std::int64_t k = 0; k < steps; ++k) {
      c.push_back(now);
      energy += now * now;
      now *= static_cast<double>(2 * k + 1) / static_cast<double>(2 * k + 2);
    }
  }
  // The deviation of the last total, for a person in `slots` slots that are `apart` apart.
  double error(std::size_t slots, std::size_t apart) const {
    double moved = 0;
    for (std::size_t t = 0; t < c.size(); ++t) {
      double sum = 0;
      for (std::size_t k = 0; k < slots && k * apart <= t; ++k) sum += c[t - k * apart];
      moved += sum * sum;
    }
    return std::sqrt(moved * energy);
  }
  std::vector<double> c;
  double energy = 0;
};

// In a complete binary tree a count is in as many sums as there are levels, and a total is one of as many as the number
// of its steps has ones.
double error_of_a_tree(std::int64_t steps) {
  int ones = 0;
  for (std::uint64_t t = 1; t <= static_cast<std::uint64_t>(steps); ++t) ones = std::max(ones, std::popcount(t));
  return std::sqrt(static_cast<double>(std::bit_width(static_cast<std::uint64_t>(steps))) * ones);
}

std::string table_row(const std::string& name, const std::vector<double>& values) {
  std::string row = "| " + name + " |";
  for (const double value : values) {
    char text[32];
    std::snprintf(text, sizeof text, value < 100 ? " %.1f |" : " %.0f |", value);
    row += text;
  }
  return "\n" + row + "\n";
}

TEST(RunningTotal, EqualsADirectComputationWithReplayedNoise) {
  for (const auto& [series, steps] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}, {1, 2}, {2, 3}, {3, 50}, {1, 301}}) {
    const SeriesPlan plan = plan_of(total_request(series, steps));
    const std::vector<long double> back = by_hand(plan).back;
    Counts counts(cells(plan));
    std::vector<double> noise(cells(plan));  // in the order in which it is drawn: step by step
    for (std::size_t i = 0; i < counts.size(); ++i) {
      counts[i] = static_cast<std::int64_t>((i * 7919) % 100);
      noise[i] = std::floor(std::sin(static_cast<double>(i) + 1) * plan.scale / plan.grid) * plan.grid;
    }
    Draws draws = taped(running_total(), plan, noise);
    const Estimate estimate =
        value_of(running_total().reconstruct(plan, value_of(running_total().measure(plan, counts, draws))));
    // The exact total plus A C⁻¹ times the noise: what it must amount to, though never how it may be computed.
    const auto S = static_cast<std::size_t>(series), T = static_cast<std::size_t>(steps);
    for (std::size_t s = 0; s < S; ++s) {
      long double total = 0;
      for (std::size_t t = 0; t < T; ++t) {
        total += static_cast<long double>(counts[s * T + t]);
        long double value = total;
        for (std::size_t i = 0; i <= t; ++i) value += back[t - i] * noise[i * S + s];
        EXPECT_NEAR(estimate.value[s * T + t], static_cast<double>(value), 1e-8) << steps << " steps, step " << t;
      }
    }
  }
}

// Whatever a later version would make of the same parameters.
TEST(RunningTotal, TheWeightsThatRunAreThoseOfThePlan) {
  SeriesPlan plan = plan_of(total_request(1, 50));
  const DecayingWeights own = decaying_weights(50, number(plan.parameters, "memory"));
  EXPECT_EQ(weights_in(plan.weights).keep, own.keep);
  EXPECT_EQ(weights_in(plan.weights).weight, own.weight);
  const auto last = [](const SeriesPlan& run) {
    Draws draws = taped(running_total(), run, std::vector<double>(50, 1.0));
    return value_of(running_total().reconstruct(run, value_of(running_total().measure(run, Counts(50, 7), draws))))
        .value.back();
  };
  const double before = last(plan);
  SeriesPlan other = plan;
  other.weights = {0.5, 0.25};
  EXPECT_GT(std::abs(last(other) - before), 1);
  other.parameters["memory"] = 1.0;
  EXPECT_GT(std::abs(last(other) - before), 1) << "not those of the parameters";
  for (const std::vector<double>& wrong :
       {std::vector<double>{0.5}, {1.0, 0.5}, {0.5, -0.1}, {0.5, 0.5, 0.7, 0.7}, std::vector<double>(14, 0.01)}) {
    plan.weights = wrong;
    EXPECT_FALSE(go_live(plan));
  }
}

TEST(RunningTotal, ItsSensitivityIsTheNormOfAColumn) {
  for (const std::int64_t steps : {1, 2, 10, 1000}) {
    Request request = total_request(1, steps);
    request.shape.max_per_slot = 3;
    const auto norms = [](const SeriesPlan& plan) { return by_hand(plan).pattern({0}); };
    SeriesPlan plan = plan_of(request);
    EXPECT_NEAR(plan.sensitivity, 3 * std::sqrt(norms(plan).energy), 1e-6 * plan.sensitivity);
    request.shape.relation = Relation::replace;
    plan = plan_of(request);
    EXPECT_NEAR(plan.sensitivity, 3 * std::sqrt(2 * norms(plan).energy), 1e-6 * plan.sensitivity);
    request.delta = 0;
    plan = plan_of(request);
    EXPECT_NEAR(plan.sensitivity, 6 * norms(plan).mass, 1e-5 * plan.sensitivity);
    request.shape.relation = Relation::add_remove;
    plan = plan_of(request);
    EXPECT_NEAR(plan.sensitivity, 3 * norms(plan).mass, 1e-5 * plan.sensitivity);
  }
}

TEST(RunningTotal, ItsErrorIsWithinHalfAPercentOfThatOfTheSquareRoot) {
  const auto error_over_square_root = [](const SeriesPlan& plan) {
    return plan.sensitivity * running_total().step_spread(plan) / SquareRoot(plan.shape.steps).energy;
  };
  for (std::int64_t steps = 1; steps <= 130; ++steps)
    EXPECT_LT(error_over_square_root(plan_of(total_request(1, steps))), 1.005) << steps;
  for (const std::int64_t steps : {999, 1000, 1001, 10'000, 10'001, 100'000})
    EXPECT_LT(error_over_square_root(plan_of(total_request(1, steps))), 1.005) << steps;
  EXPECT_LT(error_over_square_root(plan_of(total_request(1, 1'000'000))), 1.0015);
}

// At ε = 1 and δ = 10^-6.
TEST(RunningTotal, ItsPageSaysHowLargeItsErrorsAre) {
  std::ostringstream page;
  page << std::ifstream(std::filesystem::path(CHRONOVEIL_MECHANISM_PAGES) / "running_total.md").rdbuf();
  const auto error = [](Request request) {
    request.epsilon = 1;
    const SeriesPlan plan = plan_of(request);
    return plan.scale * running_total().step_spread(plan);
  };
  Request one = total_request(1, 1);
  one.epsilon = 1;
  const double multiplier = noise_multiplier(plan_of(one).event).value();
  std::vector<double> ours, root, tree, laplace, gaussian;
  for (std::int64_t steps = 100; steps <= 1'000'000; steps *= 10) {
    ours.push_back(error(total_request(1, steps)));
    root.push_back(multiplier * SquareRoot(steps).energy);
    tree.push_back(multiplier * error_of_a_tree(steps));
    laplace.push_back(std::sqrt(2.0 * static_cast<double>(steps)));
    gaussian.push_back(multiplier * std::sqrt(static_cast<double>(steps)));
  }
  for (const std::string& row :
       {table_row("`running_total`", ours), table_row("the square root, O(T) work a step", root),
        table_row("a binary tree with Gaussian noise", tree),
        table_row("adding up `event` with Laplace noise", laplace),
        table_row("adding up `event` with Gaussian noise", gaussian)})
    EXPECT_NE(page.str().find(row), std::string::npos) << row;
  for (const auto& [steps, slots, apart] :
       std::vector<std::array<std::int64_t, 3>>{{1000, 10, 1}, {1000, 10, 50}, {1000, 100, 7}, {10'000, 50, 24}}) {
    const std::string name =
        (steps == 1000 ? "1000 | " : "10 000 | ") + std::to_string(slots) + " | " + std::to_string(apart);
    const double counts = std::sqrt(static_cast<double>(slots * steps));
    const double by_root = SquareRoot(steps).error(static_cast<std::size_t>(slots), static_cast<std::size_t>(apart));
    const std::string row =
        table_row(name, {error(user_request(1, steps, slots, apart)), multiplier * by_root, multiplier * counts});
    EXPECT_NE(page.str().find(row), std::string::npos) << row;
  }
}

TEST(RunningTotal, ManySlotsOfAPersonTakeWeightsThatReachLessFar) {
  const auto memory = [](const Request& request) { return number(plan_of(request).parameters, "memory"); };
  EXPECT_EQ(memory(total_request(1, 1000)), 500);
  EXPECT_EQ(memory(user_request(1, 1000, 1000)), 1) << "all steps of a person: the noisy counts added up";
  EXPECT_LT(memory(user_request(1, 1000, 100, 7)), 100);
  Request pure = total_request(1, 1000, 0);
  EXPECT_EQ(memory(pure), 1) << "with Laplace noise, too";
  // Noisy counts added up: √T times the noise of a person in all steps.
  const SeriesPlan all = plan_of(user_request(1, 400, 400));
  EXPECT_NEAR(running_total().step_spread(all) * all.sensitivity, 20 * 20, 1e-3);
}

// By the event, at the separation, with a sample of the person's slots: what f really does, by measuring without noise.
TEST(RunningTotal, NoPersonMovesTheAnswersFurtherThanPlanned) {
  for (const auto& [series, steps, slots, apart] : std::vector<std::array<std::int64_t, 4>>{{1, 10, 3, 1},
                                                                                            {1, 10, 3, 3},
                                                                                            {1, 11, 4, 2},
                                                                                            {1, 9, 9, 4},
                                                                                            {1, 12, 12, 1},
                                                                                            {2, 6, 3, 2},
                                                                                            {2, 5, 4, 1},
                                                                                            {3, 3, 5, 1}}) {
    for (const double delta : {0.0, 1e-6}) {
      Request request = user_request(series, steps, slots, apart);
      request.delta = delta;
      for (const double memory : {1.0, 2.0, static_cast<double>(steps)}) {
        request.parameters["memory"] = memory;
        const SeriesPlan plan = plan_of(request);
        const double worst = worst_of_all_patterns(plan, apart);
        EXPECT_LE(worst, 1) << series << " x " << steps << ", " << slots << " slots, " << apart << " apart, " << memory;
        if (series == 1) {
          EXPECT_GT(worst, 0.999) << "no more noise than the worst person needs";
        }
      }
    }
  }
}

TEST(RunningTotal, TheCheckRejectsTheNormOfFewerSlots) {
  const SeriesPlan sound = plan_of(user_request(1, 10, 3, 2));
  EXPECT_LE(worst_of_all_patterns(sound, 2), 1);
  EXPECT_GT(worst_of_all_patterns(sound, 1), 1) << "slots that are closer together than was said";
  const auto worst_with = [&](double sensitivity) {
    return worst_of_all_patterns(sound, 2) * sound.sensitivity / sensitivity;
  };
  Request one = user_request(1, 10, 1);
  one.parameters["memory"] = number(sound.parameters, "memory");
  EXPECT_GT(worst_with(plan_of(one).sensitivity), 1) << "one slot, for three";
  EXPECT_GT(worst_with(plan_of(one).sensitivity * std::sqrt(3.0)), 1)
      << "three slots as if they did not reinforce each other";
  EXPECT_GT(worst_with(sound.sensitivity * 0.999), 1) << "a thousandth short";
  Request other = user_request(1, 10, 3, 2);
  other.parameters["memory"] = 1.0;
  EXPECT_GT(worst_with(plan_of(other).sensitivity), 1) << "the norm of other weights than those that run";
}

TEST(RunningTotal, TheErrorHardlyGrowsWithTime) {
  const SeriesPlan plan = plan_of(total_request(1, 1000));
  Draws draws = taped(running_total(), plan, std::vector<double>(1000, 0.0));
  const Estimate estimate =
      value_of(running_total().reconstruct(plan, value_of(running_total().measure(plan, Counts(1000, 1), draws))));
  const auto width = [&](std::size_t t) { return estimate.upper[t] - estimate.lower[t]; };
  EXPECT_NEAR(width(0), 2 * 1.959963984540054 * plan.scale, 1e-9 * plan.scale);
  EXPECT_LT(width(999), 2 * width(0));
  long double energy = 0;
  const std::vector<long double> back = by_hand(plan).back;
  for (std::size_t t = 0; t < 1000; ++t) {
    energy += back[t] * back[t];
    EXPECT_NEAR(width(t), width(0) * static_cast<double>(sqrtl(energy)), 1e-9 * width(0));
  }
}

// The error of the last total: none on average, with the deviation that the plan says, of which the interval holds as
// much as it says.
TEST(RunningTotal, TheIntervalHoldsTheTotalAsOftenAsItSays) {
  for (Request request : {total_request(100, 30), user_request(100, 30, 4, 5)}) {
    request.level = 0.9;
    const SeriesPlan plan = plan_of(request);
    Draws draws = Draws::seeded(11);
    int held = 0, all = 0;
    double sum = 0, squares = 0;
    for (int release = 0; release < 40; ++release) {
      const Estimate estimate = value_of(
          running_total().reconstruct(plan, value_of(running_total().measure(plan, Counts(cells(plan), 2), draws))));
      for (std::size_t s = 0; s < 100; ++s, ++all) {
        const double off = estimate.value[s * 30 + 29] - 60;
        held += estimate.lower[s * 30 + 29] <= 60 && 60 <= estimate.upper[s * 30 + 29] ? 1 : 0;
        sum += off;
        squares += off * off;
      }
    }
    const double deviation = plan.scale * running_total().step_spread(plan);
    EXPECT_NEAR(held, 0.9 * all, 6 * 0.0048 * all);  // six standard deviations
    EXPECT_NEAR(sum / all / deviation, 0, 6 / std::sqrt(all));
    EXPECT_NEAR(squares / all / (deviation * deviation), 1, 6 * std::sqrt(2.0 / all));
  }
}

TEST(RunningTotal, TheGuaranteeNamesTheSeparationAsDeclared) {
  const Guarantee guarantee = guarantee_of(plan_of(user_request(1, 50, 3, 7)), Basis::enforced, false);
  const auto said = std::count_if(guarantee.assumptions.begin(), guarantee.assumptions.end(), [](const auto& each) {
    return each.text == "the slots of one series in which one person counts are at least 7 steps apart" &&
           each.basis == Basis::declared;
  });
  EXPECT_EQ(said, 1);
}

TEST(RunningTotal, RefusesWhatDoesNotFit) {
  const auto message = [](Request request, const char* name, const Value& value) {
    request.parameters[name] = value;
    const auto refused = running_total().prepare(request);
    return refused ? "" : refused.error().text();
  };
  const Request event = total_request(1, 10), user = user_request(1, 10, 3);
  EXPECT_EQ(
      message(event, "separation", std::int64_t{2}),
      "mechanism.separation: 2 is not valid; it must be a whole number between 1 and the number of steps, 10; more "
      "than 1 for unit user only");
  EXPECT_EQ(message(user, "separation", std::int64_t{0}),
            "mechanism.separation: 0 is not valid; it must be a whole number between 1 and the number of steps, 10");
  for (const double memory : {0.5, 11.0, std::nan(""), HUGE_VAL})
    EXPECT_NE(message(user, "memory", memory).find("mechanism.memory: "), std::string::npos) << memory;
  EXPECT_NE(message(total_request(1, 1'000'001), "separation", std::int64_t{1}).find("at most 10^6"),
            std::string::npos);
}

// A step that failed is in the memory: tried again, its people would count twice.
TEST(RunningTotal, AStepThatFailedIsNotTriedAgain) {
  SeriesPlan plan = plan_of(total_request(2, 10));
  const auto process = value_of(go_live(plan));
  Draws draws = Draws::seeded(1);
  std::vector<LiveValue> out(2);
  const Counts counts = {3, 4};
  ASSERT_TRUE(live_step(plan, *process, counts, draws, out));
  plan.measured = 1;
  EXPECT_FALSE(live_step(plan, *process, counts, draws, out)) << "one question, for two series";
  plan.measured = 20;
  EXPECT_FALSE(live_step(plan, *process, counts, draws, out));
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
