#include "chronoveil/data/memory/columns.h"

#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "chronoveil/data/count_reader.h"
#include "chronoveil/data/memory/cells.h"
#include "chronoveil/data/real_reader.h"
#include "chronoveil/data/time/civil.h"

namespace chronoveil::data {
namespace {

template <class Word>
bool word_has_nul(const char* bytes) {
  constexpr Word kOnes = static_cast<Word>(0x0101010101010101), kHigh = static_cast<Word>(0x8080808080808080);
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  return ((word - kOnes) & ~word & kHigh) != 0;
}

// Names have few bytes, for which a call of memchr takes longer.
bool has_nul(std::string_view text) {
  const char* at = text.data();
  const std::size_t size = text.size();
  if (size >= 8) {
    for (const char* const last = at + size - 8; at < last; at += 8)
      if (word_has_nul<std::uint64_t>(at)) return true;
    return word_has_nul<std::uint64_t>(text.data() + size - 8);
  }
  if (size >= 4) return word_has_nul<std::uint32_t>(at) || word_has_nul<std::uint32_t>(at + size - 4);
  for (std::size_t i = 0; i < size; ++i)
    if (at[i] == '\0') return true;
  return false;
}

template <class T>
constexpr bool kIsText = std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>;

// The cells that are wanted of a column.
struct Part {
  const Cells& cells;
  std::size_t first, end;

  template <class T>
  std::span<const T> of(std::span<const T> all) const {
    return all.subspan(first, end - first);
  }
};

// Calls `read(cell)` for them, until it says false. Times are no such cells.
template <class Read>
bool for_cells(const Part& part, const Read& read) {
  const auto read_all = [&](const auto& held) {
    if constexpr (requires { held.milliseconds; }) {
      return false;
    } else {
      for (const auto& cell : part.of(held))
        if (!read(cell)) return false;
      return true;
    }
  };
  return std::visit(read_all, part.cells);
}

bool add_names(const Part& part, bool may_be_empty, std::pmr::memory_resource& kept,
               std::vector<std::string_view>& names) {
  return for_cells(part, [&](const auto& cell) {
    using Cell = std::decay_t<decltype(cell)>;
    if constexpr (kIsText<Cell>) {
      const std::string_view text = cell;
      names.push_back(text);
      return (may_be_empty || !text.empty()) && !has_nul(text);
    } else if constexpr (std::is_same_v<Cell, std::int64_t>) {
      CellRoom room;
      const std::string_view text = digits_of(cell, room);
      char* const copy = static_cast<char*>(kept.allocate(text.size(), 1));
      std::memcpy(copy, text.data(), text.size());
      names.emplace_back(copy, text.size());
      return true;
    } else {
      return false;
    }
  });
}

bool add_counts(const Part& part, std::vector<std::int64_t>& counts) {
  return for_cells(part, [&](const auto& cell) {
    using Cell = std::decay_t<decltype(cell)>;
    if constexpr (kIsText<Cell>) {
      return read_count(cell, counts.emplace_back()) == CountProblem::none && !has_nul(cell);
    } else if constexpr (std::is_same_v<Cell, std::int64_t>) {
      counts.push_back(cell);
      return cell >= 0 && cell <= kLargestCount;
    } else {
      return false;
    }
  });
}

bool add_reals(const Part& part, std::vector<double>& reals, bool may_be_missing = false) {
  return for_cells(part, [&](const auto& cell) {
    using Cell = std::decay_t<decltype(cell)>;
    if constexpr (kIsText<Cell>) {
      return read_real(cell, reals.emplace_back()) == RealProblem::none && !has_nul(cell);
    } else if constexpr (std::is_same_v<Cell, double>) {  // its text reads back as the same number
      reals.push_back(cell);
      return std::isfinite(cell) || (may_be_missing && std::isnan(cell));
    } else {
      return false;
    }
  });
}

bool add_times(const Part& part, TimeReader& reader, bool by_pattern, std::vector<std::int64_t>& times) {
  const auto add_stated = [&](std::span<const std::int64_t> all, const auto& read) {
    for (const std::int64_t time : part.of(all))
      if (time < kFirstInstant || time >= kLastInstant || !read(time, times.emplace_back())) return false;
    return true;
  };
  if (const auto* instants = std::get_if<Instants>(&part.cells))
    return add_stated(instants->milliseconds, [](std::int64_t time, std::int64_t& instant) {
      instant = time;
      return true;
    });
  if (const auto* local = std::get_if<LocalTimes>(&part.cells))
    return add_stated(local->milliseconds, [&](std::int64_t time, std::int64_t& instant) {
      return reader.read_local(time, instant) == TimeProblem::none;
    });
  return for_cells(part, [&](const auto& cell) {
    using Cell = std::decay_t<decltype(cell)>;
    CellRoom room;
    if constexpr (kIsText<Cell>)  // no format takes a NUL byte but a pattern that has one
      return reader.read(cell, times.emplace_back()) == TimeProblem::none && (!by_pattern || !has_nul(cell));
    else if constexpr (std::is_same_v<Cell, std::int64_t>)
      return reader.read(digits_of(cell, room), times.emplace_back()) == TimeProblem::none;
    else
      return false;
  });
}

}  // namespace

Result<ColumnDecoder> ColumnDecoder::make(const SourceSpec& spec) {
  CV_TRY(std::shared_ptr<const Zone> zone, Zone::find(spec.zone));
  CV_TRY(TimeReader times, TimeReader::make(spec.time_format, std::move(zone)));
  return ColumnDecoder(spec, std::move(times));
}

bool ColumnDecoder::fill(const Batch& batch, std::span<const ColumnPlace> places, std::size_t first, std::size_t end,
                         std::pmr::memory_resource& kept, RecordBatch& records) {
  bool filled = true;
  for (const ColumnPlace& place : places)
    filled = filled && fill_column(batch[place.column], place, first, end, kept, records);
  if (filled && key_of_point_) {
    for (std::size_t i = 0; i < records.longitude.size(); ++i)
      records.series.push_back(key_of_point_(records.longitude[i], records.latitude[i]));
    records.longitude.clear();
    records.latitude.clear();
  }
  if (!filled) RowDecoder::begin(records, records.first_row);
  return filled;
}

bool ColumnDecoder::fill_column(const Column& column, const ColumnPlace& place, std::size_t first, std::size_t end,
                                std::pmr::memory_resource& kept, RecordBatch& records) {
  for (std::size_t row = first; !column.valid.empty() && row < end; ++row)
    if (!is_present(column, row)) return false;
  const Part part{column.cells, first, end};
  if (place.field == &RowFields::user) return add_names(part, false, kept, records.user);
  if (place.field == &RowFields::series) return add_names(part, !needs_place_, kept, records.series);
  if (place.field == &RowFields::time) return add_times(part, times_, by_pattern_, records.time);
  if (place.field == &RowFields::value) return add_counts(part, records.value);
  if (place.field == &RowFields::measure) return add_reals(part, records.measure, may_be_missing_);
  if (place.field == &RowFields::longitude) return add_reals(part, records.longitude);
  if (place.field == &RowFields::latitude) return add_reals(part, records.latitude);
  return false;  // a column that is a series
}

}  // namespace chronoveil::data
