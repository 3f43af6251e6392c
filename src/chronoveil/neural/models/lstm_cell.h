// The element-wise part of one step of an LSTM layer, for B windows and H units, on contiguous memory of the CPU.
//   i, f, o = σ(a_i), σ(a_f), σ(a_o);  g = tanh(a_g);  c = f c' + i g;  h = o tanh(c)
// Gates lie in the order i, f, g, o.
// σ and tanh are within 4 units in the last place of a float; NaN stays NaN, within its window only.
#pragma once

#include <cstdint>

namespace chronoveil::neural {

// `gates` [B, 4H] goes from a to (i, f, g, o) in place; `before` is c'. `tanh_cell` keeps tanh(c) for LstmBackward.
struct LstmForward {
  float* gates;
  const float* before;
  float *cell, *tanh_cell, *hidden;
};
void lstm_cell_forward(const LstmForward&, std::int64_t windows, std::int64_t units);

// `gates` goes from (i, f, g, o) to the gradient of a in place; `cell_gradient` from that of c to that of c'.
struct LstmBackward {
  float* gates;
  const float *before, *tanh_cell, *hidden_gradient;
  float* cell_gradient;
};
void lstm_cell_backward(const LstmBackward&, std::int64_t windows, std::int64_t units);

}  // namespace chronoveil::neural
