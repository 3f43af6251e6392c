#include "chronoveil/simulate/worlds.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "chronoveil/simulate/making.h"

namespace chronoveil::simulate {
namespace {

Result<std::optional<TextFile>> create(const char* key, const std::string& path) {
  if (path.empty()) return std::optional<TextFile>();
  CV_TRY(TextFile file, TextFile::create(key, path));
  return std::optional<TextFile>(std::move(file));
}

// How a job names a file: as seen from the job's own folder.
std::string seen_from(const std::string& job, const std::string& path) {
  if (path == "-" || path.empty() || job == "-") return path;
  std::error_code problem;
  const std::filesystem::path folder = std::filesystem::absolute(job, problem).parent_path();
  const std::filesystem::path seen =
      std::filesystem::proximate(std::filesystem::absolute(path, problem), folder, problem);
  return problem ? path : seen.string();
}

std::string job_of(const JobFacts& facts, const Truth& truth, const Files& files) {
  const std::string stem = files.job == "-" ? facts.dataset : std::filesystem::path(files.job).stem().string();
  return job_text(facts, truth.keys,
                  {.data = seen_from(files.job, files.rows),
                   .keys = seen_from(files.job, files.keys),
                   .csv = stem + "_release.csv",
                   .json = stem + "_release.json",
                   .report = stem + "_report.html"});
}

}  // namespace

Result<Made> make_world(const World& any, std::uint64_t seed, const Files& files) {
  CV_TRY(const JobFacts facts, std::visit([](const auto& world) { return job_facts(world); }, any));
  CV_TRY(TextFile rows, TextFile::create("run.output", files.rows));
  CV_TRY(std::optional<TextFile> truth_file, create("run.truth", files.truth));
  CV_TRY(std::optional<TextFile> keys_file, create("run.keys", files.keys));
  CV_TRY(std::optional<TextFile> job_file, create("run.job", files.job));
  CV_TRY(const Truth truth, std::visit([&](const auto& world) { return simulate(world, seed, rows); }, any));
  if (truth_file) write_truth(truth, *truth_file);
  if (keys_file) write_keys(truth, *keys_file);
  if (job_file) job_file->append(job_of(facts, truth, files));
  CV_CHECK(rows.commit());
  for (std::optional<TextFile>* file : {&truth_file, &keys_file, &job_file})
    if (*file) CV_CHECK((*file)->commit());
  const auto series = static_cast<std::int64_t>(truth.keys.size());
  return Made{truth.rows, series == 0 ? 1 : series, truth.axis.steps()};
}

}  // namespace chronoveil::simulate
