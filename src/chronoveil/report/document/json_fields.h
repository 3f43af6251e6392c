// Reads one object of a release JSON. Errors name a field by its path, never what it holds.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::report {

Failure unreadable(const std::string& path);

// One object of the document and where it stands.
class Fields {
 public:
  Fields(const nlohmann::json& object, std::string path) : object_(&object), path_(std::move(path)) {}

  std::string path_to(const char* key) const { return path_.empty() ? key : path_ + "." + key; }
  bool has(const char* key) const { return object_->contains(key) && !(*object_)[key].is_null(); }
  const nlohmann::json* find(const char* key) const { return object_->contains(key) ? &(*object_)[key] : nullptr; }

  Result<const nlohmann::json*> list(const char* key) const;
  Result<Fields> object(const char* key) const;
  Result<std::string> text(const char* key) const;
  Result<bool> yes_or_no(const char* key) const;
  Result<std::int64_t> integer(const char* key) const;
  // `null` stands for what JSON cannot hold.
  Result<double> number(const char* key, double null = std::numeric_limits<double>::infinity()) const;
  // A number that is always finite.
  Result<double> finite(const char* key) const;
  // `null` stands for none.
  Result<std::optional<std::int64_t>> integer_or_none(const char* key) const;
  Result<std::optional<double>> finite_or_none(const char* key) const;
  template <class Names>
  Result<typename Names::value_type::second_type> one_of(const Names& names, const char* key) const {
    CV_TRY(const std::string text_held, text(key));
    for (const auto& [text_known, value] : names)
      if (text_known == text_held) return value;
    return unreadable(path_to(key));
  }
  Result<std::vector<std::string>> texts(const char* key) const;
  // Whole numbers from 0 to 2^32 - 1.
  Result<std::vector<std::uint32_t>> small_integers(const char* key) const;
  // The objects of a list.
  Result<std::vector<Fields>> objects(const char* key) const;
  // Appends a list of `size` numbers; `null` stands for what JSON cannot hold.
  Result<void> numbers_into(std::vector<double>& all, const char* key, std::size_t size, double null) const;

 private:
  const nlohmann::json* object_;
  std::string path_;
};

}  // namespace chronoveil::report
