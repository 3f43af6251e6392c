// What is done with a released series, and how far the answer is from that of the original.
#pragma once

#include <cstddef>
#include <vector>

#include "ye2023/datasets.h"

namespace chronoveil::ye2023 {

// Of averages over r steps in a row, m of the original and m' of what was released, there are n = |S| - r + 1:
//   (1/n) sqrt(Σ (m_i - m'_i)²), which [Ye23] calls MSE. It is the root mean square error over sqrt(n).
// Precondition: equal lengths, 1 <= r <= that length.
double moving_average_error(const std::vector<double>& original, const std::vector<double>& released, std::size_t r);

// Of counts c_i and c'_i of what came up to step i: (1/n) sqrt(Σ (c_i - c'_i)²), n = |S|. A released value may be a
// fraction: 0.3 of an "up".
double count_error(const std::vector<bool>& original, const std::vector<double>& released);

// Distances of all pairs in one square matrix, row by row: the mean over the steps of how far apart two trajectories of
// the same length are at the same step, in km on a plane that touches the middle of the bounds.
std::vector<double> distances(const std::vector<Trajectory>&);

// k-medoids after Park and Jun (2009): begins with the `groups` objects that have the smallest Σ_i d(i,j) / Σ_l d(i,l);
// then alternates, until nothing changes, the nearest medoid for each object and the object with the least sum of
// distances for each group. Ties go to the smaller number, so the same distances give the same groups. Precondition: 1
// <= groups <= number of objects.
std::vector<std::size_t> medoid_groups(const std::vector<double>& distances, std::size_t groups);

// Normalised mutual information 2 I(A; B) / (H(A) + H(B)) of two partitions: 1 for the same up to names, 0 for
// independent ones, and 1 where both are a single group.
double mutual_information(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b);

}  // namespace chronoveil::ye2023
