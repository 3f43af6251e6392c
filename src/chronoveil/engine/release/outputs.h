// The last steps of a release: what it says beside its values, and its files.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "chronoveil/base/system/atomic_file.h"
#include "chronoveil/engine/series/series.h"
#include "chronoveil/report/document/signature.h"

namespace chronoveil::engine {

// Everything but the debit and the budget. A release with a mark promises nothing: its guarantee says so.
report::Published published_of(const Job&, Planned, Estimate, std::string mark);

// Refuses a job without outputs, or with outputs that cannot be written, before anything is spent.
Result<void> check_outputs(const Job&);
// Refuses outputs of a run with known random choices, which is not private, that would replace anything but such a run:
// a private release cannot be drawn again.
Result<void> check_replaces_no_release(const Job&);
// Refuses to emit the release of this debit anew where the JSON of a later one is, or of another dataset. An earlier
// one is replaced, as by the run itself, which may have been killed before it could.
Result<void> check_replaces_no_later(const Job&, const std::string& debit);
// `document`: the release JSON.
Result<void> write_outputs(const Job&, const report::Published&, const std::string& document);
// A release with known random choices (the mark says so) is the data in another form: for its owner alone.
inline int mode_of(const std::string& mark) { return mark.empty() ? 0644 : 0600; }
// The name of the CSV, where it is in the same folder as the report; else empty. A link to another folder would tell
// where files are, and break when they are published.
std::string csv_beside_report(const Job&);

// What makes the texts of a kind of release.
template <class Published>
struct Writers {
  std::string (*csv)(const Published&);  // null: the CSV grows by rows instead
  std::string (*html)(const Published&, const std::string& csv);
  std::string (*svg)(const Published&);
  std::string (*geojson)(const Published&);  // null: not of this kind
};
template <class Published>
Result<void> write_outputs(const Job& job, const Published& published, const std::string& document,
                           const Writers<Published>& writers) {
  std::vector<OutputFile> files;
  const int mode = mode_of(published.release.mark);
  if (!job.csv.empty() && writers.csv) files.push_back({job.csv, writers.csv(published), mode});
  if (!job.report.empty()) files.push_back({job.report, writers.html(published, csv_beside_report(job)), mode});
  if (!job.chart.empty()) files.push_back({job.chart, writers.svg(published), mode});
  if (writers.geojson && !job.means().geojson.empty())
    files.push_back({job.means().geojson, writers.geojson(published), mode});
  if (!job.json.empty()) {  // last: when it is there, everything is
    CV_TRY(std::string signed_document, report::signed_release(document));
    files.push_back({job.json, std::move(signed_document), mode});
  }
  return write_files(files);
}

// Makes the guarantee promise nothing, as of a release whose random choices are known.
void disown(Guarantee&, const std::string& mark);

// What the guarantee does not cover, in sentences.
std::vector<std::string> not_protected(const Guarantee&, const mechanisms::PublicShape&);

}  // namespace chronoveil::engine
