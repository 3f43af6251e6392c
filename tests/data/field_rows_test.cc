// Rows with their fields as they are: from memory in pieces of every size, from files and through real pipes.
#include "chronoveil/data/field_rows.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>

#include "chronoveil/data/csv/form.h"
#include "compressing.h"
#include "reading.h"
#include "support/temporary_folder.h"

namespace chronoveil::data::testing {
namespace {

using namespace std::string_literals;
using chronoveil::testing::TemporaryFolder;
using Row = std::vector<std::string>;

// All that came, the names of columns first, and how it ended.
struct Outcome {
  std::vector<Row> rows;
  std::string error = {};
  bool operator==(const Outcome&) const = default;
};

void PrintTo(const Outcome& outcome, std::ostream* out) {
  *out << ::testing::PrintToString(outcome.rows) << " " << outcome.error;
}

Outcome read_rows(Result<std::unique_ptr<FieldRows>> rows) {
  if (!rows) return {{}, rows.error().text()};
  Outcome outcome{{(*rows)->columns()}, ""};
  for (;;) {
    EXPECT_EQ((*rows)->rows() + 1, static_cast<std::int64_t>(outcome.rows.size()));
    const auto fields = (*rows)->next();
    if (!fields) {
      EXPECT_EQ(fields.error().kind, ErrorKind::bad_data);
      outcome.error = fields.error().text();
      return outcome;
    }
    if (fields->empty()) {
      const auto again = (*rows)->next();
      EXPECT_TRUE(again && again->empty()) << "the end is not the end";
      return outcome;
    }
    outcome.rows.emplace_back(fields->begin(), fields->end());
  }
}

Outcome read_text(const std::string& text, RowsFrom from = RowsFrom::file, const FieldRowsSpec& spec = {},
                  std::size_t piece = 1 << 20, std::size_t window = kWindow) {
  return read_rows(read_field_rows(std::make_unique<MemorySource>(text, piece), spec, from, {}, window));
}

Outcome read_path(const std::string& path) {
  FieldRowsSpec spec;
  spec.path = path;
  return read_rows(open_field_rows(spec));
}

TEST(FieldRows, HandOutFieldsUnquotedAndOtherwiseAsTheyAre) {
  const Outcome outcome = read_text("t,v,note\n 1 ,+07.50,\n2,,\"a \"\"b\"\", c\"\n\"\",\"\",\"two\nlines\"\n");
  EXPECT_EQ(outcome,
            (Outcome{{{"t", "v", "note"}, {" 1 ", "+07.50", ""}, {"2", "", "a \"b\", c"}, {"", "", "two\nlines"}}}));
}

TEST(FieldRows, GiveTheSameRowsHoweverTheBytesAreCut) {
  const std::string text =
      "\xef\xbb\xbf\"t\",v\r\n1,a\r\n\r\n\n\"2\",\"\"\n3,\"x \"\"y\"\",\n\nz\"\r\n4,\xc3\xa4\n"
      "5,a value that is longer than one block of sixty-four bytes, quoted or not\"\"\n"s;
  std::string plain = text;
  plain.replace(plain.rfind(", quoted"), std::string::npos, " by far and wide\n");
  const Outcome wanted{{{"t", "v"},
                        {"1", "a"},
                        {"2", ""},
                        {"3", "x \"y\",\n\nz"},
                        {"4", "\xc3\xa4"},
                        {"5", "a value that is longer than one block of sixty-four bytes by far and wide"}}};
  for (const RowsFrom from : {RowsFrom::file, RowsFrom::stream}) {
    for (std::size_t piece = 1; piece <= plain.size(); ++piece) {
      ASSERT_EQ(read_text(plain, from, {}, piece, 64), wanted) << piece;
    }
    // The same with a fault at the end: all rows before it come out first.
    for (std::size_t piece = 1; piece <= text.size(); ++piece) {
      Outcome broken = wanted;
      broken.rows.pop_back();
      broken.error =
          "row 5 (line 10): a quote inside a field that does not begin with one (such fields must be quoted, their "
          "quotes doubled)";
      ASSERT_EQ(read_text(text, from, {}, piece, 64), broken) << piece;
    }
  }
}

TEST(FieldRows, AreTheSameFromFilesAndStreamsForArbitraryText) {
  std::mt19937 random(5);
  std::size_t faults = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text = "a,b\n";
    for (std::size_t left = random() % 300; left > 0; --left) text += "xyzuvw,,,\n\n\r\"\""[random() % 14];
    text += "\n";
    const Outcome file = read_text(text);
    ASSERT_EQ(read_text(text, RowsFrom::file, {}, 1 + random() % 99, 64), file) << text;
    const Outcome stream = read_text(text, RowsFrom::stream, {}, 1 + random() % 99, 64);
    ASSERT_EQ(stream.rows, file.rows) << text;
    // A quote that is open at the end looks cut off in a stream.
    if (file.error.ends_with("never closed")) {
      ASSERT_TRUE(stream.error.ends_with("it was not released")) << stream.error;
    } else {
      ASSERT_EQ(stream.error, file.error) << text;
    }
    if (!file.error.empty()) ++faults;
  }
  EXPECT_GT(faults, 1000U);
}

TEST(FieldRows, TakeOtherDelimitersAndNumberColumnsWithoutAHeader) {
  FieldRowsSpec spec;
  spec.delimiter = ';';
  spec.header = false;
  for (const RowsFrom from : {RowsFrom::file, RowsFrom::stream}) {
    EXPECT_EQ(read_text("7;a,b;\n8;c;d\n", from, spec),
              (Outcome{{{"1", "2", "3"}, {"7", "a,b", ""}, {"8", "c", "d"}}}));
  }
  spec.delimiter = '"';
  EXPECT_NE(read_text("a\n", RowsFrom::file, spec).error.find("delimiter"), std::string::npos);
  spec.path = "/nonexistent";  // a wrong delimiter is found before anything is opened
  expect_failure(open_field_rows(spec), ErrorKind::usage, "delimiter");
}

TEST(FieldRows, OfOneColumnTakeAnEmptyLineForAnEmptyValueAndOfMoreForNothing) {
  FieldRowsSpec bare;
  bare.header = false;
  for (const RowsFrom from : {RowsFrom::file, RowsFrom::stream}) {
    EXPECT_EQ(read_text("\nv\na\n\nb\n\r\n", from), (Outcome{{{"v"}, {"a"}, {""}, {"b"}, {""}}}));
    EXPECT_EQ(read_text("a\n\nb\n", from, bare), (Outcome{{{"1"}, {"a"}, {""}, {"b"}}}));
    EXPECT_EQ(read_text("\na\n", from, bare).error.substr(0, 16), "row 1 (line 1): ");
    EXPECT_EQ(read_text("\"\"\na\n", from, bare), (Outcome{{{"1"}, {""}, {"a"}}}));
    EXPECT_EQ(read_text("t,v\n1,a\n\n2,b\n", from), (Outcome{{{"t", "v"}, {"1", "a"}, {"2", "b"}}}));
  }
}

TEST(FieldRows, NeedAHeaderButNoRows) {
  for (const RowsFrom from : {RowsFrom::file, RowsFrom::stream}) {
    for (const std::string& nothing : {""s, "\xef\xbb\xbf"s, "\n\r\n"s}) {
      EXPECT_EQ(read_text(nothing, from), (Outcome{{}, std::string(kNoHeader)}));
    }
    EXPECT_EQ(read_text("t,v\n", from), (Outcome{{{"t", "v"}}}));
    EXPECT_EQ(read_text("\"t\"x,v\n", from).error.substr(0, 8), "line 1: ");
    EXPECT_EQ(read_text("\"t\"\r,v\n", from).error.substr(0, 12), "the header: ");
  }
}

TEST(FieldRows, NameTheRowThatIsBrokenAndNotItsContents) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"SECRET", "row 2 (line 3): 1 field instead of 2 (is the line cut off, or its delimiter another?)"},
      {"1,2,SECRET", "row 2 (line 3): 3 fields instead of 2 (a field that holds the delimiter must be quoted)"},
      {"1,SEC\"RET", "row 2 (line 3): a quote inside a field"},
      {"1,\"SEC\"RET", "row 2 (line 3): text after a closing quote"},
      {"1,\"SECRET\"\r\r", "row 2 (line 3): text after a closing quote"},
      {"1,SEC\0RET"s, "row 2 (line 3): a NUL byte"},
  };
  for (const RowsFrom from : {RowsFrom::file, RowsFrom::stream}) {
    for (const auto& [line, problem] : cases) {
      const Outcome outcome = read_text("t,v\n1,2\n" + line + "\n3,4\n", from);
      EXPECT_EQ(outcome.rows, (std::vector<Row>{{"t", "v"}, {"1", "2"}})) << problem;
      EXPECT_EQ(outcome.error.substr(0, problem.size()), problem);
      EXPECT_EQ(outcome.error.find("SEC"), std::string::npos);
    }
  }
}

TEST(FieldRows, OfAFileMayEndWithoutANewline) {
  for (const std::string& end : {""s, "\n"s, "\r\n"s}) {
    EXPECT_EQ(read_text("t,v\n1,2\n3," + end), (Outcome{{{"t", "v"}, {"1", "2"}, {"3", ""}}}));
    EXPECT_EQ(read_text("t,v" + end), (Outcome{{{"t", "v"}}}));
  }
  EXPECT_EQ(read_text("t,v\n1,\"2").error, "row 1 (line 2): a quote that is never closed");
}

TEST(FieldRows, OfAStreamThatEndsInTheMiddleOfALineComeOutAndThenTheLineIsRefused) {
  const std::string refused = ": the stream ended in the middle of a line; it was not released";
  for (const std::string& rest : {"3"s, "3,"s, "3,4"s, "3,\"4"s, "3,\"4\n"s, "3,4\r"s}) {
    for (std::size_t piece = 1; piece <= 16; ++piece) {
      ASSERT_EQ(read_text("t,v\n1,2\n" + rest, RowsFrom::stream, {}, piece),
                (Outcome{{{"t", "v"}, {"1", "2"}}, "row 2 (line 3)" + refused}))
          << rest;
    }
  }
  EXPECT_EQ(read_text("t,v", RowsFrom::stream), (Outcome{{}, "line 1" + refused}));
}

TEST(FieldRows, GrowForLongRowsUpToTheLongest) {
  for (const RowsFrom from : {RowsFrom::file, RowsFrom::stream}) {
    const std::string text(kLongestRow - 2 * kBlock, 'x');
    const Outcome outcome = read_text("t,v\n1," + text + "\n", from);
    ASSERT_EQ(outcome.rows.size(), 2U);
    EXPECT_TRUE(outcome.rows[1][1] == text) << "not as long, or not the same";
    EXPECT_EQ(read_text("t,v\n1," + text + std::string(2 * kBlock, 'x') + "\n", from).error,
              "row 1 (line 2): " + explain_length());
  }
}

// Remembers between which rows it was read.
class WatchedSource final : public ByteSource {
 public:
  WatchedSource(std::vector<std::string> pieces, std::vector<std::string>& log)
      : pieces_(std::move(pieces)), log_(log) {}
  Result<std::size_t> read(char* to, std::size_t) override {
    log_.push_back("read");
    if (at_ == pieces_.size()) return std::size_t{0};
    return pieces_[at_++].copy(to, std::string::npos);
  }

 private:
  std::vector<std::string> pieces_;
  std::size_t at_ = 0;
  std::vector<std::string>& log_;
};

std::vector<std::string> log_of(RowsFrom from) {
  std::vector<std::string> log;
  auto rows = read_field_rows(
      std::make_unique<WatchedSource>(std::vector<std::string>{"t,", "v\n", "1,2\n3,4\n5", ",6\n"}, log), {}, from,
      [&] { log.emplace_back("before"); }, kWindow);
  EXPECT_TRUE(rows) << message(rows);
  log.emplace_back("open");
  for (;;) {
    const auto fields = (*rows)->next();
    EXPECT_TRUE(fields) << message(fields);
    if (!fields || fields->empty()) return log;
    log.emplace_back(fields->front());
  }
}

TEST(FieldRows, OfAStreamSayBeforeEveryWaitThatWhatWasMadeMayLeave) {
  EXPECT_EQ(log_of(RowsFrom::stream), (std::vector<std::string>{"read", "read", "open", "read", "1", "3", "before",
                                                                "read", "5", "before", "read"}));
  const std::vector<std::string> file = log_of(RowsFrom::file);
  EXPECT_EQ(std::count(file.begin(), file.end(), "before"), 0);
}

TEST(FieldRows, ComeFromFilesPlainAndCompressed) {
  const TemporaryFolder folder;
  const std::string text = "t,v\n1,2\n3,4";
  const Outcome wanted{{{"t", "v"}, {"1", "2"}, {"3", "4"}}};
  for (const std::string& bytes : {text, gzip(text), xz(text)}) {
    write_file(folder.path() + "/in", bytes);
    EXPECT_EQ(read_path(folder.path() + "/in"), wanted);
  }
  write_file(folder.path() + "/in", "PK\x03\x04 and so on");
  EXPECT_NE(read_path(folder.path() + "/in").error.find("a zip archive"), std::string::npos);
  write_file(folder.path() + "/in", "PK");  // only the beginning of one
  EXPECT_EQ(read_path(folder.path() + "/in"), (Outcome{{{"PK"}}}));
  FieldRowsSpec spec;
  spec.path = folder.path() + "/missing";
  expect_failure(open_field_rows(spec), ErrorKind::storage, "cannot open");
  spec.path = folder.path();
  expect_failure(open_field_rows(spec), ErrorKind::storage, "Is a directory");
}

// A named pipe whose writer this test is.
class Pipe {
 public:
  Pipe() {
    EXPECT_EQ(mkfifo(path().c_str(), 0600), 0);
    descriptor_ = open(path().c_str(), O_RDWR | O_CLOEXEC);
    EXPECT_GE(descriptor_, 0);
  }
  ~Pipe() { finish(); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  std::string path() const { return folder_.path() + "/pipe"; }
  void put(const std::string& bytes) const {
    ASSERT_EQ(write(descriptor_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void finish() {
    if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
  }

 private:
  TemporaryFolder folder_;
  int descriptor_ = -1;
};

std::string first_field(FieldRows& rows) {
  const auto fields = rows.next();
  EXPECT_TRUE(fields) << message(fields);
  return fields && !fields->empty() ? std::string(fields->front()) : "";
}

TEST(FieldRows, OfAPipeComeOutWhileItsWriterKeepsItOpen) {
  Pipe pipe;
  // Shorter than any signature of a compressed file: nothing may wait for more bytes than a line has.
  pipe.put("v\n");
  FieldRowsSpec spec;
  spec.path = pipe.path();
  int waits = 0;
  const auto rows = open_field_rows(spec, [&] {
    // Called by next() below when it is about to wait: only what is written here can end the wait.
    if (++waits == 1) pipe.put("3\n\"4\n");
    if (waits == 2) pipe.put("5\"\n6");
    if (waits == 3) pipe.finish();
  });
  ASSERT_TRUE(rows) << message(rows);
  EXPECT_EQ((*rows)->columns(), Row{"v"});
  pipe.put("1\n2\n");
  EXPECT_EQ(first_field(**rows), "1");
  EXPECT_EQ(first_field(**rows), "2");
  EXPECT_EQ(waits, 0);
  EXPECT_EQ(first_field(**rows), "3");
  EXPECT_EQ(waits, 1);
  EXPECT_EQ(first_field(**rows), "4\n5");
  EXPECT_EQ(waits, 2);
  expect_failure((*rows)->next(), ErrorKind::bad_data, "row 5 (line 7): the stream ended in the middle of a line");
  EXPECT_EQ(waits, 3);
}

TEST(FieldRows, OfAPipeMayBeCompressed) {
  Pipe pipe;
  pipe.put(gzip("t,v\n1,2\n"));
  FieldRowsSpec spec;
  spec.path = pipe.path();
  auto rows = open_field_rows(spec);
  pipe.finish();
  EXPECT_EQ(read_rows(std::move(rows)), (Outcome{{{"t", "v"}, {"1", "2"}}}));
}

}  // namespace
}  // namespace chronoveil::data::testing
