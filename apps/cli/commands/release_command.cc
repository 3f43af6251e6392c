// chronoveil release: the simple case of a job, from options instead of a file.
#include <memory>

#include "chronoveil/engine/job/named_errors.h"
#include "chronoveil/engine/series/series.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "command.h"
#include "direct_job.h"
#include "output/job_output.h"

namespace chronoveil::cli {
namespace {

struct ReleaseOptions {
  DirectJob direct;
  std::string duplicates = "refuse";
  std::string unit = "user";
  std::optional<std::int64_t> width;
  std::string relation = "add_remove";
  bool allow_negative = false;
};

Result<engine::Job> job_of(const ReleaseOptions& options) {
  CV_TRY(engine::Job job, job_of(options.direct, "series"));
  if (options.duplicates != "refuse" && options.duplicates != "sum")
    return invalid("--duplicates", options.duplicates, "refuse or sum");
  job.series().duplicates = options.duplicates == "sum" ? bound::Duplicates::sum : bound::Duplicates::refuse;
  CV_TRY(job.unit, engine::in_section("privacy", {"unit"}, parse_unit(options.unit)));
  if (options.width.has_value() != (job.unit == Unit::w_event))
    return fail(ErrorKind::usage, options.width ? "--width: it belongs to --unit w-event alone"
                                                : "--width: it is missing; for example --width 24");
  job.width = options.width.value_or(1);
  CV_TRY(job.relation, engine::in_section("privacy", {"relation"}, parse_relation(options.relation)));
  job.series().non_negative = !options.allow_negative;
  CV_CHECK(engine::check_values(job));
  return job;
}

Error with_names(Error error) {
  constexpr std::pair<std::string_view, std::string_view> kOwn[] = {{"privacy.max_steps", "--max-steps"},
                                                                    {"privacy.max_per_slot", "--max-per-slot"}};
  error = with_options(std::move(error), kOwn);
  constexpr std::string_view kSum = "source.duplicates = \"sum\"";
  if (const std::size_t at = error.message.find(kSum); at != std::string::npos)
    error.message.replace(at, kSum.size(), "--duplicates sum");
  return error;
}

Result<void> release(const ReleaseOptions& options) {
  CV_TRY(const engine::Job job, job_of(options));
  if (options.direct.flags.dry_run) return print_dry_run(job, options.direct.json);
  CV_CHECK(run_with(job, options.direct.flags));
  return {};
}

}  // namespace

void add_release_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<ReleaseOptions>();
  CLI::App* command = app.add_subcommand("release", "Release a series without a job file; prints it as CSV");
  engine::Job& job = options->direct.job;
  add_source_options(*command, options->direct,
                     "A CSV file (plain, gzip, xz), -, a SQLite file or a postgresql:// URL");
  command->add_option("--user", job.source.user,
                      "The column that says who; without it rows are counts, caps are declared");
  command->add_option("--series", job.source.series, "The column that says which series");
  command->add_option("--value", job.source.value, "The column that says how many; 1 a row unless given");
  command->add_option("--duplicates", options->duplicates, "Counts twice for one slot: refuse (the default) or sum");
  command->add_option("--series-list", options->direct.key_list,
                      "A file with the public keys of the series, one a line");
  command->add_option("--series-key", options->direct.keys, "A public key; once for each");
  command->add_flag("--disjoint", job.series().disjoint, "Declare that everybody is in one series only");
  add_privacy_options(*command, options->direct, names_of(mechanisms::series_catalogue()));
  command->add_option("--unit", options->unit, "What is protected: user (the default), w-event or event");
  command->add_option("--width,--window", options->width, "How many slots in a row, for w-event");
  command->add_option("--relation", options->relation, "How neighbours differ: add_remove (the default) or replace");
  command->add_option("--max-steps", job.max_steps,
                      "Slots in which one person counts, over all series; all unless given");
  command->add_option("--max-per-slot", job.series().max_per_slot, "What one person adds to one slot; 1 unless given");
  command->add_option("--maximum", job.series().maximum, "A public maximum; larger counts are taken as this");
  command->add_option("--sample", job.series().public_sample, "A CSV of counts that you declare public, to choose by");
  add_output_options(*command, options->direct);
  command->add_flag("--integers", job.series().integers, "Round to whole numbers");
  command->add_flag("--allow-negative", options->allow_negative, "Keep negative values as they are");
  for (const char* required : {"--start", "--end", "--length", "--epsilon"}) command->get_option(required)->required();
  add_example(*command,
              "chronoveil release trips.csv --dataset city --user card --time ts --start 2026-03-01T00:00 --end "
              "2026-04-01T00:00 --length 1h --max-steps 20 --epsilon 1 --delta 1e-6");
  on_run(*command, context, [options]() -> Result<void> {
    Result<void> done = release(*options);
    if (!done) return tl::unexpected(with_names(std::move(done.error())));
    return done;
  });
}

}  // namespace chronoveil::cli
