// The settings of the experiment: buses of Surat, read in place, and made-up speeds with the counts of the paper.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/bound/cells/bounded_cells.h"

namespace chronoveil::gupta2024 {

inline constexpr double kUpper = 65;         // U in km/h, as in the paper; the lower bound is 0
inline constexpr std::int64_t kEnough = 20;  // users of a cell that is published: the public rule

struct Cell {
  std::vector<std::uint32_t> counts;  // m_l, most first
  std::vector<std::uint32_t> values;  // steps of the value grid, those of the first user first
  std::uint32_t upper_steps = 0;      // U
  double mean = 0;                    // of all records: what a release is compared with

  bound::CellView view() const { return {.counts = counts, .values = values, .upper_steps = upper_steps}; }
};

struct Dataset {
  std::string name;
  std::vector<Cell> cells;
  double deviation = 0;            // of all records together
  std::int64_t registered = 0;     // everybody who may be there, if counts are private
  std::vector<std::int64_t> caps;  // records per person and cell that are tried if counts are private
};

// Every bus record of the file as one cell.
Result<Dataset> read_surat(const std::string& folder);
// The same by hexagon of 3 km and hour, each cell on its own: those with at least kEnough buses.
Result<Dataset> read_surat_cell_hours(const std::string& folder);

// L = 272 counts with largest 417, sum 17166 and median 46, as the paper reports: m_l is 46 log2(1/q_l)^(1/1.074)
// rounded, at least 1, with q_l = (l − 1/2)/L (half of a Weibull law's users are above 46); then m_1 = 417, and the
// rest of the sum goes to the next users, 1 each. The optimised m_ub gives K = 160 as in the paper, K̄ = 161 (164).
std::vector<std::uint32_t> itms_counts();

// Speeds N(20.66769, 14.855²) cut to [0, 65]: mean of the paper, deviation of the Surat file. `samples`: 10 times the
// records of everybody. `users`: 10 of everybody. Each `draw` has speeds of its own; the tables show draw 0.
enum class Scaling { none, samples, users };
Result<Dataset> make_synthetic(Scaling, std::uint64_t draw = 0);

}  // namespace chronoveil::gupta2024
