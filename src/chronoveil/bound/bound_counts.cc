#include <new>

#include "chronoveil/bound/bounded_series.h"
#include "chronoveil/bound/caps.h"
#include "chronoveil/bound/cell_finder.h"
#include "chronoveil/bound/counts.h"

namespace chronoveil::bound {

namespace {

Result<BoundedSeries> read_and_add(data::RecordSource& source, const SlotAxis& axis,
                                   const std::vector<std::string>& keys, const Caps& caps, Duplicates duplicates) {
  CV_CHECK(check_caps(caps));
  // Nothing is chosen by the hash here, and the hashed keys are public: any secret does.
  CV_TRY(const CellFinder finder, CellFinder::make(axis, keys, SipHash(0, 0)));
  LeftOut left_out;
  Counts counts(finder.cells(), caps.maximum);
  std::vector<bool> given;
  data::RecordBatch batch;
  std::vector<std::uint32_t> cells;
  while (true) {
    CV_TRY(const bool more, source.next(batch));
    if (!more) break;
    CV_CHECK(finder.find(batch, cells, left_out));
    if (!batch.value.empty() && batch.value.size() != batch.rows()) {
      return fail(ErrorKind::internal, "a batch with columns of unequal length");
    }
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      if (cells[row] == CellFinder::kNowhere) continue;
      if (batch.value.empty()) {
        counts.add(cells[row], 1);
        continue;
      }
      const std::int64_t number = batch.row_of(row);
      if (batch.value[row] < 0)
        return fail(ErrorKind::bad_data, "row " + std::to_string(number) + ": the value is negative");
      if (duplicates == Duplicates::refuse) {
        if (given.empty()) given.resize(static_cast<std::size_t>(finder.cells()));
        if (given[cells[row]]) {
          return fail(
              ErrorKind::bad_data,
              "row " + std::to_string(number) +
                  ": this series and slot were given before; `source.duplicates = \"sum\"` "
                  "adds them up" +
                  (batch.series.empty() ? "; if rows are of several series, `source.series` names their column" : ""));
        }
        given[cells[row]] = true;
      }
      counts.add(cells[row], batch.value[row]);
    }
  }
  std::vector<std::int64_t> sums = std::move(counts).take(left_out.clamped);
  return BoundedSeries(finder.series(), finder.steps(), std::move(sums), caps, Basis::declared, left_out);
}

}  // namespace

Result<BoundedSeries> bound_counts(data::RecordSource& source, const SlotAxis& axis,
                                   const std::vector<std::string>& keys, const Caps& caps, Duplicates duplicates) {
  try {
    return read_and_add(source, axis, keys, caps, duplicates);
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::storage, "not enough memory for all series and slots; shorten the list or the span");
  }
}

}  // namespace chronoveil::bound
