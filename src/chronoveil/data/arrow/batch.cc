#include "chronoveil/data/arrow/batch.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "chronoveil/data/time/civil.h"

namespace chronoveil::data {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

Failure broken(const ArrowColumn& column, std::string_view why) {
  return fail(ErrorKind::bad_data, "source.rows",
              "column " + column.name + " of an Arrow batch is broken: " + std::string(why));
}

// Nobody promises that a buffer is aligned.
template <class T>
T load(const void* buffer, std::int64_t place) {
  T value;
  std::memcpy(&value, static_cast<const char*>(buffer) + static_cast<std::size_t>(place) * sizeof(T), sizeof(T));
  return value;
}

bool bit(const void* bits, std::int64_t place) { return (load<std::uint8_t>(bits, place / 8) >> (place % 8) & 1) != 0; }

// The bits of presence; null if every cell is there.
const void* presence(const ArrowArray& array) {
  return array.null_count == 0 || array.n_buffers == 0 ? nullptr : array.buffers[0];
}

std::int64_t buffers_of(ArrowType type) {
  switch (type) {
    case ArrowType::null: return 0;
    case ArrowType::utf8:
    case ArrowType::large_utf8:
    case ArrowType::utf8_view: return 3;
    default: return 2;
  }
}

// That no sum of both, in bytes, overflows.
bool has_range(const ArrowArray& array) {
  constexpr std::int64_t kLongest = kMost / 64;
  return array.length >= 0 && array.offset >= 0 && array.length <= kLongest && array.offset <= kLongest;
}

Result<void> check_array(const ArrowColumn& column, ArrowType type, const ArrowArray& array) {
  if (!has_range(array)) return broken(column, "its length or offset is negative or too large");
  const std::int64_t buffers = buffers_of(type);
  if (buffers == 0) return {};
  if (array.n_buffers < buffers || array.buffers == nullptr) return broken(column, "buffers are missing");
  if (array.length > 0 && array.buffers[1] == nullptr) return broken(column, "a buffer is missing");
  if (array.null_count > 0 && array.buffers[0] == nullptr) return broken(column, "its nulls are not marked");
  return {};
}

// Calls `read` with a value of the C++ type that the whole numbers have.
template <class Read>
void with_whole(ArrowType type, const Read& read) {
  switch (type) {
    case ArrowType::int8: return read(std::int8_t{});
    case ArrowType::uint8: return read(std::uint8_t{});
    case ArrowType::int16: return read(std::int16_t{});
    case ArrowType::uint16: return read(std::uint16_t{});
    case ArrowType::int32: return read(std::int32_t{});
    case ArrowType::uint32: return read(std::uint32_t{});
    case ArrowType::uint64: return read(std::uint64_t{});
    default: return read(std::int64_t{});
  }
}

// Calls `use(cell, place)` with the number of each cell of a part that is there.
template <class Part, class Use>
void for_places(const Part& part, const Use& use) {
  for (std::size_t cell = 0; part.listed && cell < part.places.size(); ++cell)
    if (part.places[cell] >= 0) use(cell, part.places[cell]);
  for (std::int64_t i = 0; !part.listed && i < part.rows; ++i) use(static_cast<std::size_t>(i), part.first + i);
}

// Cells of one fixed size, each made from what is stored; 0 for nulls.
template <class Stored, class Part, class Cell, class Make>
void fill_fixed(const ArrowArray& values, const Part& part, std::vector<Cell>& cells, const Make& make) {
  cells.assign(static_cast<std::size_t>(part.rows), Cell{});
  for_places(part, [&, stored = values.buffers[1]](std::size_t cell, std::int64_t place) {
    cells[cell] = make(load<Stored>(stored, place));
  });
}

// Towards the past. What is too large stays so: no year is that far.
std::int64_t to_milliseconds(std::int64_t stored, const ArrowColumn& column) {
  if (stored > kMost / column.milliseconds) return kMost;
  if (stored < -(kMost / column.milliseconds)) return -kMost;
  return floor_divide(stored * column.milliseconds, column.per_millisecond);
}

}  // namespace

ArrowBatch::ArrowBatch(std::vector<ArrowColumn> columns, std::vector<std::size_t> used)
    : columns_(std::move(columns)), used_(std::move(used)) {
  std::sort(used_.begin(), used_.end());
  used_.erase(std::unique(used_.begin(), used_.end()), used_.end());  // a column may serve two keys
  parts_.resize(used_.size());
}

void ArrowBatch::close() {
  rows_.clear();
  row_ = 0;
  batch_.reset();
}

Result<void> ArrowBatch::open(Owned<ArrowArray> batch) {
  close();
  Result<void> sound = check_batch(*batch);
  for (const std::size_t used : used_)
    if (sound) sound = check_column(columns_[used], *batch);
  if (sound) batch_ = std::move(batch);
  return sound;
}

Result<void> ArrowBatch::check_batch(const ArrowArray& batch) const {
  const auto refuse = [](std::string_view why) {
    return fail(ErrorKind::bad_data, "source.rows", "an Arrow batch is broken: " + std::string(why));
  };
  if (!has_range(batch)) return refuse("its length or offset is negative or too large");
  if (batch.n_children != static_cast<std::int64_t>(columns_.size()) || batch.children == nullptr)
    return refuse("it has not the columns of its schema");
  if (batch.null_count != 0 && batch.n_buffers > 0 && batch.buffers == nullptr) return refuse("a buffer is missing");
  return {};
}

Result<void> ArrowBatch::check_column(const ArrowColumn& column, const ArrowArray& batch) const {
  const ArrowArray* const array = batch.children[&column - columns_.data()];
  if (array == nullptr) return broken(column, "it is missing");
  CV_CHECK(check_array(column, column.index.value_or(column.type), *array));
  if (array->length < batch.offset + batch.length) return broken(column, "it is shorter than its batch");
  if (!column.index) return {};
  if (array->dictionary == nullptr) return broken(column, "its dictionary is missing");
  return check_array(column, column.type, *array->dictionary);
}

Result<const Batch*> ArrowBatch::next(std::size_t most) {
  rows_.clear();
  const auto left = batch_ ? static_cast<std::size_t>(batch_->length - row_) : 0;
  const auto rows = static_cast<std::int64_t>(std::min(most, left));
  for (std::size_t i = 0; i < used_.size(); ++i) {
    const ArrowColumn& column = columns_[used_[i]];
    Part& part = parts_[i];
    Cells cells = std::span<const std::int64_t>();
    if (rows > 0) {
      const ArrowArray& array = *batch_->children[used_[i]];
      CV_CHECK(find(column, array, rows, part));
      CV_TRY(cells, fill(column, column.index ? *array.dictionary : array, part));
    }
    rows_.emplace_back(
        column.name, cells,
        rows > 0 && part.listed ? std::span<const std::uint8_t>(part.present) : std::span<const std::uint8_t>());
  }
  row_ += rows;
  return &rows_;
}

Result<void> ArrowBatch::find(const ArrowColumn& column, const ArrowArray& array, std::int64_t rows, Part& part) const {
  const std::int64_t first = batch_->offset + row_;
  const void* const of_rows = presence(*batch_);
  const void* const of_cells = presence(array);
  part.first = array.offset + first;
  part.rows = rows;
  part.listed = of_rows != nullptr || of_cells != nullptr || column.index || column.type == ArrowType::null;
  part.places.clear();
  if (!part.listed) return {};
  for (std::int64_t row = first; row < first + rows; ++row) {
    const std::int64_t place = array.offset + row;
    const bool there = column.type != ArrowType::null && (of_rows == nullptr || bit(of_rows, row)) &&
                       (of_cells == nullptr || bit(of_cells, place));
    part.places.push_back(there ? place : -1);
  }
  bool inside = true;
  if (column.index && column.type != ArrowType::null) {
    const ArrowArray& entries = *array.dictionary;
    const void* const of_entries = presence(entries);
    with_whole(*column.index, [&]<class Index>(Index) {
      for (std::int64_t& place : part.places) {
        if (place < 0) continue;
        const auto entry = static_cast<std::uint64_t>(load<Index>(array.buffers[1], place));  // negative: huge
        inside = inside && entry < static_cast<std::uint64_t>(entries.length);
        if (!inside) return;
        place = entries.offset + static_cast<std::int64_t>(entry);
        if (of_entries != nullptr && !bit(of_entries, place)) place = -1;
      }
    });
  }
  if (!inside) return broken(column, "an index lies outside of its dictionary");
  part.present.assign((part.places.size() + 7) / 8, 0);
  for (std::size_t i = 0; i < part.places.size(); ++i)
    if (part.places[i] >= 0) part.present[i / 8] |= static_cast<std::uint8_t>(1U << (i % 8));
  return {};
}

Result<Cells> ArrowBatch::fill(const ArrowColumn& column, const ArrowArray& values, Part& part) const {
  const auto as_is = [](auto stored) { return stored; };
  switch (column.type) {
    case ArrowType::uint64:
      fill_fixed<std::uint64_t>(values, part, part.large, as_is);
      return std::span<const std::uint64_t>(part.large);
    case ArrowType::float32:
      fill_fixed<float>(values, part, part.singles, as_is);
      return std::span<const float>(part.singles);
    case ArrowType::float64:
      fill_fixed<double>(values, part, part.reals, as_is);
      return std::span<const double>(part.reals);
    case ArrowType::utf8: CV_CHECK(fill_texts<std::int32_t>(column, values, part)); break;
    case ArrowType::large_utf8: CV_CHECK(fill_texts<std::int64_t>(column, values, part)); break;
    case ArrowType::utf8_view: CV_CHECK(fill_views(column, values, part)); break;
    case ArrowType::null: part.texts.assign(part.places.size(), {}); break;
    case ArrowType::local_day:
      fill_fixed<std::int32_t>(values, part, part.numbers,
                               [&](std::int32_t day) { return to_milliseconds(day, column); });
      return LocalTimes{part.numbers};
    case ArrowType::instant:
    case ArrowType::local_time:
    case ArrowType::local_day_ms: {
      fill_fixed<std::int64_t>(values, part, part.numbers,
                               [&](std::int64_t time) { return to_milliseconds(time, column); });
      if (column.type == ArrowType::instant) return Instants{part.numbers};
      return LocalTimes{part.numbers};
    }
    default:
      with_whole(column.type, [&]<class Stored>(Stored) {
        fill_fixed<Stored>(values, part, part.numbers, [](Stored stored) { return static_cast<std::int64_t>(stored); });
      });
      return std::span<const std::int64_t>(part.numbers);
  }
  return std::span<const std::string_view>(part.texts);
}

template <class Offset>
Result<void> ArrowBatch::fill_texts(const ArrowColumn& column, const ArrowArray& values, Part& part) const {
  const void* const offsets = values.buffers[1];
  const char* const bytes = static_cast<const char*>(values.buffers[2]);
  const Offset last = values.length > 0 ? load<Offset>(offsets, values.offset + values.length) : 0;
  part.texts.assign(static_cast<std::size_t>(part.rows), {});
  bool inside = true;
  for_places(part, [&](std::size_t cell, std::int64_t place) {
    const Offset begin = load<Offset>(offsets, place), end = load<Offset>(offsets, place + 1);
    if (begin < 0 || end < begin || end > last || (end > begin && bytes == nullptr))
      inside = false;
    else if (end > begin)
      part.texts[cell] = {bytes + begin, static_cast<std::size_t>(end - begin)};
  });
  return inside ? Result<void>() : broken(column, "an offset lies outside of its text");
}

// A view has 16 bytes: the length, and either up to 12 bytes of text, or its first four, the buffer and an offset.
Result<void> ArrowBatch::fill_views(const ArrowColumn& column, const ArrowArray& values, Part& part) const {
  constexpr std::int32_t kInside = 12;
  const std::int64_t variadic = values.n_buffers - 3;
  const void* const lengths = values.buffers[values.n_buffers - 1];
  part.texts.assign(static_cast<std::size_t>(part.rows), {});
  bool negative = false, outside = false;
  for_places(part, [&, views = static_cast<const char*>(values.buffers[1])](std::size_t cell, std::int64_t place) {
    const char* const view = views + 16 * place;
    const auto length = load<std::int32_t>(view, 0);
    if (length <= kInside) {
      negative = negative || length < 0;
      if (length > 0) part.texts[cell] = {view + 4, static_cast<std::size_t>(length)};
      return;
    }
    const auto buffer = load<std::int32_t>(view, 2), offset = load<std::int32_t>(view, 3);
    if (buffer < 0 || buffer >= variadic || offset < 0 || lengths == nullptr || values.buffers[2 + buffer] == nullptr ||
        std::int64_t{offset} + length > load<std::int64_t>(lengths, buffer))
      outside = true;
    else
      part.texts[cell] = {static_cast<const char*>(values.buffers[2 + buffer]) + offset,
                          static_cast<std::size_t>(length)};
  });
  if (negative) return broken(column, "a text has a negative length");
  return outside ? broken(column, "a text lies outside of its buffers") : Result<void>();
}

}  // namespace chronoveil::data
