// Parts of the JSON of means that the program prints too.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "chronoveil/plan/means_comparison.h"

namespace chronoveil::report {

// counts, from_caps, records, m_ub_median, m_ub_optimised, m_ub, arrays_best_fit, arrays_wrap_around, fills;
// `sensitivity` and `noise` (the scale of the noise of a mean) by mechanism, for those that have a plan; recommended,
// regime, reason; candidates, each with its plan and facts, or with a refusal. Array averaging by wrap-around goes by
// the name "array_averaging_wrap_around".
nlohmann::ordered_json comparison_json(const plan::MeansComparison&);

nlohmann::ordered_json plan_json(const mechanisms::CellsPlan&);

}  // namespace chronoveil::report
