// Cells of a small city, bounded as a plan says.
#pragma once

#include <string>
#include <vector>

#include "bound/cell_records.h"
#include "chronoveil/mechanisms/cell_mechanism.h"
#include "setting.h"

namespace chronoveil::mechanisms::testing {

inline std::vector<std::string> place_names(std::int64_t places) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < places; ++i) names.push_back("place" + std::to_string(i));
  return names;
}

inline bound::BoundedCells city_cells(const CellShape& shape, const std::vector<bound::ValueRecord>& records) {
  bound::ValueSource source(records);
  DrawRight right = DrawRight::seeded(9);
  return value_of(bound::bound_cells(source, bound::hourly_axis(shape.steps), {place_names(shape.places), {}},
                                     {shape.max_cells, shape.max_records},
                                     value_of(bound::ValueGrid::make(shape.lower, shape.upper)), right));
}

// Place 0: 40 people, 1 to 3 records each in slot 0. Place 1: one person in slot 1. Nobody elsewhere.
inline std::vector<bound::ValueRecord> small_city() {
  std::vector<bound::ValueRecord> records;
  for (int round = 0; round < 3; ++round)
    for (int person = 0; person < 40; ++person)
      if (person % 3 >= round)
        records.push_back({.user = "u" + std::to_string(person),
                           .place = "place0",
                           .slot = 0,
                           .value = 20.0 + person % 7 + 3 * round});
  records.push_back({.user = "alone", .place = "place1", .slot = 1, .value = 31});
  return records;
}

}  // namespace chronoveil::mechanisms::testing
