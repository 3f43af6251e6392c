// Which steps of a live release are over, by a clock that is public. Where rows are people it alone decides which steps
// and spans are opened, asked, published and debited: if a row decided, its presence would show with certainty.
//   --until TIME      stands still: what ends by that time is over, and rows from then on are left for the next time
//   clock = "system"  runs: a step is over `wait` after its end. With --once it stands still where it was at the start
//   told              stands where the caller that pushes rows last put it, see LiveSession::publish_until
//   none              nothing is over by itself: for the owner's counts, whose rows close steps, and to end a release
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "chronoveil/engine/live/live.h"

namespace chronoveil::engine {

class LiveClock {
 public:
  LiveClock() = default;  // none
  // The machine's clocks at one moment, in milliseconds: the wall clock, and one that nobody can set.
  struct Look {
    std::int64_t wall = 0, steady = 0;
  };
  static Look look_at_the_machine();

  // Usage errors: a time that cannot be read, one for an input that does not end, and no clock where rows are people.
  static Result<LiveClock> of(const Job&, const LiveOptions&, std::function<Look()> = look_at_the_machine);

  // A time by the clock of the slots, such as 2026-03-01T00:00.
  static Result<std::int64_t> instant_of(const Job&, const std::string& time, std::string_view parameter = "run.until");
  // A clock that is told: it stands at the instant that the pointer leads to.
  static LiveClock told(std::shared_ptr<const std::int64_t>);

  // Whether it is the system's clock, which the job asks for, rather than a given time.
  bool is_system() const { return system_; }
  // Whether it goes on while rows come.
  bool runs() const { return runs_; }
  // The instant at which it stands still; empty if it runs, or if there is no clock.
  std::optional<std::int64_t> until() const { return until_; }
  Look look() const { return look_(); }
  // What the wall clock shows.
  std::int64_t now() const { return look().wall; }

  // Steps that end by this instant are over, once everything that was there has been read. While the clock runs,
  // nothing is over before the program has run for `wait`, so that it reads the rows that waited for it.
  std::optional<std::int64_t> line() const;
  // How long until the line is there, in milliseconds; for a clock that runs.
  std::int64_t left_until(std::int64_t line) const;
  // The line at the end of the input, when all is read.
  std::optional<std::int64_t> last_line() const;

 private:
  std::function<Look()> look_ = look_at_the_machine;
  std::optional<std::int64_t> until_;
  bool system_ = false, runs_ = false;
  std::int64_t wait_ = 0, started_ = 0;
};

}  // namespace chronoveil::engine
