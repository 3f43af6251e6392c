#include "chronoveil/engine/release/outputs.h"

#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "chronoveil/report/document/marked.h"
#include "chronoveil/report/draw/png.h"
#include "chronoveil/report/page/guarantee_line.h"

namespace chronoveil::engine {
namespace {

constexpr std::string_view kPng = ".png";

// Every output that the job names, by its key.
std::vector<std::pair<std::string, std::string>> named_outputs(const Job& job) {
  std::vector<std::pair<std::string, std::string>> all{
      {"output.csv", job.csv}, {"output.json", job.json}, {"output.report", job.report}, {"output.chart", job.chart}};
  if (is_of_counts(job)) all.emplace_back("output.totals", job.series().totals);
  if (job.is<MeansSpec>()) all.emplace_back("output.geojson", job.means().geojson);
  if (job.is<PerturbSpec>()) all.emplace_back("output.internal", job.perturb().internal);
  if (job.is<TrainSpec>()) all.emplace_back("output.model", job.train().output);
  std::erase_if(all, [](const auto& output) { return output.second.empty(); });
  return all;
}

// A file by such a name would hold something else.
Result<void> check_format(const std::string& key, const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  for (const std::string_view other : {".parquet", ".arrow", ".feather", ".xlsx", ".xls", ".ods"})
    if (ending == other)
      return invalid(key, path, "it must have another ending: CSV, JSON and HTML are written, not " + ending.substr(1));
  return {};
}

// The first bytes of a regular file; empty if there is none.
std::string start_of(const std::string& path, std::size_t most = report::kMarkWithin) {
  std::error_code error;
  if (path.empty() || path == "-" || !std::filesystem::is_regular_file(path, error)) return "";
  std::ifstream file(path, std::ios::binary);
  std::string text;
  char part[4096];
  while (text.size() < most && file) {
    file.read(part, sizeof part);
    text.append(part, static_cast<std::size_t>(file.gcount()));
  }
  return text;
}

}  // namespace

void disown(Guarantee& guarantee, const std::string& mark) {
  guarantee.definition = mark;
  guarantee.epsilon = std::numeric_limits<double>::infinity();
  guarantee.delta = 1;
  guarantee.assumptions.clear();
}

void disown(Guarantee& guarantee, std::vector<std::string>& not_protected, const std::string& mark,
            const std::string& what) {
  if (mark.empty()) return;
  disown(guarantee, mark);
  not_protected = {"Nothing is protected: the random choices of this " + what + " are known."};
}

Result<void> check_outputs(const Job& job) {
  const std::string geojson = job.is<MeansSpec>() ? job.means().geojson : "";
  // A program that passes rows in memory gets the release in memory, too.
  const std::string totals = job.is<SeriesSpec>() ? job.series().totals : "";
  const bool kept = job.handed_back || job.source.kind == data::SourceKind::memory;
  if (!kept && job.csv.empty() && job.json.empty() && job.report.empty() && job.chart.empty() && geojson.empty() &&
      totals.empty())
    return fail(ErrorKind::usage, "output",
                "the job writes nothing; give at least one of `output.csv`, `output.json` and `output.report`");
  if (!job.chart.empty() && !job.chart.ends_with(".svg") && !job.chart.ends_with(kPng))
    return invalid("output.chart", job.chart, "it must end in .svg or .png");
  if (job.chart.ends_with(kPng)) CV_CHECK(report::check_png());
  if (!geojson.empty() && !job.places.grid)
    return fail(ErrorKind::usage, "output.geojson",
                "places of a list and areas are not drawn; GeoJSON needs a grid of `source.longitude` and "
                "`source.latitude`");
  for (const auto& [key, path] : named_outputs(job)) {
    CV_CHECK(check_format(key, path));
    CV_CHECK(check_writable(key, path));
  }
  return {};
}

Result<void> check_replaces_no_release(const Job& job) { return check_replaces_no_release(named_outputs(job)); }

Result<void> check_replaces_no_release(const NamedOutputs& outputs) {
  for (const auto& [key, path] : outputs) {
    const std::string start = start_of(path);
    if (start.empty() || report::is_marked(start)) continue;
    return fail(ErrorKind::usage, key,
                "'" + path +
                    "' is there, and may be of a private release: what a seed or a replay makes never replaces it; "
                    "name another file, or move it away");
  }
  return {};
}

Result<void> check_replaces_no_later(const Job& job, const ledger::Debit& debit, ledger::Ledger& ledger) {
  const std::string text = start_of(job.json, std::string::npos);
  const nlohmann::json found = nlohmann::json::parse(text, nullptr, false);
  const auto said = [&](const char* what) {
    const auto at = nlohmann::json::json_pointer("/debit") / what;
    return found.is_object() && found.contains(at) && found[at].is_string() ? found[at].get<std::string>() : "";
  };
  const std::string there = said("id"), head = said("chain_head");
  if (!ledger::DebitId::parse(there) || head == debit.chain_head) return {};
  CV_TRY(const std::vector<ledger::Entry> rows, ledger.entries(debit.id.dataset));
  for (const ledger::Entry& row : rows) {
    if (row.hash == head) return {};
    if (row.hash == debit.chain_head) break;
  }
  return fail(ErrorKind::usage, "output.json",
              "'" + job.json + "' holds the release of the debit " + there + ", which would be replaced by that of " +
                  debit.id.text() + "; name other outputs, or move it away");
}

Result<std::string> chart_as(const std::string& path, std::string svg, const Guarantee& guarantee,
                             const std::string& mark) {
  if (!path.ends_with(kPng)) return svg;
  return report::png_of(svg, report::guarantee_line(guarantee, mark));
}

}  // namespace chronoveil::engine
