// Windows per second of training on one thread, private and not, for each model: Λ = 256, one window per series, L_C =
// L_F = 24 hours and DeepAR's lags of a day [Schuchardt25]. A step is whole: drawing and cutting windows, forward,
// backward, clipping, exact noise, Adam.
//   forecasting_bench [--device cuda] [--model NAME] [--toy]
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>

#include "chronoveil/neural/trainer.h"
#include "timing.h"

namespace chronoveil::bench {
namespace {

constexpr std::int64_t kBatch = 256;

forecasting::Panel panel() {
  constexpr std::int64_t kSeries = 321, kLength = 840;
  forecasting::Panel made;
  for (std::int64_t i = 0; i < kSeries; ++i) {
    forecasting::PanelSeries series{.key = std::to_string(i), .start = 0, .length = kLength, .values = {}};
    for (std::int64_t t = 0; t < kLength; ++t)
      series.values.push_back(static_cast<float>(2 + std::sin(0.2618 * static_cast<double>(t + i)) +
                                                 0.1 * static_cast<double>((7 * t + 3 * i) % 11)));
    made.series.push_back(std::move(series));
  }
  return made;
}

neural::TrainingConfig config(std::string_view model, bool is_private) {
  neural::TrainingConfig made;
  made.model.model = model;
  made.model.context_length = made.model.forecast_length = 24;
  if (model == "deepar") made.model.lags = {1, 2, 3, 4, 5, 6, 7, 23, 24, 25};
  made.calendar = forecasting::calendar_of(3600, 0);
  made.model.covariates = made.calendar.covariates();
  made.scheme = {.batch_size = kBatch, .windows_per_series = 1};
  if (is_private) made.privacy = neural::PrivateStep{.clip = 1e-4, .noise_multiplier = 2, .batch_size = kBatch};
  return made;
}

Result<void> measure(std::string_view model, bool is_private, const torch::Device& device, bool toy) {
  neural::TrainingConfig wanted = config(model, is_private);
  CV_TRY(wanted.model, forecasting::completed(wanted.model));
  CV_TRY(neural::Trainer trainer, neural::Trainer::make(wanted, panel(), device));
  DrawRight right = DrawRight::seeded(1);
  Result<void> outcome;
  const auto steps = [&](int count) {
    for (int i = 0; i < count && outcome; ++i) outcome = trainer.step(trainer.steps(), right);
    if (outcome) trainer.released().sum().item<float>();  // waits for the device
  };
  steps(toy ? 1 : 5);
  const int count = toy ? 1 : model == "deepar" ? 8 : 60;
  const double rate = items_per_second(static_cast<double>(count * kBatch), toy ? 1 : 7, [&] { steps(count); });
  if (outcome) report(std::string(model) + (is_private ? ", private" : ", not private"), rate);
  return outcome;
}

}  // namespace
}  // namespace chronoveil::bench

int main(int argc, char** argv) {
  bool toy = false;
  std::string device = "cpu", model;  // all models if none is named
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--toy") toy = true;
    if (std::string_view(argv[i]) == "--device" && i + 1 < argc) device = argv[i + 1];
    if (std::string_view(argv[i]) == "--model" && i + 1 < argc) model = argv[i + 1];
  }
  torch::set_num_threads(1);
  for (const auto& info : chronoveil::forecasting::models())
    for (const bool is_private : {false, true}) {
      if (!model.empty() && model != info.name) continue;
      const auto done = chronoveil::bench::measure(info.name, is_private, torch::Device(device), toy);
      if (done) continue;
      std::fprintf(stderr, "forecasting_bench: %s\n", done.error().text().c_str());
      return static_cast<int>(done.error().kind);
    }
}
