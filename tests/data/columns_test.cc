// By columns or row by row: the same records, and the same refusals.
#include <limits>

#include "chronoveil/data/memory/source.h"
#include "reading.h"

namespace chronoveil::data::testing {
namespace {

using Texts = std::vector<std::string>;
using Integers = std::vector<std::int64_t>;
using Large = std::vector<std::uint64_t>;
using Reals = std::vector<double>;
using Singles = std::vector<float>;

struct Outcome {
  std::size_t rows = 0;
  Table records;
  std::string problem;  // of the row after them
  bool operator==(const Outcome&) const = default;
};

Outcome outcome_of(const SourceSpec& spec, const Batch& batch, bool by_columns) {
  Result<BatchDecoder> decoder = BatchDecoder::make(spec);
  EXPECT_TRUE(decoder) << message(decoder);
  EXPECT_TRUE(decoder->open(batch));
  const std::size_t all = batch.front().rows();
  RecordBatch read;
  decoder->begin(read, 1);
  Outcome outcome;
  if (by_columns) {
    outcome.rows = decoder->fill(0, all, read);
  } else {
    while (outcome.rows < all && decoder->add(outcome.rows, read)) ++outcome.rows;
  }
  if (outcome.rows < all) outcome.problem = decoder->problem();
  EXPECT_EQ(read.rows(), outcome.rows * read.per_row);
  outcome.records = {{read.user.begin(), read.user.end()},
                     {read.series.begin(), read.series.end()},
                     read.time,
                     read.value,
                     read.measure,
                     read.longitude,
                     read.latitude};
  return outcome;
}

// NaN is not equal to itself.
std::string text_of(const Outcome& outcome) {
  std::string text = std::to_string(outcome.rows) + " " + outcome.problem;
  for (const double measure : outcome.records.measure) text += " " + text_of_number(measure);
  return text;
}

void expect_the_same(const SourceSpec& spec, const Batch& batch) {
  const Outcome by_row = outcome_of(spec, batch, false), by_column = outcome_of(spec, batch, true);
  EXPECT_EQ(text_of(by_column), text_of(by_row));
  EXPECT_EQ(by_column.records.user, by_row.records.user);
  EXPECT_EQ(by_column.records.series, by_row.records.series);
  EXPECT_EQ(by_column.records.time, by_row.records.time);
  EXPECT_EQ(by_column.records.value, by_row.records.value);
  EXPECT_EQ(by_column.records.longitude, by_row.records.longitude);
  EXPECT_EQ(by_column.records.latitude, by_row.records.latitude);
}

constexpr std::int64_t kNoon = 1'774'749'600'000;  // a day on which the clocks of Zurich skip the hour from 02:00

// Cells of all types, good ones and such as only some columns take.
struct Choices {
  const Texts names = {"a", "eight by", "a name of more than sixteen bytes"}, empty = {"a", "", "c"},
              nul = {"a", std::string("b\0", 2), "c"}, later_nul = {"a", "b", std::string("0123456789\0abcdef", 17)},
              numbers = {"7", "1e3", "0"}, fractions = {"7", "0.5", "-1"},
              times = {"2026-03-29T01:59", "2026-03-29 03:00:00.25", "2026-10-25T02:30"},
              time_with_nul = {"2026-03-29T01:59", std::string("2026-03-29T03:00\0", 17), "2026-03-29T03:00"},
              skipped = {"2026-03-29T01:59", "2026-03-29T02:30", "2026-10-25T02:30"};
  const Integers whole = {0, 12, std::int64_t{1} << 53}, negative = {3, -1, 2},
                 large = {1, (std::int64_t{1} << 53) + 1, 2}, instants = {kNoon, kNoon + 1, -1},
                 far = {kNoon, std::numeric_limits<std::int64_t>::max(), 0};
  const Large unsigned_ones = {0, 12, 13};
  const Reals reals = {0.1, -0.0, 1e-300}, wild = {0.1, std::numeric_limits<double>::infinity(), 1},
              no_number = {0.1, std::numeric_limits<double>::quiet_NaN(), 1};
  const Singles singles = {0.1F, 1, 2.5F};
  const std::uint8_t gap = 0b101, none_missing = 0b111;

  std::vector<Column> all(const std::string& name) const {
    std::vector<Column> columns;
    for (const Texts* texts :
         {&names, &empty, &nul, &later_nul, &numbers, &fractions, &times, &time_with_nul, &skipped})
      columns.emplace_back(name, *texts);
    for (const Integers* integers : {&whole, &negative, &large, &instants, &far}) {
      columns.emplace_back(name, *integers);
      columns.emplace_back(name, Instants{*integers});
      columns.emplace_back(name, LocalTimes{*integers});
    }
    for (const Reals* some : {&reals, &wild, &no_number}) columns.emplace_back(name, *some);
    columns.emplace_back(name, singles);
    columns.emplace_back(name, unsigned_ones);
    for (const std::uint8_t* present : {&gap, &none_missing}) {
      columns.emplace_back(name, names, std::span(present, 1));
      columns.emplace_back(name, times, std::span(present, 1));
      columns.emplace_back(name, whole, std::span(present, 1));
      columns.emplace_back(name, reals, std::span(present, 1));
    }
    return columns;
  }
};

TEST(Columns, CountsAreThoseOfRowsWhateverTheCells) {
  const Choices cells;
  for (const char* format : {"iso8601", "epoch_ms", "%Y-%m-%dT%H:%M"}) {
    SourceSpec spec = all_columns();
    spec.time_format = format;
    spec.zone = "Europe/Zurich";
    const Column good("ts", Instants{cells.instants});
    for (const Column& one : cells.all("card")) {
      for (const Column& other : cells.all("n")) {
        Column stop = one;
        stop.name = "stop";
        Column time = other;
        time.name = "ts";
        expect_the_same(spec, {one, good, {"stop", cells.names}, other});
        expect_the_same(spec, {{"card", cells.names}, time, stop, {"n", cells.whole}});
      }
    }
  }
}

TEST(Columns, MeasuresAndPointsAreThoseOfRowsWhateverTheCells) {
  const Choices cells;
  for (const bool may_be_missing : {false, true}) {
    SourceSpec spec = time_only();
    spec.measure = "speed";
    spec.measure_may_be_missing = may_be_missing;
    SourceSpec named = spec, points = spec, keyed = spec;
    named.series = "stop";
    points.longitude = keyed.longitude = "lon";
    points.latitude = keyed.latitude = "lat";
    keyed.key_of_point = [](double longitude, double latitude) {
      return longitude > latitude ? std::string_view("east") : std::string_view("north");
    };
    const Column time("ts", Instants{cells.instants});
    for (const Column& speed : cells.all("speed")) {
      for (const Column& other : cells.all("lon")) {
        expect_the_same(points, {time, speed, other, {"lat", cells.reals}});
        expect_the_same(keyed, {time, speed, other, {"lat", cells.reals}});
        Column stop = other;
        stop.name = "stop";
        expect_the_same(named, {time, speed, stop});
      }
    }
  }
}

TEST(Columns, WideRowsAreReadAsEver) {
  SourceSpec spec = time_only();
  spec.wide = {"north", "south"};
  const Choices cells;
  expect_the_same(spec, {{"ts", Instants{cells.instants}}, {"north", cells.whole}, {"south", cells.numbers}});
  expect_the_same(spec, {{"ts", Instants{cells.instants}}, {"north", cells.whole}, {"south", cells.negative}});
}

}  // namespace
}  // namespace chronoveil::data::testing
