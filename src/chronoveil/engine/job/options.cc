#include "chronoveil/engine/job/options.h"

#include <algorithm>
#include <charconv>
#include <regex>

#include "chronoveil/engine/job/keys.h"
#include "chronoveil/engine/job/read_table.h"
#include "chronoveil/engine/job/section_readers.h"

namespace chronoveil::engine {
namespace {

KeyInfo info_of(const JobKey& key, const JobKind& kind = SeriesSpec()) {
  return {std::string(key.section) + "." + std::string(key.name),      key.option, key.meaning, key.standard, key.shape,
          key.choices ? key.choices(kind) : std::vector<std::string>()};
}

template <class T>
std::optional<T> parsed(const std::string& word) {
  T value{};
  const char* const end = word.data() + word.size();
  const auto [at, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || at != end) return std::nullopt;
  return value;
}

// A parameter of a mechanism: a truth, a whole number, a number, or else a text, as a job file would write them.
TableValue value_of(const std::string& word) {
  if (word == "true" || word == "false") return word == "true";
  if (const auto whole = parsed<std::int64_t>(word)) return *whole;
  if (const auto number = parsed<double>(word)) return *number;
  return word;
}

std::vector<std::string> split(const std::vector<std::string>& lists) {
  std::vector<std::string> words;
  for (const std::string& list : lists)
    for (std::size_t at = 0; at <= list.size();) {
      const std::size_t end = std::min(list.find(',', at), list.size());
      words.push_back(list.substr(at, end - at));
      at = end + 1;
    }
  return words;
}

Result<TableValue> value_of(const std::string& key, KeyShape shape, const std::vector<std::string>& words) {
  if (shape == KeyShape::texts) return words;
  if (shape == KeyShape::words) return split(words);
  if (words.size() != 1) return fail(ErrorKind::usage, key, "it is given more than once");
  const std::string& word = words.front();
  switch (shape) {
    case KeyShape::flag:
      if (word == "true" || word == "false") return TableValue(word == "true");
      return invalid(key, word, "true or false");
    case KeyShape::whole:
      if (const auto whole = parsed<std::int64_t>(word)) return TableValue(*whole);
      return invalid(key, word, "a whole number");
    case KeyShape::steps:
      if (word == kAll) return TableValue(word);
      if (const auto whole = parsed<std::int64_t>(word)) return TableValue(*whole);
      return invalid(key, word, "a whole number, or all");
    case KeyShape::number:
      if (const auto number = parsed<double>(word)) return TableValue(*number);
      return invalid(key, word, "a number");
    default: return TableValue(word);
  }
}

Result<void> put(JobTable& table, const std::string& key, const std::vector<std::string>& words) {
  const std::size_t dot = std::min(key.find('.'), key.size());
  const std::string section = key.substr(0, dot), name = key.substr(std::min(dot + 1, key.size()));
  for (const JobKey& row : job_keys()) {
    if (row.section != section || row.name != name) continue;
    CV_TRY(TableValue value, value_of(key, row.shape, words));
    table.sections.find(section)->second.put(name, std::move(value));
    return {};
  }
  if (section != "mechanism" || name.empty() || words.size() != 1)
    return fail(ErrorKind::usage, key, "there is no such key");
  table.sections.find(section)->second.put(name, value_of(words.front()));
  return {};
}

}  // namespace

std::vector<KeyInfo> all_keys() {
  std::vector<KeyInfo> all;
  for (const JobKey& key : job_keys()) all.push_back(info_of(key));
  // Sections together, in the order of their first key.
  const std::vector<std::string_view> sections = section_names();
  const auto place = [&](const KeyInfo& key) {
    return std::find(sections.begin(), sections.end(), std::string_view(key.key).substr(0, key.key.find('.')));
  };
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return all;
}

std::string plain_words(std::string_view markdown) {
  static const std::regex links(R"(\[([^\]]*)\]\([^)]*\))");
  std::string text = std::regex_replace(std::string(markdown), links, "$1");
  std::erase(text, '`');
  return text;
}

std::vector<KeyInfo> option_keys(const JobKind& kind) {
  Job job;
  job.kind = kind;
  std::vector<KeyInfo> offered;
  for (const JobKey& key : job_keys()) {
    const auto applies = key.offered ? key.offered : key.belongs;
    if (!key.option.empty() && (!applies || applies(job))) offered.push_back(info_of(key, kind));
  }
  return offered;
}

Result<Job> job_of(JobKind kind, const GivenKeys& given) {
  JobTable table;
  for (const std::string_view name : section_names()) table.sections.emplace(name, Section(std::string(name)));
  for (const auto& [key, words] : given) CV_CHECK(put(table, key, words));
  return read_table(table, std::move(kind), "");
}

}  // namespace chronoveil::engine
