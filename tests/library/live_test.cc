// A live release that rows are pushed to: what the program would publish, step by step, through the end of a process.
#include <gtest/gtest.h>

#include "arrow_rows.h"
#include "chronoveil/chronoveil.h"
#include "engine/fixtures.h"

namespace chronoveil {
namespace {

constexpr std::int64_t kMinute = 60'000, kStart = 1'772'323'200'000;  // 2026-03-01T00:00Z

class PushedLive : public engine::testing::JobFolder {
 protected:
  void SetUp() override {
    JobFolder::SetUp();
    live_.ledger = options_.ledger;
  }

  Job people() const {
    return job(
        "version = 1\n[dataset]\nname = \"city\"\n[source]\npath = \"rows.csv\"\nuser = \"who\"\ntime = \"at\"\n"
        "time_format = \"epoch_ms\"\n[slots]\nstart = \"2026-03-01T00:00\"\nend = \"2026-03-01T06:00\"\nlength = "
        "\"1h\"\n"
        "[privacy]\nmax_steps = 6\nepsilon = 2\n[mechanism]\nname = \"laplace\"\n[output]\ncsv = \"out.csv\"\n"
        "[live]\nname = \"people\"\nmax_gap = 6\n");
  }
  Job counts() const {
    return job(
        "version = 1\n[dataset]\nname = \"city\"\n[source]\npath = \"rows.csv\"\nvalue = \"n\"\nseries = \"stop\"\n"
        "time = \"at\"\ntime_format = \"epoch_ms\"\n[slots]\nstart = \"2026-03-01T00:00\"\nend = \"2026-03-01T06:00\"\n"
        "length = \"1h\"\n[series]\nkeys = [\"a,b\", \"c\"]\n[privacy]\nunit = \"event\"\nepsilon = 2\n"
        "[mechanism]\nname = \"laplace\"\n[output]\ncsv = \"out.csv\"\n[live]\nname = \"counts\"\n");
  }

  static Job pushed(Job job) {
    read_from(job, {});
    return job;
  }

  Result<PublishedSteps> push(LiveSession& session, const std::vector<std::string>& who,
                              const std::vector<std::int64_t>& minutes) {
    std::vector<std::int64_t> at;
    for (const std::int64_t minute : minutes) at.push_back(kStart + minute * kMinute);
    for (std::size_t i = 0; i < who.size(); ++i) rows_ += who[i] + "," + std::to_string(at[i]) + "\n";
    return session.push({{"who", who}, {"at", at}});
  }

  static std::vector<std::string> times(const Result<PublishedSteps>& steps) {
    std::vector<std::string> all;
    EXPECT_TRUE(steps) << steps.error().text();
    if (steps)
      for (const PublishedStep& step : *steps) all.push_back(step.time);
    return all;
  }

  LiveOptions live_;
  std::string rows_ = "who,at\n";
};

TEST_F(PushedLive, PublishesWhatTheProgramPublishesOfTheSameRows) {
  live_.seed = 3;
  Result<LiveSession> session = LiveSession::open(pushed(people()), live_);
  ASSERT_TRUE(session) << session.error().text();
  EXPECT_TRUE(push(*session, {"ann", "bob", "ann"}, {5, 70, 130})->empty());
  EXPECT_EQ(times(session->publish_until("2026-03-01T02:00")).size(), 2U);
  EXPECT_TRUE(push(*session, {"eve"}, {185})->empty());
  EXPECT_EQ(times(session->publish_until("2026-03-01T04:00")).size(), 2U);
  ASSERT_TRUE(session->end());
  const std::string pushed = read("out.csv");

  write("rows.csv", rows_);
  live_.once = true;
  live_.until = "2026-03-01T04:00";
  const Result<LiveStanding> stands = engine::run_live(people(), live_);
  ASSERT_TRUE(stands) << stands.error().text();
  EXPECT_EQ(read("out.csv"), pushed);
}

TEST_F(PushedLive, GoesOnWhereAProcessEndedWithoutAWord) {
  create_dataset();
  const auto published = [&](std::string until, std::vector<std::string> who, std::vector<std::int64_t> minutes) {
    Result<LiveSession> session = LiveSession::open(pushed(people()), live_);
    if (!session) return std::vector<std::string>{session.error().text()};
    EXPECT_TRUE(push(*session, who, minutes));
    return times(session->publish_until(until));
  };
  EXPECT_EQ(published("2026-03-01T02:30", {"ann", "bob"}, {5, 70}),
            (std::vector<std::string>{"2026-03-01T00:00:00+00:00", "2026-03-01T01:00:00+00:00"}));
  EXPECT_EQ(published("2026-03-01T02:30", {"ann", "bob"}, {5, 70}), std::vector<std::string>());
  EXPECT_EQ(published("2026-03-01T04:00", {"ann", "eve"}, {130, 200}),
            (std::vector<std::string>{"2026-03-01T02:00:00+00:00", "2026-03-01T03:00:00+00:00"}));
  const std::string all = read("out.csv");
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 5);
  ASSERT_EQ(debits().size(), 1U);
  EXPECT_EQ(debits().front().used, 4);
  const Result<LiveStanding> stands = live_status(pushed(people()), options_.ledger);
  ASSERT_TRUE(stands) << stands.error().text();
  EXPECT_EQ(stands->published, 4);
  ASSERT_TRUE(close_live(pushed(people()), options_.ledger));
  EXPECT_FALSE(LiveSession::open(pushed(people()), live_));
}

TEST_F(PushedLive, AJobThatReadsAFileIsNotPushedTo) {
  live_.seed = 3;
  const Result<LiveSession> session = LiveSession::open(people(), live_);
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().text().find("source.kind: "), 0U) << session.error().text();
}

TEST_F(PushedLive, TwoSessionsOfOneReleaseAreNotOpenAtOnce) {
  create_dataset();
  const Result<LiveSession> one = LiveSession::open(pushed(people()), live_);
  ASSERT_TRUE(one) << one.error().text();
  EXPECT_FALSE(LiveSession::open(pushed(people()), live_));
}

TEST_F(PushedLive, CountsOfALaterStepCloseThoseBefore) {
  live_.seed = 3;
  Result<LiveSession> session = LiveSession::open(pushed(counts()), live_);
  ASSERT_TRUE(session) << session.error().text();
  const std::vector<std::string> stop = {"a,b", "c", "a,b"};
  const std::vector<std::int64_t> at = {kStart, kStart + kMinute, kStart + 130 * kMinute}, n = {500, 7, 9};
  const Result<PublishedSteps> steps = session->push({{"stop", stop}, {"at", at}, {"n", n}});
  ASSERT_TRUE(steps) << steps.error().text();
  ASSERT_EQ(steps->size(), 4U);  // two steps of two series; the third is open
  EXPECT_EQ(steps->front().series, "a,b");
  EXPECT_EQ(steps->front().time, "2026-03-01T00:00:00+00:00");
  EXPECT_NEAR(steps->front().value, 500, 60);
  EXPECT_LE(steps->front().lower, steps->front().value);
  EXPECT_TRUE(steps->front().sampled);
  EXPECT_EQ(times(session->publish_until("2026-03-01T03:00")).size(), 2U);
}

TEST_F(PushedLive, RowsThatCannotBeReadAreRefusedAndTheOthersCount) {
  live_.seed = 3;
  std::string said;
  live_.message = [&](const std::string& text) { said += text + "\n"; };
  Result<LiveSession> session = LiveSession::open(pushed(people()), live_);
  ASSERT_TRUE(session) << session.error().text();
  ASSERT_TRUE(push(*session, {"ann"}, {1}));
  ASSERT_TRUE(push(*session, {"", "bob"}, {2, 3}));
  EXPECT_NE(said.find("row 2: column who: empty"), std::string::npos) << said;
  const std::vector<std::int64_t> at = {kStart};
  const Result<PublishedSteps> without = session->push({{"at", at}});
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().kind, ErrorKind::bad_data);
  const Result<LiveStanding> stands = session->end();
  ASSERT_TRUE(stands) << stands.error().text();
  EXPECT_EQ(stands->broken, 1);
}

TEST_F(PushedLive, ATimeThatIsTooFarAheadIsRefused) {
  live_.seed = 3;
  Job few = *engine::to_live(pushed(people()));
  few.live().max_gap = 2;
  Result<LiveSession> session = LiveSession::open(few, live_);
  ASSERT_TRUE(session) << session.error().text();
  EXPECT_FALSE(session->publish_until("2026-03-01T05:00"));
  EXPECT_FALSE(session->publish_until("later"));
  EXPECT_EQ(times(session->publish_until("2026-03-01T02:00")).size(), 2U);
  EXPECT_EQ(times(session->publish_until("2026-03-01T04:00")).size(), 2U);
}

TEST_F(PushedLive, TheSystemsClockPublishesWhatIsDue) {
  live_.seed = 3;
  Job by_clock = *engine::to_live(pushed(people()));
  by_clock.live().clock = engine::LiveSpec::Clock::system;
  by_clock.live().wait = 0;
  by_clock.live().max_gap = 100'000'000;
  Result<LiveSession> session = LiveSession::open(by_clock, live_);
  ASSERT_TRUE(session) << session.error().text();
  EXPECT_FALSE(session->publish_until("2026-03-01T05:00"));
  EXPECT_EQ(times(session->publish_due()).size(), 6U);  // long over
  EXPECT_TRUE(times(session->publish_due()).empty());
}

TEST_F(PushedLive, NothingIsTakenAfterTheEnd) {
  live_.seed = 3;
  Result<LiveSession> session = LiveSession::open(pushed(people()), live_);
  ASSERT_TRUE(session) << session.error().text();
  ASSERT_TRUE(session->end());
  EXPECT_FALSE(push(*session, {"ann"}, {1}));
  EXPECT_FALSE(session->publish_until("2026-03-01T01:00"));
  EXPECT_FALSE(session->publish_due());
  EXPECT_FALSE(session->end());
}

TEST_F(PushedLive, TakesArrowAndHandsOutItsStepsAsArrow) {
  live_.seed = 5;
  Result<LiveSession> session = LiveSession::open(pushed(counts()), live_);
  ASSERT_TRUE(session) << session.error().text();
  const auto rows = [](std::int64_t minutes, const std::vector<std::int32_t>& n) {
    const std::vector<std::int64_t> at(n.size(), kStart + minutes * kMinute);
    return testing::MadeBatch{
        testing::numbers("at", "tsm:UTC", at), testing::numbers("n", "i", n),
        testing::dictionary("stop", "c", std::vector<std::int8_t>{0, 1}, testing::texts("", {"a,b", "c"}))};
  };
  testing::MadeStream made({rows(0, {3, 4}), rows(60, {5, 6})});
  ArrowArrayStream stream = made.stream();
  Result<PublishedSteps> steps = session->push(stream);
  ASSERT_TRUE(steps) << steps.error().text();
  EXPECT_EQ(made.released, 1);
  EXPECT_EQ(made.batches_released, 2);
  const testing::MadeColumn batch = testing::record_batch(rows(120, {7, 8}));
  ArrowSchema schema{};
  ArrowArray array{};
  testing::MadeStream::make_schema(batch, &schema);
  testing::MadeStream::make_array(batch, &array);
  const Result<PublishedSteps> more = session->push(schema, array);
  schema.release(&schema);
  ASSERT_TRUE(more) << more.error().text();
  EXPECT_EQ(array.release, nullptr);
  steps->insert(steps->end(), more->begin(), more->end());
  EXPECT_EQ(steps->size(), 6U);
  ArrowArrayStream out{};
  ASSERT_TRUE(session->to_arrow(*steps, &out));
  std::string csv = read("out.csv");
  for (std::size_t quote = csv.find('"'); quote != std::string::npos; quote = csv.find('"')) csv.erase(quote, 1);
  EXPECT_EQ(testing::csv_of(out), csv);
  // What is wrong with a batch, or with its row, leaves the session as it is.
  testing::MadeStream unfit({{testing::numbers("at", "b", std::vector<std::uint8_t>{1})}});
  ArrowArrayStream wrong = unfit.stream();
  const Result<PublishedSteps> refused = session->push(wrong);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::bad_data);
  EXPECT_EQ(unfit.released, 1);
  EXPECT_TRUE(session->end());
}

}  // namespace
}  // namespace chronoveil
