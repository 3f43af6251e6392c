#include "chronoveil/neural/clipping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace chronoveil::neural {
namespace {

using Weights = std::vector<torch::Tensor>;

// A network twice: on a tape, and by ordinary libtorch on weights that require a gradient. Both give a loss per window.
struct Network {
  std::string name;
  Weights initial;
  std::function<torch::Tensor(Tape&, const torch::Tensor& x)> taped;  // x [B, S, kFeatures]
  std::function<torch::Tensor(const Weights&, const torch::Tensor& x)> plain;

  Parameters parameters() const {
    Parameters all;
    for (const torch::Tensor& value : initial) all.add("p", value);
    return all;
  }
};
constexpr std::int64_t kFeatures = 6;

torch::Tensor loss_of(const torch::Tensor& output) { return (output.square() + output.sin()).flatten(1).sum(1); }

torch::Tensor random_matrix(std::int64_t out, std::int64_t in) {
  return torch::randn({out, in}) / std::sqrt(static_cast<double>(in));
}

torch::Tensor attention(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v) {
  return torch::matmul(torch::softmax(torch::matmul(q, k.transpose(1, 2)), 2), v);
}

std::vector<Network> networks() {
  torch::manual_seed(5);
  const std::int64_t f = kFeatures;
  std::vector<Network> all;
  all.push_back(
      {"linear on the first step",
       {random_matrix(3, f), torch::randn({3})},
       [](Tape& tape, const torch::Tensor& x) { return loss_of(tape.linear(0, 1, x.select(1, 0))); },
       [](const Weights& w, const torch::Tensor& x) { return loss_of(torch::linear(x.select(1, 0), w[0], w[1])); }});
  all.push_back({"two layers on the first step",
                 {random_matrix(9, f), torch::randn({9}), random_matrix(4, 9), torch::randn({4})},
                 [](Tape& tape, const torch::Tensor& x) {
                   return loss_of(tape.linear(2, 3, torch::relu(tape.linear(0, 1, x.select(1, 0)))));
                 },
                 [](const Weights& w, const torch::Tensor& x) {
                   return loss_of(torch::linear(torch::relu(torch::linear(x.select(1, 0), w[0], w[1])), w[2], w[3]));
                 }});
  all.push_back({"one weight twice",
                 {random_matrix(f, f), torch::randn({f})},
                 [](Tape& tape, const torch::Tensor& x) {
                   return loss_of(tape.linear(0, 1, torch::tanh(tape.linear(0, 1, x.select(1, 0)))));
                 },
                 [](const Weights& w, const torch::Tensor& x) {
                   return loss_of(torch::linear(torch::tanh(torch::linear(x.select(1, 0), w[0], w[1])), w[0], w[1]));
                 }});
  // So wide that 64 windows do not fit into one piece.
  all.push_back({"a wide layer shared over steps",
                 {random_matrix(2900, f), torch::randn({2900})},
                 [](Tape& tape, const torch::Tensor& x) { return loss_of(tape.linear(0, 1, x)); },
                 [](const Weights& w, const torch::Tensor& x) { return loss_of(torch::linear(x, w[0], w[1])); }});
  all.push_back(
      {"layer norm",
       {random_matrix(8, f), torch::randn({8}), torch::randn({8}), torch::randn({8})},
       [](Tape& tape, const torch::Tensor& x) { return loss_of(tape.layer_norm(2, 3, tape.linear(0, 1, x))); },
       [](const Weights& w, const torch::Tensor& x) {
         return loss_of(torch::layer_norm(torch::linear(x, w[0], w[1]), {8}, w[2], w[3]));
       }});
  const std::int64_t h = 5;
  all.push_back({"two layers of an LSTM and a head",
                 {random_matrix(4 * h, f), random_matrix(4 * h, h), torch::randn({4 * h}), random_matrix(4 * h, h),
                  random_matrix(4 * h, h), torch::randn({4 * h}), random_matrix(3, h), torch::randn({3})},
                 [](Tape& tape, const torch::Tensor& x) {
                   return loss_of(tape.linear(6, 7, tape.lstm(3, 4, 5, tape.lstm(0, 1, 2, x))));
                 },
                 [h](const Weights& w, const torch::Tensor& x) {
                   const torch::Tensor zero = torch::zeros({2, x.size(0), h}), none = torch::zeros({4 * h});
                   const torch::Tensor out =
                       std::get<0>(torch::lstm(x, {zero, zero}, {w[0], w[1], w[2], none, w[3], w[4], w[5], none}, true,
                                               2, 0.0, true, false, true));
                   return loss_of(torch::linear(out, w[6], w[7]));
                 }});
  all.push_back({"attention with a residual and a norm",
                 {random_matrix(f, f), torch::randn({f}), random_matrix(f, f), torch::randn({f}), random_matrix(f, f),
                  torch::randn({f}), torch::randn({f}), torch::randn({f})},
                 [](Tape& tape, const torch::Tensor& x) {
                   const torch::Tensor y = attention(tape.linear(0, 1, x), tape.linear(2, 3, x), tape.linear(4, 5, x));
                   return loss_of(tape.layer_norm(6, 7, x + y));
                 },
                 [](const Weights& w, const torch::Tensor& x) {
                   const torch::Tensor y = attention(torch::linear(x, w[0], w[1]), torch::linear(x, w[2], w[3]),
                                                     torch::linear(x, w[4], w[5]));
                   return loss_of(torch::layer_norm(x + y, {kFeatures}, w[6], w[7]));
                 }});
  return all;
}

// [B, d] in double: each window alone, by ordinary autograd.
torch::Tensor one_by_one(const Network& network, const torch::Tensor& x) {
  std::vector<torch::Tensor> rows;
  for (std::int64_t b = 0; b < x.size(0); ++b) {
    Weights weights;
    for (const torch::Tensor& value : network.initial) weights.push_back(value.clone().requires_grad_(true));
    network.plain(weights, x.narrow(0, b, 1)).sum().backward();
    std::vector<torch::Tensor> parts;
    for (const torch::Tensor& weight : weights) {
      parts.push_back((weight.grad().defined() ? weight.grad() : torch::zeros_like(weight)).flatten());
    }
    rows.push_back(torch::cat(parts).to(torch::kFloat64));
  }
  return torch::stack(rows);
}

torch::Tensor clipped_rows(const torch::Tensor& rows, double bound) {
  return rows * torch::clamp_max(bound / rows.norm(2, 1, true), 1.0);
}

// A tape that a loss went back through.
struct Passed {
  Parameters parameters;
  Tape tape;
  Passed(const Network& network, const torch::Tensor& x)
      : parameters(network.parameters()), tape(parameters, Tape::Keep::uses) {
    network.taped(tape, x).sum().backward();
  }
};

double gap(const torch::Tensor& a, const torch::Tensor& b) {
  return (a.to(torch::kFloat64) - b.to(torch::kFloat64)).norm().item<double>();
}

class ClippingTest : public testing::Test {
 protected:
  void SetUp() override {
    torch::set_num_threads(1);
    torch::manual_seed(7);
  }
};

TEST_F(ClippingTest, TheClippedSumIsThatOfWindowsTakenOneByOne) {
  for (const Network& network : networks()) {
    for (const std::int64_t windows : {1, 2, 7, 64}) {
      for (const std::int64_t steps : {1, 5}) {
        SCOPED_TRACE(network.name + ", " + std::to_string(windows) + " windows, " + std::to_string(steps) + " steps");
        const torch::Tensor x = torch::randn({windows, steps, kFeatures});
        const torch::Tensor rows = one_by_one(network, x), norms = rows.norm(2, 1);
        const Passed passed(network, x);
        EXPECT_LT(gap(sum_of_gradients(passed.tape), rows.sum(0)), 1e-5 * norms.sum().item<double>());
        // Bounds that clip no window, some, and all.
        for (const double bound : {2 * norms.max().item<double>(), norms.median().item<double>() * 1.0001,
                                   0.5 * norms.min().item<double>()}) {
          const ClippedSum clipped = sum_of_clipped(passed.tape, bound);
          const torch::Tensor expected = clipped_rows(rows, bound);
          EXPECT_LT(gap(clipped.sum, expected.sum(0)), 1e-5 * expected.norm(2, 1).sum().item<double>());
          EXPECT_LT(((clipped.norms - norms) / norms).abs().max().item<double>(), 1e-5);
        }
      }
    }
  }
}

// The checker must reject a wrong norm: without cross terms, the sum differs by far more than above.
TEST_F(ClippingTest, LeavingOutCrossTermsWouldBeSeen) {
  const Network network = networks()[2];
  const torch::Tensor x = torch::randn({7, 1, kFeatures});
  const torch::Tensor rows = one_by_one(network, x);
  const Passed passed(network, x);
  torch::Tensor squares = torch::zeros({7}, torch::kFloat64);
  for (const Tape::Use& use : passed.tape.uses()) {
    const torch::Tensor gradient = use.gradient.to(torch::kFloat64).square().sum({1, 2});
    squares +=
        use.kind == Tape::Use::Kind::product ? gradient * use.input.to(torch::kFloat64).square().sum({1, 2}) : gradient;
  }
  EXPECT_GT(((squares.sqrt() - rows.norm(2, 1)) / rows.norm(2, 1)).abs().max().item<double>(), 1e-2);
}

TEST_F(ClippingTest, AWindowThatIsNotFiniteContributesExactlyNothing) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const torch::Tensor keep = torch::tensor({0, 1, 3, 5}, torch::kInt64);
  for (const Network& network : networks()) {
    for (const std::int64_t steps : {1, 4}) {
      SCOPED_TRACE(network.name + ", " + std::to_string(steps) + " steps");
      torch::Tensor x = torch::randn({7, steps, kFeatures});
      const torch::Tensor rows = one_by_one(network, x.index_select(0, keep));
      x[2][0][1] = nan;
      x[4][0][3] = inf;
      x[6] = -inf;
      const Passed passed(network, x);
      for (const double bound : {1e-3, 1e9}) {
        const ClippedSum clipped = sum_of_clipped(passed.tape, bound);
        const torch::Tensor expected = clipped_rows(rows, bound);
        EXPECT_LT(gap(clipped.sum, expected.sum(0)), 1e-5 * expected.norm(2, 1).sum().item<double>());
        const torch::Tensor finite = torch::isfinite(clipped.norms);
        EXPECT_TRUE(torch::equal(torch::nonzero(finite).flatten(), keep));
      }
      // All of them: nothing is left.
      const Passed none(network, torch::full({3, steps, kFeatures}, nan));
      EXPECT_TRUE(torch::equal(sum_of_clipped(none.tape, 1).sum, torch::zeros({none.parameters.size()})));
    }
  }
}

TEST_F(ClippingTest, ANormThatOverflowsCountsAsNotFinite) {
  for (const std::size_t which : {std::size_t{0}, std::size_t{3}}) {  // a product of norms, and formed
    const Network network = networks()[which];
    for (const float huge : {1e6F, 1e20F, 1e30F}) {
      torch::Tensor x = torch::randn({3, 2, kFeatures});
      const torch::Tensor rows = one_by_one(network, x.narrow(0, 1, 2));
      x[0] = huge;
      const Passed passed(network, x);
      const ClippedSum clipped = sum_of_clipped(passed.tape, 1e-4);
      const bool dropped = !std::isfinite(clipped.norms[0].item<double>());
      EXPECT_EQ(dropped, huge > 1e15F);  // the gradient is of the order of its square
      const double left = gap(clipped.sum, clipped_rows(rows, 1e-4).sum(0));
      if (dropped) {
        EXPECT_LT(left, 1e-8);
      } else {
        EXPECT_NEAR(left, 1e-4, 1e-8);
      }
    }
  }
}

TEST_F(ClippingTest, NoWindowSeesAnother) {
  for (const Network& network : networks()) {
    SCOPED_TRACE(network.name);
    const torch::Tensor x = torch::randn({8, 5, kFeatures});
    torch::Tensor other = x.clone();
    other[0] = torch::randn({5, kFeatures}) * 100;
    const torch::Tensor norms = sum_of_clipped(Passed(network, x).tape, 1).norms;
    const torch::Tensor others = sum_of_clipped(Passed(network, other).tape, 1).norms;
    EXPECT_TRUE(torch::equal(norms.narrow(0, 1, 7), others.narrow(0, 1, 7)));
    EXPECT_NE(norms[0].item<double>(), others[0].item<double>());
  }
}

TEST_F(ClippingTest, AnIdleTapeAndAnEmptyBatchSumToZero) {
  const Network network = networks()[3];
  const Parameters parameters = network.parameters();
  const Tape idle(parameters, Tape::Keep::uses);
  EXPECT_TRUE(torch::equal(sum_of_clipped(idle, 1).sum, torch::zeros({parameters.size()})));
  EXPECT_TRUE(torch::equal(sum_of_gradients(idle), torch::zeros({parameters.size()})));
  const Passed empty(network, torch::zeros({0, 5, kFeatures}));
  EXPECT_TRUE(torch::equal(sum_of_clipped(empty.tape, 1).sum, torch::zeros({parameters.size()})));
  EXPECT_EQ(sum_of_clipped(empty.tape, 1).norms.size(0), 0);
}

// Two layers: one whose gradients are products of two vectors, one whose gradients are formed. The loss is linear in
// what comes out, so that gradients are as chosen.
struct Chosen {
  Parameters parameters;
  Tape tape;
  Chosen(const torch::Tensor& x, const torch::Tensor& once, const torch::Tensor& shared)
      : tape(parameters, Tape::Keep::uses) {
    parameters.add("once", torch::zeros({once.size(1), x.size(2)}));
    parameters.add("once bias", torch::zeros({once.size(1)}));
    parameters.add("shared", torch::zeros({shared.size(2), x.size(2)}));
    parameters.add("shared bias", torch::zeros({shared.size(2)}));
    ((tape.linear(0, 1, x.select(1, 0)) * once).sum() + (tape.linear(2, 3, x) * shared).sum()).backward();
  }
};

TEST_F(ClippingTest, TheMarginIsAFewThousandthsAndGrowsWithTheBatchAlone) {
  Parameters parameters;
  parameters.add("all", torch::zeros({200, 200}));
  EXPECT_GT(float_margin(parameters, 256), 256 * 256 * 0x1p-24);
  EXPECT_LT(float_margin(parameters, 256), 4.1e-3);
  EXPECT_LT(float_margin(parameters, 1), 1e-5);
  EXPECT_GT(float_margin(parameters, 0), 0);
  EXPECT_TRUE(std::isinf(float_margin(parameters, std::int64_t{1} << 23)));
  Parameters large;
  large.add("all", torch::zeros({2000, 2000}));
  EXPECT_LT(float_margin(large, 256), 1.05 * float_margin(parameters, 256));
}

TEST_F(ClippingTest, OneWindowIsNeverLongerThanTheBoundAndTheMargin) {
  for (int seed = 0; seed < 20; ++seed) {
    const torch::Tensor x = torch::randn({1, 3, 150}), once = torch::randn({1, 100}),
                        shared = torch::randn({1, 3, 100});
    const Chosen chosen(x, once, shared);
    const double bound = 1e-4;
    const double length = sum_of_clipped(chosen.tape, bound).sum.to(torch::kFloat64).norm().item<double>();
    EXPECT_LE(length, bound * (1 + float_margin(chosen.parameters, 1)));
    EXPECT_GT(length, bound * (1 - 1e-5));
  }
}

TEST_F(ClippingTest, OneWindowReplacedMovesTheSumByTwiceTheBoundAndTheMargin) {
  const std::int64_t windows = 256;
  const double bound = 1e-4;
  for (const bool parallel : {false, true}) {
    const auto like = [&](std::vector<std::int64_t> sizes) {
      const std::int64_t count = sizes[0];
      if (!parallel) return torch::randn(sizes);
      sizes[0] = 1;
      std::vector<std::int64_t> repeat(sizes.size(), 1);
      repeat[0] = count;
      return torch::randn(sizes).repeat(repeat);
    };
    const torch::Tensor x = like({windows, 3, 150}), once = like({windows, 100}), shared = like({windows, 3, 100});
    torch::Tensor other_once = once.clone(), other_shared = shared.clone();
    other_once[0].neg_();
    other_shared[0].neg_();
    const Chosen chosen(x, once, shared), other(x, other_once, other_shared);
    const torch::Tensor sum = sum_of_clipped(chosen.tape, bound).sum, moved = sum_of_clipped(other.tape, bound).sum;
    const double margin = float_margin(chosen.parameters, windows);
    EXPECT_LE(gap(sum, moved), 2 * bound * (1 + margin));
    EXPECT_GE(gap(sum, moved), 2 * bound * (1 - margin));

    // And each sum against doubles: what it is off by is within the margin, and not nothing.
    const torch::Tensor a = x.to(torch::kFloat64), g = once.to(torch::kFloat64), s = shared.to(torch::kFloat64);
    const torch::Tensor rows = torch::cat({torch::einsum("bo,bi->boi", {g, a.select(1, 0)}).flatten(1), g,
                                           torch::einsum("bso,bsi->boi", {s, a}).flatten(1), s.sum(1)},
                                          1);
    const double off = gap(sum, clipped_rows(rows, bound).sum(0));
    EXPECT_LE(off, bound * margin);
    EXPECT_GT(off, 0);
  }
}

}  // namespace
}  // namespace chronoveil::neural
