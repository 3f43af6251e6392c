// How well the best test tells two neighbours apart, from many releases that were really made.
#pragma once

#include <cstdint>
#include <vector>

#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::mechanisms {

// Independent releases of one short series, made as as many series of one release: kept steps and noise are independent
// between positions.
inline constexpr std::int64_t kReplicas = 400'000;

// δ(ε) = P(S) − e^ε Q(S) for the set S of outputs whose log-likelihood ratio exceeds ε. Each bound holds with
// probability at least 1 − 1e-7, by exact binomial limits.
struct Attained {
  double lower, upper;
};

// `difference`: how far the neighbours' means lie apart at each step, in counts.
Attained attained_delta(const SeriesMechanism& mechanism, const SeriesPlan& plan,
                        const std::vector<std::int64_t>& without, const std::vector<std::int64_t>& with,
                        const std::vector<double>& difference, double epsilon);

}  // namespace chronoveil::mechanisms
