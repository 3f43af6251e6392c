#include "chronoveil/engine/job/job_text.h"

#include <algorithm>
#include <optional>

namespace chronoveil::engine {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::pair<std::string, std::string> parts_of(const std::string& key) {
  const std::size_t dot = key.find('.');
  return {key.substr(0, dot), key.substr(dot + 1)};
}

// The section that a line begins; empty for other lines.
std::string section_in(std::string_view line) {
  const std::string_view head = trimmed(line.substr(0, line.find('#')));
  if (!head.starts_with('[') || !head.ends_with(']')) return "";
  return std::string(trimmed(head.substr(1, head.size() - 2)));
}

// Where the value of that key stands in the line; empty if the line gives another key.
struct Place {
  std::size_t first = 0, size = 0;
};
std::optional<Place> value_in(std::string_view line, std::string_view name) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos || trimmed(line.substr(0, equals)) != name) return std::nullopt;
  const std::size_t first = line.find_first_not_of(kBlanks, equals + 1);
  if (first == std::string_view::npos) return std::nullopt;
  const char quote = line[first];
  std::size_t end = line.find('#', first);
  if (quote == '"' || quote == '\'') end = std::min(line.find(quote, first + 1), line.size() - 1) + 1;
  return Place{first, trimmed(line.substr(first, end - first)).size()};
}

struct Line {
  std::size_t first = 0, end = 0;  // without its end of line
  std::size_t next = 0;
};
std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const bool returns = end > at && text[end - 1] == '\r';
    all.push_back({at, returns ? end - 1 : end, std::min(end + 1, text.size())});
    at = end + 1;
  }
  return all;
}

std::string with_value(std::string text, const std::string& key, const std::string& value) {
  const auto [section, name] = parts_of(key);
  const std::string end_of_line = text.find("\r\n") != std::string::npos ? "\r\n" : "\n";
  bool inside = false;
  std::optional<std::size_t> after;  // the last line of the section that is more than a comment
  for (const Line& line : lines_of(text)) {
    const std::string_view content = std::string_view(text).substr(line.first, line.end - line.first);
    const std::string head = section_in(content);
    if (!head.empty()) inside = head == section;
    if (!inside) continue;
    if (const std::optional<Place> place = head.empty() ? value_in(content, name) : std::nullopt)
      return text.replace(line.first + place->first, place->size, value);
    const std::string_view shown = trimmed(content);
    if (!shown.empty() && !shown.starts_with('#')) after = line.next;
  }
  std::string added = name + " = " + value + end_of_line;
  if (!after) added = end_of_line + "[" + section + "]" + end_of_line + added;
  const std::size_t at = after.value_or(text.size());
  if (at > 0 && text[at - 1] != '\n') added = end_of_line + added;
  return text.insert(at, added);
}

std::string unquoted(const std::string& value) {
  return value.starts_with('"') ? value.substr(1, value.size() - 2) : value;
}

// Whether all that the jobs ask is the same, but for these keys, which have these values in `changed`.
bool differ_only_in(const Job& job, const Job& changed, const KeyValues& values) {
  const auto value_of = [&](const std::string& key) -> std::optional<std::string> {
    const auto found = std::find_if(values.begin(), values.end(), [&](const auto& each) { return each.first == key; });
    return found == values.end() ? std::nullopt : std::optional(unquoted(found->second));
  };
  Facts before = facts_of(job), after = facts_of(changed);
  for (const auto& [key, told] : after) {
    const std::optional<std::string> value = value_of(key);
    if (value && *value != told) return false;
  }
  const auto named = [&](const auto& fact) { return value_of(fact.first).has_value(); };
  std::erase_if(before, named);
  std::erase_if(after, named);
  const std::string from = value_of("privacy.caps_from").value_or(job.caps_from);
  return before == after && changed.caps_from == from && changed.csv == job.csv && changed.json == job.json &&
         changed.report == job.report && changed.title == job.title;
}

}  // namespace

std::string with_values(std::string text, const KeyValues& values) {
  for (const auto& [key, value] : values) text = with_value(std::move(text), key, value);
  return text;
}

Result<std::string> rewritten(const Job& job, const std::string& text, const KeyValues& values) {
  std::string made = with_values(text, values);
  const Result<Job> changed = parse_job(made, job.path);
  if (changed && differ_only_in(job, *changed, values)) return made;
  return fail(ErrorKind::usage, job.path,
              "its caps are written in a way that only a person can change; write each section as [privacy] and each "
              "key on a line of its own");
}

std::string job_lines(const KeyValues& values) {
  std::string text, last;
  for (const auto& [key, value] : values) {
    const auto [section, name] = parts_of(key);
    if (section != last) text.append(text.empty() ? "" : "\n").append("[").append(section).append("]\n");
    text.append(name).append(" = ").append(value).append("\n");
    last = section;
  }
  return text;
}

}  // namespace chronoveil::engine
