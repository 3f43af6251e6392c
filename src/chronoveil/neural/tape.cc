#include "chronoveil/neural/tape.h"

#include <utility>

#include "chronoveil/neural/models/lstm_cell.h"

namespace chronoveil::neural {

struct Tape::Kept {
  struct Role {
    std::size_t parameter;
    Use::Kind kind;
    torch::Tensor input;
  };
  std::vector<Role> roles;
  torch::Tensor gradient;  // undefined until it has come back
};

namespace {

// Operations compute below autograd and put one node of their own into its graph.
using BelowAutograd = at::AutoDispatchBelowADInplaceOrView;

// [B, S, f] with the steps outside in memory, as an LSTM leaves it.
bool time_major(const torch::Tensor& x) {
  return x.dim() == 3 && !x.is_contiguous() && x.transpose(0, 1).is_contiguous();
}

torch::Tensor three_dimensional(const torch::Tensor& x) {
  if (x.dim() == 3) return x;
  const std::int64_t windows = x.size(0), features = x.size(-1);
  std::int64_t places = 1;
  for (std::int64_t i = 1; i + 1 < x.dim(); ++i) places *= x.size(i);
  return x.reshape({windows, places, features});
}

// A product over the last dimension that keeps the order in memory: x M (+ b).
torch::Tensor product(const torch::Tensor& x, const torch::Tensor& matrix, const torch::Tensor& bias = {}) {
  if (time_major(x)) return product(x.transpose(0, 1), matrix, bias).transpose(0, 1);
  std::vector<std::int64_t> sizes = x.sizes().vec();
  const std::int64_t in = sizes.back(), out = matrix.size(1);
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) rows *= sizes[i];
  const torch::Tensor flat = x.reshape({rows, in});
  sizes.back() = out;
  return (bias.defined() ? at::addmm(bias, flat, matrix) : at::mm(flat, matrix)).view(sizes);
}

}  // namespace

// The backward pass of an operation with one weight: keeps the gradient, passes on what `back` makes of it.
class Tape::Weighted : public torch::autograd::Node {
 public:
  using Back = torch::Tensor (*)(const torch::Tensor& gradient, const torch::Tensor& weight);
  Weighted(std::shared_ptr<Kept> kept, torch::Tensor weight, Back back)
      : kept_(std::move(kept)), weight_(std::move(weight)), back_(back) {}
  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
    const BelowAutograd below;
    const torch::Tensor& gradient = gradients[0];
    if (!gradient.defined()) return {torch::Tensor()};
    kept_->gradient = gradient;
    if (!task_should_compute_output(0)) return {torch::Tensor()};
    return {back_(gradient, weight_)};
  }

 private:
  std::shared_ptr<Kept> kept_;
  torch::Tensor weight_;
  Back back_;
};

// One layer of an LSTM, time-major inside: what the backward pass needs, and the backward pass.
class Tape::Lstm : public torch::autograd::Node {
 public:
  Lstm(torch::Tensor input_weight, torch::Tensor recurrent_weight)
      : input_weight_(std::move(input_weight)), recurrent_weight_(std::move(recurrent_weight)) {}

  // x [S, B, in] -> h of the step before the first and of every step, [S + 1, B, H].
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& bias, State* state) {
    gates_ = product(x, input_weight_.t(), bias);
    const std::int64_t steps = x.size(0), windows = x.size(1), units = recurrent_weight_.size(1);
    const bool from_zero = state == nullptr || !state->hidden.defined();
    first_ = from_zero ? at::zeros({windows, units}, x.options()) : state->hidden.detach();
    const torch::Tensor cell = from_zero ? first_ : state->cell.detach().contiguous();
    const torch::Tensor hidden = x.is_cuda() ? forward_cuda(steps, cell) : forward_cpu(steps, cell, from_zero);
    if (state != nullptr) *state = {hidden[steps], cells_.back()};
    return hidden;
  }

  void keep(std::shared_ptr<Kept> kept) { kept_ = std::move(kept); }

  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
    const BelowAutograd below;
    if (!gradients[0].defined()) return {torch::Tensor()};
    TORCH_CHECK(gates_.defined(), "a tape goes back once");
    const torch::Tensor hidden_gradient = gradients[0].transpose(0, 1).contiguous();
    const torch::Tensor gates =
        hidden_gradient.is_cuda() ? backward_cuda(hidden_gradient) : backward_cpu(hidden_gradient);
    gates_ = torch::Tensor();
    kept_->gradient = gates.transpose(0, 1);
    if (!task_should_compute_output(0)) return {torch::Tensor()};
    return {product(gates, input_weight_).transpose(0, 1)};
  }

  void release_variables() override {
    gates_ = torch::Tensor();
    cells_.clear();
    tanh_cells_.clear();
    activations_.clear();
  }

 private:
  torch::Tensor forward_cpu(std::int64_t steps, const torch::Tensor& cell, bool from_zero) {
    const std::int64_t windows = first_.size(0), units = first_.size(1), stride = windows * units;
    torch::Tensor hidden = at::empty({steps + 1, windows, units}, first_.options());
    hidden[0].copy_(first_);
    // The last cell is also the next state, which must not keep all the others alive.
    torch::Tensor tanh_cells = at::empty({steps, windows, units}, first_.options());
    cells_.push_back(cell);
    const torch::Tensor recurrent = recurrent_weight_.t();
    for (std::int64_t s = 0; s < steps; ++s) {
      torch::Tensor gates = gates_[s];
      if (s > 0 || !from_zero) gates.addmm_(hidden[s], recurrent);
      cells_.push_back(at::empty({windows, units}, first_.options()));
      lstm_cell_forward({.gates = gates.data_ptr<float>(),
                         .before = cells_[static_cast<std::size_t>(s)].data_ptr<float>(),
                         .cell = cells_.back().data_ptr<float>(),
                         .tanh_cell = tanh_cells.data_ptr<float>() + s * stride,
                         .hidden = hidden.data_ptr<float>() + (s + 1) * stride},
                        windows, units);
    }
    tanh_cells_ = {tanh_cells};
    return hidden;
  }

  torch::Tensor backward_cpu(const torch::Tensor& hidden_gradient) {
    const std::int64_t steps = gates_.size(0), windows = first_.size(0), units = first_.size(1);
    torch::Tensor cell_gradient = at::zeros({windows, units}, first_.options());
    torch::Tensor arriving = at::empty({windows, units}, first_.options());
    for (std::int64_t s = steps - 1; s >= 0; --s) {
      if (s + 1 < steps) {
        at::addmm_out(arriving, hidden_gradient[s], gates_[s + 1], recurrent_weight_);
      } else {
        arriving.copy_(hidden_gradient[s]);
      }
      lstm_cell_backward({.gates = gates_[s].data_ptr<float>(),
                          .before = cells_[static_cast<std::size_t>(s)].data_ptr<float>(),
                          .tanh_cell = tanh_cells_[0].data_ptr<float>() + s * windows * units,
                          .hidden_gradient = arriving.data_ptr<float>(),
                          .cell_gradient = cell_gradient.data_ptr<float>()},
                         windows, units);
    }
    return gates_;
  }

  // Two kernels per step: a product, and libtorch's fused cell.
  torch::Tensor forward_cuda(std::int64_t steps, const torch::Tensor& cell) {
    std::vector<torch::Tensor> hidden{first_};
    cells_.push_back(cell);
    const torch::Tensor recurrent = recurrent_weight_.t();
    for (std::int64_t s = 0; s < steps; ++s) {
      auto [next, next_cell, activations] =
          at::_thnn_fused_lstm_cell(gates_[s], at::mm(hidden.back(), recurrent), cells_.back());
      hidden.push_back(next);
      cells_.push_back(next_cell);
      activations_.push_back(activations);
    }
    return at::stack(hidden);
  }

  torch::Tensor backward_cuda(const torch::Tensor& hidden_gradient) {
    const std::size_t steps = activations_.size();
    std::vector<torch::Tensor> gates(steps);
    torch::Tensor cell_gradient;
    for (std::size_t s = steps; s-- > 0;) {
      const torch::Tensor own = hidden_gradient[static_cast<std::int64_t>(s)];
      const torch::Tensor arriving = s + 1 < steps ? at::addmm(own, gates[s + 1], recurrent_weight_) : own;
      std::tie(gates[s], cell_gradient, std::ignore) = at::_thnn_fused_lstm_cell_backward_impl(
          arriving, cell_gradient, cells_[s], cells_[s + 1], activations_[s], /*has_bias=*/false);
    }
    return at::stack(gates);
  }

  torch::Tensor input_weight_, recurrent_weight_, first_;
  torch::Tensor gates_;  // [S, B, 4H]: before the activations, then after, then their gradient
  std::vector<torch::Tensor> cells_, tanh_cells_, activations_;
  std::shared_ptr<Kept> kept_;
};

// A node gets a gradient even if x needs none: its uses need it.
void Tape::record(torch::Tensor& output, const torch::Tensor& x, std::shared_ptr<torch::autograd::Node> node,
                  std::shared_ptr<Kept> kept) {
  node->set_next_edges(torch::autograd::collect_next_edges(x));
  torch::autograd::create_gradient_edge(output, std::move(node));
  kept_.push_back(std::move(kept));
}

torch::Tensor Tape::linear(std::size_t weight, std::size_t bias, const torch::Tensor& x) {
  torch::Tensor z;
  const torch::Tensor& matrix = parameters_[weight].value;
  {
    const BelowAutograd below;
    z = product(x, matrix.t(), parameters_[bias].value);
  }
  if (keep_ == Keep::nothing) return z;
  auto kept = std::make_shared<Kept>();
  kept->roles = {{weight, Use::Kind::product, x.detach()}, {bias, Use::Kind::sum, {}}};
  const auto back = [](const torch::Tensor& gradient, const torch::Tensor& w) { return product(gradient, w); };
  record(z, x, std::make_shared<Weighted>(kept, matrix, back), kept);
  return z;
}

torch::Tensor Tape::layer_norm(std::size_t gain, std::size_t shift, const torch::Tensor& x) {
  const torch::Tensor normal = torch::layer_norm(x, {x.size(-1)});
  const torch::Tensor& scale = parameters_[gain].value;
  torch::Tensor z;
  {
    const BelowAutograd below;
    z = at::addcmul(parameters_[shift].value, normal, scale);
  }
  if (keep_ == Keep::nothing) return z;
  auto kept = std::make_shared<Kept>();
  kept->roles = {{gain, Use::Kind::elementwise, normal.detach()}, {shift, Use::Kind::sum, {}}};
  const auto back = [](const torch::Tensor& gradient, const torch::Tensor& w) { return gradient * w; };
  record(z, normal, std::make_shared<Weighted>(kept, scale, back), kept);
  return z;
}

torch::Tensor Tape::lstm(std::size_t input_weight, std::size_t recurrent_weight, std::size_t bias,
                         const torch::Tensor& x, State* state) {
  auto layer = std::make_shared<Lstm>(parameters_[input_weight].value, parameters_[recurrent_weight].value);
  torch::Tensor output, input, before;
  {
    const BelowAutograd below;
    const std::int64_t steps = x.size(1);
    const torch::Tensor time_first = x.detach().transpose(0, 1).contiguous();
    const torch::Tensor hidden = layer->forward(time_first, parameters_[bias].value, state);
    input = time_first.transpose(0, 1);
    before = hidden.narrow(0, 0, steps).transpose(0, 1);
    output = hidden.narrow(0, 1, steps).transpose(0, 1);
  }
  if (keep_ == Keep::nothing) return output;
  auto kept = std::make_shared<Kept>();
  kept->roles = {{input_weight, Use::Kind::product, input},
                 {recurrent_weight, Use::Kind::product, before},
                 {bias, Use::Kind::sum, {}}};
  layer->keep(kept);
  record(output, x, std::move(layer), kept);
  return output;
}

std::vector<Tape::Use> Tape::uses() const {
  std::vector<Use> all;
  for (const std::shared_ptr<Kept>& kept : kept_) {
    if (!kept->gradient.defined()) continue;
    const torch::Tensor gradient = three_dimensional(kept->gradient);
    for (const Kept::Role& role : kept->roles) {
      all.push_back(
          {role.parameter, role.kind, role.input.defined() ? three_dimensional(role.input) : role.input, gradient});
    }
  }
  return all;
}

}  // namespace chronoveil::neural
