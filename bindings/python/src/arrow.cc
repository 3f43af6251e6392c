// Capsules, and columns of Python objects as an Arrow stream: for those who have no library that speaks Arrow.
#include "arrow.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "chronoveil/chronoveil.h"
#include "module.h"

namespace chronoveil::python {
namespace {

// One column, as Arrow lays it out: texts, numbers or milliseconds.
struct Laid {
  std::string name, format;
  std::vector<std::uint8_t> valid;  // bits
  std::vector<double> numbers;
  std::vector<std::int64_t> instants;
  std::vector<std::int64_t> ends = {0};
  std::string text;
  std::int64_t nulls = 0;
  const void* buffers[3] = {};

  bool is_text() const { return format == "U"; }
  std::int64_t buffer_count() const { return is_text() ? 3 : 2; }
  void point() {
    buffers[0] = nulls > 0 ? valid.data() : nullptr;
    buffers[1] = is_text()       ? static_cast<const void*>(ends.data())
                 : format == "g" ? static_cast<const void*>(numbers.data())
                                 : static_cast<const void*>(instants.data());
    buffers[2] = text.data();
  }
};

// What schema, array and stream share: the columns live until the last of them is released.
struct Table {
  std::vector<Laid> columns;
  std::int64_t rows = 0;
  bool given = false;
};
using Shared = std::shared_ptr<Table>;

bool add_utf8(Laid& laid, nb::handle cell) {
  Py_ssize_t size = 0;
  const char* const utf8 = PyUnicode_AsUTF8AndSize(cell.ptr(), &size);
  if (utf8 == nullptr) return false;
  laid.text.append(utf8, static_cast<std::size_t>(size));
  return true;
}

// False if the cell has no text. That is then missing, an error or a refusal of its row alone; other cells are read all
// the same.
bool add_text(Laid& laid, nb::handle cell, const nb::callable& text_of) {
  if (PyUnicode_Check(cell.ptr())) return add_utf8(laid, cell);
  if (PyFloat_Check(cell.ptr())) {
    const double number = PyFloat_AsDouble(cell.ptr());
    if (!std::isnan(number)) laid.text += data::text_of_number(number);
    return !std::isnan(number);
  }
  const bool whole = PyLong_CheckExact(cell.ptr());
  const nb::object text =
      nb::steal(whole ? PyObject_Str(cell.ptr()) : PyObject_CallFunctionObjArgs(text_of.ptr(), cell.ptr(), nullptr));
  return text.is_valid() && !text.is_none() && add_utf8(laid, text);
}

bool add_number(Laid& laid, nb::handle cell) {
  laid.numbers.push_back(PyFloat_AsDouble(cell.ptr()));
  return PyErr_Occurred() == nullptr;
}

bool add_instant(Laid& laid, nb::handle cell) {
  const long long milliseconds = PyLong_AsLongLong(cell.ptr());
  if (PyErr_Occurred() != nullptr) return false;
  laid.instants.push_back(milliseconds);
  return true;
}

bool add_cell(Laid& laid, nb::handle cell, const nb::callable& text_of) {
  if (cell.is_none()) return false;
  if (laid.is_text()) return add_text(laid, cell, text_of);
  return laid.format == "g" ? add_number(laid, cell) : add_instant(laid, cell);
}

// `format`: "U" for texts, "g" for numbers, or "tsm:" and a zone for milliseconds since 1970.
Laid laid_out(const std::string& name, const std::string& format, const nb::list& cells, const nb::callable& text_of) {
  Laid laid;
  laid.name = name;
  laid.format = format;
  laid.valid.assign((cells.size() + 7) / 8, 0);
  std::size_t row = 0;
  for (const nb::handle cell : cells) {
    if (add_cell(laid, cell, text_of)) {
      laid.valid[row / 8] = static_cast<std::uint8_t>(laid.valid[row / 8] | 1U << row % 8);
    } else {
      PyErr_Clear();
      ++laid.nulls;
    }
    ++row;
    laid.ends.push_back(static_cast<std::int64_t>(laid.text.size()));
    laid.numbers.resize(laid.format == "g" ? row : 0);
    laid.instants.resize(laid.is_text() || laid.format == "g" ? 0 : row);
  }
  return laid;
}

// ---- The three structs, each with its own hold on the table. ----

struct SchemaHold {
  Shared table;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
};
void release_child(ArrowSchema* schema) { schema->release = nullptr; }
void release_schema(ArrowSchema* schema) {
  delete static_cast<SchemaHold*>(schema->private_data);
  schema->release = nullptr;
}
int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  auto* const hold = new SchemaHold{*static_cast<Shared*>(stream->private_data), {}, {}};
  for (Laid& laid : hold->table->columns)
    hold->children.push_back({laid.format.c_str(), laid.name.c_str(), nullptr, ARROW_FLAG_NULLABLE, 0, nullptr, nullptr,
                              release_child, nullptr});
  for (ArrowSchema& child : hold->children) hold->pointers.push_back(&child);
  *out = {
      "+s",           "",  nullptr, 0, static_cast<std::int64_t>(hold->children.size()), hold->pointers.data(), nullptr,
      release_schema, hold};
  return 0;
}

struct ArrayHold {
  Shared table;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
  const void* none[1] = {nullptr};
};
void release_child(ArrowArray* array) { array->release = nullptr; }
void release_array(ArrowArray* array) {
  delete static_cast<ArrayHold*>(array->private_data);
  array->release = nullptr;
}
int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  const Shared& table = *static_cast<Shared*>(stream->private_data);
  *out = {};
  if (std::exchange(table->given, true)) return 0;
  auto* const hold = new ArrayHold{table, {}, {}};
  for (Laid& laid : table->columns) {
    laid.point();
    hold->children.push_back(
        {table->rows, laid.nulls, 0, laid.buffer_count(), 0, laid.buffers, nullptr, nullptr, release_child, nullptr});
  }
  for (ArrowArray& child : hold->children) hold->pointers.push_back(&child);
  *out = {table->rows,
          0,
          0,
          1,
          static_cast<std::int64_t>(hold->children.size()),
          hold->none,
          hold->pointers.data(),
          nullptr,
          release_array,
          hold};
  return 0;
}
const char* last_error(ArrowArrayStream*) { return nullptr; }
void release_stream(ArrowArrayStream* stream) {
  delete static_cast<Shared*>(stream->private_data);
  stream->release = nullptr;
}

// columns: (name, format, cells), with as many cells in each. text_of: of a cell that is no text and no float.
nb::capsule stream_of(const nb::list& columns, const nb::callable& text_of) {
  auto table = std::make_shared<Table>();
  for (const nb::handle column : columns) {
    const auto cells = nb::cast<nb::list>(column[2]);
    const auto rows = static_cast<std::int64_t>(cells.size());
    if (!table->columns.empty() && table->rows != rows) throw nb::value_error("columns of one batch differ in length");
    table->rows = rows;
    table->columns.push_back(
        laid_out(nb::cast<std::string>(column[0]), nb::cast<std::string>(column[1]), cells, text_of));
  }
  auto stream = std::make_unique<ArrowArrayStream>();
  *stream = {get_schema, get_next, last_error, release_stream, new Shared(std::move(table))};
  return capsule_of(std::move(stream));
}

// ---- Frames that come one by one, as one stream. ----

struct Chain {
  nb::object schema;  // a capsule of a stream with the schema and no rows
  nb::object frames;  // a function that returns an iterator, called when the first row is wanted
  nb::object iterator;
  nb::object current;  // a capsule of the stream of one frame
  std::string problem;
};

int chain_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  const nb::gil_scoped_acquire held;
  ArrowArrayStream* const first = stream_in(static_cast<Chain*>(stream->private_data)->schema);
  return first->get_schema(first, out);
}

// Whether columns are of the same names and types; what else a schema says may differ.
bool alike(const ArrowSchema& one, const ArrowSchema& other) {
  const auto same_name = [](const ArrowSchema& a, const ArrowSchema& b) {
    return std::strcmp(a.name == nullptr ? "" : a.name, b.name == nullptr ? "" : b.name) == 0;
  };
  if (std::strcmp(one.format, other.format) != 0 || one.n_children != other.n_children) return false;
  if ((one.dictionary == nullptr) != (other.dictionary == nullptr)) return false;
  if (one.dictionary != nullptr && !alike(*one.dictionary, *other.dictionary)) return false;
  for (std::int64_t i = 0; i < one.n_children; ++i)
    if (!same_name(*one.children[i], *other.children[i]) || !alike(*one.children[i], *other.children[i])) return false;
  return true;
}

// Batches are read by the schema that was stated before there were any.
bool is_as_stated(ArrowArrayStream* stated, ArrowArrayStream* frame) {
  ArrowSchema one{}, other{};
  const bool both = stated->get_schema(stated, &one) == 0 && frame->get_schema(frame, &other) == 0;
  const bool same = both && alike(one, other);
  for (ArrowSchema* each : {&one, &other})
    if (each->release != nullptr) each->release(each);
  return same;
}

// The next batch; the frames are asked for theirs in turn.
int next_of(Chain& chain, ArrowArray* out) {
  if (!chain.iterator.is_valid()) chain.iterator = chain.frames();
  while (true) {
    if (chain.current.is_valid()) {
      ArrowArrayStream* const now = stream_in(chain.current);
      const int problem = now->get_next(now, out);
      if (problem != 0) {
        const char* const said = now->get_last_error(now);
        chain.problem = said == nullptr ? "" : said;
      }
      if (problem != 0 || out->release != nullptr) return problem;
    }
    const nb::object frame = nb::steal(PyIter_Next(chain.iterator.ptr()));
    if (!frame.is_valid()) {
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      *out = {};
      return 0;
    }
    chain.current = frame.attr("__arrow_c_stream__")();
    if (!is_as_stated(stream_in(chain.schema), stream_in(chain.current))) {
      chain.problem = "a frame has other columns than the first";
      return EINVAL;
    }
  }
}

int chain_next(ArrowArrayStream* stream, ArrowArray* out) {
  const nb::gil_scoped_acquire held;
  auto& chain = *static_cast<Chain*>(stream->private_data);
  try {
    return next_of(chain, out);
  } catch (const std::exception& error) {
    chain.problem = error.what();
    return EIO;
  }
}
const char* chain_error(ArrowArrayStream* stream) {
  return static_cast<const Chain*>(stream->private_data)->problem.c_str();
}
void release_chain(ArrowArrayStream* stream) {
  const nb::gil_scoped_acquire held;
  delete static_cast<Chain*>(stream->private_data);
  stream->release = nullptr;
}

nb::capsule chained(nb::object schema, nb::object frames) {
  auto stream = std::make_unique<ArrowArrayStream>();
  *stream = {chain_schema, chain_next, chain_error, release_chain,
             new Chain{std::move(schema), std::move(frames), {}, {}, {}}};
  return capsule_of(std::move(stream));
}

// Lines of a CSV as bytes, for a pipe. Whoever asks for them is a thread of its own, which no signal reaches.
class Lines {
 public:
  Lines(nb::handle capsule, const std::optional<std::vector<std::string>>& columns)
      : lines_(value_of(CsvLines::open(*stream_in(capsule), columns))) {}
  nb::bytes header() const { return bytes(lines_.header()); }
  nb::bytes next() {
    Result<std::string_view> piece = [&] {
      const nb::gil_scoped_release free;
      return lines_.next();
    }();
    return bytes(value_of(std::move(piece)));
  }

 private:
  static nb::bytes bytes(std::string_view text) { return nb::bytes(text.data(), text.size()); }
  CsvLines lines_;
};

void delete_capsule(PyObject* capsule) {
  std::unique_ptr<ArrowArrayStream> stream(static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, kStreamName)));
  if (stream && stream->release != nullptr) stream->release(stream.get());
}

}  // namespace

ArrowArrayStream* stream_in(nb::handle capsule) {
  auto* const stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), kStreamName));
  if (stream == nullptr) throw nb::python_error();
  return stream;
}

nb::capsule capsule_of(std::unique_ptr<ArrowArrayStream> stream) {
  PyObject* const capsule = PyCapsule_New(stream.get(), kStreamName, delete_capsule);
  if (capsule == nullptr) throw nb::python_error();
  static_cast<void>(stream.release());
  return nb::steal<nb::capsule>(capsule);
}

void add_arrow(nb::module_& module) {
  module.def("stream_of", &stream_of, nb::arg("columns"), nb::arg("text_of"));
  nb::class_<Lines>(module, "CsvLines")
      .def(nb::init<nb::handle, const std::optional<std::vector<std::string>>&>(), nb::arg("capsule"),
           nb::arg("columns").none())
      .def("header", &Lines::header)
      .def("next", &Lines::next);
  module.def("chained", &chained, nb::arg("schema"), nb::arg("frames"));
}

}  // namespace chronoveil::python
