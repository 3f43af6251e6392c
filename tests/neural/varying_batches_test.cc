// Where neighbours draw batches of different sizes, one window more moves the sum by at most C, whatever else is drawn:
// what the price of Poisson sampling rests on.
#include <gtest/gtest.h>

#include <cmath>

#include "chronoveil/neural/alike.h"
#include "chronoveil/neural/private_gradient.h"
#include "chronoveil/neural/trainer.h"
#include "neural/model_samples.h"

namespace chronoveil::neural {
namespace {

constexpr double kClip = 1e-4;

Parameters one_layer() {
  Parameters parameters;
  parameters.add("weight", torch::zeros({3, 40}));
  parameters.add("bias", torch::zeros({3}));
  return parameters;
}

// `aligned` windows whose gradients all point the same way, and then perhaps one that points the other way; all are far
// longer than the bound. Blank ones up to `rows`.
ClippedSum clipped_sum(const Parameters& parameters, std::int64_t aligned, bool opposite, std::int64_t rows,
                       double bound, bool in_double) {
  Tape tape(parameters, Tape::Keep::uses);
  const std::int64_t windows = aligned + (opposite ? 1 : 0);
  torch::Tensor x = torch::zeros({rows, 40});
  x.narrow(0, 0, windows).copy_(torch::arange(1, 41).div(7).expand({windows, 40}));
  if (opposite) x.select(0, aligned).mul_(-1);
  const torch::Tensor along = torch::tensor({1.0F, -0.3F, 0.7F});
  torch::Tensor loss = (tape.linear(0, 1, x) * along).sum(1);
  if (opposite) loss = loss * torch::where(torch::arange(rows) == aligned, 1.5, 1.0).to(torch::kFloat32);
  loss.sum().backward();
  return sum_of_clipped(tape, bound, {.counted = windows, .in_double = in_double});
}

double moved(const PrivateGradient& gradient, const torch::Tensor& one, const torch::Tensor& other) {
  const auto first = gradient.on_grid(one), second = gradient.on_grid(other);
  EXPECT_TRUE(first && second);
  return (*first - *second).to(torch::kFloat64).norm().item<double>() * gradient.grid().step();
}

TEST(VaryingBatches, OneWindowMoreMovesTheSumByAtMostTheClip) {
  const Parameters parameters = one_layer();
  for (const std::int64_t aligned : {1, 16, 128, 256, 1024, 2365}) {
    const std::int64_t rows = aligned + 5;
    const auto varying = PrivateGradient::make({kClip, 1, 128}, parameters, 100'000);
    ASSERT_TRUE(varying);
    const double bound = varying->bound_for(aligned);
    EXPECT_EQ(bound, varying->bound_for(aligned + 1));
    EXPECT_GT(bound, 0.999 * kClip);
    const double distance = moved(*varying, clipped_sum(parameters, aligned, false, rows, bound, true).sum,
                                  clipped_sum(parameters, aligned, true, rows, bound, true).sum);
    EXPECT_LE(distance, kClip) << aligned;
    EXPECT_GT(distance, 0.99 * kClip) << aligned;
  }
}

TEST(VaryingBatches, ABoundThatFollowsTheRealisedSizeIsCaught) {
  const Parameters parameters = one_layer();
  for (const std::int64_t aligned : {256, 1024}) {
    const auto fixed = PrivateGradient::make({kClip, 1, 128}, parameters);
    ASSERT_TRUE(fixed);
    const torch::Tensor without =
        clipped_sum(parameters, aligned, false, aligned, fixed->bound_for(aligned), false).sum;
    const torch::Tensor with =
        clipped_sum(parameters, aligned, true, aligned + 1, fixed->bound_for(aligned + 1), false).sum;
    EXPECT_GT(moved(*fixed, without, with), kClip) << aligned;
  }
}

TEST(VaryingBatches, PaddingAddsNothing) {
  const Parameters parameters = one_layer();
  const torch::Tensor some = clipped_sum(parameters, 7, true, 64, 1e-4, true).sum;
  EXPECT_LT((some - clipped_sum(parameters, 7, true, 8, 1e-4, true).sum).norm().item<double>(), 1e-12);
  EXPECT_GT(some.norm().item<double>(), 1e-5);
}

// One window more moves all that come after it to another place of their piece, or to the next piece.
TEST(VaryingBatches, AWindowIsComputedAlikeWhereverItStandsInAPiece) {
  for (const std::string& kind : sample_kinds())
    for (const std::int64_t channels : {1, 2}) {
      const forecasting::ModelConfig config = sample_config(kind, channels, 3);
      const auto model = sample_model(config);
      const Parameters parameters = model->initial(7);
      const std::int64_t piece = alike_piece(*model, kPiece, torch::kCPU);
      EXPECT_GE(piece, 1);
      EXPECT_LE(piece, kPiece);
      const auto rows = [&](const Batch& batch) { return rows_of(*model, parameters, batch); };
      const Batch other = to_batch(sample_windows(config, piece, 11), torch::kCPU);  // not what the piece was chosen by
      EXPECT_TRUE(computes_alike(rows, other)) << kind << " " << channels << " " << piece;
    }
}

// A machine that rounds differently in the rows that no whole tile holds, in the last bit of one number.
TEST(VaryingBatches, AMachineWhoseLastRowsAreRoundedDifferentlyIsCaught) {
  const forecasting::ModelConfig config = sample_config(sample_kinds().front(), 1, 3);
  const auto model = sample_model(config);
  const Parameters parameters = model->initial(7);
  const Batch batch = to_batch(sample_windows(config, 7, 11), torch::kCPU);
  for (const std::int64_t row : {0, 3, 6}) {
    const RowsOf off = [&](const Batch& ordered) {
      std::vector<torch::Tensor> rows = rows_of(*model, parameters, ordered);
      rows.back()[row] = std::nextafter(rows.back()[row].item<double>(), 1e9);
      return rows;
    };
    EXPECT_FALSE(computes_alike(off, batch)) << row;
  }
}

// The trainer itself: whether a batch comes in one piece or in several does not show.
TEST(VaryingBatches, ATrainerSumsPoissonBatchesInPiecesOfOneShape) {
  forecasting::Panel panel;
  for (int i = 0; i < 3; ++i) {
    forecasting::PanelSeries series{std::to_string(i), 0, 60, {}};
    for (int t = 0; t < 60; ++t) series.values.push_back(static_cast<float>(2 + std::sin(0.3 * t + i)));
    panel.series.push_back(series);
  }
  TrainingConfig config;
  config.model.context_length = 6;
  config.model.forecast_length = 3;
  config.model.hidden = 4;
  config.scheme = {forecasting::TopLevel::without_replacement, forecasting::BottomLevel::poisson, 64, 32};
  config.privacy = PrivateStep{kClip, 1, 64};
  auto trainer = Trainer::make(config, panel, torch::Device(torch::kCPU));
  ASSERT_TRUE(trainer) << trainer.error().text();
  ASSERT_TRUE(trainer->privacy()->varies());
  DrawRight right = DrawRight::seeded(5);
  bool longer = false;
  for (std::int64_t step = 0; step < 8; ++step) {
    const std::vector<Parameter> before = trainer->state();
    StepTrace trace;
    StepFacts facts;
    ASSERT_TRUE(trainer->step(step, right, &facts, &trace));
    EXPECT_EQ(facts.windows, std::ssize(trace.drawn));
    longer = longer || facts.windows > kPiece;
    if (trace.drawn.empty()) continue;
    auto again = Trainer::make(config, panel, torch::Device(torch::kCPU));
    ASSERT_TRUE(again->restore(before));
    torch::Tensor sum = torch::zeros({trace.sum.size(0)}, torch::kFloat64);
    const double bound = trainer->privacy()->bound_for(1);
    for (const forecasting::Window& window : trace.drawn) {
      const auto cut = forecasting::cut(panel, {6, 3}, config.calendar, config.fill, std::span(&window, 1));
      ASSERT_TRUE(cut);
      Tape tape(again->parameters(), Tape::Keep::uses);
      again->model().loss(tape, to_batch(*cut, torch::Device(torch::kCPU))).sum().backward();
      sum += sum_of_clipped(tape, bound).sum;
    }
    EXPECT_LT((sum - trace.sum).norm().item<double>(), 1e-5 * kClip * static_cast<double>(trace.drawn.size()));
  }
  EXPECT_TRUE(longer);
}

}  // namespace
}  // namespace chronoveil::neural
