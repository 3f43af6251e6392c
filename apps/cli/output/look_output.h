// What `look` prints, for people and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "chronoveil/engine/look/look.h"

namespace chronoveil::cli {

// What is asked, at which noise and price.
std::string look_plan_text(const engine::LookPlanned&);
nlohmann::ordered_json look_plan_json(const engine::LookPlanned&);

// How many slots people fill, the caps that were weighed, and the lines that follow for the job.
std::string look_text(const report::Look&);

}  // namespace chronoveil::cli
