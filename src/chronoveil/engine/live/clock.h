// Which steps of a live release are over, by a clock that is public. Where rows are people it alone decides which steps
// and spans are opened, asked, published and debited: were it a row, its being there would show with certainty.
//   --until TIME      stands still: what ends by that time is over, and rows from then on are left for the next time
//   clock = "system"  runs: a step is over `wait` after its end. With --once it stands still where it was at the start
//   told              stands where whoever pushes the rows last said that it is, see LiveSession::publish_until
//   none              nothing is over by itself; for counts of the owner, which rows move on, and to end a release
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
  // One look at the clocks of the machine, in milliseconds: the one on the wall, and one that nobody can set.
  struct Look {
    std::int64_t wall = 0, steady = 0;
  };
  static Look look_at_the_machine();

  // Usage errors: a time that cannot be read, one for an input that does not end, and no clock where rows are people.
  static Result<LiveClock> of(const Job&, const LiveOptions&, std::function<Look()> = look_at_the_machine);

  // A time by the clock of the slots, such as 2026-03-01T00:00.
  static Result<std::int64_t> instant_of(const Job&, const std::string& until);
  // Told, by what stands there: an instant.
  static LiveClock told(std::shared_ptr<const std::int64_t>);

  // Whether it is the system's, which a job asks for, and not a time that was given.
  bool is_system() const { return system_; }
  // Whether it goes on while rows come.
  bool runs() const { return runs_; }
  // Where it stands still: an instant. None where it runs, or where there is none.
  std::optional<std::int64_t> until() const { return until_; }
  Look look() const { return look_(); }
  // What the clock on the wall shows.
  std::int64_t now() const { return look().wall; }

  // Steps that end by this instant are over, once everything that was there has been read. While it runs, nothing is
  // over before the program has run as long as a step waits for its rows, so that what waited for the program is read.
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
