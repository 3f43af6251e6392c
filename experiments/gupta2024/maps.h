// Maps of means, smoothed over place and time, against the cells as measured.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/base/place_grid.h"
#include "chronoveil/base/slot_axis.h"
#include "chronoveil/bound/cells/bounded_cells.h"

namespace chronoveil::gupta2024 {

// Hexagons and slots, capped as in a release, and what is true of them.
struct Map {
  std::string name;
  SlotAxis axis = {};
  std::optional<PlaceGrid> grid = {};
  std::int64_t max_cells = 1, sparse_below = 1, people = 1;
  double delta = 0;
  std::vector<double> epsilons = {};
  std::optional<bound::BoundedCells> cells = {};
  std::vector<double> truth = {};  // the mean of all records of a cell, before caps
};

// Buses of Surat from the folder of data, and simulated cities, whose rows are written into `scratch` and removed.
Result<std::vector<Map>> read_maps(const std::string& data, const std::filesystem::path& scratch);
// One small simulated city.
Result<std::vector<Map>> toy_maps(const std::filesystem::path& scratch);

// maps.csv: one line per map, mechanism and ε. ε is for the whole job; errors are means over cells and runs.
//   cells, deviation             published cells, and the mean deviation of their noise
//   raw, smooth                  |released − what would be released without noise|
//   raw_truth, smooth_truth      |released − mean of all records|
//   raw_cover, smooth_cover      share of 95 % intervals that hold what would be released without noise
//   raw_width, smooth_width      of these intervals
//   raw_mean, smooth_mean        how far off the mean over all cells is, before cells are cut to the bounds
Result<std::string> smoothed_maps(const std::vector<Map>&, int trials);

}  // namespace chronoveil::gupta2024
