#include "chronoveil/neural/optimiser.h"

#include <gtest/gtest.h>
#include <torch/optim/adam.h>

#include <cmath>
#include <limits>

namespace chronoveil::neural {
namespace {

Parameters weights() {
  torch::set_num_threads(1);
  Parameters parameters;
  parameters.add("a", torch::tensor({{0.5F, -1.0F}, {2.0F, 0.0F}}));
  parameters.add("b", torch::tensor({1e-3F}));
  return parameters;
}

torch::Tensor gradient(int step) { return torch::tensor({1.0F, -0.2F, 0.0F, 3.0F, -1e-3F}) * std::cos(step * 1.3); }

TEST(Optimiser, AdamIsThatOfThePaperAndOfLibtorch) {
  OptimiserConfig config;
  config.learning_rate = 0.02;
  config.weight_decay = 0.1;
  Parameters parameters = weights();
  Optimiser ours(config, parameters);
  const torch::Tensor theta = parameters.flat().requires_grad_();
  torch::optim::Adam theirs({theta}, torch::optim::AdamOptions(0.02).weight_decay(0.1));
  std::vector<double> x(5), m(5), v(5);
  for (std::size_t i = 0; i < 5; ++i) x[i] = theta[static_cast<std::int64_t>(i)].item<double>();
  for (int step = 1; step <= 20; ++step) {
    const torch::Tensor g = gradient(step);
    ours.step(g, parameters);
    theta.mutable_grad() = g.clone();
    theirs.step();
    for (std::size_t i = 0; i < 5; ++i) {
      const double h = g[static_cast<std::int64_t>(i)].item<double>() + 0.1 * x[i];
      m[i] = 0.9 * m[i] + 0.1 * h;
      v[i] = 0.999 * v[i] + 0.001 * h * h;
      x[i] -= 0.02 * m[i] / (1 - std::pow(0.9, step)) / (std::sqrt(v[i] / (1 - std::pow(0.999, step))) + 1e-8);
      EXPECT_NEAR(parameters.flat()[static_cast<std::int64_t>(i)].item<double>(), x[i], 1e-5) << step;
    }
    EXPECT_TRUE(torch::allclose(parameters.flat(), theta.detach(), 1e-5, 1e-6)) << step;
  }
}

TEST(Optimiser, SgdGoesAgainstTheGradient) {
  OptimiserConfig config{.kind = OptimiserConfig::Kind::sgd, .learning_rate = 0.25, .weight_decay = 0.5};
  Parameters parameters = weights();
  const torch::Tensor before = parameters.flat();
  Optimiser optimiser(config, parameters);
  optimiser.step(gradient(0), parameters);
  EXPECT_TRUE(torch::allclose(parameters.flat(), before - 0.25 * (gradient(0) + 0.5 * before), 1e-6, 1e-7));
}

TEST(Optimiser, TheAverageIsAWeightedMeanOfTheIterates) {
  OptimiserConfig config{.average = 0.8};
  config.learning_rate = 0.1;
  Parameters parameters = weights();
  Optimiser optimiser(config, parameters);
  EXPECT_TRUE(torch::equal(optimiser.released(parameters), parameters.flat()));
  torch::Tensor total = torch::zeros({5}, torch::kFloat64);
  double weight = 0;
  for (int step = 1; step <= 12; ++step) {
    optimiser.step(gradient(step), parameters);
    total = total * 0.8 + parameters.flat().to(torch::kFloat64);
    weight = weight * 0.8 + 1;
    EXPECT_TRUE(torch::allclose(optimiser.released(parameters).to(torch::kFloat64), total / weight, 1e-5, 1e-6));
  }
  EXPECT_FALSE(torch::allclose(optimiser.released(parameters), parameters.flat(), 1e-3, 1e-3));
}

TEST(Optimiser, WithoutAnAverageTheLastIterateIsReleasedAsACopy) {
  Parameters parameters = weights();
  Optimiser optimiser({}, parameters);
  optimiser.step(gradient(1), parameters);
  const torch::Tensor released = optimiser.released(parameters);
  EXPECT_TRUE(torch::equal(released, parameters.flat()));
  optimiser.step(gradient(2), parameters);
  EXPECT_FALSE(torch::equal(released, parameters.flat()));
}

TEST(Optimiser, LoadedStateGoesOnExactly) {
  OptimiserConfig config{.average = 0.9};
  Parameters parameters = weights();
  Optimiser one(config, parameters);
  for (int step = 0; step < 5; ++step) one.step(gradient(step), parameters);
  Parameters copy = weights();
  copy.set_flat(parameters.flat());
  Optimiser other(config, copy);
  const std::vector<Parameter> state = one.state();
  ASSERT_TRUE(other.load(state));
  EXPECT_EQ(other.steps(), 5);
  for (int step = 5; step < 9; ++step) {
    one.step(gradient(step), parameters);  // which must not change the state that was taken
    other.step(gradient(step), copy);
  }
  EXPECT_TRUE(torch::equal(parameters.flat(), copy.flat()));
  EXPECT_TRUE(torch::equal(one.released(parameters), other.released(copy)));
  Optimiser again(config, copy);
  ASSERT_TRUE(again.load(state));
  EXPECT_EQ(again.steps(), 5);
}

TEST(Optimiser, StatesOfAnotherKindOrDamagedAreRefusedAndChangeNothing) {
  Parameters parameters = weights();
  Optimiser optimiser({.average = 0.9}, parameters);
  optimiser.step(gradient(1), parameters);
  const std::vector<Parameter> good = optimiser.state();
  std::vector<std::vector<Parameter>> bad(7, good);
  bad[0].clear();
  bad[1].pop_back();
  bad[2][1].name = "second";
  bad[3][1].value = torch::zeros({4});
  bad[4][2].value = torch::full({5}, std::numeric_limits<float>::quiet_NaN());
  bad[5][0].value = torch::tensor({0.0F, 0.5F});
  bad[6].push_back(good.back());
  for (const std::vector<Parameter>& state : bad) {
    EXPECT_FALSE(optimiser.load(state));
    for (std::size_t i = 0; i < good.size(); ++i)
      EXPECT_TRUE(torch::equal(optimiser.state()[i].value, good[i].value)) << good[i].name;
  }
  EXPECT_FALSE(Optimiser({}, parameters).load(good));
}

TEST(Optimiser, CountersAreExact) {
  for (const std::int64_t count :
       {0L, 1L, (1L << 20) - 1, 1L << 20, (1L << 24) + 1, (1L << 40) + 12345, (1L << 44) - 1})
    EXPECT_EQ(counter_of(counter_to_tensor(count)), count);
  for (const torch::Tensor& bad : {torch::tensor({-1.0F, 0.0F}), torch::tensor({0.0F, 0x1p20F}), torch::zeros({3}),
                                   torch::tensor({0.5F, 0.0F}), torch::tensor({NAN, 0.0F}), torch::zeros({2, 1})})
    EXPECT_EQ(counter_of(bad), -1);
}

TEST(Optimiser, SettingsOutOfRangeAreRefusedByName) {
  EXPECT_TRUE(check(OptimiserConfig{}));
  const auto refused = [](auto field, double value) {
    OptimiserConfig config;
    config.*field = value;
    const auto checked = check(config);
    return checked ? std::string() : checked.error().text().substr(0, checked.error().text().find(':'));
  };
  EXPECT_EQ(refused(&OptimiserConfig::learning_rate, 0), "learning_rate");
  EXPECT_EQ(refused(&OptimiserConfig::learning_rate, INFINITY), "learning_rate");
  EXPECT_EQ(refused(&OptimiserConfig::weight_decay, -1e-8), "weight_decay");
  EXPECT_EQ(refused(&OptimiserConfig::beta1, 1), "beta1");
  EXPECT_EQ(refused(&OptimiserConfig::beta2, NAN), "beta2");
  EXPECT_EQ(refused(&OptimiserConfig::epsilon, 0), "epsilon");
  EXPECT_EQ(refused(&OptimiserConfig::average, 1), "average");
}

}  // namespace
}  // namespace chronoveil::neural
