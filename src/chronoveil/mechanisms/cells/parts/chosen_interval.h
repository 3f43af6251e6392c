// Shared by the mechanisms that choose an interval [a, b] of values privately, and then release the mean of the array
// means clamped to it.
//   Choice    log weights −rate × distance, where new values of one user move a distance by at most 1: the weights of
//             two neighbours differ by at most ±rate, so the choice has bounded range 2 rate    [DongDurfeeRogers20]
//   Rounding  log weights end at kLeastLogWeight. That moves the weights of two neighbours no further apart and keeps
//             the rounding error of doubles below kLogWeightError, whatever the data; it shows only if every candidate
//             is more than 65536 / rate array means away. The error is charged (exponential_choice.h) and paid for by
//             the noise
//   Sum       Σ clamp(A_i, a, b) moves by at most b − a steps, exactly: a = b is released without noise
//   Share     of a cell: `part` and a charge for every choice, the rest for Laplace noise
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chronoveil/mechanisms/cell_mechanism.h"
#include "chronoveil/mechanisms/cells/parts/grouping.h"
#include "chronoveil/mechanisms/draws.h"

namespace chronoveil::mechanisms {

inline constexpr double kLeastLogWeight = -0x1p16;
// Two roundings, of a distance and of its product with the rate, are less than 2^-51 of the result.
inline constexpr double kLogWeightError = 0x1p-35;

// max(−rate × distance, kLeastLogWeight), for a rate > 0 and a distance >= 0
double log_weight(double rate, double distance);

// The choices in one cell.
struct Choices {
  std::int64_t count = 1;
  double part = 0;    // of the share, for each; count × part is 1/2
  double charge = 0;  // of each, in ε
  double times = 1;   // what a choice really spends, in parts: above 1 if a paper counts too little
};

// Prepares a mechanism that makes these choices; with `times` other than 1 the price is as published, while the event
// says what really happens. Refused: grouping = "wrap_around", and an ε so small that the charges would take more than
// a quarter of a cell's share.
Result<CellsPlan> with_choices(const CellRequest&, const CellMechanism&, const Choices&);

// Checks that what is chosen is what the event says (`count` choices per cell, by log weights that fall by `rate` per
// unit of distance): a plan that was tampered with is not run.
Result<void> check_choices(const CellsPlan&, std::int64_t count, double rate, double charge);

// In whole steps, a <= b.
struct Interval {
  std::int64_t a = 0, b = 0;
};

// The arrays of one cell, and their largest length.
struct Arrays {
  std::int64_t m_ub = 0;
  BestFit grouped;

  std::int64_t count() const { return static_cast<std::int64_t>(grouped.fills.size()); }  // K̄
};
Arrays arrays_of(const CellsPlan&, UserCounts);

// Σ clamp(A_i, a, b)
std::int64_t clamped_sum(std::span<const std::uint32_t> means, const Interval&);

// (clamped_sum + noise) / K̄
Result<CellEstimate> release_clamped(const CellsPlan&, std::span<const std::uint32_t> means, const Interval&, Draws&);

// The facts of a cell whose clamped mean moves by at most `widest` steps / K̄, in a typical run by `expected`.
CellFacts facts_of(const CellsPlan&, Arrays, std::int64_t users, double widest, double expected);

// U of the plan's bounds, in steps.
Result<std::int64_t> upper_steps(const CellsPlan&);

}  // namespace chronoveil::mechanisms
