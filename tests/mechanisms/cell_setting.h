// Short ways to plan means of one cell and to make up its records.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "chronoveil/bound/cells/bounded_cells.h"
#include "chronoveil/mechanisms/cell_mechanism.h"

namespace chronoveil::mechanisms::testing {

// Values in [0, 65], one cell, nobody in another.
inline CellRequest cell_request(double epsilon) {
  CellRequest request;
  request.shape.upper = 65;
  request.epsilon = epsilon;
  return request;
}

inline CellsPlan cell_plan(const CellMechanism& row, const CellRequest& request) {
  Result<CellsPlan> plan = row.prepare(request);
  if (!plan) throw std::runtime_error(plan.error().text());
  return *std::move(plan);
}

// Records that outlive the view of them.
struct MadeUpCell {
  std::vector<std::uint32_t> counts, values;
  std::uint32_t upper = 0;

  bound::CellView view() const { return {counts, values, upper}; }
};

// Users with `each` records of the same value: then each is an array of their own, with that value as its mean.
inline MadeUpCell cell_of_means(const std::vector<std::uint32_t>& means, std::uint32_t each, std::uint32_t upper) {
  MadeUpCell cell{std::vector<std::uint32_t>(means.size(), each), {}, upper};
  for (const std::uint32_t mean : means) cell.values.insert(cell.values.end(), each, mean);
  return cell;
}

}  // namespace chronoveil::mechanisms::testing
