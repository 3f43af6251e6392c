#include "chronoveil/engine/release/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "chronoveil/data/time/slot_cursor.h"
#include "chronoveil/engine/job/named_errors.h"
#include "chronoveil/engine/release/source.h"
#include "chronoveil/report/document/marked.h"
#include "chronoveil/report/draw/png.h"

namespace chronoveil::engine {
namespace {

constexpr std::string_view kPng = ".png";
constexpr double kMostGeoJsonBytes = 1e9;

// Every output that the job names, by its key.
std::vector<std::pair<std::string, std::string>> named_outputs(const Job& job) {
  std::vector<std::pair<std::string, std::string>> all{{"output.csv", job.csv},
                                                       {"output.json", job.json},
                                                       {"output.report", job.report},
                                                       {"output.chart", job.chart},
                                                       {"output.geojson", job.geojson}};
  if (is_of_counts(job)) all.emplace_back("output.totals", job.series().totals);
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

// What the release JSON at a path says of its debit and span.
struct ReleaseThere {
  ledger::DebitId debit;
  std::string chain_head;
  std::optional<std::int64_t> start;  // of its first slot; empty: it says none
};

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

// Empty if there is no release with a debit.
std::optional<ReleaseThere> release_at(const std::string& path) {
  const nlohmann::json found = nlohmann::json::parse(start_of(path, std::string::npos), nullptr, false);
  const auto said = [&](const char* what) {
    const auto at = nlohmann::json::json_pointer("/debit") / what;
    return found.is_object() && found.contains(at) && found[at].is_string() ? found[at].get<std::string>() : "";
  };
  const Result<ledger::DebitId> id = ledger::DebitId::parse(said("id"));
  if (!id) return std::nullopt;
  ReleaseThere there{*id, said("chain_head"), std::nullopt};
  const nlohmann::json::json_pointer first("/boundaries/0");
  if (found.contains(first) && found[first].is_number_integer()) there.start = found[first].get<std::int64_t>();
  return there;
}

// Whether a slot of a programme is one of those for such a job.
bool is_slot_of(const ledger::Debit& debit, std::int64_t slot, const Facts& facts) {
  return std::any_of(debit.programme.begin(), debit.programme.end(), [&](const ledger::SlotsFor& release) {
    return slot >= release.first && slot < release.first + release.count &&
           digest_without(facts, release.varies) == release.job;
  });
}

// About how long the features of one slot are, of all places.
double geojson_bytes_per_slot(const Job& job) {
  constexpr double kProperties = 150, kHexagon = 220;
  if (job.places.grid) {
    const std::optional<PlaceGrid> grid = grid_of(job);
    return grid ? static_cast<double>(grid->places()) * (kHexagon + kProperties) : 0;
  }
  double bytes = 0;
  for (const std::string& outline : *job.places.outlines) bytes += static_cast<double>(outline.size()) + kProperties;
  return bytes;
}

// Every slot repeats the outlines: what would be too much is refused before the debit.
Result<void> check_geojson(const Job& job) {
  if (job.geojson.empty()) return {};
  if (!job.places.grid && !job.places.outlines)
    return fail(
        ErrorKind::usage, "output.geojson",
        "what a list names has no outlines; GeoJSON needs `source.longitude` and `source.latitude`, and a public "
        "grid or public areas");
  CV_TRY(const data::SlotCursor slots, by_key({"slots"}, data::SlotCursor::make(job.slots)));
  const double bytes = geojson_bytes_per_slot(job) * static_cast<double>(slots.steps());
  if (bytes <= kMostGeoJsonBytes) return {};
  return fail(
      ErrorKind::usage, "output.geojson",
      fmt::format("the outlines of all places, again for each of {} slots, would be about {:.2g} GB, and at most "
                  "{:.0f} GB is written; take fewer places, longer slots or simpler polygons, or join the CSV to "
                  "the places by name",
                  slots.steps(), bytes / 1e9, kMostGeoJsonBytes / 1e9));
}

}  // namespace

std::optional<PlaceGrid> grid_of(const Job& job) {
  if (!job.places.grid) return std::nullopt;
  Result<PlaceGrid> grid = PlaceGrid::make(*job.places.grid);
  return grid ? std::optional(*std::move(grid)) : std::nullopt;
}

report::Outlines outlines_of(const Job& job) {
  if (job.places.outlines) return *job.places.outlines;
  const std::optional<PlaceGrid> grid = grid_of(job);
  return grid ? report::outlines_of(*grid) : report::Outlines();
}

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
  // A program that passes rows in memory gets the release in memory, too.
  const std::string totals = job.is<SeriesSpec>() ? job.series().totals : "";
  const bool kept = job.handed_back || job.source.kind == data::SourceKind::memory;
  if (!kept && job.csv.empty() && job.json.empty() && job.report.empty() && job.chart.empty() && job.geojson.empty() &&
      totals.empty())
    return fail(ErrorKind::usage, "output",
                "the job writes nothing; give at least one of `output.csv`, `output.json` and `output.report`");
  CV_CHECK(check_chart(job.chart));
  CV_CHECK(check_geojson(job));
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

namespace {

Result<void> check_not_repeated(const Job& job, const ledger::Debit& debit, ledger::Ledger& ledger) {
  const NamedOutputs outputs = named_outputs(job);
  const auto there = std::find_if(outputs.begin(), outputs.end(), [](const auto& output) {
    const std::string start = start_of(output.second);
    return !start.empty() && !report::is_marked(start);
  });
  if (there == outputs.end()) return {};
  CV_TRY(const std::vector<ledger::Debit> debits, ledger.history(debit.id.dataset));
  std::map<std::string, ledger::DebitId> same;  // by the row that covers the release
  const auto take = [&](const ledger::Debit& one) {
    if (one.terms.job == debit.terms.job && one.state == ledger::State::released) same.emplace(one.chain_head, one.id);
  };
  for (const ledger::Debit& one : debits) {
    take(one);
    for (std::size_t slot = 0; slot < one.slots.size(); ++slot)
      if (const auto used = ledger::slot_as_debit(one, static_cast<std::int64_t>(slot))) take(*used);
  }
  CV_TRY(const std::vector<ledger::Entry> rows, ledger.entries(debit.id.dataset));
  bool later = false;
  for (const ledger::Entry& row : rows) {
    if (const auto found = same.find(row.hash); later && found != same.end())
      return fail(ErrorKind::usage, there->first,
                  "'" + there->second + "' may hold the release of the debit " + found->second.text() +
                      ", which the same job made later, and which would be replaced by that of " + debit.id.text() +
                      "; name other outputs, or move it away");
    later = later || row.hash == debit.chain_head;
  }
  return {};
}

}  // namespace

Result<void> check_replaces_no_later(const Job& job, const ledger::Debit& debit, ledger::Ledger& ledger) {
  const std::optional<ReleaseThere> there = release_at(job.json);
  if (!there) return check_not_repeated(job, debit, ledger);
  if (there->chain_head == debit.chain_head) return {};
  CV_TRY(const std::vector<ledger::Entry> rows, ledger.entries(debit.id.dataset));
  for (const ledger::Entry& row : rows) {
    if (row.hash == there->chain_head) return {};
    if (row.hash == debit.chain_head) break;
  }
  return fail(ErrorKind::usage, "output.json",
              "'" + job.json + "' holds the release of the debit " + there->debit.text() +
                  ", which would be replaced by that of " + debit.id.text() + "; name other outputs, or move it away");
}

Result<void> check_replaces_no_other(const Job& job, const std::string& digest, const Facts& facts,
                                     ledger::Ledger& ledger) {
  const std::optional<ReleaseThere> there = release_at(job.json);
  if (!there) return {};
  const auto refuse = [&](std::string_view whose) {
    return fail(ErrorKind::usage, "output.json",
                "'" + job.json + "' holds the release of the debit " + there->debit.text() + ", " + std::string(whose) +
                    ", which would be replaced; name other outputs or move it away; `run.yes` replaces it");
  };
  if (there->debit.dataset != job.dataset) return refuse("of another job");
  CV_TRY(const std::vector<ledger::Debit> debits, ledger.history(job.dataset));
  const auto whole = std::find_if(debits.begin(), debits.end(), [&](const ledger::Debit& debit) {
    return debit.id.sequence == there->debit.sequence;
  });
  const std::optional<std::int64_t>& slot = there->debit.slot;
  std::optional<ledger::Debit> known;
  if (whole != debits.end()) known = slot ? ledger::slot_as_debit(*whole, *slot) : *whole;
  // Another ledger, too, may have a debit by that name.
  if (!known || known->chain_head != there->chain_head) return refuse("which this ledger does not have");
  std::optional<std::int64_t> start;
  if (!job.slots.start.empty()) {
    CV_TRY(const SlotAxis axis, axis_of(job));
    start = axis.boundaries.front();
  }
  if (there->start && start && *there->start < *start) return {};
  const bool later = there->start && start && *there->start > *start;
  if (slot && is_slot_of(*whole, *slot, facts)) return later ? refuse("of a later span") : Result<void>();
  if (known->terms.job == digest) return {};
  return refuse("of another job");
}

Result<std::string> chart_as(const std::string& path, std::string svg, const std::string& promise) {
  if (!path.ends_with(kPng)) return svg;
  return report::png_of(svg, promise);
}

Result<void> check_chart(const std::string& path) {
  if (!path.empty() && !path.ends_with(".svg") && !path.ends_with(kPng))
    return invalid("output.chart", path, "it must end in .svg or .png");
  return path.ends_with(kPng) ? report::check_png() : Result<void>();
}

}  // namespace chronoveil::engine
