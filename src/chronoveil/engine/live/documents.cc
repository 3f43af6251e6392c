// The documents of a live release that are written whole, made from the published rows, which are read back.
#include <algorithm>
#include <charconv>

#include "chronoveil/engine/job/text_file.h"
#include "chronoveil/engine/live/session.h"
#include "chronoveil/engine/release/outputs.h"
#include "chronoveil/report/document/digest.h"
#include "chronoveil/report/series/writers.h"

namespace chronoveil::engine {

// What was published of this span, read back from the output.
Result<report::Published> LiveSession::published_so_far() {
  report::Published published = opened_;
  CV_TRY(data::SlotCursor cursor, live_cursor(slots_));
  SlotAxis& axis = published.release.axis;
  axis.zone = slots_.zone;
  const std::int64_t steps = cursor_->step();
  for (; cursor.step() < steps; cursor.advance()) {
    axis.boundaries.push_back(cursor.begin());
    axis.labels.push_back(cursor.label());
  }
  axis.boundaries.push_back(cursor.begin());
  CV_TRY(const std::string text, read_text_file("output.csv", job_->csv, TextSize::document));
  Estimate& estimate = published.release.estimate;
  const std::size_t series = values_.size(), cells = series * static_cast<std::size_t>(steps);
  estimate.value.resize(cells);
  estimate.lower.resize(cells);
  estimate.upper.resize(cells);
  estimate.sampled.resize(cells);
  std::size_t at = static_cast<std::size_t>(keeping_ ? keeping_->state.begun : begun_);
  for (std::size_t step = 0; step < static_cast<std::size_t>(steps); ++step) {
    for (std::size_t one = 0; one < series; ++one) {
      at = std::min(at, text.size());
      std::string start = rows_->start(one) + csv_time(times_, axis.labels[step], axis.boundaries[step]) + ",";
      // Rows of earlier versions have the label itself.
      if (text.compare(at, start.size(), start) != 0) start = rows_->start(one) + axis.labels[step] + ",";
      if (text.compare(at, start.size(), start) != 0)
        return fail(ErrorKind::storage, "output.csv", "'" + job_->csv + "' does not hold what was published");
      const char* from = text.data() + at + start.size();
      const char* const end = text.data() + text.size();
      const std::size_t cell = one * static_cast<std::size_t>(steps) + step;
      for (double* number : {&estimate.value[cell], &estimate.lower[cell], &estimate.upper[cell]})
        from = std::min(end, std::from_chars(from, end, *number).ptr + 1);
      estimate.sampled[cell] = from < end && *from == '1' ? 1 : 0;
      at = std::min(text.find('\n', static_cast<std::size_t>(from - text.data())), text.size() - 1) + 1;
    }
  }
  CV_TRY(published.release.totals, totals_so_far(axis));
  return published;
}

Result<std::optional<std::string>> LiveSession::write_documents() {
  std::optional<std::string> digest;
  const bool none = job_->json.empty() && job_->report.empty() && job_->chart.empty() && job_->geojson.empty();
  if (none || cursor_->step() == 0) return digest;
  CV_TRY(report::Published published, published_so_far());
  if (keeping_) {
    CV_TRY(const ledger::View view, keeping_->budget.ledger.view(job_->dataset));
    published.budget = budget_left(view);
  }
  const std::string document = report::to_json(published);
  CV_CHECK(write_outputs(*job_, published, document,
                         Writers<report::Published>{nullptr, report::to_html, report::to_svg, report::to_geojson}));
  CV_TRY(digest, report::release_digest(document));
  return digest;
}

}  // namespace chronoveil::engine
