#include "chronoveil/data/arrow/columns.h"

#include <string_view>

#include "chronoveil/data/time/civil.h"

namespace chronoveil::data {
namespace {

struct Format {
  std::string_view format;
  ArrowType type;
  std::string_view called;
};

constexpr Format kFormats[] = {
    {"c", ArrowType::int8, "int8"},
    {"C", ArrowType::uint8, "uint8"},
    {"s", ArrowType::int16, "int16"},
    {"S", ArrowType::uint16, "uint16"},
    {"i", ArrowType::int32, "int32"},
    {"I", ArrowType::uint32, "uint32"},
    {"l", ArrowType::int64, "int64"},
    {"L", ArrowType::uint64, "uint64"},
    {"f", ArrowType::float32, "float32"},
    {"g", ArrowType::float64, "float64"},
    {"u", ArrowType::utf8, "utf8"},
    {"U", ArrowType::large_utf8, "large_utf8"},
    {"vu", ArrowType::utf8_view, "utf8_view"},
    {"tdD", ArrowType::local_day, "date32"},
    {"tdm", ArrowType::local_day_ms, "date64"},
    {"n", ArrowType::null, "null"},
};

// What cannot be read, by how its format begins.
constexpr Format kOthers[] = {
    {"b", ArrowType::other, "bool"},
    {"e", ArrowType::other, "float16"},
    {"d:", ArrowType::other, "decimal"},
    {"z", ArrowType::other, "binary"},
    {"Z", ArrowType::other, "binary"},
    {"vz", ArrowType::other, "binary"},
    {"w:", ArrowType::other, "binary"},
    {"tt", ArrowType::other, "time"},
    {"tD", ArrowType::other, "duration"},
    {"ti", ArrowType::other, "interval"},
    {"+s", ArrowType::other, "struct"},
    {"+m", ArrowType::other, "map"},
    {"+r", ArrowType::other, "run-end encoded"},
    {"+u", ArrowType::other, "union"},
    {"+", ArrowType::other, "list"},
};

// "tsu:Europe/Zurich": the third character is the unit, and what follows the colon the zone.
void read_timestamp(std::string_view format, ArrowColumn& column) {
  constexpr std::string_view kUnits = "smun";
  const std::size_t unit = format.size() < 4 || format[3] != ':' ? std::string_view::npos : kUnits.find(format[2]);
  if (unit == std::string_view::npos) return;
  constexpr std::int64_t kPerMillisecond[] = {1, 1, 1'000, 1'000'000};
  column.type = format.size() > 4 ? ArrowType::instant : ArrowType::local_time;
  column.called = format.size() > 4 ? "timestamp with a zone" : "timestamp";
  column.milliseconds = unit == 0 ? kSecond : 1;
  column.per_millisecond = kPerMillisecond[unit];
}

void read_type(std::string_view format, ArrowColumn& column) {
  column.called = "an unknown kind";
  for (const Format& known : kFormats) {
    if (format != known.format) continue;
    column.type = known.type;
    column.called = known.called;
    if (known.type == ArrowType::local_day) column.milliseconds = kDay;
    return;
  }
  if (format.starts_with("ts")) return read_timestamp(format, column);
  for (const Format& other : kOthers) {
    if (!format.starts_with(other.format)) continue;
    column.called = other.called;
    return;
  }
}

std::string_view text(const char* held) { return held == nullptr ? std::string_view() : held; }

Failure broken(std::string why) {
  return fail(ErrorKind::usage, "source.rows", "the Arrow schema is broken: " + std::move(why));
}

Result<ArrowColumn> column_of(const ArrowSchema& schema) {
  ArrowColumn column;
  column.name = text(schema.name);
  if (schema.dictionary == nullptr) {
    read_type(text(schema.format), column);
    return column;
  }
  read_type(text(schema.format), column);
  if (!is_whole(column.type)) return broken("the index of the dictionary " + column.name + " is no whole number");
  column.index = column.type;
  column.type = ArrowType::other;
  if (schema.dictionary->dictionary == nullptr) read_type(text(schema.dictionary->format), column);
  column.called = "dictionary of " + column.called;
  return column;
}

// What a key of the job can be read from; null: anything that is readable.
const char* needed_by(std::string_view key) {
  if (key == "time") return "text, a number, a date or a timestamp";
  return key == "user" || key == "series" || key == "place" ? nullptr : "a number, or text that is one";
}

bool is_time(ArrowType type) {
  return type == ArrowType::instant || type == ArrowType::local_time || type == ArrowType::local_day ||
         type == ArrowType::local_day_ms;
}

Failure unfit(std::string_view key, const ArrowColumn& column, std::string_view valid) {
  return fail(ErrorKind::bad_data, key,
              "column " + column.name + " is of kind " + column.called + "; it must be " + std::string(valid));
}

constexpr std::string_view kReadable = "a number, text, a date or a timestamp, or a dictionary of these";

}  // namespace

Result<std::vector<ArrowColumn>> columns_of(const ArrowSchema& schema) {
  if (schema.release == nullptr) return broken("it was released");
  if (text(schema.format) != "+s")
    return fail(ErrorKind::usage, "source.rows",
                "the Arrow data is no table: it must be of record batches with columns");
  if (schema.n_children < 0 || (schema.n_children > 0 && schema.children == nullptr))
    return broken("it has no columns");
  std::vector<ArrowColumn> columns;
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    if (schema.children[i] == nullptr) return broken("a column is missing");
    CV_TRY(ArrowColumn column, column_of(*schema.children[i]));
    columns.push_back(std::move(column));
  }
  return columns;
}

std::vector<std::string> names_of(const std::vector<ArrowColumn>& columns) {
  std::vector<std::string> names;
  for (const ArrowColumn& column : columns) names.push_back(column.name);
  return names;
}

Result<std::vector<std::size_t>> places_of(const RowDecoder& decoder, const std::vector<ArrowColumn>& columns) {
  CV_TRY(const std::vector<ColumnPlace> found, place_columns(decoder, names_of(columns), "the table"));
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const ArrowColumn& column = columns[found[i].column];
    const std::string_view key = decoder.wanted()[i].key;
    const char* const needed = needed_by(key);
    if (column.type == ArrowType::other) return unfit(key, column, needed != nullptr ? needed : kReadable);
    if (needed != nullptr && key != "time" && is_time(column.type)) return unfit(key, column, needed);
    places.push_back(found[i].column);
  }
  return places;
}

Result<void> check_usable(const ArrowColumn& column) {
  if (column.type == ArrowType::other) return unfit("source.rows", column, kReadable);
  return {};
}

}  // namespace chronoveil::data
