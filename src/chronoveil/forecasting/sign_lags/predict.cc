#include "chronoveil/forecasting/sign_lags/predict.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "chronoveil/base/bit_source.h"

namespace chronoveil::forecasting {
namespace {

// Chosen once for all data, on windows before the test: public.
constexpr double kOwnSpread = 0.95;      // of a slot, the rest is that of all slots
constexpr double kLeastSpread = 1e-12;   // of a season
constexpr double kLargestInput = 4;      // in spreads
constexpr double kDeviationOfOne = 1.4;  // standard deviation over mean magnitude, of one season
constexpr double kDeviationOfSeveral = 1.25;

// Value at step `t` of `past`; missing before the first.
double value_at(std::span<const float> past, std::int64_t t) {
  const float value = t < 0 ? kMissing : past[static_cast<std::size_t>(t)];
  return std::isfinite(value) ? static_cast<double>(value) : std::numeric_limits<double>::quiet_NaN();
}

// The value m steps before the forecast step h, h = 0 the first; if missing, the newest a whole number of seasons
// before, else the last observed.
double base_of(std::span<const float> past, std::int64_t season, std::int64_t h, double last) {
  for (std::int64_t t = std::ssize(past) + h - season; t >= 0; t -= season) {
    if (t >= std::ssize(past)) continue;
    if (const double value = value_at(past, t); !std::isnan(value)) return value;
  }
  return last;
}

// What one season says of the F steps.
struct SeasonLaws {
  std::vector<StepLaw> laws;
  double deviation = 0;  // mean
};

class Reader {
 public:
  // Differences of the last P steps from those a season before, and their spreads by slot.
  Reader(const SignLagsConfig& config, std::span<const float> past, std::int64_t season)
      : config_(config), past_(past), season_(season) {
    const auto context = static_cast<std::size_t>(config.context), day = static_cast<std::size_t>(config.day);
    inputs_.assign(context, 0.0);
    spreads_.assign(day, 0.0);
    std::vector<double> counts(day, 0.0);
    double sum = 0;
    for (std::size_t i = 0; i < context; ++i) {
      const std::int64_t t = std::ssize(past) - config.context + static_cast<std::int64_t>(i);
      const double change = value_at(past, t) - value_at(past, t - season);
      if (std::isnan(change)) continue;
      inputs_[i] = change;
      spreads_[i % day] += std::abs(change);
      sum += std::abs(change);
      counts[i % day] += 1;
      ++observed_;
    }
    const double spread = std::max(observed_ > 0 ? sum / static_cast<double>(observed_) : 0.0, kLeastSpread);
    for (std::size_t j = 0; j < day; ++j) spreads_[j] = counts[j] > 0 ? spreads_[j] / counts[j] : spread;
    const std::vector<double> own = spreads_;
    for (std::size_t j = 0; j < day; ++j) {
      const double around = (own[(j + day - 1) % day] + own[j] + own[(j + 1) % day]) / 3;
      spreads_[j] = day == 1 ? spread : (1 - kOwnSpread) * spread + kOwnSpread * around;
    }
    for (std::size_t i = 0; i < context; ++i)
      inputs_[i] = std::clamp(inputs_[i] / spreads_[i % day], -kLargestInput, kLargestInput);
  }

  std::int64_t observed() const { return observed_; }

  SeasonLaws laws(const SeasonWeights& weights, double deviation_of, double last) const {
    const auto context = static_cast<std::size_t>(config_.context), day = static_cast<std::size_t>(config_.day);
    SeasonLaws made;
    double added = 0;  // changes so far, of a season of one step
    for (std::size_t h = 0; h < static_cast<std::size_t>(config_.forecast); ++h) {
      const double* const weight = weights.weights.data() + h * context;
      double change = 0;
      for (std::size_t j = 0; j < context; ++j) change += weight[j] * inputs_[context - 1 - j];
      const double spread = spreads_[h % day];  // P is whole days
      StepLaw law;
      if (season_ == 1) {
        added += spread * change;
        law = {last + added, deviation_of * spread * std::sqrt(static_cast<double>(h + 1))};
      } else {
        law = {base_of(past_, season_, static_cast<std::int64_t>(h), last) + spread * change,
               deviation_of * spread * std::sqrt(weights.variances[h])};
      }
      made.deviation += law.deviation / static_cast<double>(config_.forecast);
      made.laws.push_back(law);
    }
    return made;
  }

 private:
  const SignLagsConfig& config_;
  std::span<const float> past_;
  std::int64_t season_;
  std::vector<double> inputs_;   // [P], in spreads
  std::vector<double> spreads_;  // [d]
  std::int64_t observed_ = 0;    // differences
};

float to_float(double value) {
  constexpr auto kLimit = static_cast<double>(std::numeric_limits<float>::max());
  return static_cast<float>(std::clamp(value, -kLimit, kLimit));
}

// Uniform on (0, 1), never an end.
double uniform(BitSource& bits) { return (static_cast<double>(bits.next_u64() >> 11) + 0.5) * 0x1p-53; }

}  // namespace

double quantile_of(const StepLaw& law, double q) {
  constexpr double kScale = std::numbers::sqrt3 * std::numbers::inv_pi;  // of a logistic law with deviation 1
  return law.location + law.deviation * kScale * std::log(q / (1 - q));
}

Result<std::vector<StepLaw>> laws_after(const SignLagsModel& model, std::span<const float> past) {
  const double last = base_of(past, 1, 0, std::numeric_limits<double>::quiet_NaN());
  if (std::isnan(last)) return fail(ErrorKind::bad_data, "no value is observed; a forecast needs some");
  const double deviation_of = model.config.seasons.size() > 1 ? kDeviationOfSeveral : kDeviationOfOne;
  std::vector<StepLaw> laws(static_cast<std::size_t>(model.config.forecast));
  double total = 0;
  for (std::size_t i = 0; i < model.config.seasons.size(); ++i) {
    const Reader reader(model.config, past, model.config.seasons[i]);
    if (reader.observed() == 0) continue;  // it has no spread
    const SeasonLaws season = reader.laws(model.seasons[i], deviation_of, last);
    const double weight = 1 / std::sqrt(season.deviation);
    total += weight;
    for (std::size_t h = 0; h < laws.size(); ++h) {
      laws[h].location += weight * season.laws[h].location;
      laws[h].deviation += weight * season.laws[h].deviation;
    }
  }
  if (total == 0)
    return fail(ErrorKind::bad_data, "no two observed values are a season of " +
                                         std::to_string(model.config.seasons.front()) +
                                         " steps apart in what a forecast reads");
  for (StepLaw& law : laws) law = {law.location / total, law.deviation / total};
  return laws;
}

Result<std::vector<Forecast>> predict(const SignLagsModel& model, const Panel& panel, std::span<const Window> windows,
                                      const SignLagsForecasts& options) {
  CV_CHECK(check_windows(panel, {model.config.history(), model.config.forecast}, windows, WindowUse::prediction));
  if (options.paths < 0) return invalid("paths", std::to_string(options.paths), "at least 0");
  const auto channels = static_cast<std::size_t>(panel.channels);
  const auto steps = static_cast<std::size_t>(model.config.forecast);
  BitSource bits = BitSource::with_seed(options.seed);
  std::vector<Forecast> all;
  std::vector<float> past;
  for (const Window& window : windows) {
    const PanelSeries& series = panel.series[static_cast<std::size_t>(window.series)];
    Forecast forecast{series.key, series.start + window.start, model.config.forecast, panel.channels, {}, 0, {}};
    forecast.quantiles.resize(steps * channels * kLevels.size());
    forecast.path_count = options.paths;
    forecast.paths.resize(static_cast<std::size_t>(options.paths) * steps * channels);
    const std::int64_t first = std::max<std::int64_t>(0, window.start - model.config.history());
    for (std::size_t channel = 0; channel < channels; ++channel) {
      past.clear();
      for (std::int64_t t = first; t < window.start; ++t)
        past.push_back(series.values[static_cast<std::size_t>(t) * channels + channel]);
      const Result<std::vector<StepLaw>> laws = laws_after(model, past);
      if (!laws)
        return tl::unexpected(
            at("series '" + series.key + "' before step " + std::to_string(window.start), laws).error());
      for (std::size_t h = 0; h < steps; ++h) {
        for (std::size_t level = 0; level < kLevels.size(); ++level)
          forecast.quantiles[(h * channels + channel) * kLevels.size() + level] =
              to_float(quantile_of((*laws)[h], kLevels[level]));
        for (std::size_t path = 0; path < static_cast<std::size_t>(options.paths); ++path)
          forecast.paths[(path * steps + h) * channels + channel] = to_float(quantile_of((*laws)[h], uniform(bits)));
      }
    }
    all.push_back(std::move(forecast));
  }
  return all;
}

}  // namespace chronoveil::forecasting
