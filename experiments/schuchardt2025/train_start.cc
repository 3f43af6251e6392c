#include "schuchardt2025/train_start.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace chronoveil::schuchardt2025 {
namespace {

constexpr std::int64_t kSeries = 1024;
constexpr std::int64_t kBatch = 256;
constexpr std::int64_t kSeasons = 28;
constexpr double kLearningRate = 2e-3;

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : bits_(BitSource::with_seed(seed)) {}
  double uniform() { return (static_cast<double>(bits_.next_u64() >> 11) + 0.5) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * uniform(); }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); }

 private:
  BitSource bits_;
};

// What a season looks like: a smooth part of a few harmonics, and a rough one.
std::vector<double> season_of(std::int64_t steps, Draws& draws) {
  std::vector<double> shape(static_cast<std::size_t>(steps), 0.0);
  if (steps == 1) return shape;
  const double smooth = draws.between(0, 0.6), rough = 0.2 * draws.uniform() * draws.uniform();
  for (int harmonic = 1; harmonic <= 5; ++harmonic) {
    const double amplitude = smooth * draws.normal() / harmonic, phase = draws.between(0, 2 * std::numbers::pi);
    for (std::size_t t = 0; t < shape.size(); ++t)
      shape[t] +=
          amplitude *
          std::sin(2 * std::numbers::pi * harmonic * static_cast<double>(t) / static_cast<double>(steps) + phase);
  }
  for (double& value : shape) value += rough * draws.normal();
  return shape;
}

// Stays near 0: x' = kept x + noise, of standard deviation `size` in the long run.
class Wandering {
 public:
  Wandering(double size, double kept) : kept_(kept), noise_(size * std::sqrt(1 - kept * kept)) {}
  double next(Draws& draws) { return value_ = kept_ * value_ + noise_ * draws.normal(); }

 private:
  double kept_, noise_, value_ = 0;
};

forecasting::PanelSeries made_up(std::int64_t season, std::int64_t length, Draws& draws) {
  const std::vector<double> shape = season_of(season, draws);
  const double rest = draws.uniform() < 0.5 ? draws.between(0.6, 1.1) : 1;  // a season's factor on two of seven days
  const auto first_rest = static_cast<std::int64_t>(7 * draws.uniform());
  const double drift = 0.02 * draws.uniform() * draws.uniform();
  Wandering by_season(0.2 * draws.uniform() * draws.uniform(), 0.8);
  Wandering by_step(0.2 * draws.uniform() * draws.uniform(), draws.between(0, 0.98));
  double level = draws.uniform() < 0.8 ? 1 : draws.between(-1, 1), offset = 0;
  forecasting::PanelSeries series;
  series.length = length;
  for (std::int64_t t = 0; t < length; ++t) {
    if (season > 1 && t % season == 0) offset = by_season.next(draws);
    level += drift * draws.normal();
    const double factor = season > 1 && (t / season + first_rest) % 7 < 2 ? rest : 1;
    const double noise = season > 1 ? by_step.next(draws) : 0;
    series.values.push_back(
        static_cast<float>(factor * (level + shape[static_cast<std::size_t>(t % season)]) + offset + noise));
  }
  return series;
}

// All that the weights depend on.
std::string key_of(const neural::TrainingConfig& config, std::int64_t season, std::int64_t steps) {
  const forecasting::ModelConfig& model = config.model;
  std::string key = model.model;
  const auto add = [&](const auto& part) { key.append(1, ' ').append(std::to_string(part)); };
  for (const std::int64_t number : {model.context_length, model.forecast_length, model.channels, model.covariates,
                                    model.hidden, model.layers, model.season, season, steps})
    add(number);
  std::ranges::for_each(model.lags, add);
  add(model.spread);
  add(config.initial_seed);
  return key;
}

}  // namespace

forecasting::Panel made_up_series(std::int64_t season, std::int64_t count, std::int64_t length) {
  Draws draws(20250101);
  forecasting::Panel panel;
  for (std::int64_t i = 0; i < count; ++i) {
    panel.series.push_back(made_up(season, length, draws));
    panel.series.back().key = std::to_string(i);
  }
  return panel;
}

Result<void> PublicStarts::give(neural::Trainer& trainer, const neural::TrainingConfig& config, std::int64_t season,
                                std::int64_t steps, const torch::Device& device) {
  std::vector<neural::Parameter>& learned = learned_[key_of(config, season, steps)];
  if (learned.empty()) {
    neural::TrainingConfig open = config;
    open.privacy.reset();
    open.label_noise = open.context_noise = 0;
    open.optimiser.learning_rate = kLearningRate;
    open.optimiser.average = 0;
    open.scheme = {.batch_size = kBatch, .windows_per_series = 1};
    const std::int64_t length =
        kSeasons * std::max<std::int64_t>(season, 7) + forecasting::history_length(config.model);
    CV_TRY(neural::Trainer teacher, neural::Trainer::make(open, made_up_series(season, kSeries, length), device));
    DrawRight right = DrawRight::seeded(config.initial_seed);
    while (teacher.steps() < steps) CV_CHECK(teacher.step(teacher.steps(), right));
    learned = teacher.state();
  }
  std::vector<neural::Parameter> state = trainer.state();
  for (const neural::Parameter& taught : learned)
    for (neural::Parameter& own : state)
      if (own.name == taught.name && own.name.starts_with("parameter.")) own.value = taught.value;
  return trainer.restore(state);
}

}  // namespace chronoveil::schuchardt2025
