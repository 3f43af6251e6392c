// What a user could do with common tools who has the same noisy values and knows their noise.
#pragma once

#include <cstdint>
#include <vector>

namespace chronoveil::joint {

// The matrix of series and steps, each series centred, with its singular values shrunk as is best for a matrix of low
// rank in white noise (Gavish and Donoho, Optimal shrinkage of singular values, 2017): y becomes
// √((y² − β − 1)² − 4β)/y above 1 + √β and 0 below, in units of σ√(longer side), β the ratio of the sides.
std::vector<double> singular_values_shrunk(const std::vector<double>& values, std::int64_t steps, double sigma);

// Every series by itself: a Kalman smoother of a local level whose step variance has the largest likelihood, the
// noise being known.
std::vector<double> local_levels(const std::vector<double>& values, std::int64_t steps, double sigma);

}  // namespace chronoveil::joint
