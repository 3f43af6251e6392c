// Rows that wait for the clock: each goes to the step that its time lies in, in the order in which they came.
#include <gtest/gtest.h>

#include "chronoveil/engine/live/clock.h"
#include "chronoveil/engine/live/waiting.h"

namespace chronoveil::engine {
namespace {

constexpr std::int64_t kPairs = 1;  // per person in all

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

TEST(LiveWaiting, RowsGoToTheirStepInTheOrderInWhichTheyCame) {
  const Job job = people();
  OpenStep step = open_step(job);
  WaitingRows waiting;
  waiting.add(205, "late", 0, 1);
  waiting.add(19, "ann", 1, 1);  // came first, so it is the one that counts, although the other is of an earlier time
  waiting.add(11, "ann", 0, 1);
  waiting.add(12, "ben", 0, 1);
  waiting.add(100, "ann", 0, 1);
  std::vector<std::int64_t> counts;
  waiting.hand_over(20, step);
  ASSERT_TRUE(step.close(0, counts));
  EXPECT_EQ(counts, (std::vector<std::int64_t>{1, 1}));
  waiting.hand_over(100, step);  // the end of a step is not in it
  ASSERT_TRUE(step.close(1, counts));
  EXPECT_EQ(counts, (std::vector<std::int64_t>{0, 0}));
  waiting.add(150, "cid", 1, 1);
  waiting.hand_over(200, step);
  ASSERT_TRUE(step.close(2, counts));
  EXPECT_EQ(counts, (std::vector<std::int64_t>{0, 1})) << "ann has used up what she may";
  waiting.hand_over(1000, step);
  ASSERT_TRUE(step.close(3, counts));
  EXPECT_EQ(counts, (std::vector<std::int64_t>{1, 0})) << "what was handed over is gone";
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
