// chronoveil means: means per place and slot, from options or from a job file.
#include "commands/means_command.h"

#include <iostream>
#include <memory>

#include "chronoveil/engine/means/job.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "command.h"
#include "direct_job.h"
#include "output/job_output.h"
#include "output/means_output.h"

namespace chronoveil::cli {
namespace {

struct MeansOptions {
  DirectJob direct;
  std::optional<double> lower, upper;
  std::string counts = "public";
  std::string plan_counts;
  std::string grid;
  std::string shape = "hexagon";
  std::optional<double> cell_size;
};

// "72.75,21.05,72.95,21.30"
Result<PlaceGridSpec> grid_of(const MeansOptions& options) {
  PlaceGridSpec grid;
  double* const parts[] = {&grid.west, &grid.south, &grid.east, &grid.north};
  std::size_t at = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t end = std::min(options.grid.find(',', at), options.grid.size());
    const std::string word = options.grid.substr(at, end - at);
    std::size_t used = 0;
    try {
      *parts[i] = std::stod(word, &used);
    } catch (const std::exception&) {
      used = 0;
    }
    const bool last = i == 3;
    if (word.empty() || used != word.size() || (end == options.grid.size()) != last)
      return invalid("--grid", options.grid, "four numbers in degrees: west,south,east,north");
    at = end + 1;
  }
  if (options.shape != "hexagon" && options.shape != "square")
    return invalid("--grid-shape", options.shape, "hexagon or square");
  grid.shape = options.shape == "hexagon" ? PlaceShape::hexagon : PlaceShape::square;
  if (!options.cell_size) return fail(ErrorKind::usage, "--cell-size: it is missing; for example --cell-size 800");
  grid.size = *options.cell_size;
  return grid;
}

Result<engine::Job> job_of(const MeansOptions& options) {
  CV_TRY(engine::Job job, job_of(options.direct, "place"));
  engine::MeansSpec& means = job.means();
  if (!options.upper) return fail(ErrorKind::usage, "--upper: it is missing; the bounds of a value are public");
  means.lower = options.lower.value_or(0);
  means.upper = *options.upper;
  if (options.counts != "public" && options.counts != "private")
    return invalid("--counts", options.counts, "public or private");
  means.counts_public = options.counts == "public";
  if (!options.grid.empty()) {
    if (!options.direct.key_list.empty() || !options.direct.keys.empty())
      return fail(ErrorKind::usage, "--grid: a grid names its own places; leave --place-list and --place-key out");
    CV_TRY(means.grid, grid_of(options));
  }
  if (!options.plan_counts.empty()) {
    CV_TRY(means.counts, engine::read_counts("--plan-counts", options.plan_counts, "", means.counts_path));
  }
  CV_CHECK(engine::check_values(job));
  return job;
}

bool is_job_file(const MeansOptions& options) { return options.direct.input.ends_with(".toml"); }

Result<void> means(const MeansOptions& options, const CLI::App& command) {
  const DirectJob& direct = options.direct;
  if (is_job_file(options)) {
    CV_CHECK(only_beside_job(command, {"--analysis", "--ledger", "--yes", "--again", "--dry-run", "--seed",
                                       "--noise-from", "--keep-from", "--clock-is-right", "--json"}));
    CV_TRY(engine::Job job, engine::read_job(direct.input));
    if (!job.is<engine::MeansSpec>())
      return fail(ErrorKind::usage, direct.input + ": means: the job has no section [means]; use chronoveil run");
    CV_CHECK(apply_analysis(direct.analysis, job));
    return run_means(job, direct.flags, direct.json);
  }
  constexpr std::pair<std::string_view, std::string_view> kOwn[] = {{"means.max_cells", "--max-cells"},
                                                                    {"means.max_records", "--max-records"},
                                                                    {"means.sparse_below", "--sparse-below"},
                                                                    {"means.registered", "--registered"},
                                                                    {"means.counts", "--counts"},
                                                                    {"means.", "--"},
                                                                    {"plan.", "--plan-"},
                                                                    {"places.list", "--place-list"},
                                                                    {"places.keys", "--place-key"},
                                                                    {"series.list", "--place-list"},
                                                                    {"places.size", "--cell-size"},
                                                                    {"places.", "--grid "}};
  const auto named = [&](Error error) { return tl::unexpected(with_options(std::move(error), kOwn)); };
  Result<engine::Job> job = job_of(options);
  if (!job) return named(std::move(job.error()));
  Result<void> done =
      direct.flags.dry_run ? print_means_plan(*job, engine::Compare::when_needed, direct.json) : Result<void>();
  if (!direct.flags.dry_run) {
    if (auto published = run_means_with(*job, direct.flags); !published)
      done = tl::unexpected(std::move(published.error()));
  }
  if (!done) return named(std::move(done.error()));
  return {};
}

}  // namespace

Result<void> run_means(const engine::Job& job, const RunFlags& flags, bool json) {
  if (flags.dry_run) return print_means_plan(job, engine::Compare::when_needed, json);
  CV_CHECK(check_room(job, json));
  CV_TRY(const Ran<report::MeansPublished> published, run_means_with(job, flags));
  if (json) {
    nlohmann::ordered_json summary = means_summary_json(published);
    summary["taken_up"] = published.taken_up;
    summary["outputs"] = outputs_json(job);
    print_json(summary);
  } else if (!writes_to_stdout(job)) {
    std::cout << means_published_text(job, published);
  }
  return {};
}

void add_means_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<MeansOptions>();
  CLI::App* command = app.add_subcommand("means", "Release means per place and slot; prints them as CSV");
  engine::Job& job = options->direct.job;
  engine::MeansSpec& spec = job.kind.emplace<engine::MeansSpec>();
  add_source_options(*command, options->direct,
                     "A CSV file (plain, gzip, xz), -, a SQLite file or a postgresql:// URL; or a job file (.toml), "
                     "which says all the rest itself");
  command->add_option("--user", job.source.user, "The column that says whose a record is");
  command->add_option("--value", job.source.measure, "The column that is averaged");
  command->add_option("--lower", options->lower, "A public lower bound of a value; 0 unless given");
  command->add_option("--upper", options->upper, "A public upper bound of a value; what is outside is clamped");
  command->add_option("--place", job.source.series, "The column that says where; one place unless given");
  command->add_option("--place-list", options->direct.key_list, "A file with the public places, one a line");
  command->add_option("--place-key", options->direct.keys, "A public place; once for each");
  command->add_option("--longitude", job.source.longitude, "The column with the longitude, in degrees; with --grid");
  command->add_option("--latitude", job.source.latitude, "The column with the latitude, in degrees; with --grid");
  command->add_option("--grid", options->grid, "The public box of the grid, in degrees: west,south,east,north");
  command->add_option("--grid-shape", options->shape, "hexagon (the default) or square");
  command->add_option("--cell-size", options->cell_size, "Metres between the middles of neighbouring places");
  add_privacy_options(*command, options->direct, names_of(mechanisms::cell_catalogue()));
  command->add_option("--counts", options->counts,
                      "public (the default): who was where and when is no secret; or private");
  command->add_option("--max-cells", spec.max_cells, "Cells (place and slot) of one person; all unless given");
  command->add_option("--max-records", spec.max_records, "Records of one person in one cell: the first so many");
  command->add_option("--sparse-below", spec.sparse_below, "Cells with fewer users are not published; 1 unless given");
  command->add_option("--registered", spec.registered, "Everybody who may be there, for registered_mean");
  command->add_option("--plan-counts", options->plan_counts,
                      "Public records of each person in a typical cell, to choose by: 5,3,2 or a file");
  command->add_option("--plan-users", spec.users, "The public number of people in a typical cell, to choose by");
  add_output_options(*command, options->direct);
  add_example(*command,
              "chronoveil means buses.csv --dataset buses --user vehicle --time timestamp --place place --place-list "
              "places.txt --value speed --upper 65 --start 2026-02-02T00:00 --end 2026-02-03T00:00 --length 1h "
              "--max-cells 24 --epsilon 1");
  add_example(*command, "chronoveil means speeds.toml");
  on_run(*command, context, [options, command] { return means(*options, *command); });
}

}  // namespace chronoveil::cli
