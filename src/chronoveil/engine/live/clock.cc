#include "chronoveil/engine/live/clock.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "chronoveil/data/time/reader.h"
#include "chronoveil/data/time/zone.h"

namespace chronoveil::engine {

LiveClock::Look LiveClock::look_at_the_machine() {
  const auto milliseconds = [](const auto since) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
  };
  return {milliseconds(std::chrono::system_clock::now().time_since_epoch()),
          milliseconds(std::chrono::steady_clock::now().time_since_epoch())};
}

Result<LiveClock> LiveClock::of(const Job& job, const LiveOptions& options, std::function<Look()> look) {
  LiveClock clock;
  clock.look_ = std::move(look);
  if (options.until) {
    if (!options.once && job.source.path != "-")
      return fail(ErrorKind::usage, "run.until",
                  "it is for the end of the input, and an input that is followed has no end; give --once");
    CV_TRY(clock.until_, instant_of(job, *options.until));
    return clock;
  }
  if (!rows_are_people(job)) return clock;
  if (job.live().clock != LiveSpec::Clock::system)
    return fail(ErrorKind::usage, "run.until",
                "rows are people here, and none of them may decide which steps are published; give `run.until = TIME`, "
                "or clock = \"system\" in [live]");
  clock.system_ = true;
  clock.wait_ = job.live().wait;
  clock.started_ = clock.now();
  clock.runs_ = !options.once;
  if (options.once) clock.until_ = clock.started_ - clock.wait_;
  return clock;
}

Result<std::int64_t> LiveClock::instant_of(const Job& job, const std::string& time, std::string_view parameter) {
  CV_TRY(const std::shared_ptr<const data::Zone> zone, data::Zone::find(job.slots.zone));
  CV_TRY(data::TimeReader reader, data::TimeReader::make("iso8601", zone));
  std::int64_t instant = 0;
  if (reader.read(time, instant) != data::TimeProblem::none)
    return invalid(parameter, time, "it must be a time such as 2026-03-01T00:00, local in " + job.slots.zone);
  return instant;
}

LiveClock LiveClock::told(std::shared_ptr<const std::int64_t> instant) {
  LiveClock clock;
  clock.look_ = [instant = std::move(instant)] { return Look{*instant, *instant}; };
  return clock;
}

std::optional<std::int64_t> LiveClock::line() const {
  if (!runs_) return until_;
  const std::int64_t time = now();
  return time < started_ + wait_ ? std::nullopt : std::optional(time - wait_);
}

std::int64_t LiveClock::left_until(std::int64_t line) const {
  return std::max<std::int64_t>(0, std::max(line, started_) + wait_ - now());
}

std::optional<std::int64_t> LiveClock::last_line() const { return runs_ ? now() - wait_ : until_; }

}  // namespace chronoveil::engine
