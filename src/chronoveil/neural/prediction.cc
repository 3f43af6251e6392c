#include "chronoveil/neural/prediction.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <string>

namespace chronoveil::neural {
namespace {

using forecasting::Forecast;
using forecasting::kLevels;

constexpr std::int64_t kMostRows = 1 << 16;  // windows times paths that an autoregressive model holds at once

// Never throws; a law without quantiles gives NaN, which is refused below.
using Quiet =
    boost::math::policies::policy<boost::math::policies::domain_error<boost::math::policies::ignore_error>,
                                  boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
                                  boost::math::policies::evaluation_error<boost::math::policies::ignore_error>>;

// At kLevels, for location 0 and scale 1; exactly symmetric, as the levels are.
std::array<double, kLevels.size()> standard_quantiles(double freedom) {
  constexpr std::size_t n = kLevels.size();
  const boost::math::students_t_distribution<double, Quiet> law(freedom);
  std::array<double, n> all{};
  for (std::size_t i = n / 2 + 1; i < n; ++i) {
    all[i] = boost::math::quantile(law, kLevels[i]);
    all[n - 1 - i] = -all[i];
  }
  return all;
}

torch::Tensor to_cpu(const torch::Tensor& x) { return x.to(torch::kCPU, torch::kFloat32).contiguous(); }

void take_exact_quantiles(const StudentT& law, const torch::Tensor& window_scale, std::span<Forecast> out) {
  const torch::Tensor unit = to_cpu(window_scale.expand_as(law.location));
  const torch::Tensor location = to_cpu(law.location), scale = to_cpu(law.scale), freedom = to_cpu(law.freedom);
  const float *units = unit.data_ptr<float>(), *locations = location.data_ptr<float>();
  const float *scales = scale.data_ptr<float>(), *freedoms = freedom.data_ptr<float>();
  std::int64_t at = 0;
  for (Forecast& forecast : out) {
    for (std::int64_t i = 0; i < forecast.length * forecast.channels; ++i, ++at) {
      const auto standard = standard_quantiles(std::isfinite(freedoms[at]) ? freedoms[at] : 3);
      for (const double q : standard) {
        forecast.quantiles.push_back(static_cast<float>((locations[at] + scales[at] * q) * units[at]));
      }
    }
  }
}

// `paths` [count, B, L_F, D] in data units, on the CPU.
void take_path_quantiles(const torch::Tensor& paths, std::span<Forecast> out) {
  const torch::Tensor by_window = paths.permute({1, 2, 3, 0}).contiguous();
  float* values = by_window.data_ptr<float>();
  const auto count = static_cast<std::size_t>(paths.size(0));
  for (Forecast& forecast : out) {
    for (std::int64_t i = 0; i < forecast.length * forecast.channels; ++i, values += count) {
      const auto quantiles = forecasting::quantiles_of({values, count});
      forecast.quantiles.insert(forecast.quantiles.end(), quantiles.begin(), quantiles.end());
    }
  }
}

void keep_paths(const torch::Tensor& paths, std::span<Forecast> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const torch::Tensor mine = paths.select(1, static_cast<std::int64_t>(i)).contiguous();
    out[i].path_count = paths.size(0);
    out[i].paths.assign(mine.data_ptr<float>(), mine.data_ptr<float>() + mine.numel());
  }
}

bool is_finite(const Forecast& forecast) {
  const auto finite = [](float x) { return std::isfinite(x); };
  return std::all_of(forecast.quantiles.begin(), forecast.quantiles.end(), finite) &&
         std::all_of(forecast.paths.begin(), forecast.paths.end(), finite);
}

Result<void> check(const Model& model, const forecasting::Panel& panel, const forecasting::Calendar& calendar,
                   const PredictionOptions& options) {
  const forecasting::ModelConfig& config = model.config();
  if (panel.channels != config.channels) {
    return invalid("channels", std::to_string(panel.channels),
                   std::to_string(config.channels) + ", as many as the model was made for");
  }
  if (calendar.covariates() != config.covariates) {
    return invalid("covariates", std::to_string(calendar.covariates()),
                   std::to_string(config.covariates) + ", as many as the model was made for");
  }
  if (options.paths < 1) return invalid("paths", std::to_string(options.paths), "at least 1");
  if (options.batch < 1) return invalid("batch", std::to_string(options.batch), "at least 1");
  return {};
}

}  // namespace

Result<std::vector<Forecast>> predict(const Model& model, const Parameters& given, const forecasting::Panel& panel,
                                      const forecasting::Calendar& calendar, forecasting::Fill fill,
                                      std::span<const forecasting::Window> windows, const PredictionOptions& options,
                                      const torch::Device& device) {
  CV_CHECK(check(model, panel, calendar, options));
  const torch::NoGradGuard no_grad;
  Parameters parameters = given;
  parameters.to(device);
  const forecasting::ModelConfig& config = model.config();
  const forecasting::WindowShape shape{forecasting::history_length(config), config.forecast_length};
  const bool draws = model.autoregressive() || options.keep_paths;
  const std::int64_t most = std::max<std::int64_t>(1, kMostRows / options.paths);
  const auto at_once = static_cast<std::size_t>(draws ? std::min(options.batch, most) : options.batch);
  torch::Generator generator = generator_for(device, options.seed);

  std::vector<Forecast> all(windows.size());
  for (std::size_t first = 0; first < windows.size(); first += at_once) {
    const std::size_t size = std::min(at_once, windows.size() - first);
    CV_TRY(const auto values, forecasting::cut(panel, shape, calendar, fill, windows.subspan(first, size)));
    const Batch batch = to_batch(values, device);
    const std::span<Forecast> out(all.data() + first, size);
    for (std::size_t i = 0; i < size; ++i) {
      const forecasting::Window& window = windows[first + i];
      const forecasting::PanelSeries& series = panel.series[static_cast<std::size_t>(window.series)];
      out[i].key = series.key;
      out[i].start = series.start + window.start;
      out[i].length = config.forecast_length;
      out[i].channels = config.channels;
    }
    if (draws) {
      const torch::Tensor paths = to_cpu(model.paths(parameters, batch, options.paths, generator) * batch.scale);
      if (model.autoregressive()) take_path_quantiles(paths, out);
      if (options.keep_paths) keep_paths(paths, out);
    }
    if (!model.autoregressive()) {
      Tape tape(parameters, Tape::Keep::nothing);
      take_exact_quantiles(model.forward(tape, batch), batch.scale, out);
    }
    for (const Forecast& forecast : out) {
      if (!is_finite(forecast)) {
        return fail(ErrorKind::bad_data, "series '" + forecast.key +
                                             "': the model has no finite forecast; its weights are not finite, or the "
                                             "values it reads are too large");
      }
    }
  }
  return all;
}

}  // namespace chronoveil::neural
