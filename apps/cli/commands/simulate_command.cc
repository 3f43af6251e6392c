// chronoveil simulate: synthetic data of any size with known truth, and a job that releases it.
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "chronoveil/base/plain_text.h"
#include "chronoveil/engine/job/text_file.h"
#include "chronoveil/simulate/worlds.h"
#include "command.h"

namespace chronoveil::cli {

namespace {

// The options of every world besides its own sizes.
struct SimulateOptions {
  std::string seed = std::to_string(simulate::kStandardSeed);
  std::optional<std::int64_t> records;
  simulate::Files files;
  bool json = false;
};

Result<std::uint64_t> parse_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, seed);
  if (parsed.ec != std::errc() || parsed.ptr != end) return invalid("--seed", text, "between 0 and 2^64 - 1");
  return seed;
}

std::string json_quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    if (static_cast<unsigned char>(c) < 0x20)
      out.append(fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c))));
    else
      out.push_back(c);
  }
  return out + "\"";
}

void print_summary(const simulate::Made& made, const SimulateOptions& options) {
  const simulate::Files& files = options.files;
  if (options.json) {
    std::string text = fmt::format("{{\"rows\":{},\"series\":{},\"slots\":{},\"seed\":{},\"output\":{}", made.rows,
                                   made.series, made.slots, options.seed, json_quoted(files.rows));
    for (const auto& [name, path] : {std::pair{"truth", files.truth}, {"keys", files.keys}, {"job", files.job}})
      if (!path.empty()) text += fmt::format(",\"{}\":{}", name, json_quoted(path));
    std::cout << text << "}\n";
    return;
  }
  if (files.rows == "-" || files.truth == "-" || files.keys == "-" || files.job == "-") return;
  std::cout << fmt::format("wrote {}: {} rows, {} series of {} slots, seed {}\n", visible(files.rows), made.rows,
                           made.series, made.slots, options.seed);
  if (!files.truth.empty()) std::cout << "truth: " << visible(files.truth) << "\n";
  if (!files.keys.empty()) std::cout << "keys:  " << visible(files.keys) << "\n";
  if (!files.job.empty()) std::cout << "job:   " << visible(files.job) << "\n";
}

// Standard output and every file can hold only one thing.
Result<void> check_places(const SimulateOptions& options) {
  const simulate::Files& files = options.files;
  int uses = options.json ? 1 : 0;
  for (const std::string& path : {files.rows, files.truth, files.keys, files.job}) uses += path == "-" ? 1 : 0;
  if (uses > 1)
    return fail(ErrorKind::usage, "--output",
                "standard output is asked to hold more than one of data, truth, keys, job and the JSON summary; "
                "name files, as in --output data.csv");
  const std::pair<const char*, const std::string*> places[] = {
      {"--output", &files.rows}, {"--truth", &files.truth}, {"--keys", &files.keys}, {"--job", &files.job}};
  for (const auto& [option, path] : places) {
    for (const auto& [other, same] : places) {
      if (path != same && engine::same_file(*path, *same))
        return fail(ErrorKind::usage,
                    fmt::format("{}: '{}' is {} too; each needs a file of its own", option, *path, other));
    }
  }
  return {};
}

Result<void> run_simulate(const simulate::World& world, const SimulateOptions& options) {
  CV_CHECK(check_places(options));
  CV_TRY(const std::uint64_t seed, parse_seed(options.seed));
  CV_TRY(const simulate::Made made, simulate::make_world(world, seed, options.files));
  print_summary(made, options);
  return {};
}

template <class World>
struct Command {
  World world;
  SimulateOptions options;
};

template <class World>
std::shared_ptr<Command<World>> add_world(CLI::App& parent, const char* name, const char* meaning, CLI::App*& command) {
  auto state = std::make_shared<Command<World>>();
  SimulateOptions& options = state->options;
  command = parent.add_subcommand(name, meaning);
  command->add_option("--seed", options.seed, "The same sizes and seed give the same data")->capture_default_str();
  command->add_option("--output", options.files.rows, "Where the data goes; - is standard output")
      ->capture_default_str();
  command->add_option("--truth", options.files.truth, "Also write what is true, for every series and slot");
  command->add_option("--job", options.files.job, "Also write a job that releases the data, ready to run");
  add_json_flag(*command, options.json);
  return state;
}

void add_period(CLI::App& command, simulate::Period& period) {
  command.add_option("--days", period.days, "How many days")->capture_default_str();
  command.add_option("--start", period.start, "The first day")->capture_default_str();
  command.add_option("--zone", period.zone, "The time zone, by its IANA name")->capture_default_str();
}

// How many people, or about how many records.
template <class World>
void add_people(CLI::App& command, Command<World>& state, const char* option, std::int64_t& people,
                const char* meaning) {
  CLI::Option* exact = command.add_option(option, people, meaning)->capture_default_str();
  command.add_option("--records", state.options.records, "About how many records; instead of the option above")
      ->excludes(exact)
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000'000}));
}

void add_keys(CLI::App& command, SimulateOptions& options) {
  command.add_option("--keys", options.files.keys, "Also write the public list of series, one key per line");
}

template <class World>
void run_with_people(CLI::App& command, CommandContext& context, std::shared_ptr<Command<World>> state,
                     std::int64_t World::*people) {
  on_run(command, context, [state, people]() -> Result<void> {
    World world = state->world;
    if (state->options.records) world.*people = simulate::people_for(world, *state->options.records);
    return run_simulate(world, state->options);
  });
}

}  // namespace

void add_simulate_command(CLI::App& app, CommandContext& context) {
  CLI::App* parent = app.add_subcommand("simulate", "Make synthetic data of any size, with known truth");
  parent->require_subcommand(1);
  add_example(*parent, "chronoveil simulate traffic --output trips.csv --keys sensors.txt --job trips.toml");
  CLI::App* command = nullptr;

  auto traffic = add_world<simulate::Traffic>(*parent, "traffic", "Cards that pass the sensors of a city", command);
  add_people(*command, *traffic, "--people", traffic->world.people, "How many people");
  command->add_option("--sensors", traffic->world.sensors, "How many sensors")->capture_default_str();
  add_period(*command, traffic->world.period);
  add_keys(*command, traffic->options);
  add_example(*command, "chronoveil simulate traffic --records 1000000 --output trips.csv --job trips.toml");
  run_with_people(*command, context, traffic, &simulate::Traffic::people);

  auto checkins = add_world<simulate::Checkins>(*parent, "checkins", "People who check in at venues", command);
  add_people(*command, *checkins, "--users", checkins->world.users, "How many users");
  command->add_option("--venues", checkins->world.venues, "How many venues")->capture_default_str();
  add_period(*command, checkins->world.period);
  add_keys(*command, checkins->options);
  add_example(*command, "chronoveil simulate checkins --users 5000 --venues 10 --output checkins.csv");
  run_with_people(*command, context, checkins, &simulate::Checkins::users);

  auto flu = add_world<simulate::Flu>(*parent, "flu", "Weekly counts of cases", command);
  command->add_option("--weeks", flu->world.weeks, "How many weeks")->capture_default_str();
  command->add_option("--start", flu->world.start, "The first day of the first week")->capture_default_str();
  command->add_option("--zone", flu->world.zone, "The time zone, by its IANA name")->capture_default_str();
  add_example(*command, "chronoveil simulate flu --weeks 520 --output flu.csv --job flu.toml");
  on_run(*command, context, [flu] { return run_simulate(flu->world, flu->options); });

  auto meters = add_world<simulate::Meters>(*parent, "meters", "Half-hourly readings of households", command);
  add_people(*command, *meters, "--meters", meters->world.meters, "How many households");
  add_period(*command, meters->world.period);
  add_example(*command, "chronoveil simulate meters --meters 1000 --days 14 --output meters.csv --job meters.toml");
  run_with_people(*command, context, meters, &simulate::Meters::meters);

  auto buses = add_world<simulate::Buses>(*parent, "buses", "Speeds and positions of buses", command);
  add_people(*command, *buses, "--vehicles", buses->world.vehicles, "How many buses");
  add_period(*command, buses->world.period);
  add_keys(*command, buses->options);
  add_example(*command, "chronoveil simulate buses --vehicles 40 --output buses.csv --truth speeds.csv");
  run_with_people(*command, context, buses, &simulate::Buses::vehicles);
}

}  // namespace chronoveil::cli
