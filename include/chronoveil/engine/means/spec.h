// [means]: means of a value per place and slot, instead of counts per series and slot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace chronoveil::engine {

struct MeansSpec {
  double lower = 0, upper = 0;              // public bounds of a value; what is outside is clamped
  bool counts_public = false;               // who has how many records in which cell is public, not protected
  std::optional<std::int64_t> max_cells;    // cells (place and slot) per person; needed where there is more than one
  std::optional<std::int64_t> max_records;  // per person and cell
  std::int64_t sparse_below = 1;            // cells with fewer are not published
  std::optional<std::int64_t> registered;   // everybody who may be there, for registered_mean
  std::vector<std::uint32_t> counts;        // [plan] counts: records of each person in a typical cell, public
  std::string counts_path;                  // their file, when they come from one
  std::optional<std::int64_t> users;        // [plan] users: people in a typical cell, public
  bool smooth = false;                      // [output]: over place and time
};

}  // namespace chronoveil::engine
