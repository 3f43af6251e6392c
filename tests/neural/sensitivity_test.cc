// The claim that the accounting rests on, in the running code: one changed value moves the clipped sum by at most 2C
// for each drawn window that contains it, on the grid, whatever the value and whatever else is in the batch.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "chronoveil/neural/trainer.h"
#include "neural/training_samples.h"

namespace chronoveil::neural {
namespace {

using forecasting::BottomLevel;
using forecasting::Panel;
using forecasting::SamplingScheme;
using forecasting::TopLevel;
using forecasting::Window;

constexpr std::size_t kSeries = 1;     // which changes
constexpr std::int64_t kChanged = 13;  // its step that changes

struct Change {
  const char* name;
  float before, after;
};
const std::vector<Change> kChanges = {
    {"huge", 5, 3e38F},         {"sign", 1e10F, -1e10F}, {"tiny", 1e-30F, -1e-38F},          {"missing", 4, NAN},
    {"gone to zero", 1e20F, 0}, {"small", 5, 5.001F},    {"missing, then huge", NAN, -1e30F}};

const std::vector<SamplingScheme> kSchemes = {
    {.batch_size = 3},
    {.bottom = BottomLevel::poisson, .batch_size = 6, .windows_per_series = 2},
    {.top = TopLevel::iterate, .batch_size = 6, .windows_per_series = 3},
};

Panel panel_with(float value, std::int64_t series = 4) {
  Panel panel = sample_panel(series, 20);
  panel.series[kSeries].values[kChanged] = value;
  return panel;
}

std::int64_t touched(const TrainingConfig& config, const std::vector<Window>& windows) {
  const forecasting::WindowShape shape = shape_of(config);
  return std::count_if(windows.begin(), windows.end(), [&](const Window& window) {
    return window.series == static_cast<std::int64_t>(kSeries) && window.start - shape.context <= kChanged &&
           kChanged < window.start + shape.forecast;
  });
}

// How far two sums are apart on the grid, in units of C.
double moved(const PrivateGradient& privacy, const torch::Tensor& a, const torch::Tensor& b) {
  const torch::Tensor difference = privacy.on_grid(a).value() - privacy.on_grid(b).value();
  return difference.to(torch::kFloat64).norm().item<double>() * privacy.grid().step() / privacy.step().clip;
}

TEST(Sensitivity, OneChangedValueMovesTheClippedSumByAtMostTwiceTheClipForEachWindowThatHoldsIt) {
  for (const std::string& kind : sample_kinds()) {
    double furthest = 0;
    std::int64_t single = 0, several = 0;
    for (const SamplingScheme& scheme : kSchemes) {
      const TrainingConfig config = sample_training(kind, scheme);
      for (const Change& change : kChanges) {
        Trainer one = trainer_of(config, panel_with(change.before));
        Trainer other = trainer_of(config, panel_with(change.after));
        for (std::int64_t number = 0; number < 8; ++number) {
          ASSERT_TRUE(other.restore(one.state()));
          // The same bits: the same windows and the same noise.
          DrawRight right = DrawRight::seeded(static_cast<std::uint64_t>(number));
          DrawRight same = DrawRight::seeded(static_cast<std::uint64_t>(number));
          StepTrace trace, other_trace;
          ASSERT_TRUE(one.step(number, right, nullptr, &trace));
          ASSERT_TRUE(other.step(number, same, nullptr, &other_trace));
          ASSERT_EQ(trace.drawn, other_trace.drawn);
          const auto windows = touched(config, trace.drawn);
          const double far = moved(*one.privacy(), trace.sum, other_trace.sum);
          EXPECT_LE(far, 2 * static_cast<double>(windows)) << kind << ", " << change.name;
          single += windows == 1 ? 1 : 0;
          several += windows > 1 ? 1 : 0;
          if (windows == 1) furthest = std::max(furthest, far);
        }
      }
    }
    EXPECT_GT(single, 0);
    EXPECT_GT(several, 0);
    EXPECT_GT(furthest, 1) << kind << ": the changes are too tame to show anything";
  }
}

// What the trainer sums, with a batch that went through `twist`.
torch::Tensor sum_with(const Trainer& trainer, const TrainingConfig& config, const Panel& panel,
                       const std::vector<Window>& windows, void (*twist)(Batch&)) {
  Batch batch = to_batch(values_of(config, panel, windows), torch::kCPU);
  twist(batch);
  Tape tape(trainer.parameters(), Tape::Keep::uses);
  trainer.model().loss(tape, batch).sum().backward();
  return sum_of_clipped(tape, trainer.privacy()->bound_for(std::ssize(windows))).sum;
}

// The twin that is wrong: windows scaled by what their batch has in common, so that one value changes all of them.
void scale_by_the_batch(Batch& batch) {
  const torch::Tensor common = batch.scale.mean(0, true).expand_as(batch.scale);
  batch.context = batch.context * batch.scale / common;
  batch.target = batch.target * batch.scale / common;
  batch.scale = common.contiguous();
}

TEST(Sensitivity, ATwinThatScalesByTheBatchIsCaught) {
  for (const std::string& kind : sample_kinds()) {
    const TrainingConfig config = sample_training(kind, {.batch_size = 16});
    const Panel before = panel_with(5, 16), after = panel_with(1e6F, 16);
    Trainer trainer = trainer_of(config, before);
    const std::vector<Parameter> state = trainer.state();
    StepTrace trace;
    for (std::uint64_t seed = 0; touched(config, trace.drawn) != 1; ++seed) {
      ASSERT_LT(seed, 100);
      DrawRight right = DrawRight::seeded(seed);
      ASSERT_TRUE(trainer.restore(state));
      ASSERT_TRUE(trainer.step(0, right, nullptr, &trace));
      ASSERT_TRUE(trainer.restore(state));
    }
    const auto far = [&](void (*twist)(Batch&)) {
      return moved(*trainer.privacy(), sum_with(trainer, config, before, trace.drawn, twist),
                   sum_with(trainer, config, after, trace.drawn, twist));
    };
    const auto untwisted = [](Batch&) {};
    EXPECT_TRUE(torch::equal(sum_with(trainer, config, before, trace.drawn, untwisted), trace.sum)) << kind;
    EXPECT_LE(far(untwisted), 2) << kind;
    EXPECT_GT(far(scale_by_the_batch), 2) << kind;
  }
}

}  // namespace
}  // namespace chronoveil::neural
