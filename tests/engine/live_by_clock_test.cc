// Where rows are people, a clock that runs closes the steps of a followed input, however many rows somebody sends and
// whatever becomes of the file. The inputs are real, and the clock moves on whenever it is looked at. Where the exact
// moment matters, clock and rows follow one simulated time.
#include <gtest/gtest.h>

#include <algorithm>

#include "chronoveil/engine/live/session.h"
#include "fixtures.h"

namespace chronoveil::engine::testing {
namespace {

constexpr std::int64_t kStart = 86'400;  // of the first step, in seconds since 1970
constexpr int kSteps = 6;

class LiveByClock : public JobFolder {
 protected:
  void SetUp() override {
    options_.seed = 1;
    options_.publish = [this](std::string_view lines) {
      published_ += lines;
      return Result<void>();
    };
  }

  static std::string row(const std::string& person, std::int64_t second) {
    return person + "," + std::to_string(kStart + second) + "\n";
  }
  static std::string people(const std::string& name, int many, std::int64_t second) {
    std::string rows;
    for (int i = 0; i < many; ++i) rows += row(name + std::to_string(i), second);
    return rows;
  }

  Result<Job> live_job(const std::string& path, const std::string& length, std::int64_t seconds) const {
    return parse_job(
        "version = 1\n[dataset]\nname = \"city\"\n[source]\npath = \"" + path +
            "\"\nuser = \"who\"\ntime = \"at\"\ntime_format = \"epoch\"\n[slots]\nstart = \"1970-01-02T00:00:00\"\n"
            "end = \"1970-01-02T00:00:" +
            (seconds < 10 ? "0" : "") + std::to_string(seconds) + "\"\nlength = \"" + length +
            "\"\n[privacy]\nmax_steps = 6\nepsilon = 10000\n[mechanism]\nname = \"laplace\"\n"
            "[output]\ncsv = \"out.csv\"\nintegers = true\n"
            "[live]\nname = \"people\"\nclock = \"system\"\nwait = \"0s\"\nmax_gap = 2\n",
        at("job.toml"));
  }

  // Every look at the clock is `tick_` after the one before; then `at_look` may do what others do meanwhile.
  Result<LiveStanding> release(const std::string& path, const std::string& length, std::int64_t seconds,
                               std::function<void(LiveClock::Look&)> at_look) {
    const auto job = live_job(path, length, seconds);
    if (!job) return Failure(job.error());
    LiveClock::Look machine{kStart * 1000, 5};
    CV_TRY(const LiveClock clock, LiveClock::of(*job, options_, [&] {
             machine.wall += tick_;
             machine.steady += tick_;
             at_look(machine);
             return machine;
           }));
    return run_live_by(clock, *job, options_);
  }

  // What was published of each step.
  std::vector<std::string> values() const {
    std::vector<std::string> all;
    std::istringstream lines(published_);
    std::string line;
    std::getline(lines, line);  // the header
    while (std::getline(lines, line)) {
      const std::size_t from = line.find(',') + 1;
      all.push_back(line.substr(from, line.find(',', from) - from));
    }
    return all;
  }

  LiveOptions options_;
  std::string published_;
  std::int64_t tick_ = 250;  // milliseconds
};

class LiveFlood : public LiveByClock {
 protected:
  static constexpr int kFlood = 2000;  // at most, so that a program that waits for their end ends, too

  // Whenever the clock is looked at, one person has sent another file: what is there is never read to its end.
  Result<LiveStanding> flooded(std::function<void(LiveClock::Look&)> and_then = [](LiveClock::Look&) {}) {
    std::filesystem::create_directory(at("in"));
    write("in/others.csv", "who,at\n" + people("p", 7, 0) + people("q", 3, 4));
    return release("in", "1s", kSteps, [this, and_then](LiveClock::Look& machine) {
      if (sent_ < kFlood) write("in/more" + std::to_string(sent_++) + ".csv", "who,at\n" + row("one", 0));
      and_then(machine);
    });
  }

  int sent_ = 0;
};

TEST_F(LiveFlood, OfRowsNeitherEndsAReleaseNorHoldsItUp) {
  const auto stands = flooded();
  ASSERT_TRUE(stands) << stands.error().text();
  EXPECT_EQ(stands->published, kSteps);
  EXPECT_EQ(values(), (std::vector<std::string>{"8", "0", "0", "0", "3", "0"}));
  EXPECT_LT(sent_, kFlood / 10) << "a step is closed when what was there is read";
}

TEST_F(LiveFlood, DoesNotHideAClockThatJumped) {
  const auto stands = flooded([this](LiveClock::Look& machine) {
    if (sent_ == 15) machine.wall += 2'900;  // with the tick: not more than max_gap allows
    if (sent_ == 20) machine.wall += 3'000;
  });
  ASSERT_FALSE(stands);
  EXPECT_EQ(stands.error().kind, ErrorKind::usage);
  EXPECT_NE(stands.error().text().find("live.max_gap"), std::string::npos) << stands.error().text();
  EXPECT_GE(sent_, 20);
}

TEST_F(LiveFlood, MayMeetAClockThatGoesBackAndCatchesUp) {
  const auto stands = flooded([this](LiveClock::Look& machine) {
    if (sent_ == 15) machine.wall -= 60'000;
    if (sent_ == 20) machine.wall += 60'000;
  });
  ASSERT_TRUE(stands) << stands.error().text();
  EXPECT_EQ(stands->published, kSteps);
}

// One person's row must not move what others count for, so what becomes of the file must not either.
TEST_F(LiveByClock, AFileThatIsRotatedOrCutLosesNobody) {
  tick_ = 1000;
  for (const std::string how : {"renamed", "cut", "written anew"}) {
    published_.clear();
    const std::string first = people("p", 100, 1), second = people("q", 50, 2);
    write("log.csv", "who,at\n" + first);
    bool done = false;
    const auto stands = release("log.csv", "10s", 10, [&](const LiveClock::Look& machine) {
      if (done || machine.wall < (kStart + 8) * 1000) return;
      done = true;
      std::ofstream(at("log.csv"), std::ios::app) << row("one", 3);
      if (how == "renamed") std::filesystem::rename(at("log.csv"), at("log.1"));
      write("log.csv", "who,at\n" + (how == "written anew" ? people("p", 40, 1) : "") + second);
    });
    ASSERT_TRUE(stands) << stands.error().text();
    EXPECT_TRUE(done);
    // What was appended and cut off again at once was never there.
    EXPECT_EQ(values(), std::vector<std::string>{how == "renamed" ? "151" : "150"}) << how;
  }
}

// Rows that come at given moments of a clock that runs only while somebody waits for them: what has been read by when
// depends only on the program.
class RowsInTime final : public data::LiveInput {
 public:
  struct Row {
    std::int64_t came;  // milliseconds on the clock
    std::string person;
    std::int64_t time;  // milliseconds
  };

  RowsInTime(std::vector<Row> rows, std::int64_t now) : rows_(std::move(rows)), now_(now) {
    std::ranges::stable_sort(rows_, {}, &Row::came);
  }

  LiveClock::Look look() const { return {now_, now_}; }

  Result<data::Awaited> next_within(data::Arrival& arrival, std::chrono::milliseconds longest) override {
    if (++asked_ > 10'000) return fail(ErrorKind::internal, "asked too often: no time goes by");
    arrival = {};
    const std::int64_t last = held_ ? *held_ : now_ + longest.count();
    if (next_ == rows_.size() || rows_[next_].came > last) {
      now_ = std::max(now_, last);
      held_.reset();
      return data::Awaited::nothing;
    }
    now_ = std::max(now_, rows_[next_].came);
    arrival.rows.time.push_back(rows_[next_].time);
    arrival.rows.user.push_back(rows_[next_].person);
    arrival.number.push_back(static_cast<std::int64_t>(++next_));
    return data::Awaited::something;
  }

  Result<void> hold() override {
    held_ = now_;
    return {};
  }

 private:
  std::vector<Row> rows_;
  std::int64_t now_;
  std::size_t next_ = 0;
  std::optional<std::int64_t> held_;
  int asked_ = 0;
};

class LiveMoment : public LiveByClock {
 protected:
  static constexpr std::int64_t kFirst = kStart * 1000;  // the first step begins; each takes 1000 ms

  // Seven people whose rows of the first step come so long after its end.
  static std::vector<RowsInTime::Row> crowd(std::int64_t after_end) {
    std::vector<RowsInTime::Row> rows;
    for (int i = 0; i < 7; ++i) rows.push_back({kFirst + 1000 + after_end, std::to_string(i), kFirst + 500});
    return rows;
  }

  std::vector<std::string> published(std::vector<RowsInTime::Row> rows, std::int64_t started) {
    published_.clear();
    const auto job = live_job(at("none.csv"), "1s", 3);
    RowsInTime input(std::move(rows), started);
    const auto clock =
        job ? LiveClock::of(*job, options_, [&] { return input.look(); }) : Result<LiveClock>(Failure(job.error()));
    EXPECT_TRUE(clock) << clock.error().text();
    if (!clock) return {};
    const auto stands = run_live_on(input, *clock, *job, options_);
    EXPECT_TRUE(stands) << stands.error().text();
    return values();
  }
};

TEST_F(LiveMoment, OnlyWhatIsThereWhenAStepEndsIsInIt) {
  for (const std::int64_t started : {0, 1, 250, 499, 500, 730, 999})
    for (const std::int64_t after_end : {-300, -1, 0, 1, 2, 230, 480, 900})
      EXPECT_EQ(published(crowd(after_end), kFirst + started),
                (std::vector<std::string>{after_end <= 0 ? "7" : "0", "0", "0"}))
          << started << " " << after_end;
}

// A person's row wakes the waiting program, but must not decide when the rows of others are read.
TEST_F(LiveMoment, NobodysRowMovesWhoElseIsCounted) {
  for (std::int64_t came = 10; came < 1500; came += 35) {
    std::vector<RowsInTime::Row> rows = crowd(230);
    rows.push_back({kFirst + came, "one", kFirst + 5});
    EXPECT_EQ(published(rows, kFirst + 250), (std::vector<std::string>{came <= 1000 ? "1" : "0", "0", "0"})) << came;
  }
}

}  // namespace
}  // namespace chronoveil::engine::testing
