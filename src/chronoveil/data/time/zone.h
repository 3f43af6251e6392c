// A time zone as a table of the stretches of time in which its clocks run evenly, so that conversions are look-ups.
// The table comes from the time-zone database of the system (zone_folder.h) and reaches to the end of year kLastYear.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::data {

// The instants begin <= t < end; local time is t + offset. All in milliseconds. Neighbours differ in their offset.
struct Stretch {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t offset;
};

// What a local time means.
//   unique     one instant
//   ambiguous  the clocks went back: two instants; the earlier one is given
//   missing    the clocks skipped it: no instant
struct LocalMeaning {
  enum Kind { unique, ambiguous, missing } kind;
  std::int64_t instant;
};

class Zone {
 public:
  // By its IANA name. An unknown name is a usage error that names `parameter`; a storage error if there are no
  // zones at all.
  static Result<std::shared_ptr<const Zone>> find(const std::string& name, std::string_view parameter = "zone");

  const std::string& name() const { return name_; }
  std::span<const Stretch> stretches() const { return stretches_; }

  // The number of the stretch that holds an instant.
  std::size_t stretch_at(std::int64_t instant) const;
  std::int64_t offset_at(std::int64_t instant) const { return stretches_[stretch_at(instant)].offset; }

  // `guess` is the stretch of the last answer: the next is most often in the same one.
  LocalMeaning meaning_of(std::int64_t local, std::size_t& guess) const {
    const Stretch& last = stretches_[guess];
    // Well inside the stretch: no change in the history of any zone moved the clocks by more than a day.
    if (local - last.offset >= last.begin + kMargin && local - last.offset < last.end - kMargin) [[likely]] {
      return {LocalMeaning::unique, local - last.offset};
    }
    return search(local, guess);
  }

 private:
  static constexpr std::int64_t kMargin = std::int64_t{2} * 86'400'000;
  LocalMeaning search(std::int64_t local, std::size_t& guess) const;

  std::string name_;
  std::vector<Stretch> stretches_;
};

}  // namespace chronoveil::data
