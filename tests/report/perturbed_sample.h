// Perturbed series to look at: made of public facts and formulas, nothing drawn, so that every test sees the same.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "chronoveil/report/perturbed/perturbed.h"

namespace chronoveil::report::testing {

// δ(ε) of RanSwitch over sets of outputs, as the specification of the mechanism has it.
inline double ranswitch_delta(std::int64_t window, double stay, double epsilon) {
  const double move = (1 - stay) / static_cast<double>(window - 1);
  const double never = std::pow(1 - move, static_cast<double>(window - 1));
  return 1 - never + never * std::max(0.0, (stay - std::exp(epsilon) * move) / (stay + move));
}

// Shares that fall by a constant factor per row, to both sides; `reach` rows each way.
inline mechanisms::Moves falling_moves(std::int64_t reach, double factor) {
  mechanisms::Moves all;
  all.first = -reach;
  double sum = 0;
  for (std::int64_t i = -reach; i <= reach; ++i) {
    all.shares.push_back(std::pow(factor, static_cast<double>(std::abs(i))));
    sum += all.shares.back();
  }
  for (std::int64_t i = -reach; i <= reach; ++i) {
    double& share = all.shares[static_cast<std::size_t>(i + reach)];
    share /= sum;
    all.mean_distance += share * static_cast<double>(std::abs(i));
  }
  all.cost = all.mean_distance;
  return all;
}

// A day of a heart, its values moved by ranswitch; a paper states less than is certified.
inline Perturbed perturbed_sample() {
  Perturbed all;
  all.title = "Heart rate, one day";
  all.time = "minute";
  all.columns = {"heart_rate", "steps"};
  all.kept = {"device"};
  all.rows = 1440;
  mechanisms::TemporalPlan& plan = all.plan;
  plan.mechanism = "ranswitch";
  plan.window = 10;
  plan.parameters = {{"stay", 0.4636}};
  plan.delta = 0.425;
  plan.event = {accounting::RanSwitch{10, 0.4636}};
  plan.price.epsilon = 2.0625;
  plan.price.epsilon_lower = 2.0624;
  plan.price.delta = 0.425;
  plan.price.delta_lower = 0.4246;
  plan.price.certificate = Certificate::exact;
  plan.price.nominal = accounting::Nominal{2, 0.0596};
  all.guarantee = {.definition = "TLDP",
                   .unit = Unit::event,
                   .window = 10,
                   .relation = Relation::swap,
                   .epsilon = 2.0625,
                   .delta = 0.425,
                   .assumptions = {{"when rows were recorded is public", Basis::declared},
                                   {"the columns of a row move together", Basis::enforced}},
                   .certificate = Certificate::exact};
  all.reason = "Of those that move values within the window, this one moves them least.";
  all.expected = falling_moves(30, 0.7);
  for (int i = 0; i <= 32; ++i) all.curve.push_back({i / 4.0, ranswitch_delta(10, 0.4636, i / 4.0)});
  all.not_protected = {"What the values are is not protected."};
  all.debit = ledger::DebitReference{{"watch", 17, std::nullopt}, std::string(64, 'a')};
  all.budget = BudgetLeft{"watch", 8, 0.9, 0.6874, "one more of these"};
  return all;
}

// The same with keys that are sorted: pure, the law reaches far, the curve falls to nothing.
inline Perturbed sorted_sample() {
  Perturbed all = perturbed_sample();
  all.times_move = true;
  all.plan.mechanism = "noisy_sort";
  all.plan.parameters = {{"law", std::string("laplace")}, {"max_shift", std::int64_t{0}}};
  all.plan.event = {accounting::NoisySort{10, 2, accounting::NoisySort::Law::laplace, std::nullopt}};
  all.plan.delta = all.plan.price.delta = all.plan.price.delta_lower = all.guarantee.delta = 0;
  all.plan.price.epsilon = all.plan.price.epsilon_lower = all.guarantee.epsilon = 2;
  all.plan.price.nominal.reset();
  all.expected = falling_moves(400, 0.97);
  all.curve.clear();
  for (int i = 0; i <= 12; ++i) all.curve.push_back({i / 4.0, i < 8 ? 0.6 * std::pow(10.0, -i) : 0});
  return all;
}

// What is only known by its paper, loses values and leaves slots empty.
inline Perturbed threshold_sample() {
  Perturbed all = perturbed_sample();
  all.plan.mechanism = "threshold";
  all.plan.window = all.guarantee.window = 4;
  all.plan.parameters = {{"threshold", std::int64_t{2}}};
  all.plan.event = {accounting::Threshold{4, 2}};
  all.plan.delta = all.plan.price.delta = all.guarantee.delta = 0;
  all.plan.price.epsilon = all.guarantee.epsilon = 2.197;
  all.plan.price.analysis = accounting::Analysis::published;
  all.plan.price.certificate = all.guarantee.certificate = Certificate::as_published;
  all.plan.price.nominal.reset();
  all.expected = {
      .first = 0, .shares = {0.3, 0.3, 0.2, 0.1}, .mean_distance = 1, .missing = 0.1, .empty = 0.1, .cost = 1.8};
  all.curve.clear();
  all.empty = 141;
  return all;
}

// Values that are changed and stay where they are.
inline Perturbed changed_sample() {
  Perturbed all = perturbed_sample();
  all.columns = {"mood"};
  all.kept.clear();
  all.plan.mechanism = "randomized_response";
  all.plan.window = all.guarantee.window = 0;
  all.plan.parameters.clear();
  all.plan.categories = {"calm", "awake", "tense"};
  all.plan.relation = all.guarantee.relation = Relation::replace;
  all.guarantee.definition = "DP";
  all.plan.event = {accounting::RandomizedResponse{2, 3}};
  all.plan.delta = all.plan.price.delta = all.plan.price.delta_lower = all.guarantee.delta = 0;
  all.plan.price.epsilon = all.plan.price.epsilon_lower = all.guarantee.epsilon = 2;
  all.plan.price.nominal.reset();
  all.expected = {.first = 0, .shares = {1}};
  all.curve = {{0, 0.68}, {1, 0.38}, {2, 0}};
  return all;
}

inline PerturbedInternal internal_sample() {
  PerturbedInternal all;
  all.realised = falling_moves(21, 0.72);
  all.realised.mean_distance = all.realised.cost = 2.71875;
  PerturbedInternal::Column heart, mood;
  heart.name = "heart_rate";
  heart.numeric = true;
  heart.range = 10;
  heart.average_error = 1.4375;
  for (std::int64_t i = 0; i < 1431; ++i) {
    const double at = static_cast<double>(i), before = 70 + 20 * std::sin(at / 90);
    heart.averages.push_back({i, before, before + 2 * std::sin(at * 1.7)});
  }
  all.columns.push_back(std::move(heart));
  mood.name = "mood";
  mood.counts = {{"calm", 700, 711}, {"awake", 640, 629}, {"", 100, 100}};
  all.columns.push_back(std::move(mood));
  return all;
}

}  // namespace chronoveil::report::testing
