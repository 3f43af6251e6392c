#include "chronoveil/engine/job/column_guesses.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <iterator>
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

using Names = std::vector<std::string_view>;

bool is_any(std::string_view name, const Names& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What a name is made of: "tapped_at_ms" is tapped, at, ms. Letters beyond ASCII belong to words.
std::vector<std::string> words_of(const std::string& column) {
  constexpr std::string_view kBetween = " _-.:/()[]";
  std::vector<std::string> words(1);
  for (const char c : lower(column)) {
    if (kBetween.find(c) == std::string_view::npos)
      words.back().push_back(c);
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool has_word(const std::string& column, const Names& names) {
  const std::vector<std::string> words = words_of(column);
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return is_any(word, names); });
}

// In the languages of Western Europe, each by how finely it tells the time.
const Names kYears{"year", "yr", "jahr", "annee", "année", "ano", "año", "anno", "jaar"};
const Names kWeeks{"week", "woche", "semaine", "semana", "settimana"};
const Names kMonths{"month", "monat", "mois", "mes", "mês", "mese", "maand"};
const Names kQuarters{"quarter", "quartal", "trimestre", "kwartaal"};
const Names kDays{"date", "day", "datum", "tag", "jour", "fecha", "dia", "día", "giorno", "dag", "dato"};
const Names kTimes{"time",      "timestamp", "ts",          "datetime", "when",       "epoch", "zeit",
                   "zeitpunkt", "uhrzeit",   "zeitstempel", "heure",    "horodatage", "hora",  "fechahora",
                   "datahora",  "ora",       "orario",      "tijd",     "tijdstip"};
const Names* const kAllTimes[] = {&kTimes, &kDays, &kWeeks, &kMonths, &kQuarters};
// Words that mean something else as well, so they come last.
const Names kPerhaps{"data", "at"};

}  // namespace

std::string guessed_time(const std::vector<std::string>& columns) {
  const YearAndPart parts = guessed_year_and_part(columns);
  const auto first = [&](const auto& fits) {
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const std::string& column) {
      return (parts.part.empty() || column != parts.part) && fits(column);
    });
    return found == columns.end() ? std::string() : *found;
  };
  std::string best = first([&](const std::string& column) {
    return std::any_of(std::begin(kAllTimes), std::end(kAllTimes),
                       [&](const Names* names) { return is_any(lower(column), *names); });
  });
  if (best.empty())
    best = first([](const std::string& column) { return holds_any(lower(column), {"time", "date", "epoch", "unix"}); });
  for (const Names* names : kAllTimes)
    if (best.empty()) best = first([&](const std::string& column) { return has_word(column, *names); });
  return best.empty() ? first([](const std::string& column) { return has_word(column, kPerhaps); }) : best;
}

YearAndPart guessed_year_and_part(const std::vector<std::string>& columns) {
  YearAndPart both;
  for (const std::string& column : columns) {
    const std::string name = lower(column);
    const bool weeks = is_any(name, kWeeks);
    if (both.year.empty() && is_any(name, kYears)) both.year = column;
    if (!both.part.empty() || (!weeks && !is_any(name, kMonths))) continue;
    both.part = column;
    both.weeks = weeks;
  }
  return both.year.empty() || both.part.empty() ? YearAndPart() : both;
}

std::string guessed_time_format(const std::string& column) {
  const std::string name = lower(column);
  if (holds_any(name, {"week", "woche"}) || has_word(column, kWeeks)) return "%G-W%V";
  if (holds_any(name, {"month", "monat"}) || has_word(column, kMonths)) return "%Y-%m";
  if (holds_any(name, {"quart"}) || has_word(column, kQuarters)) return "%Y-Q%q";
  if (has_word(column, {"ms", "millis", "milliseconds"}) || holds_any(name, {"epochms", "unixms"})) return "epoch_ms";
  if (holds_any(name, {"epoch", "unix"})) return has_word(column, {"min", "minute", "minutes"}) ? "epoch_min" : "epoch";
  if (is_any(name, {"minute", "minutes"})) return "epoch_min";
  return "iso8601";
}

std::string guessed_length(const std::string& column, const std::string& time_format) {
  for (const auto& [format, length] : {std::pair{"%G-W%V", "1w"}, {"%Y-%m", "1mo"}, {"%Y-Q%q", "3mo"}})
    if (time_format == format) return length;
  return is_any(lower(column), kDays) ? "1d" : "1h";
}

std::string guessed_longitude(const std::vector<std::string>& columns) {
  for (const std::string& column : columns)
    if (lower(column) == "long" || has_word(column, {"lon", "lng", "longitud"}) ||
        holds_any(lower(column), {"longitude", "laengengrad", "längengrad"}))
      return column;
  return "";
}

std::string guessed_latitude(const std::vector<std::string>& columns) {
  for (const std::string& column : columns)
    if (has_word(column, {"lat", "latitud"}) || holds_any(lower(column), {"latitude", "breitengrad"})) return column;
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
