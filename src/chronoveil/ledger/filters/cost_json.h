// Costs in the bodies of rows: {"values": ["0.1"], "delta": "0"}, as decimal texts so that nothing is rounded.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "chronoveil/json/fields.h"
#include "chronoveil/ledger/filters/filter.h"

namespace chronoveil::ledger {

nlohmann::json cost_to_json(const Cost&);
Result<Cost> cost_from_json(const JsonFields&);

}  // namespace chronoveil::ledger
