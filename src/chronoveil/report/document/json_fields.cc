#include "chronoveil/report/document/json_fields.h"

namespace chronoveil::report {

Failure unreadable(const std::string& path) {
  return fail(ErrorKind::bad_data, "release", "the field '" + path + "' is missing or not what a release JSON holds");
}

Fields fields_of(const nlohmann::json& document) {
  return {document, [](const FieldProblem& problem) { return unreadable(problem.path); }};
}

}  // namespace chronoveil::report
