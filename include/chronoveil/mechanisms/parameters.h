// Parameters of a mechanism as a job gives them: rate = 0.1, interpolation = "linear".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::mechanisms {

using Value = std::variant<bool, std::int64_t, double, std::string>;
using Parameters = std::map<std::string, Value, std::less<>>;

// A parameter that a mechanism understands.
struct ParameterInfo {
  std::string_view name;
  std::string_view meaning;
  Value standard;
  bool or_number = false;                    // a number may stand in for the text, such as "auto"
  std::vector<std::string_view> words = {};  // valid texts; empty: any, or with or_number only the default
};

// `given` with the defaults of `known` filled in. Refused: an unknown parameter, one of the wrong type (an integer may
// stand for a real number, and any number for a text that is `or_number`), a text that is not one of the words.
Result<Parameters> resolved(const Parameters& given, std::string_view mechanism, std::span<const ParameterInfo> known);

double number(const Parameters&, std::string_view name);
std::int64_t integer(const Parameters&, std::string_view name);
const std::string& text(const Parameters&, std::string_view name);
// Of a parameter that is `or_number`: the number, or empty if it is the text.
std::optional<double> auto_or_number(const Parameters&, std::string_view name);

}  // namespace chronoveil::mechanisms
