#include "chronoveil/mechanisms/parameters.h"

#include <algorithm>

namespace chronoveil::mechanisms {
namespace {

std::string_view type_name(const Value& value) {
  constexpr std::string_view names[] = {"true or false", "a whole number", "a number", "a text"};
  return names[value.index()];
}

std::string valid_texts(const ParameterInfo& info) {
  std::string all = info.or_number ? "a number or " : "";
  if (info.words.empty()) return all + "\"" + std::get<std::string>(info.standard) + "\"";
  for (const std::string_view word : info.words)
    all.append(word == info.words.front() ? "" : " or ").append("\"").append(word).append("\"");
  return all;
}

// The value in the parameter's own type.
Result<Value> understood(const ParameterInfo& info, const Value& value) {
  const bool takes_number = info.or_number || std::holds_alternative<double>(info.standard);
  if (takes_number && std::holds_alternative<std::int64_t>(value))
    return static_cast<double>(std::get<std::int64_t>(value));
  if (takes_number && std::holds_alternative<double>(value)) return value;
  if (info.or_number || !info.words.empty()) {
    const std::string* const word = std::get_if<std::string>(&value);
    const bool known = info.words.empty()
                           ? value == info.standard
                           : word && std::find(info.words.begin(), info.words.end(), *word) != info.words.end();
    if (known) return value;
    return fail(ErrorKind::usage, "mechanism." + std::string(info.name), "it must be " + valid_texts(info));
  }
  if (value.index() == info.standard.index()) return value;
  return fail(ErrorKind::usage, "mechanism." + std::string(info.name),
              "it must be " + std::string(type_name(info.standard)));
}

}  // namespace

Result<Parameters> resolved(const Parameters& given, std::string_view mechanism, std::span<const ParameterInfo> known) {
  Parameters all;
  std::string names;
  for (const ParameterInfo& info : known) {
    names.append(names.empty() ? "it has " : ", ").append(info.name);
    const auto found = given.find(info.name);
    if (found == given.end()) {
      all.emplace(info.name, info.standard);
    } else {
      CV_TRY(Value value, understood(info, found->second));
      all.emplace(info.name, std::move(value));
    }
  }
  for (const auto& [name, value] : given)
    if (!all.contains(name))
      return fail(ErrorKind::usage, "mechanism." + name,
                  std::string(mechanism) + " has no such parameter; " + (names.empty() ? "it has none" : names));
  return all;
}

double number(const Parameters& all, std::string_view name) { return std::get<double>(all.find(name)->second); }
std::int64_t integer(const Parameters& all, std::string_view name) {
  return std::get<std::int64_t>(all.find(name)->second);
}
const std::string& text(const Parameters& all, std::string_view name) {
  return std::get<std::string>(all.find(name)->second);
}
std::optional<double> auto_or_number(const Parameters& all, std::string_view name) {
  const double* const given = std::get_if<double>(&all.find(name)->second);
  return given ? std::optional(*given) : std::nullopt;
}

}  // namespace chronoveil::mechanisms
