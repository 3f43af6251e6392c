// Rows in memory: the same table gives the same records as a CSV, and what is not there is said by column and row.
#include <cmath>

#include "chronoveil/data/field_rows.h"
#include "chronoveil/data/memory/source.h"
#include "reading.h"

namespace chronoveil::data::testing {
namespace {

using Texts = std::vector<std::string>;
using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

SourceSpec in_memory(SourceSpec spec, std::vector<Batch> batches) {
  spec.kind = SourceKind::memory;
  spec.rows = std::make_shared<const data::Table>(data::Table{std::move(batches)});
  return spec;
}

// As many rows as several batches of records.
struct Trips {
  Texts card, ts, stop;
  Integers n;
  std::string csv = "card,ts,stop,n\n";

  explicit Trips(int rows) {
    for (int i = 0; i < rows; ++i) {
      card.push_back(std::to_string(i * 7919 % 1000));
      ts.push_back("2026-03-" + std::to_string(10 + i % 20) + " 0" + std::to_string(i % 10) + ":15:30.25");
      stop.push_back(i % 11 == 0 ? "" : i % 7 == 0 ? "O'Brien \"St\", 5" : "A");
      n.push_back(i % 100);
      std::string quoted;
      for (const char c : stop.back()) quoted.append(c == '"' ? 2 : 1, c);
      csv += card.back() + "," + ts.back() + ",\"" + quoted + "\"," + std::to_string(n.back()) + "\n";
    }
  }
};

TEST(Memory, EqualTablesInMemoryAndInCsvGiveEqualRecords) {
  const Trips trips(20'000);
  const Result<Table> read = read_csv(trips.csv, all_columns());
  ASSERT_TRUE(read) << message(read);
  expect_table(
      in_memory(all_columns(), {{{"card", trips.card}, {"ts", trips.ts}, {"stop", trips.stop}, {"n", trips.n}}}),
      *read);
}

TEST(Memory, BatchesAreRowsOneAfterAnother) {
  const Trips trips(9'000);
  const std::vector<std::string_view> stops(trips.stop.begin(), trips.stop.end());
  std::vector<Batch> batches;
  std::size_t at = 0;
  for (const std::size_t size : {0, 1, 8'191, 0, 700, 108, 0}) {
    batches.push_back({{"card", std::span(trips.card).subspan(at, size)},
                       {"ts", std::span(trips.ts).subspan(at, size)},
                       {"stop", std::span(stops).subspan(at, size)},
                       {"n", std::span(trips.n).subspan(at, size)}});
    at += size;
  }
  ASSERT_EQ(at, trips.card.size());
  const Result<Table> read = read_csv(trips.csv, all_columns());
  ASSERT_TRUE(read) << message(read);
  expect_table(in_memory(all_columns(), batches), *read);
}

TEST(Memory, TimesAreInstantsOrTextsOrNumbersOfTheFormat) {
  SourceSpec spec = time_only();
  spec.zone = "Europe/Zurich";
  const Integers instants = {1772326800000, 1772326800250, -1};
  const Texts texts = {"2026-03-01T02:00", "2026-03-01T02:00:00.25", "1970-01-01T00:59:59.999"};
  const Table wanted{{}, {}, instants, {}};
  expect_table(in_memory(spec, {{{"ts", Instants{instants}}}}), wanted);
  expect_table(in_memory(spec, {{{"ts", texts}}}), wanted);
  expect_table(in_memory(spec, {{{"ts", Instants{std::span(instants).first(1)}}}, {{"ts", std::span(texts).last(2)}}}),
               wanted);
  spec.time_format = "epoch_ms";
  expect_table(in_memory(spec, {{{"ts", instants}}}), wanted);
  spec.time_format = "epoch";
  const Reals seconds = {1772326800, 1772326800.25, -0.001};
  expect_table(in_memory(spec, {{{"ts", seconds}}}), wanted);
  expect_table(in_memory(spec, {{{"ts", Instants{instants}}}}), wanted);
}

TEST(Memory, NumbersAreNamesAndCountsAndMeasures) {
  SourceSpec spec = time_only();
  spec.user = "card";
  spec.value = "n";
  const Integers card = {17, -4}, at = {0, 0};
  const Reals n = {12, 1e6};
  expect_table(in_memory(spec, {{{"card", card}, {"ts", Instants{at}}, {"n", n}}}),
               {{"17", "-4"}, {}, {0, 0}, {12, 1'000'000}});
  SourceSpec measured = time_only();
  measured.measure = "speed";
  measured.longitude = "lon";
  measured.latitude = "lat";
  const Reals speed = {0.1, -1e-300}, lon = {8.5, 1.0 / 3}, lat = {47.25, 0};
  expect_table(in_memory(measured, {{{"ts", Instants{at}}, {"speed", speed}, {"lon", lon}, {"lat", lat}}}),
               {{}, {}, {0, 0}, {}, speed, lon, lat});
}

TEST(Memory, WhatIsNotThereIsAnErrorThatNamesColumnAndRow) {
  const Texts card = {"secret-a", "secret-b", "secret-c"};
  const Integers at = {0, 1, 2}, n = {1, 2, 3};
  const std::uint8_t all_but_the_second = 0b101, all = 0b111;
  const std::span<const std::uint8_t> gap(&all_but_the_second, 1), whole(&all, 1);
  SourceSpec spec = time_only();
  spec.user = "card";
  spec.value = "n";
  const auto read = [&](std::span<const std::uint8_t> cards, std::span<const std::uint8_t> times,
                        std::span<const std::uint8_t> counts) {
    return read_source(in_memory(
        spec,
        {{{"card", std::span(card).first(1)}, {"ts", Instants{std::span(at).first(1)}}, {"n", std::span(n).first(1)}},
         {{"card", card, cards}, {"ts", Instants{at}, times}, {"n", n, counts}}}));
  };
  EXPECT_TRUE(read(whole, {}, whole));
  expect_failure(read(gap, {}, {}), ErrorKind::bad_data, "row 3: column card: null");
  expect_failure(read({}, gap, {}), ErrorKind::bad_data, "row 3: column ts: null");
  expect_failure(read({}, {}, gap), ErrorKind::bad_data, "row 3: column n: null");
  EXPECT_EQ(message(read(gap, gap, gap)).find("secret"), std::string::npos);
}

TEST(Memory, AMeasureThatMayBeMissingIsNoNumber) {
  SourceSpec spec = time_only();
  spec.measure = "load";
  const Integers at = {0, 1};
  const Reals load = {5, 6};
  const std::uint8_t first = 0b01;
  const Batch rows = {{"ts", Instants{at}}, {"load", load, {&first, 1}}};
  expect_failure(read_source(in_memory(spec, {rows})), ErrorKind::bad_data, "row 2: column load: null");
  spec.measure_may_be_missing = true;
  const Result<Table> read = read_source(in_memory(spec, {rows}));
  ASSERT_TRUE(read) << message(read);
  EXPECT_EQ(read->measure[0], 5);
  EXPECT_TRUE(std::isnan(read->measure[1]));
  const Reals none = {5, std::nan("")};
  const std::vector<float> single = {5, std::nanf("")};
  for (const Column& column : {Column("load", none), Column("load", single)}) {
    const Result<Table> numbers = read_source(in_memory(spec, {{{"ts", Instants{at}}, column}}));
    ASSERT_TRUE(numbers) << message(numbers);
    EXPECT_EQ(numbers->measure[0], 5);
    EXPECT_TRUE(std::isnan(numbers->measure[1]));
  }
}

TEST(Memory, WhatACsvIsRefusedForIsRefused) {
  const Integers at = {0}, negative = {-3}, far = {std::int64_t{1} << 60};
  const Texts nul = {std::string("a\0b", 3)}, empty = {""}, tomorrow = {"tomorrow"};
  const Reals no_number = {NAN};
  SourceSpec spec = time_only();
  const auto refused = [&](const Batch& rows, std::string_view why) {
    expect_failure(read_source(in_memory(spec, {rows})), ErrorKind::bad_data, why);
  };
  refused({{"ts", tomorrow}}, "row 1: column ts: ");
  refused({{"ts", Instants{far}}}, "row 1: column ts: ");
  spec.user = "card";
  refused({{"ts", Instants{at}}, {"card", empty}}, "row 1: column card: empty");
  refused({{"ts", Instants{at}}, {"card", nul}}, "row 1: column card: a NUL byte");
  spec.user.reset();
  spec.value = "n";
  refused({{"ts", Instants{at}}, {"n", negative}}, "row 1: column n: ");
  spec.value.reset();
  spec.measure = "speed";
  refused({{"ts", Instants{at}}, {"speed", no_number}}, "row 1: column speed: ");
}

TEST(Memory, OpeningLooksAtColumnsAndNeverAtACell) {
  const Texts broken = {"tomorrow", "never"}, one = {"2026-03-01"};
  const std::uint8_t none = 0;
  const auto opened = [](std::vector<Batch> batches) {
    return open_source(in_memory(time_only(), std::move(batches)));
  };
  EXPECT_TRUE(opened({{{"ts", broken, {&none, 1}}}}));
  expect_failure(opened({{{"time", broken}}}), ErrorKind::bad_data, "time: column ts is not among the 1 of the table");
  expect_failure(opened({{{"ts", broken}, {"ts", broken}}}), ErrorKind::bad_data, "more than once");
  expect_failure(opened({{{"ts", broken}, {"n", one}}}), ErrorKind::usage,
                 "rows: column n is not as long as column ts");
  expect_failure(opened({{{"ts", one}}, {{"when", one}}}), ErrorKind::usage,
                 "rows: every batch needs the same columns");
  expect_failure(opened({}), ErrorKind::usage, "rows: a table needs a batch");
  const Texts nine(9, "2026-03-01");
  expect_failure(opened({{{"ts", nine, {&none, 1}}}}), ErrorKind::usage, "rows: column ts needs a bit for each");
  SourceSpec nobody = time_only();
  nobody.kind = SourceKind::memory;
  expect_failure(open_source(nobody), ErrorKind::usage, "kind: memory is for programs that pass their rows");
}

TEST(Memory, FieldsOfRowsAreTheTextsOfTheirCells) {
  const Integers at = {1772326800000, 1772326800250}, n = {-5, 6};
  const Reals load = {0.1, 1e6};
  const Texts room = {"a,b", ""};
  FieldRowsSpec spec;
  spec.rows = in_memory({}, {{{"at", Instants{at}}, {"n", n}, {"load", load}, {"room", room}}}).rows;
  const Result<std::unique_ptr<FieldRows>> rows = open_field_rows(spec);
  ASSERT_TRUE(rows) << message(rows);
  EXPECT_EQ((*rows)->columns(), (Texts{"at", "n", "load", "room"}));
  const auto next = [&] {
    const Result<std::span<const std::string_view>> fields = (*rows)->next();
    EXPECT_TRUE(fields) << message(fields);
    return fields ? Texts(fields->begin(), fields->end()) : Texts();
  };
  EXPECT_EQ(next(), (Texts{"2026-03-01T01:00:00Z", "-5", "0.1", "a,b"}));
  EXPECT_EQ(next(), (Texts{"2026-03-01T01:00:00.250Z", "6", "1000000", ""}));
  EXPECT_EQ(next(), Texts());
  EXPECT_EQ((*rows)->rows(), 2);
}

TEST(Memory, AFieldThatIsNotThereIsAnError) {
  const Integers n = {5, 6};
  const std::uint8_t first = 0b01;
  FieldRowsSpec spec;
  spec.rows = in_memory({}, {{{"n", n, {&first, 1}}}}).rows;
  const Result<std::unique_ptr<FieldRows>> rows = open_field_rows(spec);
  ASSERT_TRUE(rows) << message(rows);
  EXPECT_TRUE((*rows)->next());
  expect_failure((*rows)->next(), ErrorKind::bad_data, "row 2: column n: null");
}

}  // namespace
}  // namespace chronoveil::data::testing
