#include "chronoveil/neural/trainer.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "chronoveil/neural/alike.h"
#include "chronoveil/neural/augmentation.h"

namespace chronoveil::neural {
namespace {

using forecasting::Panel;
using forecasting::PanelSeries;
using forecasting::Window;
using forecasting::WindowShape;

// libtorch throws; only a Result leaves this module. After the first line its messages hold a backtrace.
template <class Work>
auto without_throwing(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& error) {
    const std::string text = error.what();
    return fail(ErrorKind::internal, "libtorch", text.substr(0, text.find('\n')));
  }
}

Result<PrivateStep> private_step(const TrainingConfig& config) {
  PrivateStep step = *config.privacy;
  if (step.batch_size == 0) step.batch_size = config.scheme.batch_size;
  if (step.batch_size != config.scheme.batch_size)
    return invalid("batch_size", std::to_string(step.batch_size),
                   "that of the sampling scheme, " + std::to_string(config.scheme.batch_size));
  return step;
}

// "parameter.NAME" and so on: the parts of a state have their own names.
void append(std::vector<Parameter>& all, const std::string& prefix, const std::vector<Parameter>& more) {
  for (const Parameter& one : more) all.push_back({prefix + one.name, one.value});
}

}  // namespace

struct Trainer::Parts {
  TrainingConfig config;
  Panel panel;
  torch::Device device;
  WindowShape shape;
  forecasting::WindowSampler sampler;
  Augmentation augmentation;
  std::unique_ptr<const Model> model;
  Parameters parameters;
  Optimiser optimiser;
  std::optional<PrivateGradient> privacy;  // refers to `parameters`
  forecasting::WindowValues values;        // its memory is used again
  std::int64_t piece = 0;                  // how many windows are computed at once if batches vary in size (alike.h)
  std::int64_t steps = 0;

  // The largest piece to try. Few windows, since the last piece is filled up with blank ones; but a device wants many.
  std::int64_t largest_piece() const {
    return device.is_cpu() ? kPiece : std::clamp<std::int64_t>((config.scheme.batch_size + 63) / 64 * 64, 64, 512);
  }
  void pad(forecasting::WindowValues& values, std::int64_t windows) const;
  Result<torch::Tensor> sum_over(std::vector<Window> windows, DrawRight& right, StepFacts* look);
  Result<void> step(std::int64_t number, DrawRight& right, StepFacts* look, StepTrace* trace);
};

Result<torch::Tensor> Trainer::Parts::sum_over(std::vector<Window> windows, DrawRight& right, StepFacts* look) {
  if (augmentation.any()) {
    CV_TRY(const Panel noisy, augmentation.apply(panel, shape, windows, right));
    CV_CHECK(forecasting::cut(noisy, shape, config.calendar, config.fill, windows, &values));
  } else {
    CV_CHECK(forecasting::cut(panel, shape, config.calendar, config.fill, windows, &values));
  }
  // Neighbours that draw batches of different sizes must get the same result for shared windows: in pieces of one
  // shape.
  if (privacy && privacy->varies()) pad(values, std::ssize(windows));
  Tape tape(parameters, Tape::Keep::uses);
  const torch::Tensor loss = model->loss(tape, to_batch(values, device));
  loss.sum().backward();
  const std::int64_t count = std::ssize(windows);
  const auto sum_of = [](const torch::Tensor& each) { return each.to(torch::kFloat64).sum().item<double>(); };
  if (look) look->loss += sum_of(loss.detach().narrow(0, 0, count));
  if (!privacy) return sum_of_gradients(tape);
  const double bound = privacy->bound_for(count);
  const ClippedSum clipped = sum_of_clipped(tape, bound, {.counted = count, .in_double = privacy->varies()});
  if (look) {
    const torch::Tensor finite = torch::isfinite(clipped.norms);
    look->dropped += sum_of(~finite);
    look->clipped += sum_of(finite & (clipped.norms > bound));
  }
  return clipped.sum;
}

// Blank windows up to the length of a piece.
void Trainer::Parts::pad(forecasting::WindowValues& cut, std::int64_t windows) const {
  for (std::vector<float>* all : {&cut.values, &cut.observed, &cut.calendar})
    all->resize(all->size() / static_cast<std::size_t>(windows) * static_cast<std::size_t>(piece));
  cut.batch = piece;
}

Result<void> Trainer::Parts::step(std::int64_t number, DrawRight& right, StepFacts* look, StepTrace* trace) {
  CV_TRY(BitSource* const bits, right.bits());
  CV_TRY(const std::vector<Window> windows, sampler.draw(number, right));
  if (look) *look = {.windows = std::ssize(windows)};
  torch::Tensor sum, gradient;
  const bool whole = !privacy || !privacy->varies();
  const std::int64_t count = std::ssize(windows), length = whole ? count : piece;
  for (std::int64_t first = 0; first < count; first += length) {
    const auto from = windows.begin() + first;
    CV_TRY(const torch::Tensor part, sum_over({from, from + std::min(length, count - first)}, right, look));
    sum = sum.defined() ? sum + part : part;
  }
  if (look && count > 0)
    for (double* share : {&look->loss, &look->dropped, &look->clipped}) *share /= static_cast<double>(count);
  if (trace) *trace = {windows, sum};
  if (privacy) {
    CV_TRY(gradient, (*privacy)(sum, right));
  } else if (sum.defined()) {
    const torch::Tensor mean = sum / static_cast<double>(windows.size());
    gradient = torch::where(torch::isfinite(mean).all(), mean, torch::zeros_like(mean));
  }
  if (bits->failed()) return fail(ErrorKind::internal, "the source of random bits has failed");
  if (gradient.defined()) optimiser.step(gradient, parameters);
  ++steps;
  return {};
}

Trainer::Trainer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer& Trainer::operator=(Trainer&&) noexcept = default;
Trainer::~Trainer() = default;

Result<Trainer> Trainer::make(const TrainingConfig& config, Panel panel, const torch::Device& device) {
  return without_throwing([&]() -> Result<Trainer> {
    CV_TRY(auto model, make_model(config.model));
    const forecasting::ModelConfig& completed = model->config();
    const WindowShape shape{forecasting::history_length(completed), completed.forecast_length};
    CV_CHECK(forecasting::check_panel(panel, shape.forecast));
    if (completed.channels != panel.channels)
      return invalid("model.channels", std::to_string(completed.channels),
                     "those of the panel, " + std::to_string(panel.channels));
    if (completed.covariates != config.calendar.covariates())
      return invalid("model.covariates", std::to_string(completed.covariates),
                     "those of the calendar, " + std::to_string(config.calendar.covariates()));
    CV_CHECK(check(config.optimiser));
    std::vector<std::int64_t> lengths;
    for (const PanelSeries& series : panel.series) lengths.push_back(series.length);
    CV_TRY(auto sampler, forecasting::WindowSampler::make(config.scheme, shape, std::move(lengths)));
    CV_TRY(auto augmentation, Augmentation::make({.context = config.context_noise,
                                                  .label = config.label_noise,
                                                  .unit = config.noise_unit,
                                                  .channels = panel.channels}));
    Parameters parameters = model->initial(config.initial_seed);
    parameters.to(device);
    Optimiser optimiser(config.optimiser, parameters);
    auto parts = std::unique_ptr<Parts>(new Parts{.config = config,
                                                  .panel = std::move(panel),
                                                  .device = device,
                                                  .shape = shape,
                                                  .sampler = std::move(sampler),
                                                  .augmentation = std::move(augmentation),
                                                  .model = std::move(model),
                                                  .parameters = std::move(parameters),
                                                  .optimiser = std::move(optimiser),
                                                  .privacy = {},
                                                  .values = {}});
    if (config.privacy) {
      CV_TRY(const PrivateStep step, private_step(config));
      CV_TRY(parts->privacy, PrivateGradient::make(step, parts->parameters, parts->sampler.most_windows()));
      if (parts->privacy->varies()) parts->piece = alike_piece(*parts->model, parts->largest_piece(), device);
    }
    return Trainer(std::move(parts));
  });
}

Result<void> Trainer::step(std::int64_t number, DrawRight& right, StepFacts* look, StepTrace* trace) {
  return without_throwing([&] { return parts_->step(number, right, look, trace); });
}

std::int64_t Trainer::steps() const { return parts_->steps; }
const Model& Trainer::model() const { return *parts_->model; }
const Parameters& Trainer::parameters() const { return parts_->parameters; }
torch::Tensor Trainer::released() const { return parts_->optimiser.released(parts_->parameters); }
const PrivateGradient* Trainer::privacy() const { return parts_->privacy ? &*parts_->privacy : nullptr; }

std::vector<Parameter> Trainer::state() const {
  std::vector<Parameter> all = {{"steps", counter_to_tensor(parts_->steps)}};
  const Parameters& parameters = parts_->parameters;
  for (std::size_t i = 0; i < parameters.count(); ++i)
    append(all, "parameter.",
           {{parameters[i].name, parameters[i].value.detach().to(torch::Device(torch::kCPU)).clone()}});
  append(all, "optimiser.", parts_->optimiser.state());
  return all;
}

Result<void> Trainer::restore(const std::vector<Parameter>& state) {
  const Failure refused = fail(ErrorKind::bad_data, "checkpoint", "it is not one of this training");
  return without_throwing([&]() -> Result<void> {
    const std::vector<Parameter> like = this->state();
    if (state.size() != like.size()) return refused;
    for (std::size_t i = 0; i < like.size(); ++i) {
      if (state[i].name != like[i].name || state[i].value.sizes() != like[i].value.sizes()) return refused;
      if (!torch::isfinite(state[i].value).all().item<bool>()) return refused;
    }
    const std::int64_t steps = counter_of(state[0].value);
    if (steps < 0) return refused;
    const std::size_t count = parts_->parameters.count();
    std::vector<Parameter> of_optimiser(state.begin() + 1 + static_cast<std::ptrdiff_t>(count), state.end());
    for (Parameter& one : of_optimiser) one.name = one.name.substr(std::string("optimiser.").size());
    if (!parts_->optimiser.load(of_optimiser)) return refused;
    std::vector<torch::Tensor> flat;
    for (std::size_t i = 1; i <= count; ++i) flat.push_back(state[i].value.reshape({-1}));
    parts_->parameters.set_flat(torch::cat(flat));
    parts_->steps = steps;
    return {};
  });
}

}  // namespace chronoveil::neural
