// Lines to rows, without descriptors: bytes come from memory in pieces of every size.
#include <random>
#include <set>

#include "chronoveil/data/csv/form.h"
#include "chronoveil/data/live/lines.h"
#include "reading.h"

namespace chronoveil::data::testing {
namespace {

using namespace std::string_literals;

constexpr std::int64_t kMarch = 1772323200000;  // 2026-03-01T00:00Z

struct Outcome {
  Table table;
  std::vector<std::int64_t> number;
  std::vector<std::string> refused;
  bool operator==(const Outcome&) const = default;
};

void append(const Arrival& arrival, Outcome& outcome) {
  const RecordBatch& rows = arrival.rows;
  EXPECT_EQ(rows.rows(), arrival.number.size());
  if (rows.rows() > 0) {
    EXPECT_EQ(rows.first_row, arrival.number.front());
  }
  outcome.table.user.insert(outcome.table.user.end(), rows.user.begin(), rows.user.end());
  outcome.table.series.insert(outcome.table.series.end(), rows.series.begin(), rows.series.end());
  outcome.table.time.insert(outcome.table.time.end(), rows.time.begin(), rows.time.end());
  outcome.table.value.insert(outcome.table.value.end(), rows.value.begin(), rows.value.end());
  outcome.number.insert(outcome.number.end(), arrival.number.begin(), arrival.number.end());
  for (const RefusedRow& row : arrival.refused) outcome.refused.push_back(row.where + ": " + row.reason);
}

Result<Outcome> read_live(ByteSource& bytes, LiveLines& lines) {
  Outcome outcome;
  Arrival arrival;
  do {
    clear(arrival);
    CV_CHECK(read_on(bytes, lines, arrival));
    EXPECT_TRUE(arrival.complete || !nothing_in(arrival));
    append(arrival, outcome);
  } while (!arrival.complete);
  return outcome;
}

Result<Outcome> read_live(const std::string& text, const SourceSpec& spec, std::size_t piece = 1 << 20) {
  CV_TRY(LiveLines lines, LiveLines::make(spec));
  MemorySource bytes(text, piece);
  return read_live(bytes, lines);
}

TEST(LiveLines, GiveTheSameRowsHoweverTheBytesAreCut) {
  const std::string text =
      "\xef\xbb\xbf"
      "card,ts,\"stop\",n\r\nu1,2026-03-01,A,1\r\n\r\n\n\"u,\"\"2\"\"\",2026-03-01,\"\",2\nu3,2026-03-01,\xc3\xa4,3\r\n"
      "u4,2026-03-01,B\n\"u5,2026-03-01,A,1\nu6,2026-03-01,,6";
  const Outcome wanted{
      {{"u1", "u,\"2\"", "u3", "u6"}, {"A", "", "\xc3\xa4", ""}, {kMarch, kMarch, kMarch, kMarch}, {1, 2, 3, 6}},
      {1, 2, 3, 6},
      {"row 4: 3 fields instead of 4 (is the line cut off, or its delimiter another?)",
       "row 5: a quote that is never closed"}};
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    const auto outcome = read_live(text, all_columns(), piece);
    ASSERT_TRUE(outcome) << message(outcome);
    ASSERT_EQ(*outcome, wanted) << piece;
  }
}

TEST(LiveLines, RefuseBrokenLinesWithTheirReasonAndGoOn) {
  const auto outcome = read_live(
      "card,ts,stop,n\n"
      "u,2026-03-01,A\n"
      "u,2026-03-01,A,1,\n"
      ",2026-03-01,A,1\n"
      "u,,A,1\n"
      "u,2026-02-29,A,1\n"
      "u,2026-03-01,A,1.5\n"
      "u,2026-03-01,A\0,1\n"
      "u,2026-03-01,A\"b,1\n"
      "u,2026-03-01,\"A\"b,1\n"
      "u,2026-03-01,\"A,1\n"
      "u,2026-03-01,A,\"1\"\n"s,
      all_columns());
  ASSERT_TRUE(outcome) << message(outcome);
  EXPECT_EQ(outcome->table, (Table{{"u"}, {"A"}, {kMarch}, {1}}));
  EXPECT_EQ(outcome->number, std::vector<std::int64_t>{11});
  const std::vector<std::string> reasons = {
      "row 1: 3 fields instead of 4 (is the line cut off, or its delimiter another?)",
      "row 2: 5 fields instead of 4 (a field that holds the delimiter must be quoted)",
      "row 3: column card: empty",
      "row 4: column ts: empty",
      "row 5: column ts: not a date",
      "row 6: column n: a fraction",
      "row 7: a NUL byte",
      "row 8: a quote inside a field",
      "row 9: text after a closing quote",
      "row 10: a quote that is never closed",
  };
  ASSERT_EQ(outcome->refused.size(), reasons.size());
  for (std::size_t i = 0; i < reasons.size(); ++i) EXPECT_TRUE(outcome->refused[i].starts_with(reasons[i])) << i;
}

TEST(LiveLines, NameAMissingOrBrokenHeaderAndNothingElseOfIt) {
  const auto missing = read_live("card,secret\nu,x\n", all_columns());
  expect_failure(missing, ErrorKind::bad_data, "time: column ts is not among the 2 of the header");
  EXPECT_EQ(missing.error().text().find("secret"), std::string::npos);
  expect_failure(read_live("ts,ts\n", time_only()), ErrorKind::bad_data, "time: column ts is there more than once");
  expect_failure(read_live("ts,\"n\n", time_only()), ErrorKind::bad_data, "the header: a quote that is never closed");
  expect_failure(read_live("t\0s\n"s, time_only()), ErrorKind::bad_data, "the header: a NUL byte");
  auto lines = LiveLines::make(time_only());
  ASSERT_TRUE(lines) << message(lines);
  lines->begin("march.csv");
  MemorySource bytes("n\n", 8);
  expect_failure(read_live(bytes, *lines), ErrorKind::bad_data, "march.csv: time: column ts");
}

TEST(LiveLines, FindColumnsByNumberInTheFirstRowThatCanBeRead) {
  SourceSpec spec;
  spec.header = false;
  spec.user = "1";
  spec.time = "2";
  const auto outcome = read_live("\xef\xbb\xbf\"u0,2026-03-01\nu1,2026-03-01\nu2,2026-03-01,x\n", spec);
  ASSERT_TRUE(outcome) << message(outcome);
  EXPECT_EQ(outcome->table, (Table{{"u1"}, {}, {kMarch}, {}}));
  EXPECT_EQ(outcome->refused, (std::vector<std::string>{
                                  "row 1: a quote that is never closed",  //
                                  "row 3: 3 fields instead of 2 (a field that holds the delimiter must be quoted)"}));
  spec.time = "3";
  expect_failure(read_live("u1,2026-03-01\n", spec), ErrorKind::bad_data, "time: there is no column 3");
  spec.time = "ts";
  expect_failure(read_live("u1,2026-03-01\n", spec), ErrorKind::usage, "number of a column");
}

TEST(LiveLines, CheckTheJobBeforeTheInput) {
  SourceSpec spec = time_only();
  spec.delimiter = '"';
  expect_failure(LiveLines::make(spec), ErrorKind::usage, "delimiter");
  spec = time_only();
  spec.zone = "Nowhere";
  expect_failure(LiveLines::make(spec), ErrorKind::usage, "zone");
}

TEST(LiveLines, SayManyRefusalsInSeveralTurns) {
  auto lines = LiveLines::make(time_only());
  ASSERT_TRUE(lines) << message(lines);
  std::string text = "ts\n";
  for (int i = 0; i < 20'000; ++i) text += "x\n";
  MemorySource bytes(text + "2026-03-01\n", text.size() + 20);
  Outcome outcome;
  Arrival arrival;
  do {
    clear(arrival);
    ASSERT_TRUE(read_on(bytes, *lines, arrival));
    ASSERT_LE(arrival.refused.size(), 5000U);
    append(arrival, outcome);
  } while (!arrival.complete);
  EXPECT_EQ(outcome.refused.size(), 20'000U);
  EXPECT_EQ(outcome.number, std::vector<std::int64_t>{20'001});
}

// A line that goes on for a long time.
class LongLine final : public ByteSource {
 public:
  LongLine(std::string before, std::size_t length, std::string after)
      : before_(std::move(before)), length_(length), after_(std::move(after)) {}
  Result<std::size_t> read(char* to, std::size_t size) override {
    if (!before_.empty()) return give(before_, to, size);
    if (length_ == 0) return give(after_, to, size);
    const std::size_t count = std::min(length_, size);
    std::fill_n(to, count, 'x');
    length_ -= count;
    return count;
  }

 private:
  static std::size_t give(std::string& text, char* to, std::size_t size) {
    const std::size_t count = text.copy(to, size);
    text.erase(0, count);
    return count;
  }
  std::string before_;
  std::size_t length_;
  std::string after_;
};

TEST(LiveLines, RefuseALineThatIsTooLongWithoutKeepingIt) {
  SourceSpec spec = time_only();
  spec.user = "card";
  const std::string row = ",2026-03-01\n";
  for (const auto& [length, good] :
       {std::pair(kLongestRow - row.size(), true), std::pair(kLongestRow - row.size() + 1, false),
        std::pair(6 * kLongestRow, false)}) {
    auto lines = LiveLines::make(spec);
    ASSERT_TRUE(lines) << message(lines);
    LongLine bytes("card,ts\nu" + row, length, row + "v" + row);
    const auto outcome = read_live(bytes, *lines);
    ASSERT_TRUE(outcome) << message(outcome);
    EXPECT_EQ(outcome->number, good ? (std::vector<std::int64_t>{1, 2, 3}) : (std::vector<std::int64_t>{1, 3}));
    EXPECT_EQ(outcome->table.user.back(), "v");
    EXPECT_EQ(outcome->refused.size(), good ? 0U : 1U);
    if (!good) {
      EXPECT_TRUE(outcome->refused[0].starts_with("row 2: longer than 16 MiB")) << outcome->refused[0];
    }
    EXPECT_LE(lines->room().size(), 2 * kLongestRow);
  }
  auto lines = LiveLines::make(spec);
  ASSERT_TRUE(lines) << message(lines);
  LongLine header("card,", 2 * kLongestRow, row);
  expect_failure(read_live(header, *lines), ErrorKind::bad_data, "the header: longer than 16 MiB");
}

TEST(LiveLines, NeverQuoteAValue) {
  const std::string marker = "MARKER4711";
  const std::vector<std::string> fields = {
      marker, marker + "\"",  "\"" + marker,    "\"" + marker + "\"x",    "2026-03-01", "\"\"",
      "",     marker + "\0"s, "2026-" + marker, "4711471147114711471147", "-4711",      "4711.5"};
  std::mt19937 random(3);
  std::string text = "card,ts,stop,n," + marker + "\n";
  for (int row = 0; row < 3000; ++row) {
    const std::size_t count = row % 5 == 0 ? 1 + random() % 7 : 5;
    for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + fields[random() % fields.size()];
    text += '\n';
  }
  const auto outcome = read_live(text, all_columns(), 1000);
  ASSERT_TRUE(outcome) << message(outcome);
  EXPECT_GT(outcome->refused.size(), 2000U);
  std::set<std::string> reasons;
  for (const std::string& refused : outcome->refused) {
    reasons.insert(refused.substr(refused.find(": ") + 2));
    EXPECT_EQ(refused.substr(refused.find(": ")).find("4711"), std::string::npos) << refused;
  }
  EXPECT_GT(reasons.size(), 10U);
}

// The reader of whole files, given each line alone, is the judge: exactly the lines that it reads must come.
TEST(LiveLines, ReadRandomBytesAsWholeFilesAreRead) {
  const std::string head = "card,ts,stop,n\n";
  const std::vector<std::string> pool = {"u",
                                         "2026-03-01",
                                         "A",
                                         "7",
                                         ",",
                                         ",",
                                         ",",
                                         "\"",
                                         "\"\"",
                                         "\r",
                                         " ",
                                         "\"a,b\"",
                                         "\0"s,
                                         "é",
                                         "1.0",
                                         "+",
                                         "\xff",
                                         "\"\"\"",
                                         "2026-03-01T02:03Z"};
  auto lines = LiveLines::make(all_columns());
  ASSERT_TRUE(lines) << message(lines);
  std::mt19937 random(17);
  std::size_t good = 0, bad = 0, quoted = 0;
  for (int round = 0; round < 1500; ++round) {
    std::string text = head;
    Table wanted;
    std::size_t refused = 0;
    for (std::size_t line_number = random() % 8; line_number > 0; --line_number) {
      std::string line;
      if (random() % 3 == 0) {
        for (std::size_t i = random() % 12; i > 0; --i) line += pool[random() % pool.size()];
      } else {
        line =
            (random() % 2 == 0 ? "u" : "\"u\"\"\"\"\"") + ",2026-03-01,"s + (random() % 3 == 0 ? "\"A,\"" : "A") + ",7";
        if (random() % 2 == 0) line.insert(random() % line.size(), pool[random() % pool.size()]);
        if (random() % 4 == 0) line += '\r';
      }
      text += line + '\n';
      const auto judged = read_csv(head + line + '\n', all_columns(), 1 << 20, 256);
      if (!judged) {
        ++refused;
        continue;
      }
      wanted.user.insert(wanted.user.end(), judged->user.begin(), judged->user.end());
      wanted.series.insert(wanted.series.end(), judged->series.begin(), judged->series.end());
      wanted.time.insert(wanted.time.end(), judged->time.begin(), judged->time.end());
      wanted.value.insert(wanted.value.end(), judged->value.begin(), judged->value.end());
      quoted += !judged->user.empty() && line.find('"') != std::string::npos ? 1 : 0;
    }
    if (random() % 2 == 0) text.pop_back();  // the last line may lack its end
    lines->begin("");
    MemorySource bytes(text, 1 + random() % 40);
    const auto outcome = read_live(bytes, *lines);
    ASSERT_TRUE(outcome) << message(outcome);
    ASSERT_EQ(outcome->table, wanted) << text;
    ASSERT_EQ(outcome->refused.size(), refused) << text;
    if (refused == 0) {
      const auto whole = read_csv(text, all_columns(), 1 << 20, 256);
      ASSERT_TRUE(whole) << message(whole);
      ASSERT_EQ(outcome->table, *whole);
    }
    good += wanted.time.size();
    bad += refused;
  }
  EXPECT_GT(good, 1000U);
  EXPECT_GT(bad, 1000U);
  EXPECT_GT(quoted, 500U);
}

// Bytes without any pattern: whatever comes in, how it is cut does not matter, and every line is read or refused.
TEST(LiveLines, DoNotDependOnHowRandomBytesAreCut) {
  auto lines = LiveLines::make(time_only());
  ASSERT_TRUE(lines) << message(lines);
  std::mt19937 random(19);
  for (int round = 0; round < 500; ++round) {
    std::string text = "ts\n";
    for (std::size_t i = random() % 300; i > 0; --i)
      text += static_cast<char>(random() % 4 == 0 ? '\n' : random() % 256);
    const auto read_in_pieces = [&](std::size_t piece) {
      lines->begin("");
      MemorySource bytes(text, piece);
      return read_live(bytes, *lines);
    };
    const auto whole = read_in_pieces(text.size());
    const auto cut = read_in_pieces(1 + random() % 7);
    ASSERT_TRUE(whole && cut);
    ASSERT_EQ(*whole, *cut);
  }
}

}  // namespace
}  // namespace chronoveil::data::testing
