// How the JSON bodies of rows are read (json/fields.h): an error in one is a storage error.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "chronoveil/json/fields.h"

namespace chronoveil::ledger {

inline Failure bad_body(std::string_view field) {
  return fail(ErrorKind::storage, "ledger", "the field '" + std::string(field) + "' of a row cannot be read");
}

inline Result<nlohmann::json> parse_body(std::string_view text) {
  nlohmann::json body = nlohmann::json::parse(text, nullptr, false);
  if (!body.is_object()) return fail(ErrorKind::storage, "ledger", "the body of a row is not a JSON object");
  return body;
}

inline JsonFields fields_of(const nlohmann::json& body) {
  return {body, [](const FieldProblem& problem) { return bad_body(problem.path); }};
}

}  // namespace chronoveil::ledger
