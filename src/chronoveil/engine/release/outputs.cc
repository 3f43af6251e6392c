#include "chronoveil/engine/release/outputs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "chronoveil/engine/series/adjusted.h"
#include "chronoveil/engine/series/read.h"
#include "chronoveil/mechanisms/guarantee.h"
#include "chronoveil/report/document/marked.h"
#include "chronoveil/report/draw/png.h"
#include "chronoveil/report/page/guarantee_line.h"

namespace chronoveil::engine {
namespace {

constexpr std::string_view kPng = ".png";

// The page names the span below its title.
std::string title_of(const Job& job) {
  if (!job.title.empty()) return job.title;
  return job.dataset.empty() ? "A private series" : job.dataset;
}

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

}  // namespace

std::vector<std::string> not_protected(const Guarantee& guarantee, const mechanisms::PublicShape& shape) {
  std::vector<std::string> all;
  if (guarantee.unit == Unit::user) {
    all.push_back(
        "What a whole population does is not hidden: how many people are somewhere at a time is what is published.");
  } else {
    const std::string slots =
        guarantee.unit == Unit::event ? "one time slot" : std::to_string(shape.width) + " time slots in a row";
    all.push_back(
        "A person's habits over a longer time are not protected: the guarantee covers what one person did in " + slots +
        ".");
  }
  for (const Assumption& assumption : guarantee.assumptions) {
    if (assumption.basis == Basis::enforced) continue;
    all.emplace_back("A person for whom a declared assumption does not hold is protected less: nobody checked it.");
    break;
  }
  all.emplace_back(
      "Groups such as families are protected less than one person, and people who are also in other datasets are "
      "protected only by all these guarantees together.");
  all.emplace_back("The list of series, the span of time, the slots and every parameter of this release are public.");
  all.emplace_back("Whoever can read the original data, or the machine that holds it, is not stopped by this release.");
  return all;
}

report::Published published_of(const Job& job, Planned planned, Estimate estimate, std::string mark) {
  report::Published published;
  published.title = title_of(job);
  published.caps = job.source.user ? Basis::enforced : Basis::declared;
  published.not_protected = not_protected(planned.guarantee, planned.chosen.shape);
  Release& release = published.release;
  release.keys = job.keys;
  release.axis = std::move(planned.axis);
  release.estimate = adjusted(job.series(), std::move(estimate));
  release.level = planned.chosen.level;
  release.guarantee = std::move(planned.guarantee);
  release.mark = std::move(mark);
  if (!release.mark.empty()) {
    disown(release.guarantee, release.mark);
    published.not_protected = {"Nothing is protected: the random choices of this release are known."};
  } else if (!job.source.user) {
    for (const auto& [times, epsilon] : mechanisms::epsilon_if_cap_exceeded(planned.chosen))
      published.cap_growth.push_back({times, epsilon});
  }
  published.plan = std::move(planned.chosen);
  published.comparison = std::move(planned.comparison);
  published.reason = std::move(planned.reason);
  return published;
}

void disown(Guarantee& guarantee, const std::string& mark) {
  guarantee.definition = mark;
  guarantee.epsilon = std::numeric_limits<double>::infinity();
  guarantee.delta = 1;
  guarantee.assumptions.clear();
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
  const std::optional<ReleaseThere> there = release_at(job.json);
  if (!there || there->chain_head == debit.chain_head) return {};
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
  if (there->debit.dataset == job.dataset) {
    if (there->start && !job.slots.start.empty()) {
      CV_TRY(const SlotAxis axis, axis_of(job));
      if (*there->start < axis.boundaries.front()) return {};
    }
    CV_TRY(const std::vector<ledger::Debit> debits, ledger.history(job.dataset));
    for (const ledger::Debit& debit : debits) {
      if (debit.id.sequence != there->debit.sequence) continue;
      const std::optional<std::int64_t>& slot = there->debit.slot;
      if (slot && is_slot_of(debit, *slot, facts)) return {};
      const std::optional<ledger::Debit> of_slot = slot ? ledger::slot_as_debit(debit, *slot) : std::nullopt;
      if ((of_slot ? *of_slot : debit).terms.job == digest) return {};
    }
  }
  return fail(
      ErrorKind::usage, "output.json",
      "'" + job.json + "' holds the release of the debit " + there->debit.text() +
          ", of another job, which would be replaced; name other outputs or move it away; `run.yes` replaces it");
}

Result<std::string> chart_as(const std::string& path, std::string svg, const Guarantee& guarantee,
                             const std::string& mark) {
  if (!path.ends_with(kPng)) return svg;
  return report::png_of(svg, report::guarantee_line(guarantee, mark));
}

Result<void> write_outputs(const Job& job, const report::Published& published, const std::string& document) {
  return write_outputs(
      job, published, document,
      Writers<report::Published>{report::to_csv, report::to_html, report::to_svg, nullptr, report::totals_csv});
}

}  // namespace chronoveil::engine
