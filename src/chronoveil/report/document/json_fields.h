// Reads one object of a release JSON. Errors name a field by its path, never what it holds.
#pragma once

#include <string>

#include "chronoveil/json/fields.h"

namespace chronoveil::report {

Failure unreadable(const std::string& path);

// One object of the document and where it stands.
using Fields = JsonFields;
// The whole document.
Fields fields_of(const nlohmann::json& document);

}  // namespace chronoveil::report
