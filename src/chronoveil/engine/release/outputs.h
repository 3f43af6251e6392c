// The last step of a release: its files.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "chronoveil/base/place_grid.h"
#include "chronoveil/base/system/atomic_file.h"
#include "chronoveil/engine/job/job.h"
#include "chronoveil/ledger/ledger.h"
#include "chronoveil/report/document/geojson.h"
#include "chronoveil/report/document/signature.h"
#include "chronoveil/report/page/csv_link.h"
#include "chronoveil/report/page/guarantee_line.h"

namespace chronoveil::engine {

// Refuses a job without outputs, or with outputs that cannot be written, before anything is spent.
Result<void> check_outputs(const Job&);
// Refuses outputs of a run with known random choices, which is not private, that would replace anything but such a run:
// a private release cannot be drawn again.
Result<void> check_replaces_no_release(const Job&);
using NamedOutputs = std::vector<std::pair<std::string, std::string>>;  // key and path
Result<void> check_replaces_no_release(const NamedOutputs&);
// Where the release of this debit, or slot, is emitted anew: refuses to replace the JSON of a later one, or of one that
// this ledger does not have. The JSON of an earlier one is replaced, as the run itself would have done, had it not been
// killed. The rows of the ledger say which is later: a slot of an old debit may be used after a new debit was made.
// Where no JSON is there, other outputs do not say whose they are: then a later release of the very same job is taken
// to be the one.
Result<void> check_replaces_no_later(const Job&, const ledger::Debit&, ledger::Ledger&);
// Refuses outputs that would replace the release of another job, which may be published already, or one that this
// ledger does not have. A release of the same dataset over a span that begins earlier is replaced, and so is one of
// another slot of the job's programme unless its span begins later: what runs every week may write the latest week
// under one name. Only the release JSON says whose it is: without one, nothing is checked. `digest` and `facts` are the
// job's, as its debit tells them: that the same job runs a second time is asked elsewhere.
Result<void> check_replaces_no_other(const Job&, const std::string& digest, const Facts& facts, ledger::Ledger&);
// A release with known random choices (the mark says so) is the data in another form: for its owner alone.
inline int mode_of(const std::string& mark) { return mark.empty() ? 0644 : 0600; }

// The chart in the format that the ending of its path names, SVG or PNG.
// `promise` is what a PNG says of itself: report::guarantee_line, mostly.
Result<std::string> chart_as(const std::string& path, std::string svg, const std::string& promise);
// Refuses, by the key `output.chart`, a path of neither format, and a PNG where no program is there to make it. Empty:
// no chart is asked for.
Result<void> check_chart(const std::string& path);

// What makes the texts of a kind of release.
template <class Published>
struct Writers {
  std::string (*csv)(const Published&);  // null: the CSV grows by rows instead
  std::string (*html)(const Published&, const std::string& csv);
  std::string (*svg)(const Published&);
  std::string (*geojson)(const Published&, const report::Outlines&);
  std::string (*totals)(const Published&) = nullptr;  // of counts
};
// The public grid of the job, if it has one: a job whose grid cannot be made was refused when it was read.
std::optional<PlaceGrid> grid_of(const Job&);
// Of the places of the job, in their order; none without a grid or areas.
report::Outlines outlines_of(const Job&);
// `document`: the release JSON.
template <class Published>
Result<void> write_outputs(const Job& job, const Published& published, const std::string& document,
                           const Writers<Published>& writers) {
  std::vector<OutputFile> files;
  const int mode = mode_of(published.release.mark);
  if (!job.csv.empty() && writers.csv) files.push_back({job.csv, writers.csv(published), mode});
  if (writers.totals && job.is<SeriesSpec>() && !job.series().totals.empty())
    if (std::string totals = writers.totals(published); !totals.empty())
      files.push_back({job.series().totals, std::move(totals), mode});
  if (!job.report.empty())
    files.push_back({job.report, writers.html(published, report::csv_beside(job.csv, job.report)), mode});
  if (!job.chart.empty()) {
    CV_TRY(std::string chart, chart_as(job.chart, writers.svg(published),
                                       report::guarantee_line(published.release.guarantee, published.release.mark)));
    files.push_back({job.chart, std::move(chart), mode});
  }
  if (!job.geojson.empty()) files.push_back({job.geojson, writers.geojson(published, outlines_of(job)), mode});
  if (!job.json.empty()) {  // last: when it is there, everything is
    CV_TRY(std::string signed_document, report::signed_release(document));
    files.push_back({job.json, std::move(signed_document), mode});
  }
  return write_files(files);
}

// Makes the guarantee promise nothing, as of a release whose random choices are known.
void disown(Guarantee&, const std::string& mark);
// The same, and says so among what is not protected; nothing without a mark.
void disown(Guarantee&, std::vector<std::string>& not_protected, const std::string& mark,
            const std::string& what = "release");

}  // namespace chronoveil::engine
