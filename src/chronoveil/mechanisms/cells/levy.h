// Finds the bin of width τ where the array means are, and releases their mean clamped to it and its two neighbours
// [Gupta24, III-D].
//   τ = U √(ln(2K̄ / 0.2) / (2 m_ub)): with probability 4/5 all means of m_ub independent values are this near to the
//   truth; n = ceil(U / τ) bins, bin s being [sτ, (s + 1)τ)
//   Choice    of bin s with weight exp(−(share/2) c(s) / 2), c(s) = max(array means below, array means above); new
//             values of one user move c(s) by at most 1, so it costs share/2
//   Interval  the middle of the bin ± 1.5τ, moved outward to whole steps and cut to [0, U]
//   Noise     Laplace with the other share/2 and the width b − a of that interval, over K̄
//   Error     biased where array means lie outside [a, b]
//   Edges     τ >= U: one bin, and [a, b] = [0, U]
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chronoveil/mechanisms/cells/parts/chosen_interval.h"

namespace chronoveil::mechanisms {

const CellMechanism& levy();

// The bins of [0, upper], all from public numbers.
class LevyBins {
 public:
  LevyBins(std::int64_t upper, std::int64_t arrays, std::int64_t m_ub);

  std::int64_t count() const { return static_cast<std::int64_t>(firsts_.size()) - 1; }  // n
  double width() const { return width_; }                                               // τ, in steps
  // Bin s holds the whole steps first(s), ..., first(s + 1) − 1, the last one all up to U.
  std::int64_t first(std::int64_t s) const { return firsts_[static_cast<std::size_t>(s)]; }
  Interval around(std::int64_t s) const;  // [a, b]

 private:
  std::int64_t upper_;
  double width_;
  std::vector<std::int64_t> firsts_;
};

// The log weight of every bin, exactly as measure() uses them.
std::vector<double> levy_log_weights(const LevyBins&, std::vector<std::uint32_t> means, double share);

}  // namespace chronoveil::mechanisms
