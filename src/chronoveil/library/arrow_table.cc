#include "chronoveil/library/arrow_table.h"

#include <array>
#include <cerrno>
#include <cmath>
#include <memory>
#include <new>
#include <utility>

namespace chronoveil {
namespace {

using Held = std::shared_ptr<const ArrowTable>;

// What stands behind a struct that was handed out; its release deletes it. Children have one of their own, since
// whoever takes a batch may move them out of it.
struct Behind {
  Held table;
  std::array<const void*, 3> buffers = {};
};

template <class Struct>
struct BehindAll {
  explicit BehindAll(Held held) : table(std::move(held)), children(table->columns().size()) {
    for (Struct& child : children) pointers.push_back(&child);
  }
  Held table;
  std::vector<Struct> children;
  std::vector<Struct*> pointers;
  std::array<const void*, 1> buffers = {};
};

template <class Struct>
void release_child(Struct* child) {
  delete static_cast<Behind*>(child->private_data);
  child->release = nullptr;
}

template <class Struct>
void release_all(Struct* all) {
  auto* const behind = static_cast<BehindAll<Struct>*>(all->private_data);
  for (Struct& child : behind->children)
    if (child.release != nullptr) child.release(&child);
  delete behind;
  all->release = nullptr;
}

// A struct that whoever fails half way releases.
template <class Struct>
struct Unfinished {
  Struct made{};
  ~Unfinished() {
    if (made.release != nullptr) made.release(&made);
  }
  void finish(Struct* out) {
    *out = made;
    made.release = nullptr;
  }
};

template <class Struct>
BehindAll<Struct>& begin(const Held& table, Struct& all) {
  auto behind = std::make_unique<BehindAll<Struct>>(table);
  all.n_children = static_cast<std::int64_t>(behind->children.size());
  all.children = behind->pointers.data();
  all.release = release_all<Struct>;
  all.private_data = behind.get();
  return *behind.release();
}

void make_schema(const Held& table, ArrowSchema* out) {
  Unfinished<ArrowSchema> all;
  BehindAll<ArrowSchema>& behind = begin(table, all.made);
  all.made.format = "+s";
  all.made.name = "";
  for (std::size_t i = 0; i < behind.children.size(); ++i) {
    ArrowSchema& child = behind.children[i];
    child.private_data = new Behind{table};
    child.release = release_child<ArrowSchema>;
    child.format = table->columns()[i].format.c_str();
    child.name = table->columns()[i].name.c_str();
    child.flags = ARROW_FLAG_NULLABLE;
  }
  all.finish(out);
}

void make_batch(const Held& table, ArrowArray* out) {
  Unfinished<ArrowArray> all;
  BehindAll<ArrowArray>& behind = begin(table, all.made);
  all.made.length = table->columns().empty() ? 0 : table->columns().front().rows;
  all.made.n_buffers = 1;
  all.made.buffers = behind.buffers.data();
  for (std::size_t i = 0; i < behind.children.size(); ++i) {
    const ArrowTable::Column& column = table->columns()[i];
    ArrowArray& child = behind.children[i];
    auto* const buffers = new Behind{table};
    child.private_data = buffers;
    child.release = release_child<ArrowArray>;
    child.length = column.rows;
    child.null_count = column.nulls;
    buffers->buffers[0] = column.present.empty() ? nullptr : column.present.data();
    buffers->buffers[1] = std::visit([](const auto& cells) -> const void* { return cells.data(); }, column.cells);
    buffers->buffers[2] = column.text.data();
    child.n_buffers = column.format == "U" ? 3 : 2;
    child.buffers = buffers->buffers.data();
  }
  all.finish(out);
}

struct BehindStream {
  Held table;
  bool handed_out = false;
};

BehindStream& behind(ArrowArrayStream* stream) { return *static_cast<BehindStream*>(stream->private_data); }

template <class Make>
int without_throwing(const Make& make) {
  try {
    make();
    return 0;
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  return without_throwing([&] { make_schema(behind(stream).table, out); });
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  BehindStream& all = behind(stream);
  *out = {};
  if (all.handed_out) return 0;  // without a release, it is the end
  return without_throwing([&] {
    make_batch(all.table, out);
    all.handed_out = true;
  });
}

const char* get_last_error(ArrowArrayStream*) { return "out of memory"; }

void release_stream(ArrowArrayStream* stream) {
  delete &behind(stream);
  stream->release = nullptr;
}

void mark_absent(ArrowTable::Column& column, std::size_t row) {
  if (column.present.empty()) column.present.assign((static_cast<std::size_t>(column.rows) + 7) / 8, 0xFF);
  column.present[row / 8] &= static_cast<std::uint8_t>(~(1U << (row % 8)));
  ++column.nulls;
}

}  // namespace

ArrowTable::Column& ArrowTable::add(std::string name, std::string format, std::size_t rows) {
  columns_.push_back({std::move(name), std::move(format), static_cast<std::int64_t>(rows)});
  return columns_.back();
}

void ArrowTable::add_reals(std::string name, std::vector<double> numbers) {
  Column& column = add(std::move(name), "g", numbers.size());
  for (std::size_t row = 0; row < numbers.size(); ++row)
    if (std::isnan(numbers[row])) mark_absent(column, row);
  column.cells = std::move(numbers);
}

void ArrowTable::add_bools(std::string name, const std::vector<bool>& bits) {
  Column& column = add(std::move(name), "b", bits.size());
  std::vector<std::uint8_t> bytes((bits.size() + 7) / 8);
  for (std::size_t row = 0; row < bits.size(); ++row)
    if (bits[row]) bytes[row / 8] |= static_cast<std::uint8_t>(1U << (row % 8));
  column.cells = std::move(bytes);
}

void ArrowTable::add_instants(std::string name, std::vector<std::int64_t> milliseconds, const std::string& zone) {
  add(std::move(name), "tsm:" + zone, milliseconds.size()).cells = std::move(milliseconds);
}

void ArrowTable::add_days(std::string name, std::vector<std::int32_t> days) {
  add(std::move(name), "tdD", days.size()).cells = std::move(days);
}

void ArrowTable::hand_out(ArrowTable table, ArrowArrayStream* out) {
  auto all = std::make_unique<BehindStream>(BehindStream{std::make_shared<const ArrowTable>(std::move(table))});
  *out = {get_schema, get_next, get_last_error, release_stream, all.release()};
}

}  // namespace chronoveil
