// chronoveil release: the simple case of a job, from options instead of a file.
#include <charconv>
#include <iostream>
#include <memory>
#include <vector>

#include "chronoveil/engine/engine.h"
#include "chronoveil/engine/named_errors.h"
#include "command.h"
#include "job_output.h"
#include "run_flags.h"

namespace chronoveil::cli {
namespace {

struct ReleaseOptions {
  std::string input;
  std::string kind = "csv";
  std::string delimiter = ",";
  bool no_header = false;
  std::string duplicates = "refuse";
  std::vector<std::string> keys;
  std::string key_list;
  std::string unit = "user";
  std::optional<std::int64_t> width;
  std::string relation = "add_remove";
  std::optional<std::string> analysis;
  std::vector<std::string> parameters;
  bool allow_negative = false;
  RunFlags flags;
  bool json = false;
  engine::Job job;
};

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

Result<void> read_source(const ReleaseOptions& options, engine::Job& job) {
  data::SourceSpec& source = job.source;
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
  if (options.duplicates != "refuse" && options.duplicates != "sum")
    return invalid("--duplicates", options.duplicates, "refuse or sum");
  job.duplicates = options.duplicates == "sum" ? bound::Duplicates::sum : bound::Duplicates::refuse;
  return {};
}

Result<engine::Job> job_of(const ReleaseOptions& options) {
  engine::Job job = options.job;
  CV_CHECK(read_source(options, job));
  job.slots.zone = job.source.zone;
  job.keys = options.keys;
  if (!options.key_list.empty()) {
    if (!job.keys.empty()) return fail(ErrorKind::usage, "--series-key: give either --series-key or --series-list");
    job.key_list = options.key_list;
    CV_TRY(job.keys, engine::read_key_list(job.key_list));
  }
  CV_TRY(job.unit, engine::in_section("privacy", {"unit"}, parse_unit(options.unit)));
  if (options.width.has_value() != (job.unit == Unit::w_event))
    return fail(ErrorKind::usage, options.width ? "--width: it belongs to --unit w-event alone"
                                                : "--width: it is missing; for example --width 24");
  job.width = options.width.value_or(1);
  CV_TRY(job.relation, engine::in_section("privacy", {"relation"}, parse_relation(options.relation)));
  CV_CHECK(apply_analysis(options.analysis, job));
  for (const std::string& parameter : options.parameters) {
    const std::size_t equals = parameter.find('=');
    if (equals == 0 || equals == std::string::npos) return invalid("--set", parameter, "written as name=value");
    CV_TRY(mechanisms::Value value, value_of(parameter.substr(equals + 1)));
    job.parameters.insert_or_assign(parameter.substr(0, equals), std::move(value));
  }
  job.non_negative = !options.allow_negative;
  // The release itself is the answer: as JSON when that is asked for, as CSV unless it goes to files.
  if (options.json && !options.flags.dry_run) {
    if (!job.json.empty()) return fail(ErrorKind::usage, "--json-out: --json prints the same on standard output");
    job.json = "-";
  } else if (job.csv.empty() && job.json.empty() && job.report.empty()) {
    job.csv = "-";
  }
  CV_CHECK(engine::check_values(job));
  return job;
}

// Errors name the keys of a job file; who typed options knows them by another name.
Error with_options(Error error) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"dataset.name", "--dataset"},
      {"source.path", "INPUT"},
      {"source.url", "INPUT"},
      {"source.series", "--series"},
      {"series.list", "--series-list"},
      {"series.keys", "--series-key"},
      {"privacy.max_steps", "--max-steps"},
      {"privacy.max_per_slot", "--max-per-slot"},
      {"mechanism.name", "--mechanism"},
      {"output.json", "--json-out"},
      {"source.", "--"},
      {"slots.", "--"},
      {"privacy.", "--"},
      {"mechanism.", "--set "},
      {"plan.", "--"},
      {"output.", "--"},
  };
  for (const auto& [key, option] : kNames) {
    if (!error.message.starts_with(key)) continue;
    error.message = std::string(option) + error.message.substr(key.size());
    break;
  }
  constexpr std::string_view kSum = "source.duplicates = \"sum\"";
  if (const std::size_t at = error.message.find(kSum); at != std::string::npos)
    error.message.replace(at, kSum.size(), "--duplicates sum");
  return error;
}

Result<void> release(const ReleaseOptions& options) {
  CV_TRY(const engine::Job job, job_of(options));
  if (options.flags.dry_run) return print_dry_run(job, options.json);
  CV_CHECK(run_with(job, options.flags));
  return {};
}

void add_source_options(CLI::App& command, ReleaseOptions& options) {
  data::SourceSpec& source = options.job.source;
  command.add_option("INPUT", options.input, "A CSV file (plain, gzip, xz), -, a SQLite file or a postgresql:// URL")
      ->required();
  command.add_option("--kind", options.kind, "csv (the default), sqlite or postgresql");
  command.add_option("--query", source.query, "The SELECT to read, for databases");
  command.add_option("--table", source.table, "The table to read, for databases");
  command.add_option("--user", source.user, "The column that says who; without it rows are counts, caps are declared");
  command.add_option("--time", source.time, "The column that says when; time unless given");
  command.add_option("--series", source.series, "The column that says which series");
  command.add_option("--value", source.value, "The column that says how many; 1 a row unless given");
  command.add_option("--time-format", source.time_format, "iso8601 (the default), epoch, epoch_ms, or like %d/%m/%Y");
  command.add_option("--zone", source.zone, "The time zone, such as Europe/Berlin; UTC unless given");
  command.add_option("--delimiter", options.delimiter, "Between the fields of a CSV; a comma unless given");
  command.add_flag("--no-header", options.no_header, "The CSV has no header: columns are named by number, from 1");
  command.add_option("--duplicates", options.duplicates, "Counts twice for one slot: refuse (the default) or sum");
  command.add_option("--series-list", options.key_list, "A file with the public keys of the series, one a line");
  command.add_option("--series-key", options.keys, "A public key; once for each");
  command.add_flag("--disjoint", options.job.disjoint, "Declare that everybody is in one series only");
  command.add_option("--start", options.job.slots.start, "The first slot, such as 2026-03-01T00:00")->required();
  command.add_option("--end", options.job.slots.end, "The first instant that is outside")->required();
  command.add_option("--length", options.job.slots.length, "Of a slot: 15min, 1h, 1d, 1w")->required();
}

void add_privacy_options(CLI::App& command, ReleaseOptions& options) {
  engine::Job& job = options.job;
  command.add_option("--dataset", job.dataset,
                     "The dataset of the ledger to debit; not needed with --seed and replays");
  command.add_option("--purpose", job.purpose, "Why, in words, for the ledger");
  command.add_option("--epsilon", job.epsilon, "ε of this release")->required();
  command.add_option("--delta", job.delta, "δ of this release; 0 unless given");
  command.add_option("--unit", options.unit, "What is protected: user (the default), w-event or event");
  command.add_option("--width,--window", options.width, "How many slots in a row, for w-event");
  command.add_option("--relation", options.relation, "How neighbours differ: add_remove (the default) or replace");
  command.add_option("--max-steps", job.max_steps,
                     "Slots in which one person counts, over all series; all unless given");
  command.add_option("--max-per-slot", job.max_per_slot, "What one person adds to one slot; 1 unless given");
  command.add_option("--maximum", job.maximum, "A public maximum; larger counts are taken as this");
  command.add_option("--mechanism", job.mechanism, "One of the catalogue; chosen from public facts unless given");
  command.add_option("--set", options.parameters, "A parameter of the mechanism, such as rate=0.2");
  command.add_option("--sample", job.public_sample, "A CSV of counts that you declare public, to choose by");
  add_analysis_option(command, options.analysis);
}

void add_output_options(CLI::App& command, ReleaseOptions& options) {
  engine::Job& job = options.job;
  command.add_option("--csv,--output", job.csv, "Write the CSV there; - is standard output, the default");
  command.add_option("--json-out", job.json, "Write the release JSON there");
  command.add_option("--report", job.report, "Write the HTML report there");
  command.add_option("--title", job.title, "The title of the report");
  command.add_option("--level", job.level, "Of the intervals; 0.95 unless given");
  command.add_flag("--integers", job.integers, "Round to whole numbers");
  command.add_flag("--allow-negative", options.allow_negative, "Keep negative values as they are");
}

}  // namespace

void add_release_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<ReleaseOptions>();
  CLI::App* command = app.add_subcommand("release", "Release a series without a job file; prints it as CSV");
  add_source_options(*command, *options);
  add_privacy_options(*command, *options);
  add_output_options(*command, *options);
  add_run_flags(*command, options->flags);
  add_json_flag(*command, options->json);
  add_example(*command,
              "chronoveil release trips.csv --dataset city --user card --time ts --start 2026-03-01T00:00 --end "
              "2026-04-01T00:00 --length 1h --max-steps 20 --epsilon 1 --delta 1e-6");
  on_run(*command, context, [options]() -> Result<void> {
    Result<void> done = release(*options);
    if (!done) return tl::unexpected(with_options(std::move(done.error())));
    return done;
  });
}

}  // namespace chronoveil::cli
