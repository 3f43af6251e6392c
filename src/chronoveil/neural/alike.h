// How many windows to compute at once so that each comes out the same, to the last bit, wherever it stands among them.
//
// Where neighbours draw batches of different sizes, one window more moves all that come after it to other places. The
// price takes it that their own gradients stay what they were. Whether they do is up to the matrix products of the
// machine: many a library computes the rows that a tile does not hold by other instructions, which round differently.
// Which rows those are depends on shapes and on the processor, never on the values. So before a training starts,
// made-up windows are computed in several orders, by the model itself and in pieces of the very size, and the largest
// size for which no bit depends on the order is taken. One window at a time always passes.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "chronoveil/neural/models/model.h"

namespace chronoveil::neural {

// What comes of a batch, one row per window.
using RowsOf = std::function<std::vector<torch::Tensor>(const Batch&)>;

// Whether the rows of every window are equal bit by bit in several orders of the batch.
bool computes_alike(const RowsOf&, const Batch&);

// All that a clipped sum is made of: what went into each operation, what came back, and the norms.
std::vector<torch::Tensor> rows_of(const Model&, const Parameters&, const Batch&);

// The largest of most, 3/4 most, 1/2 most, 3/8 most, ..., 1 that this machine computes alike. most >= 1.
std::int64_t alike_piece(const Model&, std::int64_t most, const torch::Device&);

}  // namespace chronoveil::neural
