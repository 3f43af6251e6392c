#include "chronoveil/networks/networks.h"

#include <utility>

#include "chronoveil/networks/network.h"
#include "chronoveil/neural/prediction.h"

namespace chronoveil::networks {
namespace {

using forecasting::Forecast;

class Network : public training::Forecaster {
 public:
  Network(LoadedNetwork network, forecasting::Calendar calendar, forecasting::Fill fill, torch::Device device)
      : network_(std::move(network)), calendar_(std::move(calendar)), fill_(fill), device_(device) {}

  std::int64_t parameters() const override { return network_.parameters.size(); }
  std::int64_t history() const override { return forecasting::history_length(network_.model->config()); }
  Result<std::vector<Forecast>> forecast(const forecasting::Panel& panel, std::span<const forecasting::Window> windows,
                                         const forecasting::PredictionOptions& options) const override {
    return neural::predict(*network_.model, network_.parameters, panel, calendar_, fill_, windows, options, device_);
  }

 private:
  LoadedNetwork network_;
  forecasting::Calendar calendar_;
  forecasting::Fill fill_;
  torch::Device device_;
};

class TrainedHere : public training::Trainee {
 public:
  TrainedHere(neural::Trainer trainer, neural::TrainingConfig config, std::uint64_t seed, torch::Device device)
      : trainer_(std::move(trainer)), config_(std::move(config)), right_(DrawRight::seeded(seed)), device_(device) {}

  Result<void> train_to(std::int64_t steps) override {
    while (trainer_.steps() < steps) CV_CHECK(trainer_.step(trainer_.steps(), right_));
    return {};
  }
  Result<std::unique_ptr<training::Forecaster>> forecaster() const override {
    LoadedNetwork network;
    CV_TRY(network.model, neural::make_model(trainer_.model().config()));
    network.parameters = network.model->initial(0);
    network.parameters.set_flat(trainer_.released().to(torch::kCPU));
    network.parameters.to(device_);
    return std::make_unique<Network>(std::move(network), config_.calendar, config_.fill, device_);
  }

 private:
  neural::Trainer trainer_;
  neural::TrainingConfig config_;
  DrawRight right_;
  torch::Device device_;
};

class WithLibtorch : public training::Networks {
 public:
  Result<void> check_device(const std::string& name) const override {
    CV_CHECK(device_of(name));
    return {};
  }
  Result<void> use(const std::string& device, std::optional<std::int64_t> threads) const override {
    CV_CHECK(device_of(device));
    if (threads) torch::set_num_threads(static_cast<int>(*threads));
    return {};
  }
  Result<void> train(const engine::Job& job, const training::TrainOptions& options,
                     training::Training& training) const override {
    return networks::train(job, options, training);
  }
  Result<std::unique_ptr<training::Forecaster>> forecaster(const training::TrainedModel& model,
                                                           const std::string& device_name) const override {
    CV_TRY(const torch::Device device, device_of(device_name));
    CV_TRY(LoadedNetwork network, network_of(model));
    network.parameters.to(device);
    return std::make_unique<Network>(std::move(network), model.calendar, model.fill, device);
  }
  Result<std::unique_ptr<training::Trainee>> trainee(training::TraineeRequest request) const override {
    CV_TRY(const torch::Device device, device_of(request.device));
    neural::TrainingConfig config = training_config(*request.job, *request.planned);
    if (!request.noise) config.privacy.reset();
    config.initial_seed = request.seed + 1;
    CV_TRY(neural::Trainer trainer, neural::Trainer::make(config, std::move(request.panel), device));
    return std::make_unique<TrainedHere>(std::move(trainer), std::move(config), request.seed, device);
  }
};

}  // namespace

const training::Networks& with_libtorch() {
  static const WithLibtorch networks;
  return networks;
}

Result<torch::Device> device_of(const std::string& name) {
  if (name == "cpu") return torch::Device(torch::kCPU);
  if (name != "cuda") return invalid("--device", name, "cpu or cuda");
  if (!torch::cuda::is_available())
    return fail(ErrorKind::usage, "--device", "cuda is not available: libtorch lacks it, or finds no GPU");
  return torch::Device(torch::kCUDA);
}

}  // namespace chronoveil::networks
