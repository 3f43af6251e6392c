// See bounded_cells.h for what is promised and cells_builder.h for how it is kept.
#include <algorithm>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "chronoveil/bound/cells/bounded_cells.h"
#include "chronoveil/bound/cells/cells_builder.h"
#include "chronoveil/bound/cells/placed_values.h"
#include "chronoveil/bound/tables/read_ahead.h"

namespace chronoveil::bound {

namespace {

Result<void> check_caps(const CellCaps& caps) {
  if (caps.max_cells < 1) return invalid("max_cells", std::to_string(caps.max_cells), "a whole number of at least 1");
  if (caps.max_records.value_or(1) < 1) {
    return invalid("max_records", std::to_string(*caps.max_records), "a whole number of at least 1");
  }
  return {};
}

// Every worker keeps a tally of all cells. That pays only if there are more rows than cells, and the tallies must not
// need more memory than what stays.
unsigned workers_for(std::int64_t rows, std::int64_t cells) {
  constexpr std::int64_t kMostTallies = std::int64_t{1} << 22;
  if (rows < kFewRows) return 1;
  const std::int64_t cores = std::clamp(std::thread::hardware_concurrency(), 1U, 8U);
  return static_cast<unsigned>(std::clamp<std::int64_t>(std::min(rows, kMostTallies) / cells, 1, cores));
}

}  // namespace

CellView BoundedCells::cell(std::int64_t number) const {
  const auto at = static_cast<std::size_t>(number);
  const auto part = [&](const std::vector<std::uint32_t>& all, const std::vector<std::uint64_t>& first) {
    return std::span(all).subspan(first[at], first[at + 1] - first[at]);
  };
  return {part(counts_, first_count_), part(values_, first_value_), grid_.upper_steps()};
}

Result<BoundedCells> bound_cells(data::RecordSource& source, const SlotAxis& axis, const Places& places,
                                 const CellCaps& caps, const ValueGrid& grid, DrawRight& right) {
  try {
    CV_CHECK(check_caps(caps));
    CV_TRY(BitSource* const bits, right.bits());
    CV_TRY(ValuePlacer placer, ValuePlacer::make(source, axis, places, grid, *bits));
    CellsBuilder builder(placer.places(), placer.steps(), grid, caps, *bits);
    CV_CHECK(use_all<PlacedValues>(placer, [&](const PlacedValues& values) { builder.add(values.rows); }));
    const std::int64_t cells = placer.places() * placer.steps();
    return std::move(builder).finish(placer.left_out(), workers_for(placer.left_out().rows, cells));
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::storage,
                "not enough memory for what the caps let stay; lower max_cells or max_records, or shorten the span");
  } catch (const std::length_error&) {
    return fail(ErrorKind::storage, "more than 2^32 people, or 2^31 records of one of them; shorten the span");
  } catch (const std::system_error&) {
    return fail(ErrorKind::internal, "no second thread could be started");
  }
}

}  // namespace chronoveil::bound
