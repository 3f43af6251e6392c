#include "chronoveil/engine/job/first_job.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>

#include "chronoveil/base/toml_text.h"
#include "chronoveil/data/field_rows.h"
#include "chronoveil/engine/job/column_guesses.h"
#include "chronoveil/engine/job/given_keys.h"
#include "chronoveil/engine/job/named_errors.h"
#include "chronoveil/engine/means/means.h"
#include "chronoveil/engine/perturb/perturb.h"
#include "chronoveil/engine/release/budget.h"
#include "chronoveil/engine/series/series.h"
#include "chronoveil/engine/train/train.h"

namespace chronoveil::engine {
namespace {

namespace fs = std::filesystem;

// A list that somebody types: a file, or the keys themselves with commas between them. Keys of a wide file may be one.
GivenKeys with_keys(GivenKeys given) {
  const bool wide = word_given(given, "source.wide") == "true";
  for (auto& [key, words] : given) {
    std::error_code ignored;
    const bool is_list = key == "series.list" || key == "places.list";
    if (!is_list || says_without(words) || fs::exists(words.front(), ignored)) continue;
    if (!wide && words.front().find(',') == std::string::npos) continue;
    key = key.substr(0, key.find('.')) + ".keys";
    words = split_list(words.front());
  }
  return given;
}

std::string value_text(const KeyInfo& key, const Words& words) {
  const bool word = key.shape == KeyShape::steps && words.front().find_first_not_of("0123456789") != std::string::npos;
  if (key.shape == KeyShape::text || word) return toml_text(words.front());
  if (key.shape != KeyShape::texts && key.shape != KeyShape::words) return words.front();
  std::string list = "[";
  for (const std::string& one : key.shape == KeyShape::words ? split_list(words.front()) : words)
    list += (list.size() == 1 ? "" : ", ") + toml_text(one);
  return list + "]";
}

// A file that the job reads, as seen from its folder.
Words seen_from(const std::string& job, std::string_view key, const Words& words) {
  constexpr std::string_view kRead[] = {"source.path", "series.list", "places.list", "places.areas", "plan.sample"};
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
    if (!is_given(answers, key.key)) continue;
    if (const std::string of = key.key.substr(0, key.key.find('.')); of != section) {
      section = of;
      text += "\n[" + section + "]\n";
    }
    const std::string name = key.key.substr(section.size() + 1);
    text += "# " + meaning_here(key) + "\n";
    text += name + " = " + value_text(key, seen_from(path, key.key, *find_given(answers, key.key))) + "\n";
  }
  return text;
}

constexpr std::string_view kGiveAHeader =
    "put a line with the names of the columns first (sed '1i card,ts,stop' FILE > NEW, with the file's own delimiter), "
    "or "
    "write the job by hand: with header = false columns are named by number, from 1";

// Beside the CSV or the model, the page for readers and the JSON with the guarantee: who does not know them would not
// ask for them, and the JSON tells another job whose files they are, before it replaces them.
void add_documents(GivenKeys& given, bool trains) {
  const fs::path made = word_given(given, trains ? "output.model" : "output.csv");
  if (!made.has_filename() || made == "-") return;
  for (const auto& [key, ending] : {std::pair{"output.json", ".json"}, {"output.report", ".html"}})
    if (find_given(given, key) == nullptr) given.push_back({key, {fs::path(made).replace_extension(ending).string()}});
}

// What is written can be planned; the plan says how neighbours differ.
Result<Relation> planned_relation(const Job& job) {
  if (job.is<MeansSpec>()) {
    CV_TRY(const MeansPlanned planned, plan_means(job, Compare::when_needed));
    return planned.chosen.relation;
  }
  if (job.is<PerturbSpec>()) {
    CV_TRY(const PerturbPlanned planned, plan_perturbation(job, Compare::when_needed));
    return planned.chosen.relation;
  }
  if (job.is<TrainSpec>()) {
    CV_CHECK(plan_training(job));
  } else {
    CV_CHECK(plan_job(job, Compare::when_needed));
  }
  return job.relation;
}

}  // namespace

Result<CsvHeader> read_csv_header(const std::string& path, const GivenKeys& given) {
  if (path == "-") return fail(ErrorKind::usage, "source.path", "it must be a file: its header is read twice");
  if (word_given(given, "source.header") == "false")
    return fail(ErrorKind::usage, "source.header", "there is nothing public to look at; " + std::string(kGiveAHeader));
  CsvHeader header{path, ',', {}};
  data::FieldRowsSpec spec{.path = path};
  if (const std::string delimiter = word_given(given, "source.delimiter"); delimiter.size() == 1)
    spec.delimiter = delimiter.front();
  Result<std::unique_ptr<data::FieldRows>> rows = data::open_field_rows(spec);
  if (!rows) return tl::unexpected(under_key("source.path", std::move(rows.error())));
  header.delimiter = (*rows)->delimiter();
  header.columns = (*rows)->columns();
  if (looks_like_a_row(header.columns))
    return fail(ErrorKind::usage, "source.path",
                "its first line looks like a row of data, not like a header; " + std::string(kGiveAHeader));
  return header;
}

Result<FirstJob> first_job(const CsvHeader& header, const GivenKeys& answers, const std::string& path,
                           const JobKind& kind) {
  for (const auto& [key, words] : answers) {
    if (words.empty()) return fail(ErrorKind::usage, key, "it has no value");
    CV_CHECK(check_answer(header, key, words.front()));
  }
  GivenKeys all = with_keys(answers);
  all.push_back({"source.path", {header.path}});
  if (header.delimiter != ',' && !is_given(all, "source.delimiter"))
    all.push_back({"source.delimiter", {std::string(1, header.delimiter)}});
  const bool perturbs = std::holds_alternative<PerturbSpec>(kind);
  if (!perturbs && find_given(all, "privacy.unit") == nullptr) all.push_back({"privacy.unit", {"user"}});
  if (perturbs && !is_given(all, "source.time") && find_given(all, "perturb.times") == nullptr)
    all.push_back({"perturb.times", {"false"}});
  add_documents(all, std::holds_alternative<TrainSpec>(kind));
  FirstJob made;
  made.text = text_of(all, path);
  CV_TRY(const Job job, parse_job(made.text, path));
  CV_TRY(const Relation relation, planned_relation(job));
  CV_TRY(const Claim claim, claim_of(job, relation));
  made.create_budget = create_command(claim, "");
  made.not_hidden = not_hidden_by(claim);
  return made;
}

}  // namespace chronoveil::engine
