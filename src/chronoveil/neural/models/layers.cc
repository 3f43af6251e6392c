#include "chronoveil/neural/models/layers.h"

#include <cmath>

#include "chronoveil/base/bit_source.h"

namespace chronoveil::neural {
namespace {

double reach(std::int64_t fan_in) { return 1 / std::sqrt(static_cast<double>(fan_in)); }
double inverse_softplus(double y) { return std::log(std::expm1(y)); }

}  // namespace

std::size_t Layout::add(Start start) {
  starts_.push_back(std::move(start));
  return starts_.size() - 1;
}

Linear Layout::linear(const std::string& name, std::int64_t in, std::int64_t out) {
  const std::size_t weight = add({name + ".weight", {out, in}, reach(in)});
  return {weight, add({name + ".bias", {out}, reach(in)})};
}

LayerNorm Layout::layer_norm(const std::string& name, std::int64_t features) {
  const std::size_t gain = add({name + ".gain", {features}, 0, {1}});
  return {gain, add({name + ".shift", {features}, 0})};
}

Lstm Layout::lstm(const std::string& name, std::int64_t in, std::int64_t hidden) {
  const std::size_t input = add({name + ".input_weight", {4 * hidden, in}, reach(hidden)});
  const std::size_t recurrent = add({name + ".recurrent_weight", {4 * hidden, hidden}, reach(hidden)});
  return {input, recurrent, add({name + ".bias", {4 * hidden}, reach(hidden)})};
}

Linear Layout::student_t_head(const std::string& name, std::int64_t in, std::int64_t laws,
                              const forecasting::ModelConfig& config) {
  const bool seasonal = config.season > 0;
  const std::size_t weight = add({name + ".weight", {3 * laws, in}, seasonal ? 0 : reach(in)});
  const double scale = seasonal ? config.spread : 1;
  return {weight, add({name + ".bias", {3 * laws}, 0, {0, inverse_softplus(scale), inverse_softplus(3)}})};
}

std::vector<ParameterShape> Layout::shapes() const {
  std::vector<ParameterShape> all;
  for (const Start& start : starts_) all.push_back({start.name, start.shape});
  return all;
}

Parameters Layout::initial(std::uint64_t seed) const {
  BitSource bits = BitSource::with_seed(seed);
  Parameters all;
  for (const Start& start : starts_) {
    const torch::Tensor value = torch::empty(start.shape, torch::kFloat32);
    float* out = value.data_ptr<float>();
    const std::int64_t part = value.numel() / static_cast<std::int64_t>(start.centres.size());
    for (std::int64_t i = 0; i < value.numel(); ++i) {
      double x = start.centres[static_cast<std::size_t>(i / part)];
      if (start.spread > 0) x += start.spread * (std::ldexp(static_cast<double>(bits.next_u64() >> 40), -23) - 1);
      out[i] = static_cast<float>(x);
    }
    all.add(start.name, value);
  }
  return all;
}

StudentT LayeredModel::around_season(StudentT law, const Batch& batch) const {
  if (config_.season == 0) return law;
  const torch::Tensor last = batch.context.narrow(1, batch.context.size(1) - config_.season, config_.season);
  const std::int64_t times = (config_.forecast_length + config_.season - 1) / config_.season;
  law.location = law.location + last.repeat({1, times, 1}).narrow(1, 0, config_.forecast_length);
  return law;
}

}  // namespace chronoveil::neural
