// deepar [Salinas20]: an LSTM along the steps. At each step it reads the values `lags` before it (1 and further back),
// the step's covariates and the logarithm of the window's scale, and gives the law of the step.
//   Training    teacher forcing over the context_length steps before the forecast and the forecast. The loss is the
//               mean over all of them, as in GluonTS: it depends only on the window either way, and a mean over more
//               steps gives a less noisy gradient at the same bound
//   Prediction  sample paths: the context is read once, then each path goes on from its own draws
#include "chronoveil/neural/models/layers.h"

namespace chronoveil::neural {
namespace {

// Scales may be thousands or thousandths: a tenth of the logarithm keeps that one input from dominating the gradient.
constexpr double kScaleInput = 0.1;

class DeepAr final : public LayeredModel {
 public:
  explicit DeepAr(const forecasting::ModelConfig& config) : LayeredModel(config) {
    const auto lags = static_cast<std::int64_t>(config.lags.size());
    std::int64_t width = config.channels * (lags + 1) + config.covariates;
    for (std::int64_t i = 0; i < config.layers; ++i) {
      layers_.push_back(layout_.lstm("lstm." + std::to_string(i), width, config.hidden));
      width = config.hidden;
    }
    head_ = layout_.student_t_head("head", config.hidden, config.channels, config);
  }

  bool autoregressive() const override { return true; }

  StudentT forward(Tape& tape, const Batch& batch) const override {
    const StudentT all = teacher_forced(tape, batch);
    const auto forecast = [&](const torch::Tensor& x) {
      return x.narrow(1, config_.context_length, config_.forecast_length);
    };
    return {forecast(all.location), forecast(all.scale), forecast(all.freedom)};
  }

  torch::Tensor loss(Tape& tape, const Batch& batch) const override {
    const std::int64_t first = batch.context.size(1) - config_.context_length;
    const auto steps = [&](const torch::Tensor& context, const torch::Tensor& target) {
      return torch::cat({context.narrow(1, first, config_.context_length), target}, 1);
    };
    return negative_log_likelihood(teacher_forced(tape, batch), steps(batch.context, batch.target),
                                   steps(batch.context_observed, batch.target_observed));
  }

  torch::Tensor paths(const Parameters& parameters, const Batch& batch, std::int64_t count,
                      torch::Generator generator) const override {
    const torch::NoGradGuard no_grad;
    Tape tape(parameters, Tape::Keep::nothing);
    const std::int64_t b = batch.size(), steps = config_.forecast_length, d = config_.channels;
    const std::int64_t context = batch.context.size(1), first = context - config_.context_length;
    std::vector<Tape::State> states(layers_.size());
    const torch::Tensor zero = torch::zeros({b, config_.hidden}, batch.context.options());
    for (Tape::State& state : states) state = {zero, zero};
    run(tape, inputs(batch.context, batch.calendar, log_scale(batch), first, config_.context_length), states.data());
    // Path p of window i is row p B + i.
    for (Tape::State& state : states) state = {state.hidden.repeat({count, 1}), state.cell.repeat({count, 1})};
    const torch::Tensor values =
        torch::cat({batch.context, torch::zeros({b, steps, d}, batch.context.options())}, 1).repeat({count, 1, 1});
    const torch::Tensor calendar = batch.calendar.repeat({count, 1, 1});
    const torch::Tensor scale = log_scale(batch).repeat({count, 1, 1});
    for (std::int64_t step = context; step < context + steps; ++step) {
      const torch::Tensor top = run(tape, inputs(values, calendar, scale, step, 1), states.data());
      values.narrow(1, step, 1).copy_(draw(laws(tape, top, values, step), 1, generator).squeeze(0));
    }
    return values.narrow(1, context, steps).reshape({count, b, steps, d});
  }

 private:
  static torch::Tensor log_scale(const Batch& batch) { return torch::log(batch.scale) * kScaleInput; }

  // What the LSTM reads at the steps first, ..., first + steps - 1 of `values` [R, ≥ first + steps - 1, D].
  torch::Tensor inputs(const torch::Tensor& values, const torch::Tensor& calendar, const torch::Tensor& scale,
                       std::int64_t first, std::int64_t steps) const {
    std::vector<torch::Tensor> parts;
    for (const std::int64_t lag : config_.lags) parts.push_back(values.narrow(1, first - lag, steps));
    if (config_.covariates > 0) parts.push_back(calendar.narrow(1, first, steps));
    parts.push_back(scale.expand({-1, steps, -1}));
    return torch::cat(parts, 2);
  }

  torch::Tensor run(Tape& tape, torch::Tensor x, Tape::State* states) const {
    for (const Lstm& layer : layers_) x = layer(tape, x, states == nullptr ? nullptr : states++);
    return x;
  }

  // The laws of the steps from `first` of `values` on, each around the value a season before it.
  StudentT laws(Tape& tape, const torch::Tensor& top, const torch::Tensor& values, std::int64_t first) const {
    StudentT law = law_along(head_(tape, top).view({top.size(0), top.size(1), 3, config_.channels}), 2);
    if (config_.season > 0) law.location = law.location + values.narrow(1, first - config_.season, top.size(1));
    return law;
  }

  // [B, context_length + L_F, D]
  StudentT teacher_forced(Tape& tape, const Batch& batch) const {
    const std::int64_t first = batch.context.size(1) - config_.context_length;
    const torch::Tensor values = torch::cat({batch.context, batch.target}, 1);
    const torch::Tensor x =
        inputs(values, batch.calendar, log_scale(batch), first, config_.context_length + config_.forecast_length);
    return laws(tape, run(tape, x, nullptr), values, first);
  }

  std::vector<Lstm> layers_;
  Linear head_;
};

}  // namespace

std::unique_ptr<const Model> make_deepar(const forecasting::ModelConfig& config) {
  return std::make_unique<DeepAr>(config);
}

}  // namespace chronoveil::neural
