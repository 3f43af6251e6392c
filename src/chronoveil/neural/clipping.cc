#include "chronoveil/neural/clipping.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "chronoveil/neural/window_kernels.h"

namespace chronoveil::neural {
namespace {

using Use = Tape::Use;

constexpr std::int64_t kRun = 64;    // squares added in float
constexpr double kHuge = 0x1p126;    // of a square
constexpr double kLeast = 0x1p-126;  // the least normal float
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnit = 0x1p-24;                         // u
constexpr std::int64_t kBytes = std::int64_t{256} << 20;  // of gradients formed at a time on a device

double gamma(double n, double unit = kUnit) { return n * unit / (1 - n * unit); }
double eta_factor() { return (1 + kUnit) * (1 + 0x1p-40) / (1 - gamma(kRun + 3)); }  // 1 + η

// One parameter and all its uses.
struct Slot {
  std::size_t parameter = 0;
  std::vector<Use> uses;
  // One use of a weight in one place: a window's gradient is the product of two vectors and need not be formed.
  bool outer() const { return uses.size() == 1 && uses[0].kind == Use::Kind::product && uses[0].gradient.size(1) == 1; }
};

std::vector<Slot> by_parameter(const Tape& tape) {
  std::vector<Slot> all(tape.parameters().count());
  for (Use& use : tape.uses()) {
    all[use.parameter].parameter = use.parameter;
    all[use.parameter].uses.push_back(std::move(use));
  }
  std::erase_if(all, [](const Slot& slot) { return slot.uses.empty(); });
  return all;
}

// Σ_s over the places of each window, into `formed` [n, numbers of the parameter].
void form(const Slot& slot, const torch::Tensor& value, std::int64_t first, std::int64_t count, torch::Tensor formed) {
  bool empty = true;
  for (const Use& use : slot.uses) {
    const torch::Tensor gradient = use.gradient.narrow(0, first, count);
    if (use.kind == Use::Kind::product) {
      torch::Tensor matrices = formed.view({count, value.size(0), value.size(1)});
      const torch::Tensor left = gradient.transpose(1, 2), right = use.input.narrow(0, first, count);
      if (empty) {
        at::bmm_out(matrices, left, right);
      } else {
        matrices.baddbmm_(left, right);
      }
    } else {
      const bool sum = use.kind == Use::Kind::sum;
      const torch::Tensor terms = sum ? gradient : gradient * use.input.narrow(0, first, count);
      const torch::Tensor vectors = terms.size(1) == 1 ? terms.select(1, 0) : terms.sum(1);
      if (empty) {
        formed.copy_(vectors);
      } else {
        formed.add_(vectors);
      }
    }
    empty = false;
  }
}

// ‖row‖² in float64 of a matrix of floats; infinite from kHuge on and if it is NaN. On the CPU added in double, in
// eight sums that vectorise; elsewhere in float over runs of kRun if that divides the width, else in double, too.
torch::Tensor squares(const torch::Tensor& rows) {
  const std::int64_t count = rows.size(0), width = rows.size(1);
  if (!rows.is_cpu()) {
    const torch::Tensor sums = width % kRun == 0
                                   ? at::linalg_vector_norm(rows.reshape({count, width / kRun, kRun}), 2, {2})
                                         .to(torch::kFloat64)
                                         .square()
                                         .sum(1)
                                   : rows.to(torch::kFloat64).square().sum(1);
    return at::where(sums < kHuge, sums, kInfinity);
  }
  const torch::Tensor readable = rows.stride(1) == 1 ? rows : rows.contiguous();
  torch::Tensor sums = at::empty({count}, rows.options().dtype(torch::kFloat64));
  for (std::int64_t b = 0; b < count; ++b) {
    const double sum = sum_of_squares(readable.data_ptr<float>() + b * readable.stride(0), width);
    sums.data_ptr<double>()[b] = sum < kHuge ? sum : kInfinity;
  }
  return sums;
}

// Which windows to leave out, [n, 1]; undefined if there are none and asking needs no wait for a device.
torch::Tensor left_out(const torch::Tensor& squared) {
  const torch::Tensor dropped = (squared == kInfinity).unsqueeze(1);
  return squared.is_cpu() && !dropped.any().item<bool>() ? torch::Tensor() : dropped;
}

// The norm of each window's gradient, and its factor.
struct Measures {
  torch::Tensor squared, factor;  // [B], float64 and float32
  double bound;
  std::int64_t counted;  // later windows are padding

  void decide(std::int64_t first, std::int64_t count) {
    torch::Tensor square = squared.narrow(0, first, count);
    square.copy_(at::where(square < kHuge, square, kInfinity));                       // infinity times 0 is NaN
    factor.narrow(0, first, count).copy_(at::clamp_max(bound / square.sqrt(), 1.0));  // bound / inf = 0
    const std::int64_t padding = std::clamp<std::int64_t>(counted - first, 0, count);
    factor.narrow(0, first + padding, count - padding).zero_();
  }
  // The same for one window on the CPU, given the square of its formed gradients.
  float decided(std::int64_t window, double formed) {
    double& square = squared.data_ptr<double>()[window];
    square += formed;
    if (!(square < kHuge)) square = kInfinity;
    const double factor_of_window = window < counted ? std::min(bound / std::sqrt(square), 1.0) : 0.0;
    return factor.data_ptr<float>()[window] = static_cast<float>(factor_of_window);
  }
};

// The parameters whose gradients are formed, side by side.
struct Formed {
  const std::vector<Slot>& slots;
  const Parameters& parameters;

  template <class Work>
  std::int64_t each(const Work& work) const {  // work(slot, value, column); how many numbers they are
    std::int64_t column = 0;
    for (const Slot& slot : slots) {
      if (slot.outer()) continue;
      const torch::Tensor& value = parameters[slot.parameter].value;
      work(slot, value, column);
      column += value.numel();
    }
    return column;
  }
};

// Σ factor · gradient in pieces of many windows, as devices like it.
torch::Tensor sum_in_pieces(const Formed& wanted, std::int64_t width, at::ScalarType number, Measures& measures) {
  const torch::TensorOptions floats = measures.factor.options();
  const std::int64_t windows = measures.factor.size(0), padded = (width + kRun - 1) / kRun * kRun;
  const std::int64_t chunk = std::clamp<std::int64_t>(kBytes / (4 * padded), 1, windows);
  const torch::Tensor buffer = at::zeros({chunk, padded}, floats);
  torch::Tensor sum = at::zeros({padded}, floats.dtype(number));
  for (std::int64_t first = 0; first < windows; first += chunk) {
    const std::int64_t count = std::min(chunk, windows - first);
    torch::Tensor formed = buffer.narrow(0, 0, count);
    wanted.each([&](const Slot& slot, const torch::Tensor& value, std::int64_t column) {
      form(slot, value, first, count, formed.narrow(1, column, value.numel()));
    });
    measures.squared.narrow(0, first, count).add_(squares(formed));
    measures.decide(first, count);
    const torch::Tensor dropped = left_out(measures.squared.narrow(0, first, count));
    if (dropped.defined()) formed.masked_fill_(dropped, 0);  // 0 times NaN is not 0
    sum.addmv_(formed.t().to(number), measures.factor.narrow(0, first, count).to(number));
  }
  return sum;
}

PlacedUse placed(const Use& use, std::int64_t offset, bool first, std::vector<torch::Tensor>& alive) {
  const auto floats = [&](const torch::Tensor& x) -> PlacedFloats {
    if (!x.defined()) return {};
    alive.push_back(x.stride(2) == 1 ? x : x.contiguous());
    return {alive.back().data_ptr<float>(), alive.back().stride(0), alive.back().stride(1)};
  };
  return {.kind = use.kind,
          .gradient = floats(use.gradient),
          .input = floats(use.input),
          .places = use.gradient.size(1),
          .out = use.gradient.size(2),
          .in = use.kind == Use::Kind::product ? use.input.size(2) : 1,
          .offset = offset,
          .first = first};
}

// Σ factor · gradient one window after the other, as a processor's cache likes it.
torch::Tensor sum_one_by_one(const Formed& wanted, std::int64_t width, at::ScalarType number, Measures& measures) {
  std::vector<PlacedUse> uses;
  std::vector<torch::Tensor> alive;
  wanted.each([&](const Slot& slot, const torch::Tensor&, std::int64_t column) {
    for (const Use& use : slot.uses) uses.push_back(placed(use, column, &use == slot.uses.data(), alive));
  });
  std::vector<float> formed(static_cast<std::size_t>(width)), scratch(static_cast<std::size_t>(scratch_for(uses)));
  torch::Tensor sum = at::zeros({width}, measures.factor.options().dtype(number));
  for (std::int64_t window = 0; window < measures.factor.size(0); ++window) {
    form_gradient(uses, window, formed.data(), scratch.data());
    const float factor = measures.decided(window, sum_of_squares(formed.data(), width));
    if (factor == 0.0F) continue;  // 0 times NaN is not 0
    if (number == torch::kFloat64) {
      add_multiple(factor, formed.data(), width, sum.data_ptr<double>());
    } else {
      add_multiple(factor, formed.data(), width, sum.data_ptr<float>());
    }
  }
  return sum;
}

}  // namespace

ClippedSum sum_of_clipped(const Tape& tape, double bound, const Summation& summation) {
  const torch::NoGradGuard no_grad;
  at::globalContext().setAllowTF32CuBLAS(false);
  const Parameters& parameters = tape.parameters();
  const std::vector<Slot> slots = by_parameter(tape);
  const torch::TensorOptions floats =
      parameters.count() > 0 ? parameters[0].value.options() : torch::TensorOptions().dtype(torch::kFloat32);
  const auto number = summation.in_double ? torch::kFloat64 : torch::kFloat32;
  torch::Tensor sum = at::zeros({parameters.size()}, floats.dtype(number));
  const std::int64_t windows = slots.empty() ? 0 : slots[0].uses[0].gradient.size(0);
  torch::Tensor squared = at::zeros({windows}, floats.dtype(torch::kFloat64));
  if (windows == 0) return {sum, squared};

  squared.add_(kLeast * static_cast<double>(parameters.size()));
  for (const Slot& slot : slots)
    if (slot.outer())
      squared.add_(squares(slot.uses[0].gradient.select(1, 0)) * squares(slot.uses[0].input.select(1, 0)));

  Measures measures{squared, at::empty({windows}, floats), bound, summation.counted.value_or(windows)};
  const Formed formed{slots, parameters};
  const std::int64_t width = formed.each([](const Slot&, const torch::Tensor&, std::int64_t) {});
  if (width == 0) {
    measures.decide(0, windows);
  } else {
    const torch::Tensor all =
        sum.is_cpu() ? sum_one_by_one(formed, width, number, measures) : sum_in_pieces(formed, width, number, measures);
    formed.each([&](const Slot& slot, const torch::Tensor& value, std::int64_t column) {
      sum.narrow(0, parameters.offset(slot.parameter), value.numel()).copy_(all.narrow(0, column, value.numel()));
    });
  }

  const torch::Tensor dropped = left_out(squared), factors = measures.factor.unsqueeze(1);
  for (const Slot& slot : slots) {
    if (!slot.outer()) continue;
    const torch::Tensor& value = parameters[slot.parameter].value;
    torch::Tensor left = slot.uses[0].gradient.select(1, 0) * factors;
    torch::Tensor right = slot.uses[0].input.select(1, 0);
    if (dropped.defined()) {
      left = left.masked_fill(dropped, 0);
      right = right.masked_fill(dropped, 0);
    }
    torch::Tensor matrix = sum.narrow(0, parameters.offset(slot.parameter), value.numel()).view(value.sizes());
    at::mm_out(matrix, left.t().to(number), right.to(number));
  }
  return {sum, squared.sqrt_().narrow(0, 0, measures.counted)};
}

torch::Tensor sum_of_gradients(const Tape& tape) {
  const torch::NoGradGuard no_grad;
  const Parameters& parameters = tape.parameters();
  const torch::TensorOptions floats =
      parameters.count() > 0 ? parameters[0].value.options() : torch::TensorOptions().dtype(torch::kFloat32);
  torch::Tensor sum = at::zeros({parameters.size()}, floats);
  for (const Use& use : tape.uses()) {
    // The sum goes over windows and places, in whichever order they lie in memory.
    const bool time_major = !use.gradient.is_contiguous() && use.gradient.transpose(0, 1).is_contiguous();
    const auto flat = [&](const torch::Tensor& x) {
      const std::int64_t rows = x.size(0) * x.size(1), features = x.size(2);
      return (time_major ? x.transpose(0, 1) : x).reshape({rows, features});
    };
    const torch::Tensor& value = parameters[use.parameter].value;
    torch::Tensor part = sum.narrow(0, parameters.offset(use.parameter), value.numel());
    if (use.kind == Use::Kind::product) {
      part.view(value.sizes()).addmm_(flat(use.gradient).t(), flat(use.input));
    } else if (use.kind == Use::Kind::sum) {
      part.add_(flat(use.gradient).sum(0));
    } else {
      part.add_((flat(use.gradient) * flat(use.input)).sum(0));
    }
  }
  return sum;
}

double float_margin(const Parameters& parameters, std::int64_t windows) {
  const auto count = static_cast<double>(windows);
  if ((count + 1) * kUnit >= 0.5) return std::numeric_limits<double>::infinity();
  const double norm = eta_factor();
  const double sum = 1 + gamma(count + 1) * count;
  const double tiny = (count + 1) * std::sqrt(static_cast<double>(parameters.size())) * 0x1p-32;
  return (norm * sum - 1 + tiny) * (1 + 0x1p-40);
}

double norm_factor(const Parameters& parameters) {
  return (eta_factor() + std::sqrt(static_cast<double>(parameters.size())) * 0x1p-32) * (1 + 0x1p-40);
}

double double_margin(std::int64_t windows) {
  const auto count = static_cast<double>(windows);
  // Pieces of a batch, at most as many as windows, are added up once more; and the sum is put on a grid.
  const double terms = 2 * count + 4;
  return terms * 0x1p-53 >= 0.5 ? std::numeric_limits<double>::infinity() : gamma(terms, 0x1p-53) * count;
}

}  // namespace chronoveil::neural
