// Arrow streams: every layout gives the records that a CSV of the same table gives, each batch is given back, and what
// a broken producer hands over is an error.
#include <cmath>

#include "chronoveil/data/arrow/stream.h"
#include "reading.h"
#include "support/made_arrow.h"

namespace chronoveil::data::testing {
namespace {

using chronoveil::testing::dictionary;
using chronoveil::testing::MadeBatch;
using chronoveil::testing::MadeColumn;
using chronoveil::testing::MadeStream;
using chronoveil::testing::numbers;
using chronoveil::testing::text_views;
using chronoveil::testing::texts;

using Texts = std::vector<std::string>;
using Integers = std::vector<std::int64_t>;

Result<SourceSpec> from(MadeStream& made, SourceSpec spec) {
  ArrowArrayStream stream = made.stream();
  spec.kind = SourceKind::memory;
  CV_TRY(spec.stream, ArrowStream::take(stream));
  EXPECT_EQ(stream.release, nullptr);
  return spec;
}

Result<Table> read(MadeStream& made, const SourceSpec& spec) {
  CV_TRY(const SourceSpec streamed, from(made, spec));
  return read_source(streamed);
}

Result<Table> read(std::vector<MadeBatch> batches, const SourceSpec& spec) {
  MadeStream made(std::move(batches));
  Result<Table> table = read(made, spec);
  EXPECT_EQ(made.released, 1);
  EXPECT_EQ(made.batches_released, made.asked);
  return table;
}

void expect_read(std::vector<MadeBatch> batches, const SourceSpec& spec, const Table& wanted) {
  const Result<Table> found = read(std::move(batches), spec);
  ASSERT_TRUE(found) << message(found);
  EXPECT_EQ(*found, wanted);
}

SourceSpec named() {
  SourceSpec spec = time_only();
  spec.series = "stop";
  return spec;
}
SourceSpec counted() {
  SourceSpec spec = time_only();
  spec.value = "n";
  return spec;
}

MadeColumn at(const Integers& milliseconds) { return numbers("ts", "tsm:UTC", milliseconds); }

TEST(Arrow, TextsOfEveryLayoutAreTheTextsOfACsv) {
  const Texts stops = {"A", "", "O'Brien \"St\", 5", "exactly 12 b", "thirteen byte", "A", "a longer text than that"};
  const Integers times = {1, 2, 3, 4, 5, 6, 7};
  const Table wanted{{}, stops, times, {}};
  for (const MadeColumn& column :
       {texts("stop", stops), texts<std::int64_t>("stop", stops), text_views("stop", stops)}) {
    expect_read({{at(times), column}}, named(), wanted);
    const Table middle{{}, {stops.begin() + 2, stops.begin() + 5}, {3, 4, 5}, {}};
    expect_read({{at(times).slice(2, 3), column.slice(2, 3)}}, named(), middle);
  }
}

TEST(Arrow, DictionariesOfAnyIndexAreTheirEntries) {
  const Texts entries = {"north", "south", "far away in the west"};
  const Integers times = {1, 2, 3, 4};
  const Table wanted{{}, {"south", "north", "far away in the west", "south"}, times, {}};
  const auto expect_entries = [&](const MadeColumn& column) { expect_read({{at(times), column}}, named(), wanted); };
  expect_entries(dictionary("stop", "c", std::vector<std::int8_t>{1, 0, 2, 1}, texts("", entries)));
  expect_entries(dictionary("stop", "S", std::vector<std::uint16_t>{1, 0, 2, 1}, texts<std::int64_t>("", entries)));
  expect_entries(dictionary("stop", "i", std::vector<std::int32_t>{1, 0, 2, 1}, text_views("", entries)));
  expect_entries(dictionary("stop", "L", std::vector<std::uint64_t>{2, 1, 3, 2},
                            texts("", {"x", "north", "south", "far away in the west"})));
  // Entries may be a slice, too, and numbers.
  expect_entries(dictionary("stop", "l", Integers{1, 0, 2, 1},
                            texts("", {"x", "north", "south", "far away in the west"}).slice(1, 3)));
  expect_read({{at(times), dictionary("stop", "i", std::vector<std::int32_t>{1, 0, 0, 1},
                                      numbers("", "s", std::vector<std::int16_t>{-7, 300}))}},
              named(), {{}, {"300", "-7", "-7", "300"}, times, {}});
}

TEST(Arrow, NumbersOfEveryWidthAreCountsAndNames) {
  const Integers times = {1, 2};
  const auto expect_counts = [&](const MadeColumn& column, Integers values) {
    expect_read({{at(times), column}}, counted(), {{}, {}, times, std::move(values)});
  };
  expect_counts(numbers("n", "c", std::vector<std::int8_t>{3, 127}), {3, 127});
  expect_counts(numbers("n", "C", std::vector<std::uint8_t>{3, 255}), {3, 255});
  expect_counts(numbers("n", "s", std::vector<std::int16_t>{3, 32767}), {3, 32767});
  expect_counts(numbers("n", "S", std::vector<std::uint16_t>{3, 65535}), {3, 65535});
  expect_counts(numbers("n", "i", std::vector<std::int32_t>{3, 2147483647}), {3, 2147483647});
  expect_counts(numbers("n", "I", std::vector<std::uint32_t>{3, 4294967295}), {3, 4294967295});
  expect_counts(numbers("n", "l", Integers{3, std::int64_t{1} << 53}), {3, std::int64_t{1} << 53});
  expect_counts(numbers("n", "L", std::vector<std::uint64_t>{3, 7}), {3, 7});
  expect_counts(numbers("n", "g", std::vector<double>{3, 1e6}), {3, 1'000'000});
  expect_counts(numbers("n", "f", std::vector<float>{3, 16777216}), {3, 16777216});
  // A hash is a name, also above the largest int64; -7 is one, too.
  expect_read({{at(times), numbers("stop", "L", std::vector<std::uint64_t>{18446744073709551615U, 0})}}, named(),
              {{}, {"18446744073709551615", "0"}, times, {}});
  expect_read({{at(times), numbers("stop", "c", std::vector<std::int8_t>{-7, 7})}}, named(),
              {{}, {"-7", "7"}, times, {}});
  // A float32 is what its fewest digits say, as a CSV would.
  SourceSpec measured = time_only();
  measured.measure = "speed";
  expect_read({{at(times), numbers("speed", "f", std::vector<float>{0.1F, -2.5F})}}, measured,
              {{}, {}, times, {}, {0.1, -2.5}});
}

TEST(Arrow, TimestampsAreInstantsWithAZoneAndLocalTimesWithoutOne) {
  SourceSpec spec = time_only();
  spec.zone = "Europe/Zurich";
  const auto expect_times = [&](const MadeColumn& column, Integers times) {
    expect_read({{column}}, spec, {{}, {}, std::move(times), {}});
  };
  // Parts of a millisecond are cut, towards the past.
  expect_times(numbers("ts", "tss:America/New_York", Integers{1772326800, -1}), {1772326800000, -1000});
  expect_times(numbers("ts", "tsm:+05:30", Integers{1772326800250, -1}), {1772326800250, -1});
  expect_times(numbers("ts", "tsu:UTC", Integers{1772326800250999, -1}), {1772326800250, -1});
  expect_times(numbers("ts", "tsn:UTC", Integers{1772326800250999999, -1}), {1772326800250, -1});
  // 2026-03-01T01:00 and the day itself, by the clocks of Zurich.
  expect_times(numbers("ts", "tss:", Integers{1772326800}), {1772323200000});
  expect_times(numbers("ts", "tsn:", Integers{1772326800250999999}), {1772323200250});
  expect_times(numbers("ts", "tdD", std::vector<std::int32_t>{20513}), {1772319600000});
  expect_times(numbers("ts", "tdm", Integers{1772323200000}), {1772319600000});
  // 2026-10-25T02:30 came twice and is the earlier; 2026-03-29T02:30 was skipped.
  expect_times(numbers("ts", "tss:", Integers{1792895400}), {1792888200000});
  expect_failure(read({{numbers("ts", "tss:", Integers{1774751400})}}, spec), ErrorKind::bad_data,
                 "row 1: column ts: a local time that the clocks of Europe/Zurich skipped");
  for (const char* format : {"tss:", "tss:UTC", "tsm:"})
    for (const std::int64_t far : {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()})
      expect_failure(read({{numbers("ts", format, Integers{far})}}, spec), ErrorKind::bad_data, "row 1: column ts: ");
  // The format of the job is for texts and numbers.
  spec.time_format = "epoch";
  expect_times(numbers("ts", "tss:", Integers{1772326800}), {1772323200000});
  expect_times(numbers("ts", "i", std::vector<std::int32_t>{1772326800}), {1772326800000});
  expect_times(texts("ts", {"1772326800"}), {1772326800000});
}

TEST(Arrow, BatchesAreRowsOneAfterAnotherAndMayBeEmpty) {
  std::vector<MadeBatch> batches;
  Table wanted;
  for (const int rows : {0, 1, 8191, 0, 10'000, 0}) {
    Integers times;
    Texts stops;
    for (int i = 0; i < rows; ++i) {
      times.push_back(static_cast<std::int64_t>(wanted.time.size()) + i);
      stops.push_back("a stop with a long name " + std::to_string(times.back()));
    }
    wanted.time.insert(wanted.time.end(), times.begin(), times.end());
    wanted.series.insert(wanted.series.end(), stops.begin(), stops.end());
    batches.push_back({at(times), texts("stop", stops)});
  }
  expect_read(batches, named(), wanted);
  expect_read({{at({}), texts("stop", {})}}, named(), {});
  // A table without rows may know no kinds.
  expect_read({{at({}), {"stop", "n", 0, 0, 0, {}}}}, named(), {});
}

TEST(Arrow, ABatchMayBeASliceAsAWhole) {
  MadeStream made({{at({1, 2, 3, 4, 5}), texts("stop", {"a", "b", "c", "d", "e"}).slice(1, 4)}});
  made.damage = [](ArrowArray& batch) {
    batch.offset = 2;
    batch.length = 2;
  };
  const Result<Table> found = read(made, named());
  ASSERT_TRUE(found) << message(found);
  EXPECT_EQ(*found, (Table{{}, {"d", "e"}, {3, 4}, {}}));
}

TEST(Arrow, NullsAreErrorsThatNameColumnAndRow) {
  const std::vector<bool> first = {true, false, true};
  const MadeColumn stops = texts("stop", {"secret-a", "secret-b", "secret-c"});
  expect_failure(read({{at({1}), texts("stop", {"x"})}, {at({1, 2, 3}), stops.with_nulls(first)}}, named()),
                 ErrorKind::bad_data, "row 3: column stop: null");
  expect_failure(read({{at({1, 2, 3}).with_nulls(first), stops}}, named()), ErrorKind::bad_data,
                 "row 2: column ts: null");
  // Bits belong to the buffers, not to the slice.
  EXPECT_TRUE(read({{at({3}), stops.with_nulls(first).slice(2, 1)}}, named()));
  const std::vector<std::int32_t> indices = {0, 1, 0};
  expect_failure(
      read({{at({1, 2, 3}), dictionary("stop", "i", indices, texts("", {"a", "b"})).with_nulls(first)}}, named()),
      ErrorKind::bad_data, "row 2: column stop: null");
  expect_failure(
      read({{at({1, 2, 3}), dictionary("stop", "i", indices, texts("", {"a", "b"}).with_nulls({true, false}))}},
           named()),
      ErrorKind::bad_data, "row 2: column stop: null");
  expect_failure(read({{at({1}), {"stop", "n", 1, 0, 1, {}}}}, named()), ErrorKind::bad_data,
                 "row 1: column stop: null");
  SourceSpec spec = time_only();
  spec.measure = "load";
  spec.measure_may_be_missing = true;
  const Result<Table> loads =
      read({{at({1, 2, 3}), numbers("load", "g", std::vector<double>{5, 6, 7}).with_nulls(first)}}, spec);
  ASSERT_TRUE(loads) << message(loads);
  EXPECT_TRUE(std::isnan(loads->measure[1]));
  EXPECT_EQ(loads->measure[2], 7);
}

TEST(Arrow, WhatACsvIsRefusedForIsRefused) {
  const auto refused = [](MadeColumn column, std::string_view why) {
    SourceSpec spec = counted();
    expect_failure(read({{at({1}), std::move(column)}}, spec), ErrorKind::bad_data, why);
  };
  refused(numbers("n", "g", std::vector<double>{1.5}), "row 1: column n: ");
  refused(numbers("n", "g", std::vector<double>{NAN}), "row 1: column n: ");
  refused(numbers("n", "l", Integers{-3}), "row 1: column n: ");
  refused(numbers("n", "L", std::vector<std::uint64_t>{18446744073709551615U}), "row 1: column n: ");
  refused(texts("n", {"many"}), "row 1: column n: ");
  expect_failure(read({{at({1}), texts("stop", {std::string("a\0b", 3)})}}, named()), ErrorKind::bad_data,
                 "a NUL byte");
}

TEST(Arrow, AColumnOfAWrongKindNamesItself) {
  const auto refused = [](const SourceSpec& spec, MadeBatch batch, std::string_view why) {
    MadeStream made({std::move(batch)});
    const Result<SourceSpec> streamed = from(made, spec);
    ASSERT_TRUE(streamed);
    expect_failure(open_source(*streamed), ErrorKind::bad_data, why);
    EXPECT_EQ(made.asked, 0);  // the schema tells
  };
  const MadeColumn flag = numbers("stop", "b", std::vector<std::uint8_t>{1});
  refused(named(), {at({1}), flag}, "series: column stop is of kind bool; it must be a number, text");
  refused(named(), {at({1}), numbers("stop", "+l", Integers{})}, "column stop is of kind list");
  refused(named(), {at({1}), numbers("stop", "d:12,2", Integers{})}, "column stop is of kind decimal");
  refused(named(), {at({1}), dictionary("stop", "i", std::vector<std::int32_t>{0}, flag)},
          "column stop is of kind dictionary of bool");
  refused(counted(), {at({1}), numbers("n", "tsm:UTC", Integers{1})},
          "value: column n is of kind timestamp with a zone; it must be a number");
  refused(counted(), {at({1}), numbers("n", "tdD", std::vector<std::int32_t>{1})}, "column n is of kind date32");
  refused(time_only(), {numbers("ts", "ttm", Integers{1})}, "time: column ts is of kind time; it must be text");
  refused(named(), {at({1})}, "column stop is not among the 1 of the table");
  refused(named(), {at({1}), texts("stop", {"a"}), texts("stop", {"a"})}, "more than once");
  // Beside the columns that are used there may be anything, twice, and of no rows.
  MadeColumn odd = numbers("odd", "+l", Integers{});
  expect_read({{at({5}), odd, odd, flag}}, time_only(), {{}, {}, {5}, {}});
}

TEST(Arrow, AStreamIsReadOnceAndOnlyItsSchemaBefore) {
  MadeStream made({{at({1})}, {at({2})}});
  ArrowArrayStream stream = made.stream();
  SourceSpec spec = time_only();
  spec.kind = SourceKind::memory;
  Result<std::shared_ptr<ArrowStream>> taken = ArrowStream::take(stream);
  ASSERT_TRUE(taken);
  expect_failure(ArrowStream::take(stream), ErrorKind::usage, "the Arrow stream was taken before");
  spec.stream = std::move(*taken);
  EXPECT_TRUE(open_source(spec));
  EXPECT_TRUE(open_source(spec));
  EXPECT_EQ(made.asked, 0);
  expect_table(spec, {{}, {}, {1, 2}, {}});
  EXPECT_EQ(made.released, 1);
  expect_failure(open_source(spec), ErrorKind::usage, "a stream can be read once");
  // One that nobody reads is released with its job.
  MadeStream unread({{at({1})}});
  {
    const Result<SourceSpec> held = from(unread, time_only());
    EXPECT_EQ(unread.released, 0);
  }
  EXPECT_EQ(unread.released, 1);
}

TEST(Arrow, AStreamThatIsReadOftenKeepsItsBatchesUntilTheLastReader) {
  MadeStream made({{at({1})}, {at({2, 3})}});
  SourceSpec spec = time_only();
  spec.kind = SourceKind::memory;
  ArrowArrayStream stream = made.stream();
  Result<std::shared_ptr<ArrowStream>> taken = ArrowStream::take(stream, ArrowStream::Reads::often);
  ASSERT_TRUE(taken);
  spec.stream = *taken;
  expect_table(spec, {{}, {}, {1, 2, 3}, {}});
  EXPECT_EQ(made.batches_released, 0);
  expect_table(spec, {{}, {}, {1, 2, 3}, {}});
  EXPECT_EQ(made.asked, 2);
  const Result<Owned<ArrowArray>> nothing_more = (*taken)->next();
  ASSERT_TRUE(nothing_more);
  EXPECT_FALSE(*nothing_more);
  ASSERT_TRUE((*taken)->begin());
  {
    const Result<Owned<ArrowArray>> first = (*taken)->next();
    ASSERT_TRUE(first);
    spec.stream.reset();
    taken->reset();
    EXPECT_EQ(made.batches_released, 1);  // somebody reads the other one
    EXPECT_EQ((*first)->length, 1);
  }
  EXPECT_EQ(made.batches_released, 2);
  EXPECT_EQ(made.released, 1);
}

TEST(Arrow, WhatCameBeforeAFailureIsNeverAll) {
  MadeStream made({{at({1})}, {at({2})}});
  made.fails_after = 1;
  SourceSpec spec = time_only();
  spec.kind = SourceKind::memory;
  ArrowArrayStream stream = made.stream();
  Result<std::shared_ptr<ArrowStream>> taken = ArrowStream::take(stream, ArrowStream::Reads::often);
  ASSERT_TRUE(taken);
  spec.stream = std::move(*taken);
  expect_failure(read_source(spec), ErrorKind::storage, "the producer of the Arrow stream failed");
  expect_failure(read_source(spec), ErrorKind::storage, "the producer of the Arrow stream failed");
}

TEST(Arrow, AProducerThatFailsIsAStorageErrorWithoutItsWords) {
  MadeStream made({{at({1})}, {at({2})}});
  made.fails_after = 1;
  const Result<Table> found = read(made, time_only());
  expect_failure(found, ErrorKind::storage, "rows: the producer of the Arrow stream failed: Input/output error");
  EXPECT_EQ(message(found).find("secret"), std::string::npos);
  EXPECT_EQ(made.released, 1);
  EXPECT_EQ(made.batches_released, 1);
  ArrowArrayStream array_not_table = MadeStream({}).stream();
  array_not_table.get_schema = [](ArrowArrayStream*, ArrowSchema* out) {
    MadeStream::make_schema(at({}), out);
    return 0;
  };
  array_not_table.release = [](ArrowArrayStream* stream) { stream->release = nullptr; };
  expect_failure(ArrowStream::take(array_not_table), ErrorKind::usage, "the Arrow data is no table");
}

TEST(Arrow, BrokenBatchesAreErrors) {
  const auto broken = [](MadeBatch batch, std::function<void(ArrowArray&)> damage, std::string_view why = "broken") {
    MadeStream made({std::move(batch)});
    made.damage = std::move(damage);
    expect_failure(read(made, named()), ErrorKind::bad_data, why);
    EXPECT_EQ(made.released, 1);
    EXPECT_EQ(made.batches_released, 1);
  };
  const MadeBatch batch = {at({1, 2}), texts("stop", {"a", "b"})};
  broken(batch, [](ArrowArray& array) { array.length = -1; });
  broken(batch, [](ArrowArray& array) { array.offset = -1; });
  broken(batch, [](ArrowArray& array) { array.offset = std::numeric_limits<std::int64_t>::max(); });
  broken(batch, [](ArrowArray& array) { array.n_children = 1; });
  broken(
      batch, [](ArrowArray& array) { array.length = 3; }, "column ts of an Arrow batch is broken: it is shorter");
  broken(
      batch, [](ArrowArray& array) { array.children[1]->length = 1; }, "column stop");
  broken(
      batch, [](ArrowArray& array) { array.children[1]->offset = -5; }, "column stop");
  broken(
      batch, [](ArrowArray& array) { array.children[1]->n_buffers = 2; }, "buffers are missing");
  broken(
      batch, [](ArrowArray& array) { array.children[1]->buffers[1] = nullptr; }, "a buffer is missing");
  broken(
      batch, [](ArrowArray& array) { array.children[1]->buffers[2] = nullptr; }, "outside of its text");
  broken(
      batch, [](ArrowArray& array) { array.children[1]->null_count = 1; }, "its nulls are not marked");
  MadeBatch backwards = batch;
  backwards[1].buffers[1] = chronoveil::testing::bytes_of(std::vector<std::int32_t>{0, 2, 1});
  broken(backwards, nullptr, "an offset lies outside of its text");
  MadeBatch negative = batch;
  negative[1].buffers[1] = chronoveil::testing::bytes_of(std::vector<std::int32_t>{-4, 1, 2});
  broken(negative, nullptr, "an offset lies outside of its text");
  for (const std::int32_t index : {-1, 2})
    broken({at({1, 2}), dictionary("stop", "i", std::vector<std::int32_t>{0, index}, texts("", {"a", "b"}))}, nullptr,
           "an index lies outside of its dictionary");
  broken(
      {at({1}), dictionary("stop", "i", std::vector<std::int32_t>{0}, texts("", {"a"}))},
      [](ArrowArray& array) { array.children[1]->dictionary = nullptr; }, "its dictionary is missing");
  MadeBatch views = {at({1}), text_views("stop", {"a text that is long"})};
  for (const std::size_t place : {8U, 12U}) {  // of the buffer and of the offset
    MadeBatch wrong = views;
    wrong[1].buffers[1][place] = 5;
    broken(wrong, nullptr, "a text lies outside of its buffers");
  }
  views[1].buffers[1][3] = static_cast<char>(0x80);
  broken(views, nullptr, "a text has a negative length");
}

TEST(Arrow, FieldsOfRowsAreTheTextsOfTheUsedCells) {
  MadeStream made({{at({1772326800000, 1772326800250}), numbers("odd", "+l", Integers{}), texts("room", {"a,b", ""}),
                    numbers("local", "tsm:", Integers{1772326800000, 0})}});
  const Result<SourceSpec> streamed = from(made, {});
  ASSERT_TRUE(streamed);
  FieldRowsSpec spec;
  spec.stream = streamed->stream;
  const Result<std::unique_ptr<FieldRows>> rows = open_field_rows(spec);
  ASSERT_TRUE(rows) << message(rows);
  EXPECT_EQ((*rows)->columns(), (Texts{"ts", "odd", "room", "local"}));
  expect_failure((*rows)->use({0, 1}), ErrorKind::bad_data, "column odd is of kind list");
  ASSERT_TRUE((*rows)->use({3, 0, 2}));
  const auto next = [&] {
    const Result<std::span<const std::string_view>> fields = (*rows)->next();
    EXPECT_TRUE(fields) << message(fields);
    return fields ? Texts(fields->begin(), fields->end()) : Texts();
  };
  EXPECT_EQ(next(), (Texts{"2026-03-01T01:00:00Z", "", "a,b", "2026-03-01T01:00:00"}));
  EXPECT_EQ(next(), (Texts{"2026-03-01T01:00:00.250Z", "", "", "1970-01-01T00:00:00"}));
  EXPECT_EQ(next(), Texts());
  EXPECT_EQ(made.released, 1);
}

}  // namespace
}  // namespace chronoveil::data::testing
