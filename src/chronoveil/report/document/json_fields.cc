#include "chronoveil/report/document/json_fields.h"

#include <cmath>

namespace chronoveil::report {

using json = nlohmann::json;

Failure unreadable(const std::string& path) {
  return fail(ErrorKind::bad_data, "release: the field '" + path + "' is missing or not what a release JSON holds");
}

Result<const json*> Fields::list(const char* key) const {
  const json* field = find(key);
  if (!field || !field->is_array()) return unreadable(path_to(key));
  return field;
}

Result<Fields> Fields::object(const char* key) const {
  const json* field = find(key);
  if (!field || !field->is_object()) return unreadable(path_to(key));
  return Fields(*field, path_to(key));
}

Result<std::string> Fields::text(const char* key) const {
  const json* field = find(key);
  if (!field || !field->is_string()) return unreadable(path_to(key));
  return field->get<std::string>();
}

Result<bool> Fields::yes_or_no(const char* key) const {
  const json* field = find(key);
  if (!field || !field->is_boolean()) return unreadable(path_to(key));
  return field->get<bool>();
}

Result<std::int64_t> Fields::integer(const char* key) const {
  const json* field = find(key);
  if (!field || !field->is_number_integer()) return unreadable(path_to(key));
  return field->get<std::int64_t>();
}

Result<double> Fields::number(const char* key, double null) const {
  const json* field = find(key);
  if (field && field->is_null()) return null;
  if (!field || !field->is_number()) return unreadable(path_to(key));
  return field->get<double>();
}

Result<double> Fields::finite(const char* key) const {
  CV_TRY(const double held, number(key));
  if (!std::isfinite(held)) return unreadable(path_to(key));
  return held;
}

Result<std::optional<std::int64_t>> Fields::integer_or_none(const char* key) const {
  if (const json* held = find(key); held && held->is_null()) return std::nullopt;
  CV_TRY(const std::int64_t held, integer(key));
  return held;
}

Result<std::optional<double>> Fields::finite_or_none(const char* key) const {
  if (const json* held = find(key); held && held->is_null()) return std::nullopt;
  CV_TRY(const double held, finite(key));
  return held;
}

Result<std::vector<std::string>> Fields::texts(const char* key) const {
  CV_TRY(const json* held, list(key));
  std::vector<std::string> all;
  for (const json& item : *held) {
    if (!item.is_string()) return unreadable(path_to(key));
    all.push_back(item.get<std::string>());
  }
  return all;
}

Result<std::vector<std::uint32_t>> Fields::small_integers(const char* key) const {
  CV_TRY(const json* held, list(key));
  std::vector<std::uint32_t> all;
  for (const json& item : *held) {
    if (!item.is_number_unsigned() || item.get<std::uint64_t>() > std::numeric_limits<std::uint32_t>::max())
      return unreadable(path_to(key));
    all.push_back(item.get<std::uint32_t>());
  }
  return all;
}

Result<std::vector<Fields>> Fields::objects(const char* key) const {
  CV_TRY(const json* held, list(key));
  std::vector<Fields> all;
  for (const json& item : *held) {
    std::string path = path_to(key) + "[" + std::to_string(all.size()) + "]";
    if (!item.is_object()) return unreadable(path);
    all.emplace_back(item, std::move(path));
  }
  return all;
}

Result<void> Fields::numbers_into(std::vector<double>& all, const char* key, std::size_t size, double null) const {
  CV_TRY(const json* held, list(key));
  if (held->size() != size) return unreadable(path_to(key));
  for (const json& item : *held) {
    if (!item.is_number() && !item.is_null()) return unreadable(path_to(key));
    all.push_back(item.is_null() ? null : item.get<double>());
  }
  return {};
}

}  // namespace chronoveil::report
