#include <random>

#include "chronoveil/data/csv/scanner.h"
#include "chronoveil/data/row_decoder.h"
#include "reading.h"

namespace chronoveil::data::testing {
namespace {

using namespace std::string_literals;

constexpr std::int64_t kMarch = 1772323200000;  // 2026-03-01T00:00Z

TEST(Csv, ReadsTheWantedColumnsWhateverTheirOrder) {
  const auto table =
      read_csv("n,stop,other,ts,card\n3,A,x,2026-03-01,u1\n0,B,y,2026-03-01T00:00:01Z,u2\n", all_columns());
  ASSERT_TRUE(table) << message(table);
  EXPECT_EQ(*table, (Table{{"u1", "u2"}, {"A", "B"}, {kMarch, kMarch + 1000}, {3, 0}}));
}

TEST(Csv, LeavesColumnsEmptyThatNobodyWants) {
  const auto table = read_csv("card,ts\nu1,2026-03-01\n", time_only());
  ASSERT_TRUE(table) << message(table);
  EXPECT_EQ(*table, (Table{{}, {}, {kMarch}, {}}));
}

TEST(Csv, UnderstandsQuotesLineEndsAndTheByteOrderMark) {
  SourceSpec spec = time_only();
  spec.series = "a \"key\",\nquoted";
  const Table wanted{{}, {"x,\"y\"\r\nz", "", "plain \r", " spaced "}, {kMarch, kMarch, kMarch, kMarch}, {}};
  for (const std::string end : {"\n", "\r\n"}) {
    for (const std::string mark : {"", "\xef\xbb\xbf"}) {
      for (const std::string& last : {std::string(), end}) {
        const auto table =
            read_csv(mark + "\"a \"\"key\"\",\nquoted\",\"ts\"" + end + "\"x,\"\"y\"\"\r\nz\",2026-03-01" + end +
                         "\"\",\"2026-03-01\"" + end + end + "plain \r,2026-03-01" + end + " spaced ,2026-03-01" + last,
                     spec);
        ASSERT_TRUE(table) << message(table);
        EXPECT_EQ(*table, wanted);
      }
    }
  }
}

TEST(Csv, TakesAnyDelimiterOfOneByte) {
  for (const char delimiter : {';', '\t', '|', ' ', 'x'}) {
    SourceSpec spec = all_columns();
    spec.delimiter = delimiter;
    std::string text = "card;ts;stop;n\n\"u;1\";2026-03-01;A,B;4\n";
    std::replace(text.begin(), text.end(), ';', delimiter);
    const auto table = read_csv(text, spec);
    ASSERT_TRUE(table) << message(table);
    EXPECT_EQ(*table, (Table{{std::string("u") + delimiter + "1"}, {"A,B"}, {kMarch}, {4}}));
  }
  for (const char delimiter : {'"', '\n', '\r', '\0'}) {
    SourceSpec spec = time_only();
    spec.delimiter = delimiter;
    expect_failure(read_csv("ts\n", spec), ErrorKind::usage, "delimiter");
  }
}

TEST(Csv, TheHeaderShowsTheDelimiterWhereTheJobDoesNot) {
  for (const char delimiter : {',', ';', '\t', '|'}) {
    std::string text = "\n\r\n\"a,b,c,\nd\";card;ts;stop;n\nx;u;2026-03-01;A:B;4\n";
    std::replace(text.begin(), text.end(), ';', delimiter);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{1} << 20}) {
      const auto source = open_csv(std::make_unique<MemorySource>(text, piece), all_columns(), 64);
      ASSERT_TRUE(source) << message(source);
      EXPECT_EQ((*source)->shown_delimiter(), delimiter);
      const auto table = read_all(**source);
      ASSERT_TRUE(table) << message(table);
      EXPECT_EQ(*table, (Table{{"u"}, {"A:B"}, {kMarch}, {4}}));
    }
  }
  EXPECT_EQ(delimiter_in("a;b,c"), ',');  // as often: the first
  EXPECT_EQ(delimiter_in("a;b,c;d"), ';');
  EXPECT_EQ(delimiter_in("\"a;b;c\",d"), ',');
  EXPECT_EQ(delimiter_in("\"a\"\";b;c\";d,e;f"), ';');
  EXPECT_EQ(header_in("a\"b,c\nd\"e;f\n"), "a\"b,c");
  EXPECT_EQ(header_in("a\"\"b,c\nd\"e;f\n"), "a\"\"b,c");  // a stray quote does not lead on into the rows
  EXPECT_EQ(header_in("\n\"a\nb\",c\nd\n"), "\"a\nb\",c");
  EXPECT_EQ(header_in("\"a\nb"), std::nullopt);
  EXPECT_EQ(delimiter_in("ts"), ',');
  EXPECT_EQ(delimiter_in(""), ',');
  // Rows say nothing: neither below a header nor without one.
  expect_failure(read_csv("card,ts\nu;1;2;3,2026-03-01;\n", time_only()), ErrorKind::bad_data, "column ts: not a time");
  SourceSpec spec;
  spec.header = false;
  spec.time = "1";
  EXPECT_TRUE(read_csv("2026-03-01,a;b;c;d\n", spec));
  expect_failure(read_csv("", all_columns()), ErrorKind::bad_data, "the file is empty");
  expect_failure(read_csv("a\"b;c\n", all_columns()), ErrorKind::bad_data, "line 1: a quote inside a field");
  spec = time_only();
  spec.delimiter = ';';
  const auto given = open_csv(std::make_unique<MemorySource>("ts;n\n", 4), spec);
  ASSERT_TRUE(given) << message(given);
  EXPECT_EQ((*given)->shown_delimiter(), std::nullopt);
}

TEST(Csv, ErrorsSayWhatMayBeWrongWithDelimiterAndQuotes) {
  SourceSpec spec = all_columns();
  spec.delimiter = ',';
  expect_failure(read_csv("card;ts;stop;n\n", spec), ErrorKind::bad_data, "among the 1 of the header");
  expect_failure(read_csv("card;ts;stop;n\n", spec), ErrorKind::bad_data,
                 "is the delimiter ';'? source.delimiter says it");
  expect_failure(read_csv("card\tts\n", spec), ErrorKind::bad_data, "is the delimiter a tab?");
  expect_failure(read_csv("CARD,ts,stop,n\n", spec), ErrorKind::bad_data, "one differs only in capitals");
  expect_failure(read_csv(" card,ts,stop,n\n", spec), ErrorKind::bad_data, "one differs only in capitals");
  const auto other = read_csv("secret,ts,stop,n\n", spec);
  expect_failure(other, ErrorKind::bad_data, "(names count exactly as written)");
  EXPECT_TRUE(message(other).ends_with("as written)")) << message(other);
  expect_failure(read_csv("card,ts,stop,n\nu,2026-03-01,A,B,1\n", spec), ErrorKind::bad_data, "must be quoted");
  expect_failure(read_csv("card,ts,stop,n\nu;2026-03-01;A;1\n", spec), ErrorKind::bad_data,
                 "or its delimiter another?");
  expect_failure(read_csv("card,ts,stop,n\nu,2026-03-01\n", spec), ErrorKind::bad_data, "cut off");
  spec = time_only();
  spec.header = false;
  spec.time = "2";
  expect_failure(read_csv("u;2026-03-01\n", spec), ErrorKind::bad_data, "is source.delimiter right?");
}

TEST(Csv, AWideRowHasACountForEachOfItsSeries) {
  SourceSpec spec = time_only();
  spec.wide = {"south", "north"};
  const std::string header = "ts,north,other,south,card\n";
  const auto table = read_csv(header + "2026-03-01,3,x,0,u1\n2026-03-01T00:00:01Z,7,y,12.0,u2\n", spec);
  ASSERT_TRUE(table) << message(table);
  const std::vector<std::int64_t> times{kMarch, kMarch, kMarch + 1000, kMarch + 1000};
  EXPECT_EQ(*table, (Table{{}, {"south", "north", "south", "north"}, times, {0, 3, 12, 7}}));
  expect_failure(read_csv(header + "2026-03-01,3,x,0,u\n2026-03-02,,x,1,u\n", spec), ErrorKind::bad_data,
                 "row 2 (line 3): column north: ");
  expect_failure(read_csv(header + "2026-03-01,3,x,0.5,u\n", spec), ErrorKind::bad_data, "column south: a fraction");
  expect_failure(read_csv("ts,north\n", spec), ErrorKind::bad_data, "wide: column south is not among the 2");
  spec.user = "card";
  const auto people = read_csv(header + "2026-03-01,3,x,0,u1\n", spec);
  ASSERT_TRUE(people) << message(people);
  EXPECT_EQ(*people, (Table{{"u1", "u1"}, {"south", "north"}, {kMarch, kMarch}, {0, 3}}));
  spec.value = "other";
  expect_failure(read_csv(header, spec), ErrorKind::usage, "source.wide");
}

TEST(Csv, ManyWideRowsKeepTheirNumbers) {
  SourceSpec spec = time_only();
  std::string text = "ts";
  for (int column = 0; column < 100; ++column) text += "," + spec.wide.emplace_back("s" + std::to_string(column));
  for (int row = 0; row < 1000; ++row) {
    text += "\n2026-03-01";
    for (int column = 0; column < 100; ++column) text += "," + std::to_string(row);
  }
  const auto source = open_csv(std::make_unique<MemorySource>(text, 1 << 16), spec);
  ASSERT_TRUE(source) << message(source);
  RecordBatch batch;
  std::size_t records = 0;
  for (;;) {
    const auto more = (*source)->next(batch);
    ASSERT_TRUE(more) << message(more);
    if (!*more) break;
    for (std::size_t i = 0; i < batch.rows(); ++i) ASSERT_EQ(batch.row_of(i), batch.value[i] + 1);
    records += batch.rows();
  }
  EXPECT_EQ(records, 100'000U);
}

TEST(Csv, PointsAreNamedByTheirPlace) {
  SourceSpec spec = time_only();
  spec.longitude = "x";
  spec.latitude = "y";
  spec.key_of_point = [](double longitude, double latitude) { return longitude < latitude ? "above" : "below"; };
  const auto table = read_csv("ts,x,y\n2026-03-01,1,2\n2026-03-01,2,1\n", spec);
  ASSERT_TRUE(table) << message(table);
  EXPECT_EQ(*table, (Table{{}, {"above", "below"}, {kMarch, kMarch}, {}}));
}

TEST(Csv, FindsColumnsByNumberWithoutAHeader) {
  SourceSpec spec;
  spec.header = false;
  spec.time = "2";
  spec.user = "1";
  const auto table = read_csv("u1,2026-03-01\nu2,2026-03-01\n", spec);
  ASSERT_TRUE(table) << message(table);
  EXPECT_EQ(*table, (Table{{"u1", "u2"}, {}, {kMarch, kMarch}, {}}));
  expect_failure(read_csv("u1,2026-03-01\nu2,yesterday\n", spec), ErrorKind::bad_data, "row 2: column 2: not a time");
  spec.time = "3";
  expect_failure(read_csv("u1,2026-03-01\n", spec), ErrorKind::bad_data, "time: there is no column 3");
  for (const char* name : {"0", "ts", "-1", "1x", "99999999999999999999"}) {
    spec.time = name;
    expect_failure(read_csv("u1,2026-03-01\n", spec), ErrorKind::usage, "number of a column");
  }
}

TEST(Csv, AHeaderAloneIsNoRowsAndNothingAtAllIsAnErrorWhereOneMustBe) {
  for (const std::string text : {"ts", "ts\n", "ts\r\n", "\xef\xbb\xbfts\n\n\n", "\nts\n"}) {
    const auto table = read_csv(text, time_only());
    ASSERT_TRUE(table) << message(table);
    EXPECT_EQ(*table, Table{});
  }
  for (const std::string text : {"", "\n", "\r\n\r\n", "\xef\xbb\xbf"}) {
    expect_failure(read_csv(text, time_only()), ErrorKind::bad_data, "empty");
    SourceSpec spec;
    spec.header = false;
    spec.time = "1";
    const auto nobody = read_csv(text, spec);
    ASSERT_TRUE(nobody) << message(nobody);
    EXPECT_EQ(*nobody, Table{});
  }
}

TEST(Csv, SaysWhichColumnIsMissingOrThereTwiceWithoutNamingOthers) {
  const auto missing = read_csv("card,secret\n", all_columns());
  expect_failure(missing, ErrorKind::bad_data, "time: column ts is not among the 2 of the header");
  EXPECT_EQ(missing.error().text().find("secret"), std::string::npos);
  expect_failure(read_csv("ts,a,ts\n", time_only()), ErrorKind::bad_data, "time: column ts is there more than once");
  const auto others_twice = read_csv("ts,a,a\n2026-03-01,1,2\n", time_only());
  EXPECT_TRUE(others_twice) << message(others_twice);
}

TEST(Csv, NamesRowAndLineOfAnError) {
  const std::string head = "card,ts,stop,n\nu,2026-03-01,A,1\n";
  const auto bad = [&](const std::string& rest) { return read_csv(head + rest, all_columns()); };
  expect_failure(bad("u,2026-03-01,A\n"), ErrorKind::bad_data, "row 2 (line 3): 3 fields instead of 4");
  expect_failure(bad("u,2026-03-01,A,1,\n"), ErrorKind::bad_data, "row 2 (line 3): 5 fields instead of 4");
  expect_failure(bad("u\n"), ErrorKind::bad_data, "row 2 (line 3): 1 field instead of 4");
  expect_failure(bad("\n\r\nu,2026-03-01,A,1\n,2026-03-01,A,1"), ErrorKind::bad_data,
                 "row 3 (line 6): column card: empty");
  expect_failure(bad("\"u\n\n\",2026-03-01,A,1\nu,,A,1"), ErrorKind::bad_data, "row 3 (line 6): column ts: empty");
  expect_failure(bad("\"u\n\"\"\n\",2026-03-01,\"\"\"\n\",x\n"), ErrorKind::bad_data, "row 2 (line 3): column n");
  expect_failure(bad("u,2026-03-01,A,1\nu,2026-02-29,A,1"), ErrorKind::bad_data,
                 "row 3 (line 4): column ts: not a date");
  expect_failure(bad("u,2026-03-01,A,1.5"), ErrorKind::bad_data, "row 2 (line 3): column n: a fraction");
  expect_failure(bad("u,2026-03-01,A,1\nu,2026-03-01,\"A\0\",1"s), ErrorKind::bad_data, "row 3 (line 4): a NUL byte");
  expect_failure(bad("u,2026-03-01,A,1\nu,2026-03-01,\"A,1\nu,2"), ErrorKind::bad_data,
                 "row 3 (line 4): a quote that is never closed");
  expect_failure(bad("u,2026-03-01,A\"b,1"), ErrorKind::bad_data, "row 2 (line 3): a quote inside a field");
  expect_failure(bad("u,2026-03-01,\"A\"b,1"), ErrorKind::bad_data, "row 2 (line 3): text after a closing quote");
  expect_failure(bad("\"u\"\rx,2026-03-01,A,1"), ErrorKind::bad_data, "row 2 (line 3): text after a closing quote");
  expect_failure(read_csv("ts,\"a\"b\n", time_only()), ErrorKind::bad_data, "line 1: text after a closing quote");
  expect_failure(read_csv("\nts,\"a\n", time_only()), ErrorKind::bad_data, "line 2: a quote that is never closed");
}

TEST(Csv, NamesTheLineOfAnErrorFarBehindQuotedNewlines) {
  std::string text = "card,ts,stop,n\n";
  const int rows = 3 * static_cast<int>(kBatchRows);
  for (int i = 0; i < rows; ++i) text += "u,2026-03-01,\"A\n\"\"\n\",1\n";
  for (const std::size_t window : {std::size_t{64}, kWindow}) {
    expect_failure(read_csv(text + "u,2026-03-01,A,x\nu,\"2\n\",A,1", all_columns(), 1 << 20, window),
                   ErrorKind::bad_data,
                   "row " + std::to_string(rows + 1) + " (line " + std::to_string(3 * rows + 2) + "): column n");
  }
}

TEST(Csv, NeverQuotesAValue) {
  for (const std::string row : {"secret,2026-03-01,A,secret", "u,secret,A,1", "u,2026-03-01,A,-777", "u,secret",
                                "u,2026-03-01T25:00secret,A,1", "u,2026-03-01,sec\"ret,1", "u,2026-03-01,\"secret"}) {
    const auto table = read_csv("card,ts,stop,n\n" + row + "\n", all_columns());
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().text().find("secret"), std::string::npos) << table.error().text();
    EXPECT_EQ(table.error().text().find("777"), std::string::npos) << table.error().text();
  }
}

TEST(Csv, ReadsLongLinesAndRefusesEndlessOnes) {
  SourceSpec spec = time_only();
  spec.series = "stop";
  for (const std::size_t length : {std::size_t{1} << 20, kLongestRow - 100}) {
    const auto table = read_csv("ts,stop\n2026-03-01," + std::string(length, 'k') + "\n2026-03-01,B\n", spec);
    ASSERT_TRUE(table) << message(table);
    EXPECT_EQ(table->series[0].size(), length);
    EXPECT_EQ(table->series[1], "B");
  }
  expect_failure(read_csv("ts,stop\n2026-03-01,B\n2026-03-01," + std::string(kLongestRow, 'k') + "\n", spec),
                 ErrorKind::bad_data, "row 2 (line 3): longer than 16 MiB");
  expect_failure(read_csv("ts,stop\n2026-03-01,\"B\n" + std::string(kLongestRow, '\n'), spec), ErrorKind::bad_data,
                 "row 1 (line 2): longer than 16 MiB (is a quote left open?)");
}

// The whole grammar at random, read through windows and pieces so small that every state meets every boundary.
TEST(Csv, WhatIsWrittenIsReadBackWhateverTheQuotingAndTheBoundaries) {
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const std::string alphabet = "ab\",;\n\r\t \xc3\xa9";
  for (int round = 0; round < 400; ++round) {
    const char delimiter = ",;\t"[below(3)];
    const std::string end = below(2) == 0 ? "\n" : "\r\n";
    const auto write = [&](const std::string& field) {
      const bool must =
          field.find_first_of("\"\n\r") != std::string::npos || field.find(delimiter) != std::string::npos;
      if (!must && below(3) != 0) return field;
      std::string quoted = "\"";
      for (const char c : field) quoted.append(c == '"' ? 2 : 1, c);
      return quoted + '"';
    };
    Table table;
    std::string text = below(2) == 0 ? "\xef\xbb\xbf" : "";
    for (const char* name : {"card", "x", "ts", "n", "stop"}) {
      text += write(name) + (std::string_view(name) == "stop" ? end : std::string(1, delimiter));
    }
    const int rows = below(30);
    for (int row = 0; row < rows; ++row) {
      const auto word = [&](int least) {
        std::string result;
        for (int i = least + below(below(8) == 0 ? 150 : 8); i > 0; --i) {
          result += alphabet[static_cast<std::size_t>(below(static_cast<int>(alphabet.size())))];
        }
        return result;
      };
      table.user.push_back(word(1));
      table.series.push_back(word(0));
      table.value.push_back(below(1000));
      const int hour = below(24);
      table.time.push_back(kMarch + hour * 3600000);
      const std::string time = std::string("2026-03-01T") + (hour < 10 ? "0" : "") + std::to_string(hour) + ":00";
      text += write(table.user.back()) + delimiter + write(word(0)) + delimiter + write(time) + delimiter +
              write(std::to_string(table.value.back())) + delimiter + write(table.series.back());
      if (row + 1 < rows || below(2) == 0) text += end;
      if (below(8) == 0) text += end;
    }
    SourceSpec spec = all_columns();
    spec.delimiter = delimiter;
    for (const std::size_t piece : {std::size_t{1}, static_cast<std::size_t>(1 + below(200)), std::size_t{1} << 20}) {
      for (const std::size_t window : {std::size_t{64}, static_cast<std::size_t>(64 + below(400)), kWindow}) {
        const auto read = read_csv(text, spec, piece, window);
        ASSERT_TRUE(read) << message(read) << "\n" << text;
        ASSERT_EQ(*read, table) << text;
      }
    }
  }
}

// A fault is the same fault wherever a block or a window ends.
TEST(Csv, FaultsAreFoundAtEveryOffset) {
  for (std::size_t padding = 0; padding < 140; ++padding) {
    const std::string head = "ts,stop\n2026-03-01," + std::string(padding, 'k') + "\n2026-03-01,";
    SourceSpec spec = time_only();
    spec.series = "stop";
    for (const auto& [field, part] : std::vector<std::pair<std::string, std::string>>{{"a\"b", "a quote inside"},
                                                                                      {"\"a\"b", "text after"},
                                                                                      {"\"a\" ", "text after"},
                                                                                      {"\"a\"\"", "never closed"},
                                                                                      {"\"a", "never closed"},
                                                                                      {"a\0b"s, "NUL"},
                                                                                      {"\"\"\"", "never closed"}}) {
      for (const std::size_t window : {std::size_t{64}, kWindow}) {
        expect_failure(
            read_csv(head + field + "\n2026-03-01,b\n", spec, 7, window), ErrorKind::bad_data,
            "row 2 (line 3): " + std::string(part.starts_with("NUL") || part.starts_with("never") ? "a " : ""));
        expect_failure(read_csv(head + field + "\n2026-03-01,b\n", spec, 7, window), ErrorKind::bad_data, part);
      }
    }
  }
}

TEST(Csv, BatchesAreBounded) {
  std::string text = "ts\n";
  for (int i = 0; i < 100'000; ++i) text += "2026-03-01\n";
  const auto source = open_csv(std::make_unique<MemorySource>(text, 1 << 20), time_only());
  ASSERT_TRUE(source) << message(source);
  RecordBatch batch;
  std::size_t rows = 0;
  for (;;) {
    const auto more = (*source)->next(batch);
    ASSERT_TRUE(more) << message(more);
    if (!*more) break;
    EXPECT_LE(batch.rows(), kBatchRows);
    rows += batch.rows();
  }
  EXPECT_EQ(rows, 100'000U);
}

TEST(CsvScanner, MasksAreTheSameByVectorsAndByBytes) {
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    char block[kBlock];
    for (char& c : block) c = std::string_view("\",\n\0ab;\xff", 8)[random() % 8];
    const BlockMasks fast = masks(block, ';');
    const BlockMasks slow = masks_portable(block, ';');
    ASSERT_EQ(fast.quote, slow.quote);
    ASSERT_EQ(fast.delimiter, slow.delimiter);
    ASSERT_EQ(fast.newline, slow.newline);
    ASSERT_EQ(fast.nul, slow.nul);
  }
}

}  // namespace
}  // namespace chronoveil::data::testing
