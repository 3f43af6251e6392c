// The interface of every mechanism for means per place and slot: prepared from public facts, run once with draws that
// prove a debit. Each is one row of catalogue.h. No data type is named here, so that a plan can include this.
//
// All of them release, for every cell, a sum in integers plus noise, divided by a number that is public (or noisy
// itself): the sensitivity of the sum is a whole number of steps, exactly, and nothing is rounded before the noise.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/base/guarantee.h"
#include "chronoveil/base/means_release.h"
#include "chronoveil/base/measurement.h"
#include "chronoveil/mechanisms/parameters.h"

namespace chronoveil::bound {
struct CellView;
class BoundedCells;
}  // namespace chronoveil::bound

namespace chronoveil::mechanisms {

class Draws;

// The public facts that fix a sensitivity.
struct CellShape {
  std::int64_t places = 1;
  std::int64_t steps = 1;                   // T
  std::int64_t max_cells = 1;               // c: cells per person; at most all cells
  std::optional<std::int64_t> max_records;  // per person and cell
  double lower = 0, upper = 0;              // bounds of a value; U = upper − lower
  std::int64_t sparse_below = 1;            // cells with fewer users (public) or records (noisy) are not published
  std::optional<std::int64_t> registered;   // L, all people who may be there, for registered_mean

  std::int64_t cells() const { return places * steps; }
  double width() const;  // U, rounded up
};

struct CellRequest {
  CellShape shape;
  double epsilon = 0;
  double delta = 0;
  accounting::Analysis analysis = accounting::Analysis::certified;
  Parameters parameters;
  double level = 0.95;
};

// Everything that will happen, from public facts only: what is debited, run and printed.
//   Laplace    each cell has the same share of ε: noise with b = noise_multiplier × the sensitivity of its sum
//   Gaussian   σ = noise_multiplier × the sensitivity of the sum of that one cell; √c is in the multiplier already
// One person's values are in at most c cells, so the event is c times what happens in one cell.
struct CellsPlan {
  std::string mechanism;
  CellShape shape;
  Parameters parameters;  // all of the mechanism's, defaults filled in
  double level = 0.95;
  NoiseKind noise = NoiseKind::laplace;
  double share = 0;             // ε of one cell: what selections and Laplace noise spend together; 0 for Gaussian
  double noise_multiplier = 0;  // of the noise in one cell, exactly what is drawn, rounding charges included
  double influence = 1;         // if the event joins all cells of a person, its multiplier is the above / this
  Relation relation = Relation::replace_values;
  double delta = 0;  // the δ at which `price` holds; 0 for a pure guarantee
  accounting::Event event;
  accounting::Price price;
};

// What is public about one cell if its counts are: nothing here depends on a value.
struct CellFacts {
  std::int64_t users = 0;
  std::int64_t m_ub = 0;                  // 0: no cap
  std::int64_t arrays = 0;                // K̄ or K; 0 if there are none
  std::vector<std::uint32_t> fills = {};  // w of each array
  double sensitivity = 0;  // of the mean, in units of a value; levy: at most min(3τ, U)/K̄, quantiles: at most U/K̄
  double scale = 0;        // of the noise of the mean: b or σ, at that sensitivity
  double expected_noise = 0;  // a guess of |noise| in the mean, only for recommendations (see levy, quantile)
};

struct CellMechanism {
  std::string_view name;
  std::string_view summary;  // one line
  Relation relation = Relation::replace_values;
  bool public_counts = true;   // needs public m_l; otherwise they are protected, too
  bool has_published = false;  // `--analysis published` differs
  bool has_gaussian = false;   // takes `noise` = "auto", "laplace", "gaussian"
  // Noise of mean 0 and of a deviation that follows from public facts is added to the mean of those who are there, and
  // nothing was chosen by the data before: what smoothing needs (cells/smoothing.h).
  bool can_be_smoothed = false;
  std::int64_t sums = 1;  // noisy sums per cell
  std::vector<ParameterInfo> parameters = {};
  // Calibrates. A request that does not fit is a usage error.
  Result<CellsPlan> (*prepare)(const CellRequest&) = nullptr;
  // `counts` are the m_l of one cell, most first, at least one.
  Result<CellFacts> (*look)(const CellsPlan&, std::span<const std::uint32_t> counts) = nullptr;
  // Measures one cell. Called by measure() below, which has applied the rule for sparse cells if counts are public.
  Result<CellEstimate> (*measure)(const CellsPlan&, const bound::CellView&, Draws&) = nullptr;
};

// Checks that what is drawn is what the event says, for as many cells as a person may be in: a plan that was tampered
// with is not run.
Result<void> check_noise(const CellsPlan&);

// Runs the mechanism of the plan in every cell, in order. `draws` proves that its event was debited, once, or marks the
// result as not private.
Result<std::vector<CellEstimate>> measure_uncut(const CellsPlan&, const bound::BoundedCells&, Draws& draws);

// Means and intervals cut to the public bounds, which is post-processing; an interval that lies wholly outside becomes
// [lower, upper].
std::vector<CellEstimate> cut(std::vector<CellEstimate>, const CellShape&);

// Both.
Result<std::vector<CellEstimate>> measure(const CellsPlan&, const bound::BoundedCells&, Draws& draws);

}  // namespace chronoveil::mechanisms
