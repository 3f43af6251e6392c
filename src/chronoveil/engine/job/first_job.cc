#include "chronoveil/engine/job/first_job.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>

#include "chronoveil/base/toml_text.h"
#include "chronoveil/data/field_rows.h"
#include "chronoveil/data/time/reader.h"
#include "chronoveil/engine/job/column_guesses.h"
#include "chronoveil/engine/job/named_errors.h"
#include "chronoveil/engine/job/section_readers.h"
#include "chronoveil/engine/release/budget.h"

namespace chronoveil::engine {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

const Words* find(const GivenKeys& given, std::string_view key) {
  const auto found = std::find_if(given.begin(), given.end(), [&](const auto& pair) { return pair.first == key; });
  return found == given.end() ? nullptr : &found->second;
}
bool without(const Words& words) { return words.size() == 1 && words.front() == kWithout; }
// Whether the job has the key.
bool has(const GivenKeys& given, std::string_view key) {
  const Words* const words = find(given, key);
  return words != nullptr && !words->empty() && !without(*words);
}
std::string word(const GivenKeys& given, std::string_view key) {
  return has(given, key) ? find(given, key)->front() : std::string();
}
bool is_wide(const GivenKeys& given) { return word(given, "source.wide") == "true"; }

KeyInfo info_of(std::string_view key) {
  for (KeyInfo& info : all_keys())
    if (info.key == key) return std::move(info);
  return {};
}

// What it says of jobs with a section that is never written here, for training or perturbing, would only puzzle.
std::string meaning_here(const KeyInfo& key) {
  return plain_words(key.meaning.substr(0, key.meaning.find("; of a job with ")));
}

std::string stem_of(const std::string& path) {
  std::string stem = fs::path(path).filename().string();
  stem = stem.substr(0, stem.find('.', 1));
  for (char& c : stem)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-')) c = '_';
  return stem;
}

// Series of a wide file: the columns that are nothing else.
std::string other_columns(const CsvHeader& header, const GivenKeys& given) {
  std::string list;
  for (const std::string& column : header.columns)
    if (column != word(given, "source.time") && column != word(given, "source.user"))
      list += (list.empty() ? "" : ",") + column;
  return list;
}

bool asked_for_keys(const GivenKeys& given) { return has(given, "source.series") || is_wide(given); }
// Whether a row is a person's and the job bounds in how many slots: then nobody but its owner can say in how many.
bool needs_steps(const GivenKeys& given) {
  return has(given, "source.user") && (!has(given, "privacy.unit") || word(given, "privacy.unit") == "user");
}
bool has_points(const GivenKeys& given) { return has(given, "source.longitude"); }

// A list that somebody types: a file, or the keys themselves with commas between them.
GivenKeys with_keys(GivenKeys given) {
  for (auto& [key, words] : given) {
    std::error_code ignored;
    if (key != "series.list" || without(words) || fs::exists(words.front(), ignored)) continue;
    if (words.front().find(',') == std::string::npos) continue;
    Words keys;
    for (std::size_t at = 0; at <= words.front().size();) {
      const std::size_t end = std::min(words.front().find(',', at), words.front().size());
      const std::size_t first = std::min(words.front().find_first_not_of(' ', at), end);
      keys.push_back(words.front().substr(first, end - first));
      at = end + 1;
    }
    key = "series.keys";
    words = std::move(keys);
  }
  return given;
}

// Keys whose value is a column.
constexpr std::string_view kColumns[] = {"source.time",  "source.user",      "source.series",
                                         "source.value", "source.longitude", "source.latitude"};

std::string value_text(const KeyInfo& key, const Words& words) {
  const bool word = key.shape == KeyShape::steps && words.front().find_first_not_of("0123456789") != std::string::npos;
  if (key.shape == KeyShape::text || word) return toml_text(words.front());
  if (key.shape != KeyShape::texts && key.shape != KeyShape::words) return words.front();
  std::string list = "[";
  for (const std::string& one : words) list += (list.size() == 1 ? "" : ", ") + toml_text(one);
  return list + "]";
}

// A file that the job reads, as seen from its folder.
Words seen_from(const std::string& job, std::string_view key, const Words& words) {
  constexpr std::string_view kRead[] = {"source.path", "series.list", "places.areas", "plan.sample"};
  if (std::find(std::begin(kRead), std::end(kRead), key) == std::end(kRead)) return words;
  const fs::path file(words.front());
  const fs::path folder = fs::path(job).parent_path();
  if (file.is_absolute() || folder.empty()) return words;
  std::error_code ignored;
  return {fs::proximate(file, folder, ignored).string()};
}

std::string text_of(const GivenKeys& answers, const std::string& path) {
  std::string text = "# Written by chronoveil init. Every key: chronoveil man --job-keys\nversion = 1\n", section;
  for (const KeyInfo& key : all_keys()) {
    const bool cap = key.key == "privacy.max_steps";  // where it is absent, everybody may be everywhere
    if (!has(answers, key.key) && !cap) continue;
    if (const std::string of = key.key.substr(0, key.key.find('.')); of != section) {
      section = of;
      text += "\n[" + section + "]\n";
    }
    const std::string name = key.key.substr(section.size() + 1);
    text += "# " + meaning_here(key) + "\n";
    if (!has(answers, key.key))
      text +=
          "# " + name + " = 20  (without it: " + plain_words(key.standard.substr(0, key.standard.find(';'))) + ")\n";
    else
      text += name + " = " + value_text(key, seen_from(path, key.key, *find(answers, key.key))) + "\n";
  }
  return text;
}

}  // namespace

Result<CsvHeader> read_csv_header(const std::string& path, const GivenKeys& given) {
  if (path == "-") return fail(ErrorKind::usage, "source.path", "it must be a file: its header is read twice");
  if (word(given, "source.header") == "false")
    return fail(ErrorKind::usage, "source.header",
                "without a header there is nothing public to look at; write the job by "
                "hand");
  CsvHeader header{path, ',', {}};
  data::FieldRowsSpec spec{.path = path};
  if (const std::string delimiter = word(given, "source.delimiter"); delimiter.size() == 1)
    spec.delimiter = delimiter.front();
  Result<std::unique_ptr<data::FieldRows>> rows = data::open_field_rows(spec);
  if (!rows) return tl::unexpected(under_key("source.path", std::move(rows.error())));
  header.delimiter = (*rows)->delimiter();
  header.columns = (*rows)->columns();
  return header;
}

Result<void> check_answer(const CsvHeader& header, const std::string& key, const std::string& answer) {
  if (answer == kWithout) return {};
  if (key == "source.zone" || key == "source.time_format") {
    const bool zone = key == "source.zone";
    CV_TRY(std::shared_ptr<const data::Zone> found, data::Zone::find(zone ? answer : "UTC", key));
    if (zone) return {};
    CV_CHECK(by_key({"source"}, data::TimeReader::make(answer, std::move(found))));
    return {};
  }
  if (std::find(std::begin(kColumns), std::end(kColumns), key) == std::end(kColumns)) return {};
  if (std::find(header.columns.begin(), header.columns.end(), answer) != header.columns.end()) return {};
  std::string all;
  for (const std::string& column : header.columns) all += (all.empty() ? "" : ", ") + column;
  return invalid(key, answer, "it must be a column of the header: " + all);
}

std::optional<Question> next_question(const CsvHeader& header, const GivenKeys& given) {
  const auto ask = [&](std::string_view key, const std::string& guess) -> std::optional<Question> {
    if (find(given, key) != nullptr) return std::nullopt;
    const bool may_be_without = key == "source.user" || key == "source.value" || guess == kWithout;
    return Question{std::string(key), meaning_here(info_of(key)), guess, may_be_without};
  };
  const std::string none(kWithout);
  const std::string time = word(given, "source.time"), format = word(given, "source.time_format");
  if (auto question = ask("dataset.name", stem_of(header.path))) return question;
  if (auto question = ask("source.time", guessed_time(header.columns))) return question;
  if (auto question = ask("source.user", "")) return question;
  if (!is_wide(given) && !has_points(given)) {
    if (auto question = ask("source.series", none)) return question;
  }
  if (!is_wide(given) && !has(given, "source.user")) {
    if (auto question = ask("source.value", "")) return question;
  }
  if (asked_for_keys(given) && !has(given, "series.keys")) {
    if (auto question = ask("series.list", is_wide(given) ? other_columns(header, given) : "")) return question;
  }
  if (auto question = ask("source.time_format", guessed_time_format(time))) return question;
  if (auto question = ask("source.zone", guessed_zone())) return question;
  if (auto question = ask("slots.start", "")) return question;
  if (auto question = ask("slots.end", "")) return question;
  if (auto question = ask("slots.length", guessed_length(time, format))) return question;
  if (auto question = ask("privacy.max_steps", needs_steps(given) ? "" : none)) return question;
  if (auto question = ask("privacy.max_per_slot", "1")) return question;
  if (auto question = ask("privacy.epsilon", "1.0")) return question;
  if (auto question = ask("privacy.delta", "1e-6")) return question;
  return ask("output.csv", stem_of(header.path) + "_out.csv");
}

Result<GivenKeys> with_guesses(const CsvHeader& header, GivenKeys given) {
  std::string missing;
  while (const std::optional<Question> question = next_question(header, given)) {
    given.push_back({question->key, {question->guess.empty() ? "?" : question->guess}});
    if (question->guess.empty()) missing += (missing.empty() ? "`" : ", `") + question->key + "`";
  }
  if (missing.empty()) return given;
  std::string text = "these are missing and cannot be guessed: " + missing;
  if (missing.find("source.user") != std::string::npos)
    text += " (- where no column says who, so that rows are counts and the caps are declared)";
  if (missing.find("privacy.max_steps") != std::string::npos)
    text += "; of `privacy.max_steps`: " + std::string(kHowToCapSteps);
  return fail(ErrorKind::usage, text);
}

Result<FirstJob> first_job(const CsvHeader& header, const GivenKeys& answers, const std::string& path) {
  for (const auto& [key, words] : answers) {
    if (words.empty()) return fail(ErrorKind::usage, key, "it has no value");
    CV_CHECK(check_answer(header, key, words.front()));
  }
  GivenKeys all = with_keys(answers);
  all.push_back({"source.path", {header.path}});
  if (header.delimiter != ',' && !has(all, "source.delimiter"))
    all.push_back({"source.delimiter", {std::string(1, header.delimiter)}});
  if (find(all, "privacy.unit") == nullptr) all.push_back({"privacy.unit", {"user"}});
  FirstJob made;
  made.text = text_of(all, path);
  CV_TRY(const Job job, parse_job(made.text, path));
  CV_CHECK(plan_job(job, Compare::when_needed));  // what is written can be planned
  made.create_budget = create_command(claim_of(job), "");
  return made;
}

}  // namespace chronoveil::engine
