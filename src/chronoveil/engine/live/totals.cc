// The sum of all series at each step, of a mechanism that estimates it by itself: a second file that grows by a row per
// step, as durable as the first.
#include "chronoveil/engine/series/totals.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "chronoveil/base/csv_time.h"
#include "chronoveil/engine/job/text_file.h"
#include "chronoveil/engine/live/session.h"

namespace chronoveil::engine {
namespace {

const Sums& of_all() {
  static const Sums all{.of = "all", .name = "", .periods = 0, .value = {}, .lower = {}, .upper = {}};
  return all;
}

const std::string& row_start() {
  static const std::string start = report::TotalRows::start(of_all(), "slot");
  return start;
}

template <class T>
Result<T> of_totals(Result<T> done) {
  if (!done) done.error().parameter = "output.totals";
  return done;
}

}  // namespace

// Before the debit: a place for the rows, and for totals if there will be any.
Result<void> LiveSession::begin_files(const mechanisms::SeriesPlan& plan) const {
  CV_CHECK(LiveOutput::begin(job_->csv));
  const std::string& path = job_->series().totals;
  CV_TRY(const std::unique_ptr<mechanisms::LiveProcess> process, mechanisms::go_live(plan));
  if (process->has_total()) {
    CV_CHECK(of_totals(LiveOutput::begin(path)));
  } else if (path != totals_beside(job_->csv)) {
    return fail(ErrorKind::usage, "output.totals",
                "step by step, sums are published of several series by kalman alone; leave it out");
  }
  return {};
}

// The header is a line like the others: worked out here, and written with the first step that is committed.
Result<void> LiveSession::open_totals() {
  totals_.reset();
  total_lines_.clear();
  if (!process_->has_total()) return {};
  const std::string& path = job_->series().totals;
  total_rows_.emplace(draws_->mark());
  const std::string header = total_rows_->header();
  LiveTail none;
  if (keeping_ && !keeping_->state.totals) keeping_->state.totals.emplace();
  LiveTail& tail = keeping_ ? *keeping_->state.totals : none;
  CV_TRY(LiveOutput output, of_totals(keeping_ ? LiveOutput::resume(path, tail.synced, tail.unsynced)
                                               : LiveOutput::rehearse(path, header)));
  totals_.emplace(std::move(output));
  if (tail.synced > 0 || !tail.unsynced.empty()) return {};
  total_lines_ = header;
  tail.begun = static_cast<std::int64_t>(header.size());
  return {};
}

void LiveSession::add_total(const std::string& time) {
  const std::optional<mechanisms::LiveValue> total = process_->total();
  if (!totals_ || !total) return;
  const mechanisms::LiveValue shown = shown_as(*job_, *total);
  total_rows_->append(total_lines_, row_start(), time, 1, shown.value, shown.lower, shown.upper);
}

// What was published of this span, read back from the file.
Result<Totals> LiveSession::totals_so_far(const SlotAxis& axis) {
  Totals totals;
  if (!totals_) return totals;
  const std::string& path = job_->series().totals;
  CV_TRY(const std::string text, read_text_file("output.totals", path, TextSize::document));
  Periods slots{"slot", {}, {}};
  Sums sums = of_all();
  std::size_t at = keeping_ ? static_cast<std::size_t>(keeping_->state.totals->begun) : total_rows_->header().size();
  for (std::int64_t step = 0; step < axis.steps(); ++step) {
    const auto index = static_cast<std::size_t>(step);
    const std::string start = row_start() + csv_time(times_, axis.labels[index], axis.boundaries[index]) + ",1,";
    at = std::min(at, text.size());
    if (text.compare(at, start.size(), start) != 0)
      return fail(ErrorKind::storage, "output.totals", "'" + path + "' does not hold what was published");
    const char* from = text.data() + at + start.size();
    const char* const end = text.data() + text.size();
    for (std::vector<double>* numbers : {&sums.value, &sums.lower, &sums.upper})
      from = std::min(end, std::from_chars(from, end, numbers->emplace_back()).ptr + 1);
    slots.first.push_back(step);
    slots.end.push_back(step + 1);
    at = std::min(text.find('\n', static_cast<std::size_t>(from - text.data()) - 1), text.size() - 1) + 1;
  }
  totals.periods.push_back(std::move(slots));
  totals.sums.push_back(std::move(sums));
  return totals;
}

}  // namespace chronoveil::engine
