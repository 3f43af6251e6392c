#include "chronoveil/ledger/json_fields.h"

#include <nlohmann/json.hpp>
#include <string>

namespace chronoveil::ledger {

Failure bad_body(std::string_view field) {
  return fail(ErrorKind::storage, "ledger", "the field '" + std::string(field) + "' of a row cannot be read");
}

Result<nlohmann::json> parse_body(std::string_view text) {
  nlohmann::json body = nlohmann::json::parse(text, nullptr, false);
  if (!body.is_object()) return fail(ErrorKind::storage, "ledger", "the body of a row is not a JSON object");
  return body;
}

JsonFields fields_of(const nlohmann::json& body) {
  return {body, [](const FieldProblem& problem) { return bad_body(problem.path); }};
}

}  // namespace chronoveil::ledger
