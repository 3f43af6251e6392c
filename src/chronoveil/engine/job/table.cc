#include "chronoveil/engine/job/table.h"

#include <toml++/toml.h>

#include <algorithm>
#include <exception>
#include <sstream>

#include "chronoveil/base/nearest.h"

namespace chronoveil::engine {
namespace {

constexpr std::string_view kTypes[] = {"true or false", "a whole number",  "a number",
                                       "a text",        "a list of texts", "a list of whole numbers"};

template <class Time>
std::string text_of(const Time& time) {
  std::ostringstream out;
  out << time;
  return out.str();
}

// Empty if an item is of another type.
template <class T>
std::optional<std::vector<T>> list_of(const toml::array& array) {
  std::vector<T> items;
  for (const toml::node& item : array) {
    const auto* held = item.as<T>();
    if (held == nullptr) return std::nullopt;
    items.push_back(held->get());
  }
  return items;
}

Result<TableValue> value_of(const toml::node& node, const std::string& name) {
  if (const auto* flag = node.as_boolean()) return TableValue(flag->get());
  if (const auto* integer = node.as_integer()) return TableValue(integer->get());
  if (const auto* number = node.as_floating_point()) return TableValue(number->get());
  if (const auto* text = node.as_string()) return TableValue(text->get());
  // Times may be written without quotes; they mean the same.
  if (const auto* date = node.as_date()) return TableValue(text_of(date->get()));
  if (const auto* time = node.as_date_time()) return TableValue(text_of(time->get()));
  if (const auto* array = node.as_array()) {
    if (const auto numbers = list_of<std::int64_t>(*array); numbers && !numbers->empty()) return TableValue(*numbers);
    if (auto texts = list_of<std::string>(*array)) return TableValue(std::move(*texts));
    return fail(ErrorKind::usage, name, "it must be " + std::string(kTypes[4]) + " or of whole numbers");
  }
  return fail(ErrorKind::usage, name, "it must be a text, a number, true or false, or a list of texts");
}

template <class T>
Result<void> wrong_type(const Section& section, std::string_view key) {
  return fail(ErrorKind::usage, section.name_of(key), "it must be " + std::string(kTypes[TableValue(T{}).index()]));
}

template <class T>
Result<void> read_as(const Section& section, std::string_view key, T& into) {
  const auto found = section.values().find(key);
  if (found == section.values().end()) return {};
  const T* value = std::get_if<T>(&found->second);
  if (value == nullptr) return wrong_type<T>(section, key);
  into = *value;
  return {};
}

Result<Section> section_of(const toml::table& table, const std::string& name) {
  Section section(name);
  for (const auto& [key, node] : table) {
    const std::string word(key.str());
    CV_TRY(TableValue value, value_of(node, section.name_of(word)));
    section.put(word, std::move(value));
  }
  return section;
}

Result<std::vector<Section>> list_of_sections(const toml::node& node, const std::string& name) {
  const toml::array* all = node.as_array();
  std::vector<Section> list;
  for (std::size_t i = 0; all != nullptr && i < all->size(); ++i) {
    const toml::table* one = (*all)[i].as_table();
    if (one == nullptr) break;
    CV_TRY(Section section, section_of(*one, name + " " + std::to_string(i + 1)));
    list.push_back(std::move(section));
  }
  if (all == nullptr || list.size() != all->size())
    return fail(ErrorKind::usage, name, "it must be a section, [[" + name + "]], as often as needed");
  return list;
}

Result<JobTable> table_of(const toml::table& file, const std::vector<std::string_view>& sections,
                          const std::vector<std::string_view>& lists) {
  JobTable table;
  for (const std::string_view name : sections) table.sections.emplace(name, Section(std::string(name)));
  for (const auto& [key, node] : file) {
    const std::string word(key.str());
    const bool known = std::find(sections.begin(), sections.end(), word) != sections.end();
    if (std::find(lists.begin(), lists.end(), word) != lists.end()) {
      CV_TRY(table.lists[word], list_of_sections(node, word));
      continue;
    }
    if (const toml::table* inner = node.as_table()) {
      if (!known)
        return fail(ErrorKind::usage, "[" + word + "]",
                    "there is no such section" + (sections.empty() ? "" : "; nearest: " + nearest(word, sections)));
      CV_TRY(Section section, section_of(*inner, word));
      table.sections.insert_or_assign(word, std::move(section));
      continue;
    }
    if (known) return fail(ErrorKind::usage, word, "it must be a section, [" + word + "]");
    CV_TRY(TableValue value, value_of(node, word));
    table.top.put(word, std::move(value));
  }
  return table;
}

// The last character of the string that begins there.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const bool has_lines = text.substr(at, 3) == std::string(3, quote);
  const std::string mark(has_lines ? 3 : 1, quote);
  for (std::size_t i = at + mark.size(); i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == '\n' && !has_lines) {
      return i - 1;  // the library says what is wrong with it
    } else if (text.substr(i, mark.size()) == mark) {
      i += mark.size() - 1;
      // A closing """ may follow up to two quotes that belong to the string.
      for (int more = 0; has_lines && more < 2 && i + 1 < text.size() && text[i + 1] == quote; ++more) ++i;
      return i;
    }
  }
  return text.size();
}

// A key of many parts (a.b.c) is a nest of tables, which the library handles by recursion. It limits the depth of
// nested values, but not of keys.
Result<void> check_depth(std::string_view text) {
  constexpr int kMost = 100;
  int parts = 1;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"' || text[at] == '\'') {
      at = end_of_string(text, at);
    } else if (text[at] == '#') {
      while (at + 1 < text.size() && text[at + 1] != '\n') ++at;
    } else if (std::string_view("=,[]{}\n").find(text[at]) != std::string_view::npos) {
      parts = 1;
    } else if (text[at] == '.' && ++parts > kMost) {
      const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      return fail(ErrorKind::usage,
                  "line " + std::to_string(line) + ": a key has more than " + std::to_string(kMost) + " parts");
    }
  }
  return {};
}

}  // namespace

Result<void> Section::read(std::string_view key, std::string& into) const { return read_as(*this, key, into); }
Result<void> Section::read(std::string_view key, bool& into) const { return read_as(*this, key, into); }
Result<void> Section::read(std::string_view key, std::int64_t& into) const { return read_as(*this, key, into); }
Result<void> Section::read(std::string_view key, std::vector<std::string>& into) const {
  return read_as(*this, key, into);
}
Result<void> Section::read(std::string_view key, std::vector<std::int64_t>& into) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return {};
  // A list without items fits any type.
  if (const auto* texts = std::get_if<std::vector<std::string>>(&found->second); texts && texts->empty()) {
    into.clear();
    return {};
  }
  return read_as(*this, key, into);
}
Result<void> Section::read(std::string_view key, double& into) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return {};
  if (const auto* integer = std::get_if<std::int64_t>(&found->second)) {
    into = static_cast<double>(*integer);
    return {};
  }
  return read_as(*this, key, into);
}

Result<void> Section::require(std::string_view key, std::string_view example) const {
  if (has(key)) return {};
  return fail(ErrorKind::usage, name_of(key),
              "it is missing; for example `" + name_of(key) + " = " + std::string(example) + "`");
}

std::string Section::name_of(std::string_view key) const {
  return name_.empty() ? std::string(key) : name_ + "." + std::string(key);
}

Result<void> Section::only(const std::vector<std::string_view>& keys) const {
  for (const auto& [key, value] : values_) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    return fail(ErrorKind::usage, name_of(key),
                "there is no such key; nearest: " + nearest(key, keys, name_.empty() ? "" : name_ + ".") +
                    "; docs/jobs.md has every key");
  }
  return {};
}

Result<JobTable> parse_table(std::string_view text, const std::vector<std::string_view>& sections,
                             const std::vector<std::string_view>& lists) {
  CV_CHECK(check_depth(text));
  try {
    return table_of(toml::parse(text), sections, lists);
  } catch (const toml::parse_error& wrong) {
    // One line: the library's descriptions may quote what they found.
    std::string what(wrong.description());
    std::replace(what.begin(), what.end(), '\n', ' ');
    return fail_at("line " + std::to_string(wrong.source().begin.line), ErrorKind::usage, what);
  } catch (const std::exception& wrong) {
    return fail(ErrorKind::usage, std::string("the file cannot be read: ") + wrong.what());
  }
}

}  // namespace chronoveil::engine
