#include "chronoveil/neural/tape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "chronoveil/neural/clipping.h"
#include "chronoveil/neural/models/lstm_cell.h"

namespace chronoveil::neural {
namespace {

class TapeTest : public testing::Test {
 protected:
  void SetUp() override {
    torch::set_num_threads(1);
    torch::manual_seed(11);
  }
};

double largest_gap(const torch::Tensor& a, const torch::Tensor& b) { return (a - b).abs().max().item<double>(); }

// In units of the last place of a float near the exact value.
double ulps(float computed, double exact) {
  return std::abs(static_cast<double>(computed) - exact) /
         (std::abs(exact) * std::numeric_limits<float>::epsilon() / 2 + 1e-40);
}

struct Layer {
  torch::Tensor input, recurrent, bias;
  static Layer random(std::int64_t in, std::int64_t units) {
    return {torch::randn({4 * units, in}) * 0.4, torch::randn({4 * units, units}) * 0.4, torch::randn({4 * units})};
  }
};

void add(Parameters& parameters, const Layer& layer) {
  parameters.add("input", layer.input);
  parameters.add("recurrent", layer.recurrent);
  parameters.add("bias", layer.bias);
}

TEST_F(TapeTest, AnLstmIsLibtorchsLstmForwardAndBackward) {
  for (const std::int64_t steps : {1, 5, 60}) {
    for (const std::int64_t units : {3, 8, 40}) {
      const std::int64_t windows = 6, in = 5;
      const Layer layer = Layer::random(in, units);
      const torch::Tensor values = torch::randn({windows, steps, in}), weights = torch::randn({windows, steps, units});

      Parameters parameters;
      add(parameters, layer);
      Tape tape(parameters, Tape::Keep::uses);
      const torch::Tensor x = values.clone().requires_grad_(true);
      const torch::Tensor h = tape.lstm(0, 1, 2, x);
      (h * weights).sum().backward();

      const torch::Tensor reference_x = values.clone().requires_grad_(true);
      std::vector<torch::Tensor> w{layer.input.clone().requires_grad_(true),
                                   layer.recurrent.clone().requires_grad_(true),
                                   layer.bias.clone().requires_grad_(true), torch::zeros({4 * units})};
      const torch::Tensor zero = torch::zeros({1, windows, units});
      const torch::Tensor reference =
          std::get<0>(torch::lstm(reference_x, {zero, zero}, w, true, 1, 0.0, true, false, true));
      (reference * weights).sum().backward();

      EXPECT_LT(largest_gap(h, reference), 2e-6) << steps << " steps, " << units << " units";
      EXPECT_LT(largest_gap(x.grad(), reference_x.grad()), 2e-5) << steps << " steps, " << units << " units";
      const torch::Tensor expected = torch::cat({w[0].grad().flatten(), w[1].grad().flatten(), w[2].grad()});
      const torch::Tensor gap = sum_of_gradients(tape) - expected;
      EXPECT_LT(gap.norm().item<double>(), 1e-5 * expected.norm().item<double>()) << steps << " steps, " << units;
    }
  }
}

TEST_F(TapeTest, AnLstmStepByStepIsTheLstmOverAllSteps) {
  Parameters parameters;
  add(parameters, Layer::random(4, 7));
  Tape tape(parameters, Tape::Keep::nothing);
  const torch::Tensor x = torch::randn({3, 9, 4});
  const torch::Tensor whole = tape.lstm(0, 1, 2, x);
  Tape::State state;
  for (std::int64_t s = 0; s < 9; ++s) {
    const torch::Tensor step = tape.lstm(0, 1, 2, x.narrow(1, s, 1), &state);
    EXPECT_LT(largest_gap(step.select(1, 0), whole.select(1, s)), 1e-6);
    EXPECT_TRUE(torch::equal(state.hidden, step.select(1, 0)));
  }
  Tape::State half;
  tape.lstm(0, 1, 2, x.narrow(1, 0, 4), &half);
  EXPECT_LT(largest_gap(tape.lstm(0, 1, 2, x.narrow(1, 4, 5), &half), whole.narrow(1, 4, 5)), 1e-6);
  EXPECT_LT(largest_gap(half.cell, state.cell), 1e-6);
}

TEST_F(TapeTest, AGradientEndsAtTheStateThatIsHandedIn) {
  Parameters parameters;
  const Layer layer = Layer::random(4, 7);
  add(parameters, layer);
  const torch::Tensor x = torch::randn({3, 5, 4});
  const Tape::State start{torch::randn({3, 7}), torch::randn({3, 7})};
  Tape tape(parameters, Tape::Keep::uses);
  Tape::State state = start;
  tape.lstm(0, 1, 2, x, &state).sum().backward();
  EXPECT_FALSE(state.hidden.requires_grad());

  std::vector<torch::Tensor> w{layer.input.clone().requires_grad_(true), layer.recurrent.clone().requires_grad_(true),
                               layer.bias.clone().requires_grad_(true), torch::zeros({28})};
  std::get<0>(torch::lstm(x, {start.hidden.unsqueeze(0), start.cell.unsqueeze(0)}, w, true, 1, 0.0, true, false, true))
      .sum()
      .backward();
  const torch::Tensor expected = torch::cat({w[0].grad().flatten(), w[1].grad().flatten(), w[2].grad()});
  EXPECT_LT((sum_of_gradients(tape) - expected).norm().item<double>(), 1e-5 * expected.norm().item<double>());
}

TEST_F(TapeTest, LinearAndLayerNormHandOnTheGradientOfTheirInput) {
  Parameters parameters;
  const torch::Tensor weight = torch::randn({6, 4}), bias = torch::randn({6}), gain = torch::randn({4}),
                      shift = torch::randn({4});
  parameters.add("weight", weight);
  parameters.add("bias", bias);
  parameters.add("gain", gain);
  parameters.add("shift", shift);
  for (const bool time_major : {false, true}) {
    const torch::Tensor values = time_major ? torch::randn({5, 3, 4}).transpose(0, 1) : torch::randn({3, 5, 4});
    const torch::Tensor weights = torch::randn({3, 5, 6});
    Tape tape(parameters, Tape::Keep::uses);
    const torch::Tensor x = values.clone().requires_grad_(true);
    const torch::Tensor z = tape.linear(0, 1, tape.layer_norm(2, 3, x));
    (z * weights).sum().backward();
    const torch::Tensor reference_x = values.clone().requires_grad_(true);
    const torch::Tensor reference = torch::linear(torch::layer_norm(reference_x, {4}, gain, shift), weight, bias);
    (reference * weights).sum().backward();
    EXPECT_LT(largest_gap(z, reference), 1e-5);
    EXPECT_LT(largest_gap(x.grad(), reference_x.grad()), 1e-4);
  }
}

TEST_F(TapeTest, NothingIsKeptForPrediction) {
  Parameters parameters;
  add(parameters, Layer::random(4, 4));
  parameters.add("weight", torch::randn({2, 4}));
  parameters.add("bias", torch::randn({2}));
  parameters.add("gain", torch::randn({4}));
  parameters.add("shift", torch::randn({4}));
  Tape tape(parameters, Tape::Keep::nothing);
  const torch::Tensor z = tape.linear(3, 4, tape.layer_norm(5, 6, tape.lstm(0, 1, 2, torch::randn({3, 2, 4}))));
  EXPECT_FALSE(z.requires_grad());
  EXPECT_TRUE(tape.uses().empty());
}

TEST_F(TapeTest, OnlyWhatAGradientCameBackToIsAUse) {
  Parameters parameters;
  parameters.add("weight", torch::randn({2, 4}));
  parameters.add("bias", torch::randn({2}));
  Tape tape(parameters, Tape::Keep::uses);
  const torch::Tensor x = torch::randn({3, 4});
  const torch::Tensor used = tape.linear(0, 1, x);
  const torch::Tensor idle = tape.linear(0, 1, x);
  EXPECT_TRUE(idle.requires_grad());
  EXPECT_TRUE(tape.uses().empty());
  used.sum().backward();
  const std::vector<Tape::Use> uses = tape.uses();
  ASSERT_EQ(uses.size(), 2U);
  EXPECT_EQ(uses[0].parameter, 0U);
  EXPECT_EQ(uses[0].input.sizes(), (std::vector<std::int64_t>{3, 1, 4}));
  EXPECT_EQ(uses[1].parameter, 1U);
  EXPECT_EQ(uses[1].gradient.sizes(), (std::vector<std::int64_t>{3, 1, 2}));
}

TEST_F(TapeTest, TheActivationsOfACellAreWithinFourUnitsOfTheLastPlace) {
  const std::int64_t units = 20011;
  std::vector<float> a(4 * units), before(units, 0.0F), cell(units), tanh_cell(units), hidden(units);
  std::vector<float> x(units);
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double place = static_cast<double>(j) / static_cast<double>(units - 1) * 2 - 1;
    x[j] = static_cast<float>(80 * place * place * place);  // dense around 0
    for (std::size_t gate = 0; gate < 4; ++gate) a[gate * x.size() + j] = x[j];
  }
  lstm_cell_forward({a.data(), before.data(), cell.data(), tanh_cell.data(), hidden.data()}, 1, units);
  double sigmoid_worst = 0, tanh_worst = 0, again_worst = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double exact = 1 / (1 + std::exp(-static_cast<double>(x[j])));
    for (const std::size_t gate : {0U, 1U, 3U}) {
      sigmoid_worst = std::max(sigmoid_worst, ulps(a[gate * x.size() + j], exact));
    }
    tanh_worst = std::max(tanh_worst, ulps(a[2 * x.size() + j], std::tanh(static_cast<double>(x[j]))));
    again_worst = std::max(again_worst, ulps(tanh_cell[j], std::tanh(static_cast<double>(cell[j]))));
  }
  EXPECT_LT(sigmoid_worst, 4);
  EXPECT_LT(tanh_worst, 4);
  EXPECT_LT(again_worst, 4);
}

TEST_F(TapeTest, ActivationsSaturateAndKeepWhatIsNotANumberToItsWindow) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> a{nan, nan, nan, nan, inf, -inf, inf, inf, 0, 0, 0, 0};
  std::vector<float> before{1, 1, 1}, cell(3), tanh_cell(3), hidden(3);
  lstm_cell_forward({a.data(), before.data(), cell.data(), tanh_cell.data(), hidden.data()}, 3, 1);
  EXPECT_TRUE(std::isnan(hidden[0]));
  EXPECT_EQ(a[4], 1.0F);
  EXPECT_LT(a[5], 1e-37F);
  EXPECT_EQ(a[6], 1.0F);
  EXPECT_EQ(cell[1], 1.0F);
  EXPECT_FLOAT_EQ(hidden[1], std::tanh(1.0F));
  EXPECT_EQ(cell[2], 0.5F);
  EXPECT_FLOAT_EQ(hidden[2], 0.5F * std::tanh(0.5F));
}

}  // namespace
}  // namespace chronoveil::neural
