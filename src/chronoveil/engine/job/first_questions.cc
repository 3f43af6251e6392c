// What a first job is asked for, in order, and which answers can be right.
#include <charconv>
#include <filesystem>
#include <initializer_list>

#include "chronoveil/data/time/reader.h"
#include "chronoveil/engine/job/column_guesses.h"
#include "chronoveil/engine/job/given_keys.h"
#include "chronoveil/engine/job/named_errors.h"
#include "chronoveil/engine/job/section_readers.h"
#include "chronoveil/forecasting/model_config.h"

namespace chronoveil::engine {
namespace {

// Keys whose value is a column.
constexpr std::string_view kColumns[] = {"source.time",  "source.user",      "source.series",  "source.place",
                                         "source.value", "source.longitude", "source.latitude"};

bool names_columns(std::string_view key) {
  return key == "perturb.columns" || std::find(std::begin(kColumns), std::end(kColumns), key) != std::end(kColumns);
}

std::string stem_of(const std::string& path) {
  std::string stem = std::filesystem::path(path).filename().string();
  stem = stem.substr(0, stem.find('.', 1));
  for (char& c : stem)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-')) c = '_';
  return stem;
}

// Series of a wide file, or what is perturbed: the columns that are nothing else.
std::string other_columns(const CsvHeader& header, const GivenKeys& given) {
  std::string list;
  for (const std::string& column : header.columns)
    if (column != word_given(given, "source.time") && column != word_given(given, "source.user"))
      list += (list.empty() ? "" : ",") + column;
  return list;
}

// The questions of a job, those that were answered too: later ones depend on earlier answers.
class Questions {
 public:
  Questions(const CsvHeader& header, const GivenKeys& given) : header_(&header), given_(&given) {}

  // Where the guess is empty there must be an answer.
  void ask(std::string_view key, const std::string& guess, bool may_be_without = false) {
    if (next_ || find_given(*given_, key) != nullptr) return;
    next_ = Question{std::string(key), meaning_here(key_info(key)), guess, may_be_without || guess == kWithout};
  }
  bool has(std::string_view key) const { return is_given(*given_, key); }
  std::string word(std::string_view key) const { return word_given(*given_, key); }
  std::string stem() const { return stem_of(header_->path); }
  std::string others() const { return other_columns(*header_, *given_); }
  const std::vector<std::string>& columns() const { return header_->columns; }
  std::optional<Question> next() { return std::move(next_); }

 private:
  const CsvHeader* header_;
  const GivenKeys* given_;
  std::optional<Question> next_;
};

const std::string kNone(kWithout);

void ask_name_and_time(Questions& all, bool may_have_no_times = false) {
  all.ask("dataset.name", all.stem());
  if (!all.has("perturb.times")) all.ask("source.time", guessed_time(all.columns()), may_have_no_times);
}

void ask_slots(Questions& all) {
  const std::string time = all.word("source.time"), format = all.word("source.time_format");
  all.ask("source.time_format", guessed_time_format(time));
  all.ask("source.zone", guessed_zone());
  all.ask("slots.start", "");
  all.ask("slots.end", "");
  all.ask("slots.length", guessed_length(time, format));
}

void ask_price(Questions& all, const char* epsilon, const char* delta) {
  all.ask("privacy.epsilon", epsilon);
  all.ask("privacy.delta", delta);
}

// Points lie in areas or on a grid.
void ask_points(Questions& all) {
  if (!all.has("source.longitude")) return;
  all.ask("source.latitude", guessed_latitude(all.columns()));
  if (!all.has("places.west")) all.ask("places.areas", kNone);
  if (all.has("places.areas")) return;
  for (const std::string_view edge : {"places.west", "places.south", "places.east", "places.north", "places.size"})
    all.ask(edge, "");
}

// Where a record is: at a point, or else in a column of places.
void ask_places(Questions& all) {
  const std::string longitude = guessed_longitude(all.columns());
  const bool on_a_map = all.has("places.west") || all.has("places.areas");
  if (!all.has("source.place")) all.ask("source.longitude", longitude.empty() && !on_a_map ? kNone : longitude);
  if (all.has("source.longitude")) return ask_points(all);
  all.ask("source.place", kNone);
  if (all.has("source.place") && !all.has("places.keys")) all.ask("places.list", "");
}

// Counts without a column of series or of counts may have a column per series.
bool may_be_wide(const Questions& all) {
  constexpr std::size_t kOthers = 2;  // columns beside the one of times
  return !all.has("source.user") && !all.has("source.series") && !all.has("source.value") &&
         !all.has("source.longitude") && all.columns().size() > kOthers;
}

void ask_counts(Questions& all) {
  ask_name_and_time(all);
  all.ask("source.user", "", true);
  if (may_be_wide(all)) all.ask("source.wide", "false");
  const bool wide = all.word("source.wide") == "true";
  if (!wide && !all.has("source.longitude")) all.ask("source.series", kNone);
  const bool may_have_points = !wide && !all.has("source.series") && !guessed_longitude(all.columns()).empty();
  if (may_have_points) all.ask("source.longitude", kNone);
  ask_points(all);
  if (!wide && !all.has("source.user")) all.ask("source.value", "", true);
  if ((wide || all.has("source.series")) && !all.has("series.keys")) all.ask("series.list", wide ? all.others() : "");
  ask_slots(all);
  // Nobody but the owner of the data can say how often one person counts.
  if (!all.has("privacy.unit") || all.word("privacy.unit") == "user") all.ask("privacy.max_steps", "");
  all.ask("privacy.max_per_slot", "1");
  ask_price(all, "1.0", "1e-6");
  all.ask("output.csv", all.stem() + "_out.csv");
}

void ask_means(Questions& all) {
  ask_name_and_time(all);
  all.ask("source.user", "");
  all.ask("source.value", "");
  ask_places(all);
  ask_slots(all);
  all.ask("means.lower", "0");
  all.ask("means.upper", "");
  all.ask("means.counts", "");
  all.ask("means.max_cells", "");
  if (all.word("means.counts") == "private") all.ask("means.max_records", "");
  all.ask("plan.users", "", true);
  ask_price(all, "1.0", "0");
  all.ask("output.csv", all.stem() + "_out.csv");
}

void ask_perturb(Questions& all) {
  ask_name_and_time(all, true);
  all.ask("perturb.columns", all.others());
  all.ask("privacy.window", "");
  ask_price(all, "1.0", "0");
  all.ask("output.csv", all.stem() + "_out.csv");
}

void ask_train(Questions& all) {
  ask_name_and_time(all);
  all.ask("source.series", "", true);
  all.ask("source.value", "");
  if (all.has("source.series") && !all.has("series.keys")) all.ask("series.list", "");
  ask_slots(all);
  all.ask("privacy.unit", "event");
  if (all.word("privacy.unit") == "w-event") all.ask("privacy.width", "");
  if (all.word("privacy.unit") == "user") all.ask("privacy.max_steps", "");
  all.ask("train.model", "auto");
  const std::string season = std::to_string(guessed_season(all.word("slots.length")));
  all.ask("train.forecast_length", season);
  if (forecasting::is_network(all.word("train.model"))) {
    all.ask("train.context_length", season);
    all.ask("train.steps", "200");
    all.ask("train.learning_rate", "3e-3");
  }
  ask_price(all, "2.0", "1e-6");
  all.ask("output.model", all.stem() + ".cvm");
}

void ask_all(Questions& all, const JobKind& kind) {
  if (std::holds_alternative<MeansSpec>(kind)) return ask_means(all);
  if (std::holds_alternative<PerturbSpec>(kind)) return ask_perturb(all);
  if (std::holds_alternative<TrainSpec>(kind)) return ask_train(all);
  ask_counts(all);
}

template <class T>
bool is_a(const std::string& word) {
  T value{};
  const auto [at, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && at == word.data() + word.size();
}

Result<void> check_shape(const KeyInfo& info, const std::string& answer) {
  if (info.shape == KeyShape::whole && !is_a<std::int64_t>(answer)) return invalid(info.key, answer, "a whole number");
  if (info.shape == KeyShape::number && !is_a<double>(answer)) return invalid(info.key, answer, "a number");
  if (info.shape == KeyShape::flag && answer != "true" && answer != "false")
    return invalid(info.key, answer, "true or false");
  if (info.choices.empty() || info.key == "mechanism.name") return {};
  if (std::find(info.choices.begin(), info.choices.end(), answer) != info.choices.end()) return {};
  std::string words;
  for (const std::string& choice : info.choices) words += (words.empty() ? "" : ", ") + choice;
  return invalid(info.key, answer, "one of " + words);
}

// As a word of a line for DuckDB inside double quotes: what would have to be quoted stands as a name to be replaced.
bool is_plain(const std::string& word, std::string_view beside) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           beside.find(c) != std::string_view::npos;
  });
}
std::string sql_name(const std::string& column, const char* otherwise) {
  return is_plain(column, "_") ? column : otherwise;
}
std::string sql_file(const std::string& path) { return is_plain(path, "_-./") ? path : "in.csv"; }

// For a file with a column per series. The column of times is the one that was named, or the one that looks like it.
std::string how_to_make_long_of(const CsvHeader& header, const GivenKeys& given) {
  const std::string named = word_given(given, "source.time");
  const bool there = std::find(header.columns.begin(), header.columns.end(), named) != header.columns.end();
  return how_to_make_long(sql_file(header.path), sql_name(there ? named : guessed_time(header.columns), "time"));
}

std::string how_to_join_time(const CsvHeader& header) {
  const YearAndPart parts = guessed_year_and_part(header.columns);
  if (parts.year.empty()) return "";
  const std::string year = sql_name(parts.year, "year"), part = sql_name(parts.part, parts.weeks ? "week" : "month");
  return "; the time seems to be in two columns, " + parts.year + " and " + parts.part +
         ", and this makes one of them (DuckDB: pip install duckdb-cli): duckdb -c \"COPY (SELECT " + year +
         (parts.weeks ? " || '-W'" : " || '-'") + " || lpad(" + part + "::TEXT, 2, '0') AS " +
         (parts.weeks ? "iso_week" : "month_of_year") + ", * FROM '" + sql_file(header.path) + "') TO 'out.csv'\"" +
         (parts.weeks ? "; weeks must be those of ISO 8601, see docs/input.md" : "");
}

}  // namespace

std::string names_of_columns(const CsvHeader& header) {
  constexpr std::size_t kShown = 20;
  const std::size_t count = header.columns.size(), shown = count > kShown + 1 ? kShown : count;
  std::string all;
  for (std::size_t i = 0; i < shown; ++i) all += (i == 0 ? "" : ", ") + header.columns[i];
  return shown == count ? all : all + " and " + std::to_string(count - shown) + " more";
}

KeyInfo key_info(std::string_view key) {
  for (KeyInfo& info : all_keys())
    if (info.key == key) return std::move(info);
  return {};
}

// What it says of other kinds of job would only puzzle.
std::string meaning_here(const KeyInfo& key) {
  return plain_words(key.meaning.substr(0, key.meaning.find("; of a job with ")));
}

Words split_list(const std::string& list) {
  Words words;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::size_t first = std::min(list.find_first_not_of(' ', at), end);
    words.push_back(list.substr(first, end - first));
    at = end + 1;
  }
  return words;
}

std::optional<Question> next_question(const CsvHeader& header, const GivenKeys& given, const JobKind& kind) {
  Questions all(header, given);
  ask_all(all, kind);
  return all.next();
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
  if (!names_columns(key)) return check_shape(key_info(key), answer);
  for (const std::string& column : key == "perturb.columns" ? split_list(answer) : Words{answer})
    if (std::find(header.columns.begin(), header.columns.end(), column) == header.columns.end())
      return invalid(key, column, "it must be a column of the header: " + names_of_columns(header));
  return {};
}

namespace {

// Where neither the column of series nor that of values is there, each series is probably a column of its own.
Result<void> check_columns_given(const CsvHeader& header, const GivenKeys& given) {
  const auto is_missing = [&](std::string_view key) {
    const std::string column = word_given(given, key);
    return !column.empty() && column != kNone &&
           std::find(header.columns.begin(), header.columns.end(), column) == header.columns.end();
  };
  for (const auto& [key, words] : given) {
    if (words.empty()) continue;
    Result<void> fits = check_answer(header, key, words.front());
    if (fits) continue;
    if (is_missing("source.series") && is_missing("source.value"))
      fits.error().valid += "; of a file with a column per series, " + how_to_make_long_of(header, given);
    return fits;
  }
  return {};
}

}  // namespace

Result<GivenKeys> with_guesses(const CsvHeader& header, GivenKeys given, const JobKind& kind) {
  CV_CHECK(check_columns_given(header, given));
  Words missing;
  while (const std::optional<Question> question = next_question(header, given, kind)) {
    given.push_back({question->key, {question->guess.empty() ? "?" : question->guess}});
    // The edges of a box have one option; they are named by the first.
    const std::string_view option = key_info(question->key).option;
    const bool named = !missing.empty() && !option.empty() && key_info(missing.back()).option == option;
    if (question->guess.empty() && !named) missing.push_back(question->key);
  }
  if (missing.empty()) return given;
  const auto lacks = [&](std::string_view key) {
    return std::find(missing.begin(), missing.end(), key) != missing.end();
  };
  std::string text = "these are missing and cannot be guessed: ";
  for (const std::string& key : missing) text += (key == missing.front() ? "`" : ", `") + key + "`";
  if (lacks("source.user") && std::holds_alternative<SeriesSpec>(kind))
    text += " (- where no column says who, so that rows are counts and the caps are declared)";
  if (lacks("source.value") && std::holds_alternative<SeriesSpec>(kind))
    text += "; of `source.value`: - where each row counts 1; `source.wide` says instead that each series is a column";
  if (lacks("places.west"))
    text +=
        "; of `places.west`: the box of a public grid, west,south,east,north in degrees; `source.longitude`=- and "
        "`source.latitude`=- instead mean one place for all";
  if (lacks("privacy.max_steps")) text += "; of `privacy.max_steps`: " + std::string(kHowToCapSteps);
  if (lacks("plan.users"))
    text +=
        "; of `plan.users`: about how many people a place has in a slot, from public knowledge, so that a release "
        "that would say nothing is refused, or - where nobody can say";
  if (lacks("source.time")) text += how_to_join_time(header);
  if (lacks("source.series"))
    text += " (- for one series; of a file with a column per series, " + how_to_make_long_of(header, given) + ")";
  if (std::any_of(missing.begin(), missing.end(), names_columns))
    text += "; the columns are " + names_of_columns(header);
  return fail(ErrorKind::usage, text);
}

}  // namespace chronoveil::engine
