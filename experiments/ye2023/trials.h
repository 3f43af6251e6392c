// The three tasks of [Ye23] on many releases of the same series, each with a seed of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ye2023/contenders.h"
#include "ye2023/datasets.h"

namespace chronoveil::ye2023 {

struct Summary {
  double mean = 0;
  double standard_error = 0;
};
// Precondition: at least two numbers.
Summary summary(const std::vector<double>&);

// Errors of moving averages, for each range.
Result<std::vector<Summary>> average_errors(const std::vector<double>& prices, const std::vector<std::size_t>& ranges,
                                            const MovingLaw&, int trials);
// By the Piecewise mechanism with `epsilon` for each value, bounds 0 and `upper`.
Result<std::vector<Summary>> average_errors_piecewise(const std::vector<double>& prices, double upper,
                                                      const std::vector<std::size_t>& ranges, double epsilon,
                                                      int trials);

// Errors of counting; an empty step counts nothing.
Result<Summary> count_errors(const std::vector<bool>& up, const MovingLaw&, int trials);
// By randomized response with `epsilon` for each value: counting answers as [Ye23] does; and unbiased, an answer "up"
// counting (1 - f)/(1 - 2f) and any other -f/(1 - 2f), where f is the probability of a lie.
struct ResponseErrors {
  Summary as_answered, unbiased;
};
Result<ResponseErrors> count_errors_response(const std::vector<bool>& up, double epsilon, int trials);

// Normalised mutual information of the groups of what is released with those of the original.
inline constexpr std::size_t kGroups = 6;
Result<Summary> group_agreement(const std::vector<Trajectory>&, const MovingLaw&, int trials);
// By the Piecewise mechanism with `epsilon` for each place, half for each coordinate.
Result<Summary> group_agreement_piecewise(const std::vector<Trajectory>&, double epsilon, int trials);

}  // namespace chronoveil::ye2023
