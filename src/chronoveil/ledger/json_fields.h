// Reading the JSON bodies of rows strictly: each field is asked for by name and type, and what was not asked for is an
// error. Errors name the field, never its value.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "chronoveil/base/result.h"

namespace chronoveil::ledger {

inline Failure bad_body(std::string_view field) {
  return fail(ErrorKind::storage, "ledger: the field '" + std::string(field) + "' of a row cannot be read");
}

inline Result<nlohmann::json> parse_body(std::string_view text) {
  nlohmann::json body = nlohmann::json::parse(text, nullptr, false);
  if (!body.is_object()) return fail(ErrorKind::storage, "ledger: the body of a row is not a JSON object");
  return body;
}

class JsonFields {
 public:
  explicit JsonFields(const nlohmann::json& object) : object_(object) {}

  const nlohmann::json* find(const char* key) {
    read_.insert(key);
    const auto it = object_.find(key);
    return it == object_.end() ? nullptr : &*it;
  }
  Result<std::optional<std::string>> text_if(const char* key) {
    const nlohmann::json* field = find(key);
    if (!field) return std::nullopt;
    if (!field->is_string()) return bad_body(key);
    return field->get<std::string>();
  }
  Result<std::string> text(const char* key) {
    CV_TRY(auto value, text_if(key));
    if (!value) return bad_body(key);
    return *std::move(value);
  }
  Result<std::optional<std::int64_t>> integer_if(const char* key) {
    const nlohmann::json* field = find(key);
    if (!field) return std::nullopt;
    if (!field->is_number_integer()) return bad_body(key);
    return field->get<std::int64_t>();
  }
  Result<std::int64_t> integer(const char* key) {
    CV_TRY(const auto value, integer_if(key));
    if (!value) return bad_body(key);
    return *value;
  }
  Result<double> number(const char* key) {
    const nlohmann::json* field = find(key);
    if (!field || !field->is_number()) return bad_body(key);
    return field->get<double>();
  }
  Result<const nlohmann::json*> list(const char* key) {
    const nlohmann::json* field = find(key);
    if (!field || !field->is_array()) return bad_body(key);
    return field;
  }
  Result<const nlohmann::json*> object(const char* key) {
    const nlohmann::json* field = find(key);
    if (!field || !field->is_object()) return bad_body(key);
    return field;
  }
  Result<void> nothing_else() const {
    for (const auto& item : object_.items()) {
      if (!read_.contains(item.key())) return bad_body(item.key());
    }
    return {};
  }

 private:
  const nlohmann::json& object_;
  std::set<std::string, std::less<>> read_;
};

}  // namespace chronoveil::ledger
