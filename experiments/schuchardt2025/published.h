// The published settings of [Schuchardt25] with the papers' real numbers of series: what a run costs, and how many
// steps a budget buys.
#pragma once

#include <string>

#include "chronoveil/base/result.h"

namespace chronoveil::schuchardt2025 {

// ε at δ = 1e-7 after the published number of epochs. Columns: dataset, models, series, length, history, forecast,
// batch, sigma, share, epochs, steps, epsilon, epsilon_lower.
Result<std::string> published_runs();

// The most steps within ε at δ = 1e-7. Columns: dataset, models, width (steps of a user), label_noise, budget, steps,
// epochs, epsilon, epsilon_lower. `toy`: events at ε = 1 and 8 alone.
Result<std::string> published_budgets(bool toy);

}  // namespace chronoveil::schuchardt2025
