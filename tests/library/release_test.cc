// The front door over jobs of every kind: rows in memory give the release that a CSV gives, byte for byte, under the
// same rules of debits.
#include <gtest/gtest.h>

#include "arrow_rows.h"
#include "chronoveil/chronoveil.h"
#include "engine/fixtures.h"

namespace chronoveil {
namespace {

// A CSV in memory: columns of texts.
class Columns {
 public:
  explicit Columns(const std::string& csv) {
    std::vector<std::string> fields(1);
    for (const char c : csv) {
      if (c == ',' || c == '\n') fields.emplace_back();
      if (c != ',' && c != '\n') fields.back() += c;
      if (c == '\n') take(fields);
    }
  }
  Table table() const {
    Batch all;
    for (std::size_t i = 0; i < names_.size(); ++i) all.emplace_back(names_[i], cells_[i]);
    return {{all}};
  }

 private:
  void take(std::vector<std::string>& fields) {
    fields.pop_back();
    if (names_.empty()) {
      names_ = fields;
      cells_.resize(names_.size());
    } else {
      for (std::size_t i = 0; i < fields.size(); ++i) cells_[i].push_back(fields[i]);
    }
    fields.assign(1, "");
  }
  std::vector<std::string> names_;
  std::vector<std::vector<std::string>> cells_;
};

class Library : public engine::testing::JobFolder {
 protected:
  void SetUp() override {
    JobFolder::SetUp();
    write("speeds.csv", speeds());
    write("places.txt", "north\nsouth\n");
    write("meter.csv", meter());
  }

  static std::string speeds() {
    std::string text = "bus,ts,where,speed\n";
    for (int i = 0; i < 60; ++i)
      text += "b" + std::to_string(i % 30) + ",2026-03-01T0" + std::to_string(i % 10) + ":05," +
              (i % 3 == 0 ? "north," : "south,") + std::to_string(20 + i % 7) + ".5\n";
    return text;
  }
  static std::string meter() {
    std::string text = "ts,load\n";
    for (int i = 0; i < 40; ++i) text += std::to_string(i) + "," + std::to_string(i * 37 % 100) + "\n";
    return text;
  }
  static std::string slots() {
    return "[slots]\nstart = \"2026-03-01T00:00\"\nend = \"2026-03-03T00:00\"\nlength = \"1h\"\n";
  }
  std::string means_text() const {
    return "version = 1\n[dataset]\nname = \"city\"\n[source]\npath = \"speeds.csv\"\nuser = \"bus\"\ntime = \"ts\"\n"
           "place = \"where\"\nvalue = \"speed\"\n" +
           slots() +
           "[places]\nlist = \"places.txt\"\n[means]\nupper = 65.0\ncounts = \"public\"\nmax_cells = "
           "2\n[privacy]\nepsilon = 1\n"
           "[mechanism]\nname = \"clip_mean\"\n[output]\ncsv = \"means.csv\"\n";
  }
  static std::string perturb_text() {
    return "version = 1\n[dataset]\nname = \"city\"\n[source]\npath = \"meter.csv\"\ntime = \"ts\"\n[perturb]\n"
           "[privacy]\nwindow = 4\nepsilon = 2\ndelta = 1e-3\n[mechanism]\nname = \"noisy_sort\"\n"
           "[output]\ncsv = \"moved.csv\"\n";
  }

  void expect_the_same_from_memory(const Job& from_csv, const std::string& csv) {
    const Columns columns(csv);
    Job from_memory = from_csv;
    read_from(from_memory, columns.table());
    RunOptions seeded;
    seeded.seed = 7;
    const Result<AnyRelease> one = run(from_csv, seeded), other = run(from_memory, seeded);
    ASSERT_TRUE(one) << one.error().text();
    ASSERT_TRUE(other) << other.error().text();
    EXPECT_GT(to_csv(*one).size(), 200U);
    EXPECT_EQ(to_csv(*one), to_csv(*other));
    EXPECT_EQ(to_json(*one), to_json(*other));
    EXPECT_EQ(to_html(*one), to_html(*other));
    seeded.seed = 8;
    EXPECT_NE(to_csv(*one), to_csv(*run(from_memory, seeded)));
  }

  // The same rows as an Arrow stream, and the release as one.
  void expect_the_same_by_arrow(const Job& from_csv, const std::string& csv) {
    testing::MadeStream made = testing::stream_of(csv, 7);
    ArrowArrayStream stream = made.stream();
    Job from_stream = from_csv;
    const Result<void> taken = read_from(from_stream, stream);
    ASSERT_TRUE(taken) << taken.error().text();
    RunOptions seeded;
    seeded.seed = 7;
    const Result<AnyRelease> one = run(from_csv, seeded), other = run(from_stream, seeded);
    ASSERT_TRUE(one) << one.error().text();
    ASSERT_TRUE(other) << other.error().text();
    EXPECT_EQ(to_csv(*one), to_csv(*other));
    EXPECT_EQ(to_json(*one), to_json(*other));
    EXPECT_EQ(made.released, 1);
    EXPECT_EQ(made.batches_released, made.asked);
    ArrowArrayStream rows{};
    const Result<void> handed_out = to_arrow(*other, &rows);
    ASSERT_TRUE(handed_out) << handed_out.error().text();
    EXPECT_EQ(testing::csv_of(rows), to_csv(*one));
    const Result<AnyRelease> again = run(from_stream, seeded);
    ASSERT_FALSE(again);
    EXPECT_NE(again.error().text().find("source.rows: the Arrow stream was read before"), std::string::npos)
        << again.error().text();
  }
};

TEST_F(Library, CountsFromMemoryAreThoseFromCsv) { expect_the_same_from_memory(job(), trips()); }
TEST_F(Library, MeansFromMemoryAreThoseFromCsv) { expect_the_same_from_memory(job(means_text()), speeds()); }
TEST_F(Library, APerturbedSeriesFromMemoryIsThatFromCsv) { expect_the_same_from_memory(job(perturb_text()), meter()); }

TEST_F(Library, CountsByArrowAreThoseOfCsv) { expect_the_same_by_arrow(job(), trips()); }
TEST_F(Library, MeansByArrowAreThoseOfCsv) { expect_the_same_by_arrow(job(means_text()), speeds()); }
TEST_F(Library, APerturbedSeriesByArrowIsThatOfCsv) {
  expect_the_same_by_arrow(job(perturb_text()), meter());
  Job strange = job(perturb_text());  // names that need quotes, and another delimiter
  strange.source.delimiter = ';';
  strange.source.time = "a;\"b";
  write("meter.csv", "\"a;\"\"b\";load\n1;5\n2;\n3;7\n4;8\n5;9\n");
  RunOptions seeded;
  seeded.seed = 7;
  const Result<AnyRelease> release = run(strange, seeded);
  ASSERT_TRUE(release) << release.error().text();
  ArrowArrayStream rows{};
  ASSERT_TRUE(to_arrow(*release, &rows));
  const std::string csv = testing::csv_of(rows);
  EXPECT_TRUE(csv.starts_with("a;\"b,load,mark\n1,")) << csv;
}

TEST_F(Library, SlotsOfDaysAreDatesInArrow) {
  Job days = job();
  days.slots.length = "1d";
  RunOptions seeded;
  seeded.seed = 7;
  const Result<AnyRelease> release = run(days, seeded);
  ASSERT_TRUE(release) << release.error().text();
  ArrowArrayStream rows{};
  ASSERT_TRUE(to_arrow(*release, &rows));
  EXPECT_EQ(testing::csv_of(rows), to_csv(*release));
}

TEST_F(Library, AStreamThatACheckReadIsRefusedBeforeADebit) {
  create_dataset();
  testing::MadeStream made = testing::stream_of(trips(), 50);
  ArrowArrayStream stream = made.stream();
  Job visits = job();
  ASSERT_TRUE(read_from(visits, stream));
  ASSERT_TRUE(check(visits, options_));
  EXPECT_EQ(made.asked, 0);
  ASSERT_TRUE(check(visits, options_, true));
  EXPECT_EQ(made.released, 1);
  const Result<AnyRelease> release = run(visits, options_);
  ASSERT_FALSE(release);
  EXPECT_EQ(release.error().kind, ErrorKind::usage);
  EXPECT_TRUE(debits().empty());
  ASSERT_FALSE(read_from(visits, stream));  // it was taken
}

TEST_F(Library, AnInterruptedRunLeavesItsDebitToTheNext) {
  create_dataset();
  Interrupt stop;
  const Interruptible now(stop);
  RunOptions stopped = options_;
  stopped.progress = [&](std::string_view stage) {
    if (stage == "reading") stop.ask();
  };
  const Result<AnyRelease> release = run(job(), stopped);
  ASSERT_FALSE(release);
  EXPECT_EQ(release.error().kind, ErrorKind::interrupted) << release.error().text();
  EXPECT_NE(release.error().text().find("run the same job again to use the debit city:1"), std::string::npos)
      << release.error().text();
  ASSERT_EQ(debits().size(), 1U);
  EXPECT_EQ(make_plan(job()).error().kind, ErrorKind::interrupted);
  const Interruptible undisturbed(nullptr);
  const Result<AnyRelease> next = run(job(), options_);
  ASSERT_TRUE(next) << next.error().text();
  EXPECT_EQ(debits().size(), 1U);
}

TEST_F(Library, WhatWasDrawnBeforeAnInterruptStaysSpent) {
  create_dataset();
  Interrupt stop;
  const Interruptible now(stop);
  RunOptions stopped = options_;
  stopped.note_drawing = [&](const std::string&) { stop.ask(); };
  const Result<AnyRelease> release = run(job(), stopped);
  ASSERT_FALSE(release);
  EXPECT_EQ(release.error().kind, ErrorKind::interrupted) << release.error().text();
  EXPECT_NE(release.error().text().find("the debit city:1 stays spent"), std::string::npos) << release.error().text();
  ASSERT_EQ(debits().size(), 1U);
  EXPECT_EQ(debits().front().state, ledger::State::abandoned);
}

TEST_F(Library, RowsInMemoryNeedNoFileForTheirRelease) {
  Job moved = job(perturb_text());
  const Columns columns(meter());
  read_from(moved, columns.table());
  moved.csv.clear();
  RunOptions seeded;
  seeded.seed = 7;
  const Result<AnyRelease> release = run(moved, seeded);
  ASSERT_TRUE(release) << release.error().text();
  EXPECT_TRUE(to_csv(*release).starts_with("ts,load"));
  EXPECT_FALSE(exists("moved.csv"));
}

TEST_F(Library, AJobInMemoryIsDebitedOnceAndEmittedAnew) {
  create_dataset();
  Job visits = job();
  const Columns columns(trips());
  read_from(visits, columns.table());
  const Result<AnyPlan> planned = make_plan(visits);
  ASSERT_TRUE(planned) << planned.error().text();
  const Result<Check> checked = check(visits, options_, true);
  ASSERT_TRUE(checked) << checked.error().text();
  EXPECT_FALSE(checked->earlier);
  const Result<AnyRelease> release = run(visits, options_);
  ASSERT_TRUE(release) << release.error().text();
  EXPECT_EQ(guarantee_of(*planned).epsilon, guarantee_of(*release).epsilon);
  EXPECT_EQ(read("out.csv"), to_csv(*release));
  ASSERT_TRUE(debit_of(*release));
  const Result<AnyRelease> again = release_again(visits, debit_of(*release)->id.text(), options_);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(to_csv(*again), to_csv(*release));
  const Result<AnyRelease> second = run(visits, options_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::usage);
  EXPECT_EQ(debits().size(), 1U);
}

TEST_F(Library, ANullIsFoundBeforeItCostsADebit) {
  create_dataset();
  const std::vector<std::string> card = {"a", "b"}, ts = {"2026-03-01T01:00", "2026-03-01T02:00"},
                                 stop = {"north", "x"};
  const std::uint8_t first = 0b01;
  Job visits = job();
  read_from(visits, {{{{"card", card, {&first, 1}}, {"ts", ts}, {"stop", stop}}}});
  const Result<Check> checked = check(visits, options_, true);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind, ErrorKind::bad_data);
  EXPECT_NE(checked.error().text().find("row 2: column card: null"), std::string::npos) << checked.error().text();
  EXPECT_TRUE(debits().empty());
}

TEST_F(Library, AJobWithoutItsRowsIsRefusedBeforeADebit) {
  create_dataset();
  const Result<Job> parsed =
      parse_job(job_text("kind = \"memory\"\nuser = \"card\"\ntime = \"ts\"\n", "", "[output]\n"));
  EXPECT_FALSE(parsed);  // a list of series without their column
  Job visits = job();
  read_from(visits, {});
  const Result<AnyRelease> release = run(visits, options_);
  ASSERT_FALSE(release);
  EXPECT_NE(release.error().text().find("source.rows: "), std::string::npos) << release.error().text();
  visits.source.rows = nullptr;
  const Result<AnyRelease> nothing = run(visits, options_);
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().text().find("source.kind: memory"), std::string::npos) << nothing.error().text();
  visits.source.path = "trips.csv";
  EXPECT_FALSE(run(visits, options_));
  EXPECT_TRUE(debits().empty());
}

TEST(Events, AreReadPricedAndCalibrated) {
  const Result<Event> event = parse_event(R"({"event": "laplace", "noise_multiplier": 2})");
  ASSERT_TRUE(event) << event.error().text();
  const auto price = epsilon_at(*event, *Delta::make(0));
  ASSERT_TRUE(price) << price.error().text();
  EXPECT_NEAR(price->epsilon, 0.5, 1e-6);
  EXPECT_FALSE(parse_event(R"({"event": "laplace"})"));
  const Result<Event> open = parse_open_event(R"({"event": "laplace"})");
  ASSERT_TRUE(open) << open.error().text();
  const auto least = calibrate(*open, *Epsilon::make(0.25), *Delta::make(0));
  ASSERT_TRUE(least) << least.error().text();
  EXPECT_NEAR(least->noise, 4, 1e-3);
  EXPECT_LE(least->price.epsilon, 0.25);
  EXPECT_EQ(to_text(*event), to_text(*parse_event(to_text(*event))));
}

TEST(Events, OtherAccountantsNeverPromiseMore) {
  const Result<Event> event = parse_event(R"({"event": "gaussian", "noise_multiplier": 20, "count": 50})");
  const Delta delta = *Delta::make_positive(1e-6);
  const auto price = epsilon_at(*event, delta);
  const Result<OtherPrices> others = other_prices(*event, delta);
  ASSERT_TRUE(price && others);
  ASSERT_TRUE(others->renyi && others->zcdp);
  EXPECT_GE(*others->renyi, price->epsilon_lower);
  EXPECT_GE(*others->zcdp, price->epsilon_lower);
  EXPECT_FALSE(others->black_box);  // only windows can be pooled
}

}  // namespace
}  // namespace chronoveil
