#include "chronoveil/neural/trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "chronoveil/neural/tensor_bytes.h"
#include "neural/training_samples.h"

namespace chronoveil::neural {
namespace {

using forecasting::BottomLevel;
using forecasting::Panel;
using forecasting::SamplingScheme;
using forecasting::TopLevel;
using forecasting::Window;

constexpr SamplingScheme kDefault{.batch_size = 6};
constexpr SamplingScheme kPoisson{.bottom = BottomLevel::poisson, .batch_size = 6};

// A step takes a right to draw; bare bits do not compile.
template <class Bits>
concept TakesAStep = requires(Trainer& trainer, Bits& bits) {
  trainer.step(0, bits);
};
static_assert(TakesAStep<DrawRight> && !TakesAStep<BitSource>);

OptimiserConfig plain_steps() { return {.kind = OptimiserConfig::Kind::sgd, .learning_rate = 1, .weight_decay = 0}; }

std::vector<Window> windows_drawn_with(const TrainingConfig& config, const Panel& panel, std::int64_t number,
                                       std::uint64_t seed) {
  std::vector<std::int64_t> lengths;
  for (const auto& series : panel.series) lengths.push_back(series.length);
  DrawRight right = DrawRight::seeded(seed);
  return forecasting::WindowSampler::make(config.scheme, shape_of(config), lengths).value().draw(number, right).value();
}

// Whether a change of the weights is Gaussian noise of the stated size alone: its norm and its sum are within 8
// standard deviations, which noise leaves with a probability below 1e-14, and hardly a coordinate stays.
bool is_noise(const torch::Tensor& change, double scale) {
  const auto d = static_cast<double>(change.numel());
  const double square = (change.to(torch::kFloat64) / scale).square().sum().item<double>();
  const double sum = (change.to(torch::kFloat64) / scale).sum().item<double>();
  return std::abs(square / d - 1) < 8 * std::sqrt(2 / d) && std::abs(sum) < 8 * std::sqrt(d) &&
         (change == 0).sum().item<double>() < d / 100;
}

TEST(Trainer, AnUpdateIsTheClippedSumOverTheExpectedBatchSize) {
  const Panel panel = sample_panel(8, 24);
  for (const std::string& kind : sample_kinds()) {
    TrainingConfig config = sample_training(kind, kPoisson);
    config.optimiser = plain_steps();
    config.privacy = PrivateStep{.clip = 1, .noise_multiplier = 1e-6, .batch_size = 0};
    Trainer trainer = trainer_of(config, panel);
    std::int64_t other_sizes = 0;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const std::vector<Window> windows = windows_drawn_with(config, panel, 0, seed);
      const auto count = std::ssize(windows);
      const torch::Tensor expected =
          sum_by_hand(trainer, config, panel, windows, trainer.privacy()->bound_for(count)) / 6;
      const torch::Tensor before = trainer.parameters().flat();
      DrawRight right = DrawRight::seeded(seed);
      ASSERT_TRUE(trainer.step(0, right));
      const torch::Tensor change = before - trainer.parameters().flat();
      const double size = expected.norm().item<double>();
      EXPECT_LE(distance(change, expected), 1e-3 * size) << kind;
      if (count == 0 || count == 6) continue;
      ++other_sizes;  // here a mean over the realised batch is something else
      EXPECT_GT(distance(change, expected * 6 / static_cast<double>(count)), 0.1 * size) << kind;
    }
    EXPECT_GT(other_sizes, 0);
  }
}

TEST(Trainer, AnEmptyPoissonBatchGetsNoiseAndIsAStep) {
  const Panel panel = sample_panel(1, 40);
  TrainingConfig config = sample_training("simple_feed_forward", {.bottom = BottomLevel::poisson, .batch_size = 1});
  config.optimiser = plain_steps();
  config.privacy = PrivateStep{.clip = 1, .noise_multiplier = 2, .batch_size = 1};
  Trainer trainer = trainer_of(config, panel);
  DrawRight right = DrawRight::seeded(1);
  std::int64_t empty = 0;
  for (std::int64_t number = 0; number < 30; ++number) {
    const torch::Tensor before = trainer.parameters().flat();
    StepTrace trace;
    StepFacts facts;
    ASSERT_TRUE(trainer.step(number, right, &facts, &trace));
    EXPECT_EQ(trainer.steps(), number + 1);
    EXPECT_EQ(facts.windows, std::ssize(trace.drawn));
    if (!trace.drawn.empty()) continue;
    ++empty;
    EXPECT_FALSE(trace.sum.defined());
    EXPECT_TRUE(is_noise(trainer.parameters().flat() - before, 2));
  }
  EXPECT_GT(empty, 0);
  // A trainer that skips the step, one that adds half the noise, and one that adds the same everywhere.
  const std::int64_t d = trainer.parameters().size();
  EXPECT_FALSE(is_noise(torch::zeros({d}), 2));
  EXPECT_FALSE(is_noise(torch::randn({d}, torch::kFloat64), 2));
  EXPECT_FALSE(is_noise(torch::full({d}, 2.0, torch::kFloat64), 2));
}

TEST(Trainer, WithoutPrivacyTheMeanIsOverTheRealisedBatch) {
  const Panel panel = sample_panel(2, 24);
  TrainingConfig config = sample_training("dlinear", {.bottom = BottomLevel::poisson, .batch_size = 2});
  config.optimiser = plain_steps();
  config.optimiser.learning_rate = 1e-2;
  config.privacy.reset();
  Trainer trainer = trainer_of(config, panel);
  EXPECT_EQ(trainer.privacy(), nullptr);
  std::int64_t empty = 0, larger = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const std::vector<Window> windows = windows_drawn_with(config, panel, 0, seed);
    const torch::Tensor before = trainer.parameters().flat();
    const torch::Tensor sum = sum_by_hand(trainer, config, panel, windows, INFINITY);
    DrawRight right = DrawRight::seeded(seed);
    ASSERT_TRUE(trainer.step(0, right));
    const torch::Tensor change = (before - trainer.parameters().flat()) / 1e-2;
    if (windows.empty()) {
      ++empty;
      EXPECT_TRUE(torch::equal(before, trainer.parameters().flat()));
    } else {
      larger += std::ssize(windows) > 2 ? 1 : 0;
      const torch::Tensor mean = sum / static_cast<double>(windows.size());
      EXPECT_LE(distance(change, mean), 1e-3 * mean.norm().item<double>() + 1e-4);
    }
  }
  EXPECT_EQ(trainer.steps(), 30);
  EXPECT_GT(empty, 0);
  EXPECT_GT(larger, 0);
}

TEST(Trainer, TheNumberOfAStepDecidesItsGroup) {
  const Panel panel = sample_panel(7, 24);
  const TrainingConfig config = sample_training("dlinear", {.top = TopLevel::iterate, .batch_size = 3});
  Trainer trainer = trainer_of(config, panel);
  DrawRight right = DrawRight::not_private(BitSource());
  for (const std::int64_t number : {0, 1, 2, 3, 1, 5}) {
    StepTrace trace;
    ASSERT_TRUE(trainer.step(number, right, nullptr, &trace));
    ASSERT_EQ(std::ssize(trace.drawn), number % 3 == 2 ? 1 : 3);
    for (std::size_t i = 0; i < trace.drawn.size(); ++i)
      EXPECT_EQ(trace.drawn[i].series, number % 3 * 3 + static_cast<std::int64_t>(i));
  }
}

TEST(Trainer, FactsAreThoseOfTheWindows) {
  const Panel panel = sample_panel(8, 24);
  TrainingConfig config = sample_training("simple_feed_forward", kDefault);
  Trainer trainer = trainer_of(config, panel);
  const std::vector<Window> windows = windows_drawn_with(config, panel, 0, 9);
  const double bound = trainer.privacy()->bound_for(6);
  double loss = 0, clipped = 0;
  for (const Window& window : windows) {
    Tape tape(trainer.parameters(), Tape::Keep::nothing);
    loss += trainer.model().loss(tape, to_batch(values_of(config, panel, {window}), torch::kCPU)).sum().item<double>();
    clipped += gradient_of(trainer, config, panel, window).norm().item<double>() > bound ? 1 : 0;
  }
  DrawRight right = DrawRight::seeded(9);
  StepFacts facts;
  ASSERT_TRUE(trainer.step(0, right, &facts));
  EXPECT_EQ(facts.windows, 6);
  EXPECT_NEAR(facts.loss, loss / 6, 1e-4);
  EXPECT_NEAR(facts.clipped, clipped / 6, 1e-9);
  EXPECT_EQ(facts.dropped, 0);
}

// A context of almost nothing before a label of almost everything: scaled, the label is infinite. In all but two
// series.
Panel with_explosions(Panel panel) {
  for (std::size_t n = 2; n < panel.series.size(); ++n) {
    std::vector<float>& values = panel.series[n].values;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = i < 17 ? 1e-37F : 3e38F;
  }
  return panel;
}

TEST(Trainer, WhatIsNotFiniteNeverReachesTheParameters) {
  const Panel panel = with_explosions(sample_panel(6, 24));
  for (const std::string& kind : sample_kinds()) {
    for (const bool is_private : {true, false}) {
      TrainingConfig config = sample_training(kind, kDefault);
      if (!is_private) config.privacy.reset();
      Trainer trainer = trainer_of(config, panel);
      DrawRight right = DrawRight::seeded(2);
      double dropped = 0;
      std::int64_t not_finite = 0;
      for (std::int64_t number = 0; number < 6; ++number) {
        StepFacts facts;
        StepTrace trace;
        ASSERT_TRUE(trainer.step(number, right, &facts, &trace));
        EXPECT_TRUE(all_finite(trainer.parameters().flat())) << kind;
        EXPECT_TRUE(all_finite(trainer.released())) << kind;
        dropped += facts.dropped;
        not_finite += all_finite(trace.sum) ? 0 : 1;
      }
      if (is_private) {
        EXPECT_GT(dropped, 0) << kind;
        EXPECT_EQ(not_finite, 0) << kind;
      } else {
        EXPECT_GT(not_finite, 0) << kind;
      }
    }
  }
}

TEST(Trainer, WeightsThatOverflowAddNothingButNoise) {
  const Panel panel = sample_panel(6, 24);
  TrainingConfig config = sample_training("simple_feed_forward", kDefault);
  config.optimiser = plain_steps();
  config.privacy = PrivateStep{.clip = 1, .noise_multiplier = 1, .batch_size = 6};
  Trainer trainer = trainer_of(config, panel);
  std::vector<Parameter> state = trainer.state();
  for (Parameter& one : state)
    if (one.name.starts_with("parameter.")) one.value.fill_(1e30F);
  ASSERT_TRUE(trainer.restore(state));
  DrawRight right = DrawRight::not_private(BitSource());
  StepFacts facts;
  StepTrace trace;
  ASSERT_TRUE(trainer.step(0, right, &facts, &trace));
  EXPECT_EQ(facts.dropped, 1);
  EXPECT_EQ(trace.sum.abs().max().item<float>(), 0);
  EXPECT_TRUE(all_finite(trainer.parameters().flat()));
}

TEST(Trainer, RestoredItGoesOnAsIfUninterrupted) {
  const Panel panel = sample_panel(8, 24);
  TrainingConfig config = sample_training("deepar", kPoisson);
  config.optimiser.average = 0.9;
  const auto run = [](Trainer& trainer, std::int64_t first, std::int64_t last) {
    for (std::int64_t number = first; number < last; ++number) {
      DrawRight right = DrawRight::seeded(static_cast<std::uint64_t>(number));
      ASSERT_TRUE(trainer.step(number, right));
    }
  };
  Trainer whole = trainer_of(config, panel);
  run(whole, 0, 4);
  const std::string checkpoint = to_bytes(whole.state());
  run(whole, 4, 8);
  config.initial_seed = 77;  // all that counts is in the state
  const auto resumed = [&](const std::function<void(Parameter&)>& damage) {
    Trainer trainer = trainer_of(config, panel);
    std::vector<Parameter> state = from_bytes(checkpoint).value();
    for (Parameter& one : state) damage(one);
    EXPECT_TRUE(trainer.restore(state));
    EXPECT_EQ(trainer.steps(), 4);
    run(trainer, 4, 8);
    EXPECT_EQ(trainer.steps(), 8);
    return torch::equal(trainer.parameters().flat(), whole.parameters().flat()) &&
           torch::equal(trainer.released(), whole.released());
  };
  EXPECT_TRUE(resumed([](Parameter&) {}));
  for (const char* forgotten : {"optimiser.first", "optimiser.second", "optimiser.average", "optimiser.steps"}) {
    EXPECT_FALSE(resumed([&](Parameter& one) {
      if (one.name == forgotten) one.value.zero_();
    })) << forgotten;
  }
}

TEST(Trainer, OtherStatesAreRefusedAndChangeNothing) {
  const Panel panel = sample_panel(8, 24);
  Trainer trainer = trainer_of(sample_training("dlinear", kDefault), panel);
  DrawRight right = DrawRight::not_private(BitSource());
  ASSERT_TRUE(trainer.step(0, right));
  const std::vector<Parameter> good = trainer.state();
  std::vector<std::vector<Parameter>> bad(6, good);
  bad[0].pop_back();
  bad[1][0].value = torch::tensor({0.0F, -1.0F});
  bad[2][1].value = torch::full_like(good[1].value, NAN);
  bad[3][1].name = "parameter.other";
  bad[4].back().value = torch::zeros({1});
  bad[5] = trainer_of(sample_training("deepar", kDefault), panel).state();
  for (const std::vector<Parameter>& state : bad) {
    const auto restored = trainer.restore(state);
    ASSERT_FALSE(restored);
    EXPECT_EQ(restored.error().kind, ErrorKind::bad_data);
    EXPECT_EQ(to_bytes(trainer.state()), to_bytes(good));
  }
}

TEST(Trainer, SettingsThatDoNotFitTogetherAreRefusedByName) {
  const Panel panel = sample_panel(8, 24);
  const auto complaint = [&](const std::function<void(TrainingConfig&)>& change) {
    TrainingConfig config = sample_training("dlinear", kDefault);
    change(config);
    const auto made = Trainer::make(config, panel, torch::kCPU);
    return made ? std::string() : made.error().text().substr(0, made.error().text().find(':'));
  };
  EXPECT_EQ(complaint([](TrainingConfig&) {}), "");
  EXPECT_EQ(complaint([](TrainingConfig& c) { c.model.channels = 2; }), "model.channels");
  EXPECT_EQ(complaint([](TrainingConfig& c) { c.calendar.cycles.clear(); }), "model.covariates");
  EXPECT_EQ(complaint([](TrainingConfig& c) { c.privacy->batch_size = 7; }), "batch_size");
  EXPECT_EQ(complaint([](TrainingConfig& c) { c.privacy->noise_multiplier = 0; }), "noise_multiplier");
  EXPECT_EQ(complaint([](TrainingConfig& c) { c.optimiser.learning_rate = 0; }), "learning_rate");
  EXPECT_EQ(complaint([](TrainingConfig& c) { c.label_noise = -1; }), "label_noise");
  EXPECT_EQ(complaint([](TrainingConfig& c) { c.model.forecast_length = 25; }), "series 'series 0'");
  EXPECT_EQ(complaint([](TrainingConfig& c) { c.scheme.batch_size = c.privacy->batch_size = 9; }), "batch_size");
}

TEST(Trainer, NothingIsUpdatedWhenTheBitsHaveFailed) {
  const Panel panel = sample_panel(8, 24);
  for (const bool is_private : {true, false}) {
    TrainingConfig config = sample_training("dlinear", kDefault);
    if (!is_private) config.privacy.reset();
    Trainer trainer = trainer_of(config, panel);
    const torch::Tensor before = trainer.parameters().flat();
    DrawRight broken =
        DrawRight::not_private(BitSource::from_callback([](void*, void*, std::size_t) { return 1; }, nullptr));
    EXPECT_FALSE(trainer.step(0, broken));
    EXPECT_TRUE(torch::equal(before, trainer.parameters().flat()));
    EXPECT_EQ(trainer.steps(), 0);
  }
}

}  // namespace
}  // namespace chronoveil::neural
