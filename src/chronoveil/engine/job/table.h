// A job file as a table of sections and keys. The TOML library stays behind this header: neither its types nor its
// exceptions get out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::engine {

using TableValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>, std::vector<std::int64_t>>;

// The keys of one section, taken out one by one; what is left at the end is unknown.
class Section {
 public:
  explicit Section(std::string name) : name_(std::move(name)) {}
  void put(std::string key, TableValue value) { values_.insert_or_assign(std::move(key), std::move(value)); }

  bool has(std::string_view key) const { return values_.find(key) != values_.end(); }
  const std::map<std::string, TableValue, std::less<>>& values() const { return values_; }

  // Each leaves `into` as it is when the key is absent, and refuses another type. An integer may stand for a number.
  Result<void> read(std::string_view key, std::string& into) const;
  Result<void> read(std::string_view key, bool& into) const;
  Result<void> read(std::string_view key, double& into) const;
  Result<void> read(std::string_view key, std::int64_t& into) const;
  Result<void> read(std::string_view key, std::vector<std::string>& into) const;
  Result<void> read(std::string_view key, std::vector<std::int64_t>& into) const;
  template <class T>
  Result<void> read(std::string_view key, std::optional<T>& into) const {
    if (!has(key)) return {};
    T value{};
    CV_CHECK(read(key, value));
    into = std::move(value);
    return {};
  }

  // The error for a key that must be there.
  Result<void> require(std::string_view key, std::string_view example) const;
  // "privacy.epsilon"
  std::string name_of(std::string_view key) const;
  // Refuses the first key that is not listed, and names the nearest one that is.
  Result<void> only(const std::vector<std::string_view>& keys) const;

 private:
  std::string name_;  // empty: the top of the file
  std::map<std::string, TableValue, std::less<>> values_;
};

struct JobTable {
  Section top{""};
  std::map<std::string, Section, std::less<>> sections;  // all that may be there; empty when the file has none
  std::map<std::string, std::vector<Section>, std::less<>> lists;  // sections that may be there many times: [[name]]

  const Section& section(std::string_view name) const { return sections.find(name)->second; }
};

// Refuses sections that are not listed. Syntax errors name the line.
Result<JobTable> parse_table(std::string_view toml, const std::vector<std::string_view>& sections,
                             const std::vector<std::string_view>& lists = {});

}  // namespace chronoveil::engine
