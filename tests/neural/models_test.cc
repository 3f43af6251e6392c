#include <gtest/gtest.h>

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "chronoveil/neural/clipping.h"
#include "chronoveil/neural/optimiser.h"
#include "neural/model_samples.h"

namespace chronoveil::neural {
namespace {

class Models : public testing::Test {
 protected:
  void SetUp() override { torch::set_num_threads(1); }
};

Tape went_back(const Model& model, const Parameters& parameters, const Batch& batch) {
  Tape tape(parameters, Tape::Keep::uses);
  model.loss(tape, batch).sum().backward();
  return tape;
}

double total_loss(const Model& model, const Parameters& parameters, const Batch& batch) {
  const torch::NoGradGuard no_grad;
  Tape tape(parameters, Tape::Keep::nothing);
  return model.loss(tape, batch).sum(torch::kFloat64).item<double>();
}

// The gradient of each window run alone through the model, [B, d] in double.
torch::Tensor gradients_alone(const Model& model, const Parameters& parameters, const Batch& batch) {
  std::vector<torch::Tensor> rows;
  for (std::int64_t b = 0; b < batch.size(); ++b) {
    rows.push_back(sum_of_gradients(went_back(model, parameters, part_of(batch, b, 1))).to(torch::kFloat64));
  }
  return torch::stack(rows);
}

// What a file of weights is held against, without a model being made.
TEST_F(Models, ShapesAreThoseOfTheInitialWeights) {
  for (const std::string& kind : sample_kinds()) {
    for (const std::int64_t channels : {1, 3}) {
      const auto model = sample_model(sample_config(kind, channels, 4));
      const Parameters parameters = model->initial(7);
      const std::vector<ParameterShape> shapes = model->shapes();
      ASSERT_EQ(shapes.size(), parameters.count()) << kind;
      for (std::size_t i = 0; i < shapes.size(); ++i) {
        EXPECT_EQ(shapes[i].name, parameters[i].name) << kind;
        EXPECT_EQ(parameters[i].value.sizes(), shapes[i].sizes) << kind << ' ' << shapes[i].name;
      }
    }
  }
}

TEST_F(Models, ClippedSumIsTheSumOfWindowsThatWereRunAloneAndClippedByHand) {
  for (const std::string& kind : sample_kinds()) {
    for (const std::int64_t channels : {1, 3}) {
      for (const std::int64_t covariates : {0, 4}) {
        for (const std::int64_t size : {1, 3, 17}) {
          SCOPED_TRACE(kind + " D=" + std::to_string(channels) + " F=" + std::to_string(covariates) +
                       " B=" + std::to_string(size));
          const auto config = sample_config(kind, channels, covariates);
          const auto model = sample_model(config);
          const Parameters parameters = model->initial(7);
          const Batch batch = sample_batch(config, size, 11);
          const torch::Tensor alone = gradients_alone(*model, parameters, batch);
          const torch::Tensor norms = alone.norm(2, 1);
          const double bound = norms.median().item<double>();
          const ClippedSum got = sum_of_clipped(went_back(*model, parameters, batch), bound);
          const torch::Tensor factors = (bound / norms).clamp_max(1);
          const torch::Tensor expected = (alone * factors.unsqueeze(1)).sum(0);
          EXPECT_LT((got.sum - expected).norm().item<double>(), 1e-5 * bound * static_cast<double>(size));
          EXPECT_LT(((got.norms - norms) / norms).abs().max().item<double>(), 1e-4);
          if (size > 1) {  // clipping was at work, on some and not on others
            EXPECT_GT((alone.sum(0) - expected).norm().item<double>(), 1e-2 * bound);
            EXPECT_EQ((factors == 1).sum().item<std::int64_t>(), (size + 1) / 2);
          }
        }
      }
    }
  }
}

// Central differences: along the gradient of each parameter the loss rises by its norm, and along a random direction by
// their product.
TEST_F(Models, GradientsAreThoseOfTheLoss) {
  for (const std::string& kind : sample_kinds()) {
    const auto config = sample_config(kind, 2, 2);
    const auto model = sample_model(config);
    const Parameters parameters = model->initial(3);
    const Batch batch = sample_batch(config, 4, 5);
    const torch::Tensor gradient = sum_of_gradients(went_back(*model, parameters, batch));
    const torch::Generator generator = generator_for(torch::kCPU, 9);
    for (std::size_t p = 0; p < parameters.count(); ++p) {
      SCOPED_TRACE(kind + " " + parameters[p].name);
      const torch::Tensor mine = gradient.narrow(0, parameters.offset(p), parameters[p].value.numel());
      const double norm = mine.norm().item<double>();
      ASSERT_GT(norm, 0);
      const torch::Tensor random = torch::randn(mine.sizes(), generator);
      for (const torch::Tensor& direction : {mine / norm, random / random.norm()}) {
        const double step = std::min(1e-2, 2e-2 / norm);
        const auto moved = [&](double by) {
          torch::Tensor flat = parameters.flat();
          flat.narrow(0, parameters.offset(p), mine.numel()).add_(direction, by);
          Parameters copy;
          for (std::size_t i = 0; i < parameters.count(); ++i) {
            copy.add(parameters[i].name, parameters[i].value.clone());
          }
          copy.set_flat(flat);
          return total_loss(*model, copy, batch);
        };
        const double slope = (moved(step) - moved(-step)) / (2 * step);
        EXPECT_NEAR(slope, (mine * direction).sum().item<double>(), 1e-2 * norm + 1e-3);
      }
    }
  }
}

// Whether what a model says of window 0, its scale and its gradient stay, bit by bit, when all other windows change.
using ToBatch = std::function<Batch(const forecasting::WindowValues&)>;
bool first_window_stays(const forecasting::ModelConfig& config, const ToBatch& prepare) {
  const auto model = sample_model(config);
  const Parameters parameters = model->initial(1);
  const forecasting::WindowValues before = sample_windows(config, 5, 21);
  forecasting::WindowValues after = sample_windows(config, 5, 22);
  const auto keep_first = [](const std::vector<float>& from, std::vector<float>& to) {
    std::copy(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(from.size() / 5), to.begin());
  };
  keep_first(before.values, after.values);
  keep_first(before.observed, after.observed);
  keep_first(before.calendar, after.calendar);
  const auto seen = [&](const forecasting::WindowValues& windows) {
    const Batch batch = prepare(windows);
    Tape tape(parameters, Tape::Keep::uses);
    const StudentT law = model->forward(tape, batch);
    Tape trained(parameters, Tape::Keep::uses);
    const torch::Tensor loss = model->loss(trained, batch);
    loss.sum().backward();
    std::vector<torch::Tensor> all = {law.location[0], law.scale[0], law.freedom[0], batch.scale[0], loss[0]};
    for (const Tape::Use& use : trained.uses()) all.push_back(use.gradient[0]);
    return all;
  };
  const auto one = seen(before), other = seen(after);
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (!torch::equal(one[i], other[i])) return false;
  }
  return true;
}

TEST_F(Models, NoWindowSeesAnother) {
  const ToBatch ours = [](const auto& windows) { return to_batch(windows, torch::kCPU); };
  const ToBatch shared_scale = [](const auto& windows) {
    Batch batch = to_batch(windows, torch::kCPU);
    const torch::Tensor mean = batch.scale.mean(0, true).expand_as(batch.scale);
    batch.context = batch.context * batch.scale / mean;
    batch.target = batch.target * batch.scale / mean;
    batch.scale = mean;
    return batch;
  };
  const ToBatch batch_normalised = [](const auto& windows) {
    Batch batch = to_batch(windows, torch::kCPU);
    batch.context = batch.context - batch.context.mean(0, true);
    return batch;
  };
  for (const std::string& kind : sample_kinds()) {
    SCOPED_TRACE(kind);
    for (const std::int64_t channels : {1, 3}) {
      const auto config = sample_config(kind, channels, 2);
      EXPECT_TRUE(first_window_stays(config, ours));
      EXPECT_FALSE(first_window_stays(config, shared_scale));
      EXPECT_FALSE(first_window_stays(config, batch_normalised));
    }
  }
}

TEST_F(Models, ScaleIsTheMeanMagnitudeOfTheObservedContextOfAWindowAndChannel) {
  const float big = 3e38f, tiny = 1e-41f;
  forecasting::WindowValues windows;
  windows.batch = 3;
  windows.context = 3;
  windows.forecast = 1;
  windows.channels = 2;
  //                 context               target      context                target     context              target
  windows.values = {1, 0, -3, 5, 100, 0, 8, 9, big, tiny, big, tiny, -big, tiny, 0, 2, 0, 4, 0, 4, 0, 4, 7, 7};
  windows.observed = {1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1, 0, 1, 1};
  const Batch batch = to_batch(windows, torch::kCPU);
  const torch::Tensor expected = torch::tensor({2.0f, 1.0f, big, 1.0f, 1.0f, 1.0f}).view({3, 1, 2});
  EXPECT_TRUE(torch::allclose(batch.scale, expected, 1e-6, 0)) << batch.scale;
  EXPECT_FLOAT_EQ(batch.context[0][0][0].item<float>(), 0.5f);
  EXPECT_FLOAT_EQ(batch.target[0][0][0].item<float>(), 4.0f);
  EXPECT_FLOAT_EQ(batch.target[2][0][1].item<float>(), 7.0f);
  EXPECT_EQ(batch.calendar.sizes(), (std::vector<std::int64_t>{3, 4, 0}));
}

TEST_F(Models, LikelihoodIsThatOfStudentsLaw) {
  const torch::Tensor raw = torch::tensor({-3.0f, 0.2f, 4.0f, 30.0f});
  const StudentT law = student_t(raw.view({1, 4, 1}), raw.flip(0).view({1, 4, 1}), raw.view({1, 4, 1}));
  Batch batch;
  batch.target = torch::tensor({0.5f, -1.0f, 9.0f, 28.0f}).view({1, 4, 1});
  batch.target_observed = torch::ones({1, 4, 1});
  double expected = 0;
  for (std::int64_t s = 0; s < 4; ++s) {
    const double scale = law.scale[0][s][0].item<double>(), freedom = law.freedom[0][s][0].item<double>();
    EXPECT_GT(scale, 0);
    EXPECT_GE(freedom, 2);
    const double z = (batch.target[0][s][0].item<double>() - law.location[0][s][0].item<double>()) / scale;
    expected -= std::log(boost::math::pdf(boost::math::students_t(freedom), z) / scale) / 4;
  }
  EXPECT_NEAR(negative_log_likelihood(law, batch)[0].item<double>(), expected, 1e-5);
}

TEST_F(Models, WhatWasNotObservedHasNoPartInTheLoss) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const char* kind : {"simple_feed_forward", "wide_head", "dlinear", "itransformer"}) {
    SCOPED_TRACE(kind);
    const auto config = sample_config(kind, 2, 2);
    const auto model = sample_model(config);
    const Parameters parameters = model->initial(1);
    Batch batch = sample_batch(config, 3, 31);
    batch.target_observed[0] = 0;
    batch.target_observed[1][2][1] = 0;
    const torch::Tensor kept = batch.target.clone();
    const torch::Tensor expected = sum_of_gradients(went_back(*model, parameters, batch));
    batch.target = torch::where(batch.target_observed > 0, kept, torch::full_like(kept, nan));
    const Tape tape = went_back(*model, parameters, batch);
    EXPECT_TRUE(torch::equal(sum_of_gradients(tape), expected));
    EXPECT_TRUE(torch::isfinite(expected).all().item<bool>());
    EXPECT_LT(sum_of_clipped(tape, 1).norms[0].item<double>(), 1e-15);
    Tape again(parameters, Tape::Keep::nothing);
    EXPECT_EQ(model->loss(again, batch)[0].item<double>(), 0);
  }
}

TEST_F(Models, AWindowInWhichNothingWasObservedTeachesNothing) {
  for (const std::string& kind : sample_kinds()) {
    SCOPED_TRACE(kind);
    const auto config = sample_config(kind, 2, 2);
    const auto model = sample_model(config);
    const Parameters parameters = model->initial(1);
    forecasting::WindowValues windows = sample_windows(config, 1, 41);
    std::fill(windows.values.begin(), windows.values.end(), 0.0f);
    std::fill(windows.observed.begin(), windows.observed.end(), 0.0f);
    const Batch batch = to_batch(windows, torch::kCPU);
    EXPECT_EQ(sum_of_gradients(went_back(*model, parameters, batch)).abs().max().item<double>(), 0);
    EXPECT_EQ(total_loss(*model, parameters, batch), 0);
  }
}

TEST_F(Models, AWindowThatIsNotFiniteTakesNoOtherWithIt) {
  for (const std::string& kind : sample_kinds()) {
    SCOPED_TRACE(kind);
    const auto config = sample_config(kind, 1, 2);
    const auto model = sample_model(config);
    const Parameters parameters = model->initial(1);
    Batch batch = sample_batch(config, 4, 51);
    const torch::Tensor others = gradients_alone(*model, parameters, batch).narrow(0, 1, 3).sum(0);
    batch.context[0][batch.context.size(1) - 1][0] = std::numeric_limits<float>::quiet_NaN();
    batch.target[0].fill_(std::numeric_limits<float>::infinity());
    batch.target_observed[0].fill_(1);
    const torch::Tensor sum = sum_of_clipped(went_back(*model, parameters, batch), 1e6).sum;
    EXPECT_LT((sum - others).norm().item<double>(), 1e-5 * others.norm().item<double>());
  }
}

TEST_F(Models, InitialWeightsComeFromTheSeedAloneAndGiveASensibleLaw) {
  for (const std::string& kind : sample_kinds()) {
    SCOPED_TRACE(kind);
    const auto config = sample_config(kind, 3, 2);
    const auto model = sample_model(config);
    const Parameters parameters = model->initial(1);
    EXPECT_TRUE(torch::equal(parameters.flat(), model->initial(1).flat()));
    EXPECT_FALSE(torch::equal(parameters.flat(), model->initial(2).flat()));
    const Batch batch = sample_batch(config, 17, 61);
    Tape tape(parameters, Tape::Keep::nothing);
    const StudentT law = model->forward(tape, batch);
    for (const torch::Tensor& x : {law.location, law.scale, law.freedom}) {
      EXPECT_EQ(x.sizes(), (std::vector<std::int64_t>{17, 5, 3}));
    }
    EXPECT_NEAR(law.location.median().item<double>(), 0, 0.5);
    EXPECT_NEAR(law.scale.median().item<double>(), 1, 0.5);
    EXPECT_NEAR(law.freedom.median().item<double>(), 5, 1);
  }
}

TEST_F(Models, HaveTheParametersThatTheirPageStates) {
  const auto size = [](const std::string& name, std::int64_t context, std::int64_t features,
                       std::vector<std::int64_t> lags) {
    forecasting::ModelConfig config;
    config.model = name;
    config.context_length = context;
    config.forecast_length = 24;
    config.covariates = 4;
    config.head_features = features;
    config.lags = std::move(lags);
    return sample_model(config)->initial(1).size();
  };
  EXPECT_EQ(size("simple_feed_forward", 96, 0, {}), 15'304);
  EXPECT_EQ(size("simple_feed_forward", 96, 64, {}), 110'659);
  EXPECT_EQ(size("dlinear", 96, 0, {}), 93'183);
  EXPECT_EQ(size("deepar", 96, 0, forecasting::usual_lags(3600)), 24'923);
  EXPECT_EQ(size("itransformer", 96, 0, {}), 30'952);
}

TEST_F(Models, ChannelsOfDlinearDoNotMix) {
  const auto config = sample_config("dlinear", 3, 0);
  const auto model = sample_model(config);
  const Parameters parameters = model->initial(1);
  Batch batch = sample_batch(config, 2, 71);
  const auto locations = [&] {
    Tape tape(parameters, Tape::Keep::nothing);
    return model->forward(tape, batch).location;
  };
  const torch::Tensor before = locations();
  batch.context.select(2, 1).add_(1);
  const torch::Tensor moved = (locations() - before).abs().amax({0, 1});
  EXPECT_EQ(moved[0].item<float>(), 0);
  EXPECT_GT(moved[1].item<float>(), 1e-3f);
  EXPECT_EQ(moved[2].item<float>(), 0);
}

// Shares of draws below the quantiles of a law: |share - level| √(n / (level (1 - level))), the largest. Normal values
// exceed 6 with probability 2e-9, and there are fewer than 100 levels and laws in a test.
double worst_share(const torch::Tensor& draws, double location, double scale, double freedom) {
  const boost::math::students_t law(freedom);
  const auto n = static_cast<double>(draws.numel());
  double worst = 0;
  for (const double level : {0.01, 0.1, 0.3, 0.5, 0.8, 0.95, 0.995}) {
    const double below = (draws < location + scale * boost::math::quantile(law, level)).sum().item<double>() / n;
    worst = std::max(worst, std::abs(below - level) * std::sqrt(n / (level * (1 - level))));
  }
  return worst;
}

TEST_F(Models, PathsOfTheFirstStepFollowTheLawOfForward) {
  for (const std::string& kind : sample_kinds()) {
    SCOPED_TRACE(kind);
    const auto config = sample_config(kind, 2, 2);
    const auto model = sample_model(config);
    const Parameters parameters = model->initial(5);
    const Batch batch = sample_batch(config, 2, 81);
    Tape tape(parameters, Tape::Keep::nothing);
    const StudentT law = model->forward(tape, batch);
    const torch::Tensor paths = model->paths(parameters, batch, 10'000, generator_for(torch::kCPU, 1));
    ASSERT_EQ(paths.sizes(), (std::vector<std::int64_t>{10'000, 2, 5, 2}));
    for (const std::int64_t step : {0, 4}) {
      if (step > 0 && model->autoregressive()) continue;
      const auto at = [&](const torch::Tensor& x) { return x[1][step][1].item<double>(); };
      const torch::Tensor draws = paths.select(1, 1).select(1, step).select(1, 1);
      EXPECT_LT(worst_share(draws, at(law.location), at(law.scale), at(law.freedom)), 6);
      EXPECT_GT(worst_share(draws, at(law.location) + 0.2, at(law.scale), at(law.freedom)), 6);
      EXPECT_GT(worst_share(draws, at(law.location), at(law.scale) * 1.2, at(law.freedom)), 6);
      EXPECT_GT(worst_share(draws, at(law.location), at(law.scale), 1000), 6);  // as if normal
    }
  }
}

// Each path, taught as if it were true, gives the law that its next value should have had: the share of values below
// the law's middle tells whether it had. Weights are larger than initial ones, so that what was drawn
// matters.
TEST_F(Models, PathsOfDeeparGoOnFromTheirOwnDraws) {
  const auto config = sample_config("deepar", 2, 2);
  const auto model = sample_model(config);
  const Parameters parameters = model->initial(5);
  for (std::size_t p = 0; p < parameters.count(); ++p) {
    torch::Tensor value = parameters[p].value;
    if (parameters[p].name == "head.weight") value.narrow(0, 0, 2).mul_(20);  // the locations
    if (parameters[p].name.starts_with("lstm.")) value.mul_(2);
    if (parameters[p].name == "lstm.0.input_weight") value.narrow(1, 0, 2).mul_(5);  // of the values one step before
  }
  const std::int64_t count = 4'000, steps = config.forecast_length;
  const Batch one = sample_batch(config, 1, 91);
  const torch::Tensor paths = model->paths(parameters, one, count, generator_for(torch::kCPU, 2)).squeeze(1);
  const auto scores = [&](const torch::Tensor& taught) {
    const auto many = [&](const torch::Tensor& x) { return x.expand({count, -1, -1}).contiguous(); };
    Batch batch{many(one.context),        many(one.context_observed), taught,
                torch::ones_like(taught), many(one.calendar),         many(one.scale)};
    Tape tape(parameters, Tape::Keep::nothing);
    const StudentT law = model->forward(tape, batch);
    return (paths - law.location) / law.scale;  // symmetric around 0, given all before
  };
  const auto worst = [&](const torch::Tensor& score, std::int64_t first) {
    const auto n = static_cast<double>(count);
    double most = 0;
    for (std::int64_t s = first; s < steps; ++s) {
      for (std::int64_t d = 0; d < 2; ++d) {
        const torch::Tensor z = score.select(1, s).select(1, d);
        most = std::max(most, std::abs((z < 0).sum().item<double>() / n - 0.5) * 2 * std::sqrt(n));
        // Uncorrelated in sign with the draw before, once that has been accounted for.
        if (s > 0) {
          const torch::Tensor before = paths.select(1, s - 1).select(1, d);
          const torch::Tensor high = before > before.median();
          most = std::max(most, std::abs((high == (z > 0)).sum().item<double>() / n - 0.5) * 2 * std::sqrt(n));
        }
      }
    }
    return most;
  };
  EXPECT_LT(worst(scores(paths), 0), 6);
  EXPECT_GT(worst(scores(paths.roll(1, 0)), 1), 6);  // the history of another path
}

TEST_F(Models, SayAndLearnTheSameOnAGraphicsCard) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no such card here";
  for (const std::string& kind : sample_kinds()) {
    SCOPED_TRACE(kind);
    const auto config = sample_config(kind, 2, 2);
    const auto model = sample_model(config);
    const forecasting::WindowValues windows = sample_windows(config, 9, 13);
    const auto seen_on = [&](const torch::Device& device) {
      Parameters parameters = model->initial(1);
      parameters.to(device);
      const Batch batch = to_batch(windows, device);
      Tape tape(parameters, Tape::Keep::nothing);
      const StudentT law = model->forward(tape, batch);
      const torch::Tensor paths = model->paths(parameters, batch, 4000, generator_for(device, 1));
      std::vector<torch::Tensor> all = {law.location, law.scale, law.freedom, std::get<0>(paths.median(0)),
                                        sum_of_clipped(went_back(*model, parameters, batch), 0.5).sum};
      for (torch::Tensor& x : all) x = x.to(torch::kCPU);
      return all;
    };
    const auto here = seen_on(torch::kCPU), there = seen_on(torch::kCUDA);
    for (std::size_t i = 0; i < here.size(); ++i) {
      const double close = i == 3 ? 0.5 : 1e-4;  // medians of different draws
      EXPECT_LT((here[i] - there[i]).abs().max().item<double>(), close) << i;
    }
  }
}

TEST_F(Models, LearnASineFromAFewHundredSteps) {
  for (const std::string& kind : sample_kinds()) {
    SCOPED_TRACE(kind);
    auto config = sample_config(kind, 1, 0);
    const auto model = sample_model(config);
    Parameters parameters = model->initial(1);
    const torch::Generator generator = generator_for(torch::kCPU, 3);
    const auto fresh = [&](std::int64_t size) {
      const std::int64_t context = forecasting::history_length(config), steps = context + config.forecast_length;
      const torch::Tensor phase = torch::rand({size, 1}, generator) * 6.2832;
      const torch::Tensor angle = torch::arange(steps).unsqueeze(0) * (6.2832 / 8) + phase;
      const torch::Tensor values =
          (10 * (2 + torch::sin(angle)) + torch::randn({size, steps}, generator)).to(torch::kFloat32).contiguous();
      forecasting::WindowValues windows{size, context, config.forecast_length, 1, 0, {}, {}, {}};
      windows.values.assign(values.data_ptr<float>(), values.data_ptr<float>() + values.numel());
      windows.observed.assign(windows.values.size(), 1.0f);
      return to_batch(windows, torch::kCPU);
    };
    const Batch held_out = fresh(200);
    const auto loss = [&] {
      Tape tape(parameters, Tape::Keep::nothing);
      return negative_log_likelihood(model->forward(tape, held_out), held_out).mean().item<double>();
    };
    const double before = loss();
    OptimiserConfig adam;
    adam.learning_rate = 5e-3;
    Optimiser optimiser(adam, parameters);
    for (int i = 0; i < 200; ++i) {
      const Batch batch = fresh(32);
      optimiser.step(sum_of_gradients(went_back(*model, parameters, batch)) / 32, parameters);
    }
    // The noise alone, a standard deviation of 0.05 of the scale, would give -1.6; the best constant 0.4.
    EXPECT_GT(before, 1);
    EXPECT_LT(loss(), -0.7);
  }
}

}  // namespace
}  // namespace chronoveil::neural
