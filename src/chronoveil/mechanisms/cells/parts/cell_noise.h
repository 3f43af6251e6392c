// Shared by the mechanisms for cells: checks of a request, the share of one cell, and a noisy integer sum.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "chronoveil/mechanisms/cell_mechanism.h"
#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/noise/uniform.h"

namespace chronoveil::mechanisms {

__extension__ typedef __int128 Int128;

// ε > 0, δ in [0, 1), a level in (0, 1), finite bounds lower < upper, places, steps, max_cells, max_records at least 1
// (an m_ub of zero is refused by name), cells and records that are exact as doubles; every parameter known. Cuts
// max_cells to the number of cells, and gives the parameters with defaults filled in.
struct Checked {
  CellShape shape;
  Parameters parameters;
};
Result<Checked> check_request(const CellRequest&, const CellMechanism&);

// The parameters that several mechanisms have.
ParameterInfo m_ub_parameter();      // "optimised" (standard), "median", or a number
ParameterInfo grouping_parameter();  // "best_fit" (standard) or "wrap_around"
ParameterInfo noise_parameter();     // "auto" (standard), "laplace" or "gaussian"

// m_ub as the parameter says: "median", "optimised", or a number (check_request() found it whole and at least 1).
std::int64_t m_ub_of(const CellsPlan&, std::span<const std::uint32_t> counts);

// The plan in which each cell spends what `one_cell(share)` says, and one person is in `touched` cells.
//   δ = 0             the share is ε / touched, rounded down: pure
//   one noise alone   the same: δ would gain next to nothing
//   otherwise         the largest share whose `touched`-fold composition is within (ε, δ); the pure one if that gains
//                     less than a hundredth, or cannot be priced
// The price of the plan's event is at most ε. `one_cell` lists the parts of what happens in a cell that has this share,
// such as {Exponential{share / 2}, Laplace{2 / share}}; the multiplier of its Laplace noise is the plan's.
// Refused: an ε whose noise is beyond what can be drawn (a multiplier outside [2^-40, 2^38]).
Result<CellsPlan> with_shares(const CellRequest&, const CellMechanism&, const Checked&, std::int64_t touched,
                              const std::function<std::vector<accounting::Event>(double share)>& one_cell);

// Refuses a plan whose noise cannot be drawn, before the debit. For callers that change the noise of a plan.
Result<CellsPlan> drawable(CellsPlan);

// How far one person moves all noisy sums of all cells together, in sensitivities of one sum.
struct Influence {
  double l1 = 0, l2 = 0;
};

// The plan of a mechanism that is nothing but noise on sums, each with noise_multiplier over its own sensitivity:
// Laplace or Gaussian as the parameter `noise` says, "auto" being the one with the smaller standard deviation. A person
// moves every sum of at most max_cells cells, unless `joint` says more exactly how far all sums move together.
//   Laplace    shares as above, `sums` times Laplace{sums / share} in a cell; if joint, Laplace{1 / ε} of all cells
//              together, scale l1 / ε: pure
//   Gaussian   needs δ > 0: one Gaussian event of all cells together, its multiplier times l2, which is
//              √(max_cells × sums) unless joint
Result<CellsPlan> with_noise(const CellRequest&, const CellMechanism&, const Checked&,
                             const std::optional<Influence>& joint = std::nullopt);

// (sum + noise) / divisor with noise of scale multiplier × sensitivity, sum and sensitivity in whole steps of the value
// grid. The noise is drawn on the grid of 2^j steps, j the least for which its scale is below 2^39 of them (0 almost
// always); then the sum is rounded to it, floor(x / 2^j + 1/2), and the sensitivity to ceil(sensitivity / 2^j).
// Sensitivity 0: no noise is drawn or taken from a tape. Sums are limited to 2^61 steps of that grid, which takes 2^31
// records in one cell.
struct NoisySum {
  double value = 0;  // (sum + noise) / divisor, in steps
  double scale = 0;  // of the noise / divisor, in steps: exactly what was drawn
};
// j above. Rounding may make a change a larger part of the sensitivity: at most
// ceil(change / 2^j) / ceil(sensitivity / 2^j).
int coarsening(const CellsPlan&, Int128 sensitivity);
// `step`: the value of a step, so that numbers on a tape are noise of the result in units of a value.
Result<NoisySum> noisy_sum(const CellsPlan&, Int128 sum, Int128 sensitivity, double divisor, double step, Draws&);

// A published estimate of lower + steps × step with the interval of its own noise; not yet cut to the bounds.
CellEstimate estimate_of(const CellsPlan&, const NoisySum&, double step);

// The value of one grid step, by the ValueGrid of the plan's bounds.
double step_of(const CellsPlan&);
// U rounded down to whole steps, in units of a value.
double range_of(const CellsPlan&);

// Fills in scale and expected_noise of a mechanism that is nothing but noise on a sum: noise_multiplier × sensitivity,
// and E|noise| = b or σ √(2/π).
CellFacts with_expected_noise(const CellsPlan&, CellFacts);

}  // namespace chronoveil::mechanisms
