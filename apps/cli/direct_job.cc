#include "direct_job.h"

#include <charconv>

#include "command.h"

namespace chronoveil::cli {
namespace {

// "rate=0.2": a truth, a whole number, a number, or else a text, as a job file would write them.
Result<mechanisms::Value> value_of(const std::string& text) {
  if (text == "true" || text == "false") return mechanisms::Value(text == "true");
  const char* const end = text.data() + text.size();
  std::int64_t integer = 0;
  if (const auto parsed = std::from_chars(text.data(), end, integer); parsed.ec == std::errc() && parsed.ptr == end)
    return mechanisms::Value(integer);
  double number = 0;
  if (const auto parsed = std::from_chars(text.data(), end, number); parsed.ec == std::errc() && parsed.ptr == end)
    return mechanisms::Value(number);
  return mechanisms::Value(text);
}

Result<void> read_source(const DirectJob& options, data::SourceSpec& source) {
  if (options.kind == "postgresql") {
    source.kind = data::SourceKind::postgresql;
    source.url = options.input;
  } else {
    if (options.kind != "csv" && options.kind != "sqlite")
      return invalid("--kind", options.kind, "csv, sqlite or postgresql");
    source.kind = options.kind == "csv" ? data::SourceKind::csv : data::SourceKind::sqlite;
    source.path = options.input;
  }
  if (options.delimiter.size() != 1) return invalid("--delimiter", options.delimiter, "one character");
  source.delimiter = options.delimiter[0];
  source.header = !options.no_header;
  return {};
}

}  // namespace

void add_input_options(CLI::App& command, DirectJob& options, std::string_view input) {
  command.add_option("INPUT", options.input, std::string(input))->required();
  command.add_option("--delimiter", options.delimiter, "Between the fields of a CSV; a comma unless given");
  command.add_flag("--no-header", options.no_header, "The CSV has no header: columns are named by number, from 1");
}

void add_source_options(CLI::App& command, DirectJob& options, std::string_view input) {
  data::SourceSpec& source = options.job.source;
  add_input_options(command, options, input);
  command.add_option("--kind", options.kind, "csv (the default), sqlite or postgresql");
  command.add_option("--query", source.query, "The SELECT to read, for databases");
  command.add_option("--table", source.table, "The table to read, for databases");
  command.add_option("--time", source.time, "The column that says when; time unless given");
  command.add_option("--time-format", source.time_format, "iso8601 (the default), epoch, epoch_ms, or like %d/%m/%Y");
  command.add_option("--zone", source.zone, "The time zone, such as Europe/Berlin; UTC unless given");
  command.add_option("--start", options.job.slots.start, "The first slot, such as 2026-03-01T00:00");
  command.add_option("--end", options.job.slots.end, "The first instant that is outside");
  command.add_option("--length", options.job.slots.length, "Of a slot: 15min, 1h, 1d, 1w");
}

void add_privacy_options(CLI::App& command, DirectJob& options, const std::vector<std::string>& mechanisms) {
  engine::Job& job = options.job;
  command.add_option("--dataset", job.dataset,
                     "The dataset of the ledger to debit; not needed with --seed and replays");
  command.add_option("--purpose", job.purpose, "Why, in words, for the ledger");
  command.add_option("--epsilon", job.epsilon, "ε of this release");
  command.add_option("--delta", job.delta, "δ of this release; 0 unless given");
  command.add_option("--mechanism", job.mechanism, "auto (the default) chooses from public facts")
      ->type_name("TEXT:{auto," + CLI::detail::join(mechanisms, ",") + "}");  // the job says what is wrong with another
  command.add_option("--set", options.parameters, "A parameter of the mechanism, such as rate=0.2");
  add_analysis_option(command, options.analysis);
}

void add_file_options(CLI::App& command, DirectJob& options) {
  engine::Job& job = options.job;
  command.add_option("--csv,--output", job.csv, "Write the CSV there; - is standard output, the default");
  command.add_option("--json-out", job.json, "Write the release JSON there");
  command.add_option("--report", job.report, "Write the HTML report there");
  command.add_option("--title", job.title, "The title of the report");
  command
      .add_option_function<std::string>(
          "--formulas", [&job](const std::string& word) { job.keeps_formulas = word == "keep"; },
          "keep: keys that a spreadsheet would take for formulas may be in the CSV; refuse (the default)")
      ->check(CLI::IsMember({"refuse", "keep"}));
  add_run_flags(command, options.flags);
  add_json_flag(command, options.json);
}

void add_output_options(CLI::App& command, DirectJob& options) {
  add_file_options(command, options);
  add_replay_flags(command, options.flags);
  command.add_option("--level", options.job.level, "Of the intervals; 0.95 unless given");
}

Result<engine::Job> job_of(const DirectJob& options, const std::string& option) {
  CV_TRY(engine::Job job, plain_job_of(options));
  const std::pair<std::string_view, const std::string*> needed[] = {
      {"start", &job.slots.start}, {"end", &job.slots.end}, {"length", &job.slots.length}};
  for (const auto& [name, value] : needed) {
    if (value->empty()) return fail(ErrorKind::usage, "--" + std::string(name) + " is required");
  }
  job.slots.zone = job.source.zone;
  job.keys = options.keys;
  if (!options.key_list.empty()) {
    if (!job.keys.empty())
      return fail(ErrorKind::usage, "--" + option + "-key: give either --" + option + "-key or --" + option + "-list");
    job.key_list = options.key_list;
    CV_TRY(job.keys, engine::read_key_list(job.key_list));
  }
  return job;
}

Result<engine::Job> plain_job_of(const DirectJob& options) {
  engine::Job job = options.job;
  CV_CHECK(read_source(options, job.source));
  CV_CHECK(apply_analysis(options.analysis, job));
  for (const std::string& parameter : options.parameters) {
    const std::size_t equals = parameter.find('=');
    if (equals == 0 || equals == std::string::npos) return invalid("--set", parameter, "written as name=value");
    CV_TRY(mechanisms::Value value, value_of(parameter.substr(equals + 1)));
    job.parameters.insert_or_assign(parameter.substr(0, equals), std::move(value));
  }
  // The release itself is the answer: as JSON when that is asked for, as CSV unless it goes to files.
  if (options.json && !options.flags.dry_run) {
    if (!job.json.empty()) return fail(ErrorKind::usage, "--json-out: --json prints the same on standard output");
    job.json = "-";
  } else if (job.csv.empty() && job.json.empty() && job.report.empty()) {
    job.csv = "-";
  }
  return job;
}

Error with_options(Error error, std::span<const std::pair<std::string_view, std::string_view>> own) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"dataset.name", "--dataset"},
      {"source.path", "INPUT"},
      {"source.url", "INPUT"},
      {"dataset.purpose", "--purpose"},
      {"series.list", "--series-list"},
      {"series.keys", "--series-key"},
      {"mechanism.name", "--mechanism"},
      {"output.json", "--json-out"},
      {"source.", "--"},
      {"slots.", "--"},
      {"privacy.", "--"},
      {"mechanism.", "--set "},
      {"plan.", "--"},
      {"output.", "--"},
  };
  const auto renamed = [&](const auto& names) {
    for (const auto& [key, option] : names) {
      if (!error.message.starts_with(key)) continue;
      error.message = std::string(option) + error.message.substr(key.size());
      return true;
    }
    return false;
  };
  if (!renamed(own)) renamed(kNames);
  return error;
}

}  // namespace chronoveil::cli
