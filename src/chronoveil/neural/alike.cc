#include "chronoveil/neural/alike.h"

#include <algorithm>

#include "chronoveil/forecasting/model_config.h"
#include "chronoveil/neural/clipping.h"

namespace chronoveil::neural {
namespace {

Batch in_order(const Batch& batch, const torch::Tensor& order) {
  const auto taken = [&](const torch::Tensor& x) { return x.index_select(0, order); };
  return {taken(batch.context),         taken(batch.context_observed), taken(batch.target),
          taken(batch.target_observed), taken(batch.calendar),         taken(batch.scale)};
}

// Windows of no data at all.
Batch made_up(const forecasting::ModelConfig& config, std::int64_t windows, const torch::Device& device) {
  const torch::Generator random = at::detail::createCPUGenerator(20260301);
  const std::int64_t context = forecasting::history_length(config), forecast = config.forecast_length;
  const auto values = [&](std::int64_t steps, std::int64_t features) {
    return torch::randn({windows, steps, features}, random);
  };
  const auto observed = [&](std::int64_t steps) {
    return torch::rand({windows, steps, config.channels}, random).gt(0.1).to(torch::kFloat32);
  };
  Batch batch{values(context, config.channels),
              observed(context),
              values(forecast, config.channels),
              observed(forecast),
              values(context + forecast, config.covariates),
              1 + values(1, config.channels).abs()};
  for (torch::Tensor* each :
       {&batch.context, &batch.context_observed, &batch.target, &batch.target_observed, &batch.calendar, &batch.scale})
    *each = each->to(device);
  return batch;
}

// Initial weights are zero in places, and zeros hide how products are rounded.
Parameters made_up(const Model& model, const torch::Device& device) {
  Parameters parameters = model.initial(1);
  const torch::Generator random = at::detail::createCPUGenerator(20260302);
  std::vector<torch::Tensor> flat;
  for (std::size_t i = 0; i < parameters.count(); ++i)
    flat.push_back(parameters[i].value.detach().reshape({-1}) +
                   0.1 * torch::randn({parameters[i].value.numel()}, random));
  parameters.set_flat(torch::cat(flat));
  parameters.to(device);
  return parameters;
}

}  // namespace

bool computes_alike(const RowsOf& rows_of, const Batch& batch) {
  const std::int64_t windows = batch.size();
  const torch::Tensor first = torch::arange(windows, torch::kInt64);
  const std::vector<torch::Tensor> straight = rows_of(batch);
  for (const torch::Tensor& order :
       {first.flip(0), first.roll(1), torch::randperm(windows, at::detail::createCPUGenerator(3), torch::kInt64)}) {
    const torch::Tensor on_device = order.to(batch.context.device());
    const std::vector<torch::Tensor> turned = rows_of(in_order(batch, on_device));
    for (std::size_t i = 0; i < straight.size(); ++i)
      if (!torch::equal(straight[i].index_select(0, on_device), turned[i])) return false;
  }
  return true;
}

std::vector<torch::Tensor> rows_of(const Model& model, const Parameters& parameters, const Batch& batch) {
  Tape tape(parameters, Tape::Keep::uses);
  model.loss(tape, batch).sum().backward();
  std::vector<torch::Tensor> rows;
  for (const Tape::Use& use : tape.uses()) {
    rows.push_back(use.gradient);
    if (use.input.defined()) rows.push_back(use.input);
  }
  rows.push_back(sum_of_clipped(tape, 1, {.counted = {}, .in_double = true}).norms);
  return rows;
}

std::int64_t alike_piece(const Model& model, std::int64_t most, const torch::Device& device) {
  const Parameters parameters = made_up(model, device);
  const RowsOf rows = [&](const Batch& batch) { return rows_of(model, parameters, batch); };
  const auto alike = [&](std::int64_t windows) {
    return computes_alike(rows, made_up(model.config(), windows, device));
  };
  for (std::int64_t whole = most; whole > 1; whole /= 2) {
    if (alike(whole)) return whole;
    const std::int64_t less = whole - whole / 4;
    if (less < whole && alike(less)) return less;
  }
  return 1;
}

}  // namespace chronoveil::neural
