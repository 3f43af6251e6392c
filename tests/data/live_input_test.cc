// Rows that come in over time, through real pipes, files and directories.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

#include "chronoveil/data/live/input.h"
#include "compressing.h"
#include "reading.h"
#include "support/temporary_folder.h"

namespace chronoveil::data::testing {
namespace {

using namespace std::chrono_literals;
using chronoveil::testing::TemporaryFolder;
using Values = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

const std::string kHead = "ts,n\n";

std::string row(int value) { return "2026-03-01," + std::to_string(value) + "\n"; }

SourceSpec counts(const std::string& path) {
  SourceSpec spec = time_only();
  spec.value = "n";
  spec.path = path;
  return spec;
}

std::unique_ptr<LiveInput> open_input(const SourceSpec& spec, bool follow) {
  auto input = open_live_input(spec, follow);
  EXPECT_TRUE(input) << message(input);
  return input ? std::move(*input) : nullptr;
}

// What came with one call.
struct Came {
  Values value, number;
  Texts refused;
  std::string part;
  bool complete = false;
  bool operator==(const Came&) const = default;
};

void PrintTo(const Came& came, std::ostream* out) {
  *out << ::testing::PrintToString(came.value) << ::testing::PrintToString(came.number)
       << ::testing::PrintToString(came.refused) << came.part << (came.complete ? " complete" : "");
}

Came next_of(LiveInput& input) {
  Arrival arrival;
  const auto more = input.next(arrival);
  EXPECT_TRUE(more) << message(more);
  EXPECT_TRUE(more && *more) << "it ended";
  Came came{arrival.rows.value, arrival.number, {}, arrival.part, arrival.complete};
  for (const RefusedRow& refused : arrival.refused) came.refused.push_back(refused.where + ": " + refused.reason);
  return came;
}

void expect_end(LiveInput& input) {
  Arrival arrival;
  for (int i = 0; i < 2; ++i) {
    const auto more = input.next(arrival);
    ASSERT_TRUE(more) << message(more);
    EXPECT_FALSE(*more);
    EXPECT_EQ(arrival.rows.rows(), 0U);
  }
}

Awaited awaited(LiveInput& input, std::chrono::milliseconds longest) {
  Arrival arrival;
  const auto came = input.next_within(arrival, longest);
  EXPECT_TRUE(came) << message(came);
  return came ? *came : Awaited::end;
}

// Without waiting.
Values values_until_nothing(LiveInput& input) {
  Values all;
  Arrival arrival;
  for (;;) {
    const auto came = input.next_within(arrival, 0ms);
    EXPECT_TRUE(came) << message(came);
    if (!came || *came != Awaited::something) return all;
    all.insert(all.end(), arrival.rows.value.begin(), arrival.rows.value.end());
  }
}

void write_to(int descriptor, const std::string& bytes) {
  ASSERT_EQ(write(descriptor, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
}

void append_to(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::app) << bytes;
}

// Standard input is a pipe for as long as it lives.
class StandardInput {
 public:
  StandardInput() : before_(dup(STDIN_FILENO)) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    EXPECT_EQ(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
    writer_ = ends[1];
  }
  ~StandardInput() {
    finish();
    dup2(before_, STDIN_FILENO);
    close(before_);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

  void write(const std::string& bytes) const { write_to(writer_, bytes); }
  // The next piece goes out when the one before was taken, so that no two are read as one.
  void write_pieces(const Texts& pieces) const {
    for (const std::string& piece : pieces) {
      write(piece);
      for (int waiting = 1; waiting > 0;) {
        ASSERT_EQ(ioctl(STDIN_FILENO, FIONREAD, &waiting), 0);
        std::this_thread::yield();
      }
    }
  }
  void finish() {
    if (writer_ >= 0) close(writer_);
    writer_ = -1;
  }

 private:
  int before_;
  int writer_;
};

TEST(LivePipe, GivesARowBeforeTheNextIsWritten) {
  StandardInput standard;
  const auto input = open_input(counts("-"), true);
  standard.write(kHead + row(1));
  EXPECT_EQ(next_of(*input), (Came{{1}, {1}, {}, "", false}));
  standard.write(row(2) + row(3));
  EXPECT_EQ(next_of(*input), (Came{{2, 3}, {2, 3}, {}, "", false}));
  standard.write("broken\n");
  EXPECT_EQ(
      next_of(*input),
      (Came{{}, {}, {"row 4: 1 field instead of 2 (is the line cut off, or its delimiter another?)"}, "", false}));
  standard.write(row(5));
  EXPECT_EQ(next_of(*input), (Came{{5}, {5}, {}, "", false}));
  standard.write("2026-03-01,6");
  standard.finish();
  EXPECT_EQ(next_of(*input), (Came{{6}, {6}, {}, "", true}));
  expect_end(*input);
}

TEST(LivePipe, TakesLinesThatAreWrittenPieceByPiece) {
  StandardInput standard;
  const auto input = open_input(counts("-"), false);
  std::thread writer([&] {
    standard.write_pieces({"\xef", "\xbb", "\xbft", "s,n\r", "\n2026-0", "3-01,1", "2\r", "\n", "\"2026-03-01\"",
                           ",\"3\"", "\n2026-03-01,4\n2026", "-03-01,\"5", "\"\r\n"});
    standard.finish();
  });
  Came all;
  while (!all.complete) {
    const Came came = next_of(*input);
    all.value.insert(all.value.end(), came.value.begin(), came.value.end());
    all.refused.insert(all.refused.end(), came.refused.begin(), came.refused.end());
    all.complete = came.complete;
  }
  writer.join();
  EXPECT_EQ(all.value, (Values{12, 3, 4, 5}));
  EXPECT_EQ(all.refused, Texts{});
}

TEST(LivePipe, EndsWithoutRowsWhereNotEvenAHeaderCame) {
  for (const char* text : {"", "\n\r\n", "ts,n", "ts,n\n"}) {
    StandardInput standard;
    const auto input = open_input(counts("-"), false);
    standard.write(text);
    standard.finish();
    EXPECT_EQ(next_of(*input), (Came{{}, {}, {}, "", true}));
    expect_end(*input);
  }
}

TEST(LivePipe, WaitsNoLongerThanItIsTold) {
  StandardInput standard;
  const auto input = open_input(counts("-"), true);
  EXPECT_EQ(awaited(*input, 0ms), Awaited::nothing);
  standard.write(kHead + "2026-03-01,");  // half a line is nothing yet
  EXPECT_EQ(awaited(*input, 0ms), Awaited::nothing);
  EXPECT_EQ(awaited(*input, 20ms), Awaited::nothing);
  standard.write("7\n" + row(8));
  EXPECT_EQ(awaited(*input, 0ms), Awaited::something);
  EXPECT_EQ(awaited(*input, 0ms), Awaited::nothing);
  standard.finish();
  EXPECT_EQ(awaited(*input, 0ms), Awaited::something) << "the end completes";
  EXPECT_EQ(awaited(*input, 0ms), Awaited::end);
}

// What comes after hold() waits until `nothing` was returned, and is not lost.
TEST(LivePipe, ThatIsHeldGivesWhatWasThereAndNoMore) {
  StandardInput standard;
  const auto input = open_input(counts("-"), true);
  standard.write(kHead + row(1) + "2026-03-");
  ASSERT_TRUE(input->hold());
  standard.write("01,2\n" + row(3));
  EXPECT_EQ(values_until_nothing(*input), (Values{1}));
  EXPECT_EQ(values_until_nothing(*input), (Values{2, 3}));
  ASSERT_TRUE(input->hold());
  standard.write(row(4));
  EXPECT_EQ(values_until_nothing(*input), (Values{})) << "nothing was there";
  standard.finish();
  ASSERT_TRUE(input->hold());
  EXPECT_EQ(values_until_nothing(*input), (Values{4}));
  EXPECT_EQ(awaited(*input, 0ms), Awaited::something) << "the end completes";
  EXPECT_EQ(awaited(*input, 0ms), Awaited::end);
}

TEST(LivePipe, SaysWhichColumnIsMissing) {
  StandardInput standard;
  const auto input = open_input(counts("-"), false);
  standard.write("ts,m\n");
  Arrival arrival;
  expect_failure(input->next(arrival), ErrorKind::bad_data, "value: column n is not among the 2 of the header");
}

TEST(LivePipe, MayHaveAName) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const auto input = open_input(counts(path), true);  // does not wait for the writer
  std::thread writer([&] {
    const int descriptor = open(path.c_str(), O_WRONLY);
    write_to(descriptor, kHead + row(1) + "2026-03-01,2");
    close(descriptor);
  });
  Values values;
  for (bool complete = false; !complete;) {
    const Came came = next_of(*input);
    values.insert(values.end(), came.value.begin(), came.value.end());
    complete = came.complete;
  }
  writer.join();
  EXPECT_EQ(values, (Values{1, 2}));
  expect_end(*input);
}

// Signals this thread until the call has returned: one that came before the wait would not end it.
Result<bool> next_under_signals(LiveInput& input, Arrival& arrival) {
  struct sigaction action {};
  action.sa_handler = [](int) {};  // it stays: a last signal may come late
  action.sa_flags = SA_RESTART;    // a wait ends nevertheless
  sigaction(SIGUSR1, &action, nullptr);
  std::atomic<bool> returned = false;
  const pthread_t reader = pthread_self();
  std::thread sender([&] {
    while (!returned) {
      pthread_kill(reader, SIGUSR1);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  const auto more = input.next(arrival);
  returned = true;
  sender.join();
  return more;
}

TEST(LivePipe, IsInterruptedByASignalAndMayGoOn) {
  StandardInput standard;
  const auto input = open_input(counts("-"), false);
  standard.write(kHead + "2026-03-01,");
  Arrival arrival;
  expect_failure(next_under_signals(*input, arrival), ErrorKind::interrupted,
                 "interrupted while reading standard input");
  standard.write("7\n");
  EXPECT_EQ(next_of(*input), (Came{{7}, {1}, {}, "", false}));
}

TEST(LiveInput, ReadsCsvOnly) {
  for (const SourceKind kind : {SourceKind::sqlite, SourceKind::postgresql}) {
    SourceSpec spec = counts("-");
    spec.kind = kind;
    expect_failure(open_live_input(spec, true), ErrorKind::usage, "source.kind: a live release reads csv");
  }
}

class LiveFiles : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  // As a careful writer does: it is there at once, and whole.
  void put(const std::string& name, const std::string& bytes) const {
    write_file(path(name) + ".tmp", bytes);
    std::filesystem::rename(path(name) + ".tmp", path(name));
  }
  // The thread begins when the caller waits, or a little before.
  static std::thread soon(std::function<void()> what) {
    return std::thread([what = std::move(what)] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      what();
    });
  }
  TemporaryFolder folder_;
};

TEST_F(LiveFiles, ThatAreNotFollowedEnd) {
  put("plain", kHead + row(1) + "2026-03-01,2");
  put("packed", gzip(kHead + row(1) + "2026-03-01,2"));
  for (const char* name : {"plain", "packed"}) {
    const auto input = open_input(counts(path(name)), false);
    EXPECT_EQ(next_of(*input), (Came{{1}, {1}, {}, "", false}));
    EXPECT_EQ(next_of(*input), (Came{{2}, {2}, {}, "", true}));
    expect_end(*input);
  }
  put("empty", "");
  Arrival arrival;
  expect_failure(open_input(counts(path("empty")), false)->next(arrival), ErrorKind::bad_data, "the file is empty");
  SourceSpec bare = counts(path("empty"));
  bare.header = false;
  bare.time = "1";
  bare.value = "2";
  const auto nobody = open_input(bare, false);
  EXPECT_EQ(next_of(*nobody), (Came{{}, {}, {}, "", true})) << "without a header there is nobody, and no error";
  expect_end(*nobody);
  put("cut", gzip(kHead + row(1)).substr(0, 25));
  expect_failure(open_input(counts(path("cut")), false)->next(arrival), ErrorKind::bad_data, "before the first row");
  for (const bool follow : {false, true}) {
    expect_failure(open_live_input(counts(path("absent")), follow), ErrorKind::storage, "absent");
  }
}

TEST_F(LiveFiles, GiveMoreThanAMebibyteInParts) {
  std::string text = kHead;
  for (int i = 0; i < 200'000; ++i) text += row(i % 10);
  put("long", text);
  const auto input = open_input(counts(path("long")), false);
  std::size_t rows = 0;
  for (bool complete = false; !complete;) {
    const Came came = next_of(*input);
    EXPECT_LT(came.value.size(), 120'000U);
    rows += came.value.size();
    complete = came.complete;
  }
  EXPECT_EQ(rows, 200'000U);
}

TEST_F(LiveFiles, AreFollowedLineByLine) {
  put("log", "ts");
  const auto input = open_input(counts(path("log")), true);
  append_to(path("log"), ",n\n" + row(1) + "2026-03-");
  EXPECT_EQ(next_of(*input), (Came{{1}, {1}, {}, "", false}));
  append_to(path("log"), "01,2\n" + row(3) + "broken\n2026");
  EXPECT_EQ(next_of(*input), (Came{{2, 3},
                                   {2, 3},
                                   {"row 4: 1 field instead of 2 (is the line cut off, or its delimiter another?)"},
                                   "",
                                   false}));
  std::thread writer = soon([&] { append_to(path("log"), "-03-01,5\n"); });
  EXPECT_EQ(next_of(*input), (Came{{5}, {5}, {}, "", false}));
  writer.join();
}

TEST_F(LiveFiles, AreWaitedForNoLongerThanTold) {
  put("grows", kHead);
  const auto input = open_input(counts(path("grows")), true);
  EXPECT_EQ(awaited(*input, 0ms), Awaited::nothing);
  append_to(path("grows"), row(1));
  EXPECT_EQ(awaited(*input, 0ms), Awaited::something) << "what is there is read before it says that nothing came";
  EXPECT_EQ(awaited(*input, 20ms), Awaited::nothing);
  put("grows", kHead);  // cut: its rows may come again, and their keeper must know at once
  EXPECT_EQ(awaited(*input, 0ms), Awaited::something);
  EXPECT_EQ(awaited(*input, 0ms), Awaited::nothing);
}

TEST_F(LiveFiles, OfADirectoryMayComeInAnyOrderWhereThatIsSaid) {
  put("b", kHead + row(2));
  auto opened = open_live_input(counts(folder_.path()), true, FileOrder::any);
  ASSERT_TRUE(opened) << message(opened);
  LiveInput& input = **opened;
  EXPECT_EQ(next_of(input), (Came{{2}, {1}, {}, "b", false}));
  EXPECT_EQ(next_of(input), (Came{{}, {}, {}, "b", true}));
  EXPECT_EQ(awaited(input, 0ms), Awaited::nothing);
  put("a", kHead + row(1));
  EXPECT_EQ(next_of(input), (Came{{1}, {1}, {}, "a", false}));
  EXPECT_EQ(next_of(input), (Came{{}, {}, {}, "a", true}));
  EXPECT_EQ(awaited(input, 20ms), Awaited::nothing) << "each once";
}

TEST_F(LiveFiles, ThatAreCutAreReadFromTheirBeginning) {
  put("log", kHead + row(1) + row(2) + row(3));
  const auto input = open_input(counts(path("log")), true);
  EXPECT_EQ(next_of(*input).value, (Values{1, 2, 3}));
  write_file(path("log"), kHead + row(4));
  EXPECT_EQ(next_of(*input), (Came{{4}, {1}, {}, "", false}));
  append_to(path("log"), row(5) + "2026");
  EXPECT_EQ(next_of(*input), (Came{{5}, {2}, {}, "", false}));
  std::thread writer = soon([&] { write_file(path("log"), kHead); });
  Came came = next_of(*input);
  EXPECT_EQ(came.refused, Texts{"row 3: the file was cut before the line had its end"});
  writer.join();
  append_to(path("log"), row(6));
  EXPECT_EQ(next_of(*input), (Came{{6}, {1}, {}, "", false}));
}

TEST_F(LiveFiles, ThatAreReplacedAreReadToTheirEndFirst) {
  put("log", kHead + row(1));
  const auto input = open_input(counts(path("log")), true);
  EXPECT_EQ(next_of(*input).value, (Values{1}));
  append_to(path("log"), row(2));
  put("log", "n,ts\n9,2026-03-01\n");
  EXPECT_EQ(next_of(*input), (Came{{2}, {2}, {}, "", false}));
  EXPECT_EQ(next_of(*input), (Came{{9}, {1}, {}, "", false}));
  append_to(path("log"), "10,2026-03-01\n11,2026");
  EXPECT_EQ(next_of(*input), (Came{{10}, {2}, {}, "", false}));
  put("log", kHead + row(12));
  EXPECT_EQ(next_of(*input).refused, Texts{"row 3: the file was replaced by another before the line had its end"});
  EXPECT_EQ(next_of(*input), (Came{{12}, {1}, {}, "", false}));
}

TEST_F(LiveFiles, ThatAreHeldGiveWhatWasThereAndNoMore) {
  put("log", kHead + row(1));
  const auto input = open_input(counts(path("log")), true);
  ASSERT_TRUE(input->hold());
  append_to(path("log"), row(2));
  EXPECT_EQ(values_until_nothing(*input), (Values{1}));
  EXPECT_EQ(values_until_nothing(*input), (Values{2}));
  append_to(path("log"), row(3));
  put("log", kHead + row(4));
  ASSERT_TRUE(input->hold());
  append_to(path("log"), row(5));
  EXPECT_EQ(values_until_nothing(*input), (Values{3, 4})) << "of the file that was replaced, and of the new one";
  ASSERT_TRUE(input->hold());
  put("log", kHead + row(6));
  EXPECT_EQ(values_until_nothing(*input), (Values{5}));
  EXPECT_EQ(values_until_nothing(*input), (Values{6}));
  append_to(path("log"), row(7) + row(7));
  EXPECT_EQ(values_until_nothing(*input), (Values{7, 7}));
  write_file(path("log"), kHead + row(8));  // cut
  ASSERT_TRUE(input->hold());
  append_to(path("log"), row(9));
  EXPECT_EQ(values_until_nothing(*input), (Values{8}));
  EXPECT_EQ(values_until_nothing(*input), (Values{9}));
}

TEST_F(LiveFiles, OfADirectoryThatIsHeldAreThoseThatWereThere) {
  std::filesystem::create_directory(path("in"));
  put("in/a", kHead + row(1));
  auto opened = open_live_input(counts(path("in")), true, FileOrder::any);
  ASSERT_TRUE(opened) << message(opened);
  LiveInput& input = **opened;
  EXPECT_EQ(next_of(input).value, (Values{1}));  // and its end is still to come
  put("in/b", kHead + row(2));
  ASSERT_TRUE(input.hold());
  EXPECT_EQ(next_of(input), (Came{{}, {}, {}, "a", true}));
  put("in/0", kHead + row(3));
  EXPECT_EQ(values_until_nothing(input), (Values{2}));
  EXPECT_EQ(values_until_nothing(input), (Values{3}));
}

TEST_F(LiveFiles, MayBeAwayForAWhile) {
  put("log", kHead + row(1));
  const auto input = open_input(counts(path("log")), true);
  EXPECT_EQ(next_of(*input).value, (Values{1}));
  std::filesystem::rename(path("log"), path("log.1"));
  append_to(path("log.1"), row(2));  // by a writer who has not noticed yet
  EXPECT_EQ(next_of(*input).value, (Values{2}));
  std::thread writer = soon([&] { put("log", kHead + row(3)); });
  EXPECT_EQ(next_of(*input).value, (Values{3}));
  writer.join();
}

TEST_F(LiveFiles, MayBeLinksToFilesElsewhere) {
  std::filesystem::create_directory(path("elsewhere"));
  put("elsewhere/log", kHead);
  std::filesystem::create_symlink(path("elsewhere/log"), path("link"));
  const auto input = open_input(counts(path("link")), true);
  std::thread writer = soon([&] { append_to(path("elsewhere/log"), row(1)); });
  EXPECT_EQ(next_of(*input).value, (Values{1}));
  writer.join();
}

TEST_F(LiveFiles, AreInterruptedByASignal) {
  put("log", kHead);
  std::filesystem::create_directory(path("in"));
  for (const char* name : {"log", "in"}) {
    const auto input = open_input(counts(path(name)), true);
    Arrival arrival;
    expect_failure(next_under_signals(*input, arrival), ErrorKind::interrupted, "interrupted");
  }
}

TEST_F(LiveFiles, OfADirectoryAreReadInOrderEachOnce) {
  put("b.csv.gz", gzip("n,ts\n2,2026-03-01\n3,2026-03-01\n"));
  put("a.csv", kHead + row(1));
  put("c", xz(kHead + "x\n" + row(4)));
  write_file(path("d.csv.tmp"), "?");
  write_file(path("d.csv.part"), "?");
  write_file(path(".d.csv"), "?");
  std::filesystem::create_directory(path("bb"));
  const auto input = open_input(counts(folder_.path()), false);
  EXPECT_EQ(next_of(*input), (Came{{1}, {1}, {}, "a.csv", false}));
  EXPECT_EQ(next_of(*input), (Came{{}, {}, {}, "a.csv", true}));
  EXPECT_EQ(next_of(*input), (Came{{2, 3}, {1, 2}, {}, "b.csv.gz", false}));
  EXPECT_EQ(next_of(*input), (Came{{}, {}, {}, "b.csv.gz", true}));
  EXPECT_EQ(next_of(*input),
            (Came{{4},
                  {2},
                  {"row 1 of c: 1 field instead of 2 (is the line cut off, or its delimiter another?)"},
                  "c",
                  false}));
  EXPECT_EQ(next_of(*input), (Came{{}, {}, {}, "c", true}));
  expect_end(*input);
}

TEST_F(LiveFiles, OfADirectoryMayComeLaterButNotBeforeOthers) {
  put("05.csv", kHead + row(5));
  const auto input = open_input(counts(folder_.path()), true);
  EXPECT_EQ(next_of(*input), (Came{{5}, {1}, {}, "05.csv", false}));
  EXPECT_EQ(next_of(*input), (Came{{}, {}, {}, "05.csv", true}));
  put("06.csv", kHead + "2026-03-01,6");
  put("04.csv", kHead + row(4));
  const std::string late = ": the file came too late: it or one that sorts after it was read already";
  EXPECT_EQ(next_of(*input).refused, Texts{"04.csv" + late});
  EXPECT_EQ(next_of(*input), (Came{{6}, {1}, {}, "06.csv", true}));
  std::thread writer = soon([&] { put("08.csv", kHead + row(8)); });
  EXPECT_EQ(next_of(*input), (Came{{8}, {1}, {}, "08.csv", false}));
  writer.join();
  // While one is read, another may come that is to be read before those that wait.
  put("11.csv", kHead + row(11));
  put("09.csv", kHead + row(9));
  EXPECT_EQ(next_of(*input), (Came{{}, {}, {}, "08.csv", true}));
  EXPECT_EQ(next_of(*input), (Came{{9}, {1}, {}, "09.csv", false}));
  put("10.csv", kHead + row(10));
  EXPECT_EQ(next_of(*input).complete, true);
  EXPECT_EQ(next_of(*input), (Came{{10}, {1}, {}, "10.csv", false}));
  EXPECT_EQ(next_of(*input).complete, true);
  EXPECT_EQ(next_of(*input), (Came{{11}, {1}, {}, "11.csv", false}));
  EXPECT_EQ(next_of(*input).complete, true);
  // One that was read and taken away does not count a second time.
  std::filesystem::remove(path("08.csv"));
  put("12.csv", kHead + row(12));
  EXPECT_EQ(next_of(*input).value, Values{12});
  EXPECT_EQ(next_of(*input).complete, true);
  put("08.csv", kHead + row(8));
  EXPECT_EQ(next_of(*input).refused, Texts{"08.csv" + late});
}

TEST_F(LiveFiles, OfADirectoryAreNamedInErrors) {
  Arrival arrival;
  const auto refused = [&](const std::string& bytes, const std::string& part) {
    put("m.csv", bytes);
    expect_failure(open_input(counts(folder_.path()), true)->next(arrival), ErrorKind::bad_data, part);
  };
  refused("ts,m\n", "m.csv: value: column n is not among the 2 of the header");
  refused("", "m.csv: the file is empty");
  refused("PAR1", "m.csv: the file is a Parquet file");
  refused(gzip(kHead + row(1)).substr(0, 25), "before the first row");
  std::filesystem::remove(path("m.csv"));
  put("a\nb", "ts,m\n");
  expect_failure(open_input(counts(folder_.path()), false)->next(arrival), ErrorKind::bad_data, "a?b: value");
}

TEST_F(LiveFiles, OfADirectoryThatGoesAwayAreAnError) {
  std::filesystem::create_directory(path("in"));
  const auto input = open_input(counts(path("in")), true);
  std::filesystem::remove(path("in"));
  Arrival arrival;
  expect_failure(input->next(arrival), ErrorKind::storage, "cannot list");
  std::filesystem::create_directory(path("none"));
  expect_end(*open_input(counts(path("none")), false));
}

}  // namespace
}  // namespace chronoveil::data::testing
