// Rows that wait for the clock: each goes to the step that its time lies in, in the order in which they came.
#include <gtest/gtest.h>

#include "chronoveil/engine/live/clock.h"
#include "chronoveil/engine/live/waiting.h"

namespace chronoveil::engine {
namespace {

constexpr std::int64_t kPairs = 1;  // per person in all
constexpr std::int64_t kDay = 86'400'000;

Job people() {
  Job job;
  job.kind = LiveSpec();
  job.keys = {"north", "south"};
  job.source.user = "who";
  return job;
}

OpenStep open_step(const Job& job) {
  mechanisms::PublicShape shape;
  shape.series = 2;
  shape.steps = 10;
  shape.unit = Unit::user;
  shape.max_steps = kPairs;
  shape.max_per_slot = 1;
  shape.maximum = 1000;
  auto step = OpenStep::make(job, shape, "", bound::Missing::make);
  EXPECT_TRUE(step) << (step ? "" : step.error().text());
  return std::move(*step);
}

// Days of January 1970, with or without those of February.
WaitingRows days(bool goes_on) {
  auto slots = data::SlotsAhead::make({"1970-01-01", "1970-02-01", "1d", "UTC"}, goes_on);
  EXPECT_TRUE(slots);
  return WaitingRows(std::move(*slots));
}

TEST(LiveWaiting, RowsGoToTheirStepInTheOrderInWhichTheyCame) {
  const Job job = people();
  OpenStep step = open_step(job);
  WaitingRows waiting = days(false);
  const auto add = [&](std::int64_t time, std::string_view person, std::int64_t series) {
    EXPECT_TRUE(waiting.add(time, person, series, 1, step));
  };
  add(3 * kDay + 5, "late", 0);
  add(19, "ann", 1);  // came first, so it is the one that counts, although the other is of an earlier time
  add(11, "ann", 0);
  add(12, "ben", 0);
  add(2 * kDay, "ann", 0);
  const auto close = [&](std::int64_t day) {
    std::vector<std::int64_t> counts;
    waiting.hand_over(day * kDay, step);
    EXPECT_TRUE(step.close(day, counts));
    return counts;
  };
  EXPECT_EQ(close(0), (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(close(1), (std::vector<std::int64_t>{0, 0})) << "the end of a step is not in it";
  add(2 * kDay + 50, "cid", 1);
  EXPECT_EQ(close(2), (std::vector<std::int64_t>{0, 1})) << "ann has used up what she may";
  EXPECT_EQ(close(3), (std::vector<std::int64_t>{1, 0})) << "what was handed over is gone";
}

TEST(LiveWaiting, RowsWaitForTheNextSpanOnlyWhereThereIsOne) {
  const Job job = people();
  OpenStep step = open_step(job);
  WaitingRows stops = days(false), goes_on = days(true);
  EXPECT_FALSE(stops.add(31 * kDay, "ann", 0, 1, step));
  EXPECT_TRUE(goes_on.add(31 * kDay, "ann", 0, 1, step));
  goes_on.hand_over(31 * kDay, step);
  std::vector<std::int64_t> counts;
  ASSERT_TRUE(step.close(0, counts));
  EXPECT_EQ(counts, (std::vector<std::int64_t>{1, 0}));
}

TEST(LiveWaiting, RowsThatNameNobodyAreAddedUp) {
  Job job = people();
  job.source.user.reset();
  OpenStep step = open_step(job);
  WaitingRows waiting = days(false);
  for (int i = 0; i < 5; ++i) waiting.add(i, {}, i % 2, 1, step);
  waiting.hand_over(0, step);
  std::vector<std::int64_t> counts;
  ASSERT_TRUE(step.close(0, counts));
  EXPECT_EQ(counts, (std::vector<std::int64_t>{3, 2}));
}

TEST(LiveClock, StandsOrRunsOrIsNotThere) {
  Job job = people();
  job.source.path = "-";
  LiveOptions options;
  const auto none = LiveClock::of(job, options);
  ASSERT_FALSE(none) << "rows that are people need one";
  EXPECT_EQ(none.error().kind, ErrorKind::usage);
  options.until = "1970-01-02";
  auto clock = LiveClock::of(job, options);
  ASSERT_TRUE(clock);
  EXPECT_FALSE(clock->runs());
  EXPECT_EQ(clock->line(), 86'400'000);
  EXPECT_EQ(clock->last_line(), clock->until());

  options.until.reset();
  job.live().clock = LiveSpec::Clock::system;
  job.live().wait = 3'600'000;
  const std::int64_t before = LiveClock::look_at_the_machine().wall;
  clock = LiveClock::of(job, options);
  ASSERT_TRUE(clock && clock->runs());
  EXPECT_FALSE(clock->until());
  EXPECT_FALSE(clock->line()) << "nothing is over before it has run as long as a step waits";
  EXPECT_GE(clock->last_line(), before - job.live().wait);
  EXPECT_LE(clock->last_line(), LiveClock::look_at_the_machine().wall - job.live().wait);
  options.once = true;
  clock = LiveClock::of(job, options);
  ASSERT_TRUE(clock && !clock->runs());
  EXPECT_EQ(clock->line(), clock->until());
  EXPECT_GE(clock->until(), before - job.live().wait);

  job.live().clock = LiveSpec::Clock::until;
  job.source.user.reset();
  job.source.value = "cases";
  clock = LiveClock::of(job, options);
  ASSERT_TRUE(clock);
  EXPECT_FALSE(clock->line() || clock->last_line() || clock->runs()) << "counts move on by rows";
}

}  // namespace
}  // namespace chronoveil::engine
