// How the JSON bodies of rows are read (json/fields.h): an error in one is a storage error.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "chronoveil/json/fields.h"

namespace chronoveil::ledger {

Failure bad_body(std::string_view field);
Result<nlohmann::json> parse_body(std::string_view text);
JsonFields fields_of(const nlohmann::json& body);

}  // namespace chronoveil::ledger
