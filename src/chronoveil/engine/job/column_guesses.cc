#include "chronoveil/engine/job/column_guesses.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <system_error>

#include "chronoveil/data/time/zone.h"

namespace chronoveil::engine {
namespace {

std::string lower(std::string_view name) {
  std::string text(name);
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return text;
}

bool holds_any(const std::string& name, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return name.find(part) != std::string::npos; });
}

bool is_any(const std::string& name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string guessed_time(const std::vector<std::string>& columns) {
  for (const std::string& column : columns)
    if (is_any(lower(column), {"time", "timestamp", "ts", "datetime", "date", "day", "week", "month", "quarter",
                               "epoch", "when", "datum", "zeit", "tag", "woche", "monat", "quartal"}))
      return column;
  for (const std::string& column : columns)
    if (holds_any(lower(column), {"time", "date", "epoch", "unix"})) return column;
  return "";
}

std::string guessed_time_format(const std::string& column) {
  const std::string name = lower(column);
  if (holds_any(name, {"week", "woche"})) return "%G-W%V";
  if (holds_any(name, {"month", "monat"})) return "%Y-%m";
  if (holds_any(name, {"quart"})) return "%Y-Q%q";
  if (holds_any(name, {"epoch", "unix"})) {
    if (holds_any(name, {"_ms", "milli"})) return "epoch_ms";
    return holds_any(name, {"_min", "minute"}) ? "epoch_min" : "epoch";
  }
  if (is_any(name, {"minute", "minutes"})) return "epoch_min";
  return "iso8601";
}

std::string guessed_length(const std::string& column, const std::string& time_format) {
  for (const auto& [format, length] : {std::pair{"%G-W%V", "1w"}, {"%Y-%m", "1mo"}, {"%Y-Q%q", "3mo"}})
    if (time_format == format) return length;
  return is_any(lower(column), {"date", "day", "datum", "tag"}) ? "1d" : "1h";
}

std::string guessed_longitude(const std::vector<std::string>& columns) {
  for (const std::string& column : columns)
    if (is_any(lower(column), {"lon", "lng", "long"}) || holds_any(lower(column), {"longitude"})) return column;
  return "";
}

std::string guessed_latitude(const std::vector<std::string>& columns) {
  for (const std::string& column : columns)
    if (is_any(lower(column), {"lat"}) || holds_any(lower(column), {"latitude"})) return column;
  return "";
}

bool looks_like_a_row(const std::vector<std::string>& columns) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_dated = [&](const std::string& name) {
    constexpr std::string_view kForm = "dddd-dd-dd";
    if (name.size() < kForm.size()) return false;
    for (std::size_t i = 0; i < kForm.size(); ++i)
      if (kForm[i] == 'd' ? !is_digit(name[i]) : name[i] != kForm[i]) return false;
    return true;
  };
  const auto is_number = [&](const std::string& name) {
    return !name.empty() && name.find_first_not_of("0123456789.,+-") == std::string::npos &&
           std::any_of(name.begin(), name.end(), is_digit);
  };
  return std::any_of(columns.begin(), columns.end(), is_dated) ||
         std::all_of(columns.begin(), columns.end(), is_number);
}

int guessed_season(const std::string& length) {
  for (const auto& [slots, season] :
       {std::pair{"10min", 144}, {"15min", 96}, {"30min", 48}, {"1d", 7}, {"1w", 52}, {"1mo", 12}, {"3mo", 4}})
    if (length == slots) return season;
  return 24;
}

std::string guessed_zone() {
  std::string name;
  if (const char* const variable = std::getenv("TZ"); variable != nullptr) {
    name = variable;
  } else {
    std::error_code error;
    const std::string link = std::filesystem::read_symlink("/etc/localtime", error).string();
    constexpr std::string_view kFolder = "zoneinfo/";
    if (const std::size_t at = link.find(kFolder); at != std::string::npos) name = link.substr(at + kFolder.size());
  }
  return !name.empty() && data::Zone::find(name) ? name : "UTC";
}

}  // namespace chronoveil::engine
