#include "chronoveil/engine/live/see.h"

#include <unordered_set>
#include <utility>

#include "chronoveil/base/interrupted.h"
#include "chronoveil/bound/cell_finder.h"
#include "chronoveil/engine/job/named_errors.h"
#include "chronoveil/engine/live/session.h"
#include "chronoveil/engine/release/source.h"
#include "chronoveil/engine/release/watched_rows.h"
#include "chronoveil/engine/series/read.h"

namespace chronoveil::engine {
namespace {

constexpr std::int64_t kBrokenShown = 3;

// What comes in, batch by batch. Rows that cannot be read are gathered for one error at the end.
class ReadyRows final : public data::RecordSource {
 public:
  ReadyRows(const Job& job, data::LiveInput& input) : job_(job), input_(input) {}

  Result<bool> next(data::RecordBatch& batch) override {
    while (true) {
      CV_CHECK(check_interrupted());
      CV_TRY(const bool more, input_.next(arrival_));
      if (!more) {
        CV_CHECK(whole());
        return false;
      }
      if (!arrival_.part.empty() && arrival_.part != part_) {
        part_ = arrival_.part;
        ++files_;
      }
      for (const data::RefusedRow& row : arrival_.refused)
        if (++broken_ <= kBrokenShown) first_broken_ += (broken_ > 1 ? "; " : "") + row.where + ": " + row.reason;
      if (arrival_.rows.rows() == 0 && !arrival_.complete) continue;
      batch = arrival_.rows;
      return true;
    }
  }

  std::optional<std::int64_t> files() const { return files_ > 0 ? std::optional(files_) : std::nullopt; }
  // Of the last batch.
  bool completes_steps() const { return arrival_.complete; }
  std::string where(std::size_t row) const {
    return "row " + std::to_string(arrival_.number[row]) + (arrival_.part.empty() ? "" : " of " + arrival_.part);
  }

 private:
  Result<void> whole() const {
    if (broken_ == 0) return {};
    std::string message = first_broken_;
    if (broken_ > kBrokenShown) message += "; and " + std::to_string(broken_ - kBrokenShown) + " more";
    return fail(ErrorKind::bad_data, "source.path",
                "of '" + job_.source.path + "', live would refuse " +
                    (broken_ == 1 ? "a row" : std::to_string(broken_) + " rows") + ", since " +
                    (broken_ == 1 ? "it" : "they") + " cannot be read: " + message);
  }

  const Job& job_;
  data::LiveInput& input_;
  data::Arrival arrival_;
  std::string part_, first_broken_;
  std::int64_t files_ = 0, broken_ = 0;
};

// Which rows of counts a release would take, from the first step of the span on. As LiveSession::take_row does, the
// first row of a step closes the steps before it, and the end of a file those in it.
class Taken {
 public:
  static Result<Taken> make(const Job& job, const SlotAxis& axis) {
    CV_TRY(bound::CellFinder finder, bound::CellFinder::make(axis, job.keys, bound::SipHash(0, 0)));
    return Taken(job, axis, std::move(finder));
  }

  Result<void> take(const data::RecordBatch& batch, const ReadyRows& rows, DataSeen& seen) {
    bound::LeftOut left_out;
    CV_CHECK(finder_.find(batch, cells_, left_out));
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      if (batch.time[row] < axis_.boundaries.front() || batch.time[row] >= axis_.boundaries.back()) continue;
      const std::string why = refused(batch.time[row], cells_[row]);
      if (why.empty()) {
        seen.counted += cells_[row] != bound::CellFinder::kNowhere;
      } else if (++seen.refused == 1) {
        seen.first_refused = rows.where(row) + ": " + why;
      }
    }
    if (rows.completes_steps() && !given_.empty()) close();
    return {};
  }

 private:
  Taken(const Job& job, const SlotAxis& axis, bound::CellFinder finder)
      : axis_(axis),
        finder_(std::move(finder)),
        once_(job.series().duplicates == bound::Duplicates::refuse),
        max_gap_(max_gap_of(job, axis.steps())),
        usual_length_(usual_length(axis)) {}

  void close() {
    ++open_;
    given_.clear();
  }

  std::string refused(std::int64_t time, std::uint32_t cell) {
    if (time < axis_.boundaries[open_]) return "it is late: a row of a later step, or the end of its file, comes first";
    if ((time - axis_.boundaries[open_]) / usual_length_ > max_gap_)
      return "it is further ahead than the " + std::to_string(max_gap_) + " steps that live.max_gap allows";
    while (time >= axis_.boundaries[open_ + 1]) close();
    if (cell == bound::CellFinder::kNowhere) return "";
    if (!given_.insert(cell).second && once_) return "its series and step came before; the first counts";
    if (once_ && static_cast<std::int64_t>(given_.size()) == finder_.series()) close();
    return "";
  }

  const SlotAxis& axis_;
  bound::CellFinder finder_;
  bool once_;  // a series reports a step in one row
  std::int64_t max_gap_, usual_length_;
  std::size_t open_ = 0;                     // the step that is open
  std::unordered_set<std::uint32_t> given_;  // cells of it that have a row
  std::vector<std::uint32_t> cells_;
};

Result<DataSeen> see_counts(const Job& job, const SlotAxis& axis, ReadyRows& rows) {
  WatchedRows watched(rows, axis, job.keys);
  CV_TRY(Taken taken, Taken::make(job, axis));
  DataSeen of_live;
  for (data::RecordBatch batch;;) {
    CV_TRY(const bool more, watched.next(batch));
    if (!more) break;
    CV_CHECK(taken.take(batch, rows, of_live));
  }
  CV_TRY(DataSeen seen, watched.seen(job.slots.zone));
  seen.counted = of_live.counted;
  seen.refused = of_live.refused;
  seen.first_refused = std::move(of_live.first_refused);
  return seen;
}

}  // namespace

// Where rows are people, the order of the files must decide nothing either.
Result<std::unique_ptr<data::LiveInput>> open_live_source(const Job& job, bool follow) {
  const data::FileOrder order = rows_are_people(job) ? data::FileOrder::any : data::FileOrder::by_name;
  Result<std::unique_ptr<data::LiveInput>> input = by_key({"source"}, data::open_live_input(job.source, follow, order));
  if (!input && !input.error().parameter.starts_with("source."))
    input.error() = under_key("source.path", std::move(input.error()));
  return input;
}

Result<DataSeen> see_live_rows(const Job& job, const SlotAxis& axis, const mechanisms::PublicShape& shape) {
  CV_TRY(const std::unique_ptr<data::LiveInput> input, open_live_source(job, false));
  ReadyRows rows(job, *input);
  CV_TRY(DataSeen seen, rows_are_people(job) ? see_data(job, axis, shape, rows) : see_counts(job, axis, rows));
  seen.files = rows.files();
  return seen;
}

}  // namespace chronoveil::engine
