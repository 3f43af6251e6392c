#include "chronoveil/json/fields.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace chronoveil {

using json = nlohmann::json;

namespace {

constexpr std::string_view kText = "a text", kList = "a list", kObject = "an object", kWhole = "a whole number",
                           kNumber = "a number", kYesOrNo = "true or false";

bool is_text(const json& held) { return held.is_string(); }
bool is_whole(const json& held) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return held.is_number_unsigned() ? held.get<std::uint64_t>() <= kMost : held.is_number_integer();
}
bool is_small(const json& held) {
  return held.is_number_unsigned() && held.get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max();
}

template <class T>
Result<std::vector<T>> all_of(const JsonFields& fields, const char* key, bool (*is_valid)(const json&),
                              std::string_view valid) {
  CV_TRY(const json* held, fields.list(key));
  if (!std::all_of(held->begin(), held->end(), is_valid)) return fields.wrong(key, valid);
  return held->get<std::vector<T>>();
}

}  // namespace

std::string JsonFields::path_to(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

Failure JsonFields::wrong(const char* key, std::string_view valid) const {
  return refuse_({path_to(key), find(key), valid});
}

bool JsonFields::has(const char* key) const {
  const json* field = find(key);
  return field && !field->is_null();
}

const json* JsonFields::find(const char* key) const {
  asked_.emplace_back(key);
  const auto field = object_->find(key);
  return field == object_->end() ? nullptr : &*field;
}

Result<const json*> JsonFields::list(const char* key) const {
  const json* field = find(key);
  if (!field || !field->is_array()) return wrong(key, kList);
  return field;
}

Result<JsonFields> JsonFields::object(const char* key) const {
  const json* field = find(key);
  if (!field || !field->is_object()) return wrong(key, kObject);
  return JsonFields(*field, refuse_, path_to(key));
}

Result<std::string> JsonFields::text(const char* key) const {
  const json* field = find(key);
  if (!field || !is_text(*field)) return wrong(key, kText);
  return field->get<std::string>();
}

Result<bool> JsonFields::yes_or_no(const char* key) const {
  const json* field = find(key);
  if (!field || !field->is_boolean()) return wrong(key, kYesOrNo);
  return field->get<bool>();
}

Result<std::int64_t> JsonFields::integer(const char* key) const {
  const json* field = find(key);
  if (!field || !is_whole(*field)) return wrong(key, kWhole);
  return field->get<std::int64_t>();
}

Result<double> JsonFields::number(const char* key, double null) const {
  const json* field = find(key);
  if (field && field->is_null()) return null;
  if (!field || !field->is_number()) return wrong(key, kNumber);
  return field->get<double>();
}

Result<double> JsonFields::finite(const char* key) const {
  CV_TRY(const double held, number(key));
  if (!std::isfinite(held)) return wrong(key, kNumber);
  return held;
}

Result<std::optional<std::string>> JsonFields::text_if(const char* key) const {
  if (!find(key)) return std::nullopt;
  return text(key);
}

Result<std::optional<std::int64_t>> JsonFields::integer_if(const char* key) const {
  if (!find(key)) return std::nullopt;
  return integer(key);
}

Result<std::optional<std::int64_t>> JsonFields::integer_or_none(const char* key) const {
  if (const json* held = find(key); held && held->is_null()) return std::nullopt;
  return integer(key);
}

Result<std::optional<double>> JsonFields::finite_or_none(const char* key) const {
  if (const json* held = find(key); held && held->is_null()) return std::nullopt;
  return finite(key);
}

Result<std::vector<std::string>> JsonFields::texts(const char* key) const {
  return all_of<std::string>(*this, key, is_text, kText);
}

Result<std::vector<std::int64_t>> JsonFields::integers(const char* key) const {
  return all_of<std::int64_t>(*this, key, is_whole, kWhole);
}

Result<std::vector<std::uint32_t>> JsonFields::small_integers(const char* key) const {
  return all_of<std::uint32_t>(*this, key, is_small, kWhole);
}

Result<std::vector<JsonFields>> JsonFields::objects(const char* key) const {
  CV_TRY(const json* held, list(key));
  std::vector<JsonFields> all;
  for (const json& item : *held) {
    std::string path = path_to(key) + "[" + std::to_string(all.size()) + "]";
    if (!item.is_object()) return refuse_({std::move(path), &item, kObject});
    all.emplace_back(item, refuse_, std::move(path));
  }
  return all;
}

Result<void> JsonFields::numbers_into(std::vector<double>& all, const char* key, std::size_t size, double null) const {
  CV_TRY(const json* held, list(key));
  if (held->size() != size) return wrong(key, kList);
  for (const json& item : *held) {
    if (!item.is_number() && !item.is_null()) return wrong(key, kNumber);
    all.push_back(item.is_null() ? null : item.get<double>());
  }
  return {};
}

Result<void> JsonFields::nothing_else() const {
  for (const auto& [key, held] : object_->items())
    if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) return refuse_({path_to(key), &held});
  return {};
}

}  // namespace chronoveil
