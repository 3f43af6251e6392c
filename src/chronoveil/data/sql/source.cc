#include "chronoveil/data/sql/source.h"

namespace chronoveil::data {

std::string quoted_identifier(const std::string& name) {
  std::string result = "\"";
  for (const char c : name) result.append(c == '"' ? 2 : 1, c);
  return result + '"';
}

std::string quoted_table(const std::string& table) {
  const std::size_t dot = table.find('.');
  if (dot == std::string::npos) return quoted_identifier(table);
  return quoted_identifier(table.substr(0, dot)) + '.' + quoted_identifier(table.substr(dot + 1));
}

Result<void> check_query_or_table(const SourceSpec& spec) {
  if (spec.query.empty() != spec.table.empty()) return {};
  return fail(ErrorKind::usage, "source",
              spec.query.empty() ? "a database needs a query or a table" : "give a query or a table, not both");
}

}  // namespace chronoveil::data
