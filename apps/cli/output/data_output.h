// What a check saw in the data, for the terminal of its owner.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "chronoveil/engine/series/series.h"

namespace chronoveil::cli {

std::string seen_text(const engine::Job&, const engine::DataSeen&);
nlohmann::ordered_json seen_json(const engine::DataSeen&);

}  // namespace chronoveil::cli
