// From settings of training runs to their plan: how many steps each budget buys. It sees only public facts.
#pragma once

#include <string>
#include <string_view>

#include "chronoveil/base/result.h"

namespace chronoveil::schuchardt2025 {

// `settings`: CSV with one row per run, columns as in settings.csv, in any order; columns that accounting does not need
// are copied. The plan has one row per run and budget with these columns after those: width, budget, steps, epsilon,
// epsilon_lower. Budgets are ε in {0, 0.25, ..., 8} at δ = 1e-7 for one event and, at ε = 4, {2, 4, 8} steps of a user;
// with label noise only ε = 0.5. A σ of 0 is open: each budget then has the least σ for max_steps steps. No run has
// more than `max_steps`, whatever its budget would pay for. The last row of each run, budget inf, is training without
// privacy for `free_steps`.
Result<std::string> plan(std::string_view settings);

}  // namespace chronoveil::schuchardt2025
