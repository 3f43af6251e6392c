#include "job_options.h"

#include "command.h"

namespace chronoveil::cli {
namespace {

// A meaning as a sentence, unless it begins with code.
std::string plain(std::string_view markdown) {
  std::string text = engine::plain_words(markdown);
  if (!text.empty() && markdown.front() != '`')
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

std::string help_of(const engine::KeyInfo& key) {
  if (key.negates()) return "Switches off: " + plain(key.meaning);
  if (key.shape == engine::KeyShape::flag || key.standard.empty()) return plain(key.meaning);
  std::string standard(key.standard);
  std::erase(standard, '`');
  return plain(key.meaning) + (standard.starts_with("needed") ? " (" : " (default: ") + standard + ")";
}

void add_key(CLI::App& command, JobOptions& options, const engine::KeyInfo& key) {
  std::vector<std::string>& words = options.words[key.key];
  const std::string option(key.option);
  switch (key.shape) {
    case engine::KeyShape::flag: {
      const char* const word = key.negates() ? "false" : "true";
      command.add_flag_callback(
          option, [&words, word] { words = {word}; }, help_of(key));
      return;
    }
    case engine::KeyShape::texts:
    case engine::KeyShape::words: command.add_option(option, words, help_of(key)); return;
    default: break;
  }
  std::string type = key.shape == engine::KeyShape::text ? "TEXT" : "NUMBER";
  if (key.shape == engine::KeyShape::steps) type += "|all";
  if (!key.choices.empty()) type += ":{" + CLI::detail::join(key.choices, ",") + "}";  // the engine refuses others
  command
      .add_option_function<std::string>(
          option, [&words](const std::string& word) { words = {word}; }, help_of(key))
      ->type_name(type);
}

// "72.75,21.05,72.95,21.30"
Result<void> add_grid(const std::vector<std::string>& box, bool needed, engine::GivenKeys& given) {
  if (box.empty() && !needed) return {};
  if (box.empty()) return fail(ErrorKind::usage, "--grid", "it is missing; for example --grid 72.75,21.05,72.95,21.30");
  std::size_t at = 0;
  for (const char* const edge : {"places.west", "places.south", "places.east", "places.north"}) {
    const std::size_t end = std::min(box[0].find(',', at), box[0].size());
    const bool last = edge == std::string_view("places.north");
    if (at >= box[0].size() || end == at || (end == box[0].size()) != last)
      return invalid("--grid", box[0], "four numbers in degrees: west,south,east,north");
    given.push_back({edge, {box[0].substr(at, end - at)}});
    at = end + 1;
  }
  return {};
}

constexpr const char* kGrid = "places.west";  // --grid stands for the four edges

}  // namespace

void add_key_options(CLI::App& command, JobOptions& options) {
  for (engine::KeyInfo key : engine::option_keys(options.kind)) {
    if (key.option == "INPUT" || (key.option == "--grid" && key.key != kGrid)) continue;
    if (key.key == kGrid) key.shape = engine::KeyShape::text, key.meaning = "of a grid: its box, west,south,east,north";
    add_key(command, options, key);
  }
}

void add_job_options(CLI::App& command, JobOptions& options, std::string_view input) {
  command.add_option("INPUT", options.input, std::string(input))->required();
  add_key_options(command, options);
  command.add_option("--set", options.parameters, "A parameter of the mechanism, such as rate=0.2");
  add_run_flags(command, options.flags);
  if (!std::holds_alternative<engine::PerturbSpec>(options.kind)) add_replay_flags(command, options.flags);
  add_json_flag(command, options.json);
}

Result<engine::GivenKeys> given_keys(const JobOptions& options) {
  engine::GivenKeys given;
  for (const auto& [key, words] : options.words)
    if (key == kGrid)
      CV_CHECK(add_grid(words, !options.words.at("places.size").empty(), given));
    else if (!words.empty())
      given.emplace_back(key, words);
  return given;
}

Result<engine::Job> job_of(const JobOptions& options) {
  CV_TRY(engine::GivenKeys given, given_keys(options));
  const auto kind = options.words.find("source.kind");
  const bool url = kind != options.words.end() && kind->second == std::vector<std::string>{"postgresql"};
  given.push_back({url ? "source.url" : "source.path", {options.input}});
  for (const std::string& parameter : options.parameters) {
    const std::size_t equals = parameter.find('=');
    if (equals == 0 || equals == std::string::npos) return invalid("--set", parameter, "written as name=value");
    given.push_back({"mechanism." + parameter.substr(0, equals), {parameter.substr(equals + 1)}});
  }
  CV_TRY(engine::Job job, engine::job_of(options.kind, given));
  if (options.json && !options.flags.dry_run) {
    if (!job.json.empty()) return fail(ErrorKind::usage, "--json-out", "--json prints the same on standard output");
    job.json = "-";
  } else if (job.csv.empty() && (job.is<engine::PerturbSpec>() || (job.json.empty() && job.report.empty()))) {
    job.csv = "-";  // the rows of what is perturbed are the release; its JSON and its report hold none
  }
  return job;
}

Result<engine::Job> named_job(const JobOptions& options, const CLI::App& command, std::string_view section) {
  CV_CHECK(
      only_beside_job(command, {"--analysis", "--ledger", "--yes", "--allow-empty", "--allow-uninformative", "--again",
                                "--dry-run", "--seed", "--noise-from", "--keep-from", "--clock-is-right", "--json"}));
  CV_TRY(engine::Job job, engine::read_job(options.input));
  if (job.kind.index() != options.kind.index())
    return fail_at(
        options.input, ErrorKind::usage,
        std::string(section) + ": the job has no section [" + std::string(section) + "]; use chronoveil run");
  if (const auto analysis = options.words.find("privacy.analysis"); !analysis->second.empty())
    CV_CHECK(apply_analysis(analysis->second.front(), job.analysis));
  return job;
}

}  // namespace chronoveil::cli
