// Reads one object of a JSON document strictly: each field is asked for by name and type, and other fields can be
// refused. The reader words its own errors, which name a field by its path, never its value.
//   Whole numbers  those that fit a signed 64-bit integer; 3.0 is not one
//   null           is a value of the wrong type, unless a function says what it stands for
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil {

// A field that is not what it should be.
struct FieldProblem {
  std::string path;             // "plan.shape.steps"
  const nlohmann::json* held;   // null if the field is missing
  std::string_view valid = {};  // "a text"; empty for a field that nobody asked for
};

// The object must outlive its reader. Keys are string literals.
class JsonFields {
 public:
  using Refuse = Failure (*)(const FieldProblem&);
  JsonFields(const nlohmann::json& object, Refuse refuse, std::string path = "")
      : object_(&object), refuse_(refuse), path_(std::move(path)) {}

  std::string path_to(std::string_view key) const;
  // The error that the field is not what it should be.
  Failure wrong(const char* key, std::string_view valid = {}) const;

  bool has(const char* key) const;                    // and not null
  const nlohmann::json* find(const char* key) const;  // null if it is missing

  Result<const nlohmann::json*> list(const char* key) const;
  Result<JsonFields> object(const char* key) const;
  Result<std::string> text(const char* key) const;
  Result<bool> yes_or_no(const char* key) const;
  Result<std::int64_t> integer(const char* key) const;
  // `null` stands for what JSON cannot hold.
  Result<double> number(const char* key, double null = std::numeric_limits<double>::infinity()) const;
  // A number that is always finite.
  Result<double> finite(const char* key) const;
  // Empty if the field is missing.
  Result<std::optional<std::string>> text_if(const char* key) const;
  Result<std::optional<std::int64_t>> integer_if(const char* key) const;
  // Empty if the field is `null`.
  Result<std::optional<std::int64_t>> integer_or_none(const char* key) const;
  Result<std::optional<double>> finite_or_none(const char* key) const;
  template <class Names>
  Result<typename Names::value_type::second_type> one_of(const Names& names, const char* key) const {
    CV_TRY(const std::string text_held, text(key));
    for (const auto& [text_known, value] : names)
      if (text_known == text_held) return value;
    return wrong(key);
  }
  Result<std::vector<std::string>> texts(const char* key) const;
  Result<std::vector<std::int64_t>> integers(const char* key) const;
  // Whole numbers from 0 to 2^32 - 1.
  Result<std::vector<std::uint32_t>> small_integers(const char* key) const;
  // The objects of a list.
  Result<std::vector<JsonFields>> objects(const char* key) const;
  // Appends a list of `size` numbers; `null` stands for what JSON cannot hold.
  Result<void> numbers_into(std::vector<double>& all, const char* key, std::size_t size, double null) const;

  // Refuses fields that were not asked for.
  Result<void> nothing_else() const;

 private:
  const nlohmann::json* object_;
  Refuse refuse_;
  std::string path_;
  mutable std::vector<std::string_view> asked_;
};

}  // namespace chronoveil
