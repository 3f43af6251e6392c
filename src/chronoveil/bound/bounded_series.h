// Counts per series and slot in which nobody counts for more than the caps say. Raw records end here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "chronoveil/base/draw_right.h"
#include "chronoveil/base/guarantee.h"
#include "chronoveil/base/result.h"
#include "chronoveil/base/slot_axis.h"
#include "chronoveil/bound/duplicates.h"
#include "chronoveil/data/record_source.h"

namespace chronoveil::bound {

inline constexpr std::int64_t kLargestCount = std::int64_t{1} << 53;  // exact as a double

// What nobody exceeds.
//   user      per person at most `max_steps` pairs (series, slot) over the whole job, and at most `max_per_slot` in
//             each pair
//   event,    at most `max_per_slot` per person and slot, all series together; no cap on slots, since dropping one
//   w-event   slot would let another in
struct Caps {
  Unit unit = Unit::user;
  std::int64_t max_steps = 0;  // I, for unit user
  std::int64_t max_per_slot = 1;
  std::int64_t maximum = 100'000'000;  // every count is clamped to [0, maximum]
};

// What bounding left out: private, for the internal report only.
struct LeftOut {
  std::int64_t rows = 0;              // read in all
  std::int64_t outside_span = 0;      // rows
  std::int64_t unlisted_series = 0;   // rows
  std::int64_t over_caps = 0;         // records, or amounts, above max_steps or max_per_slot
  std::int64_t clamped = 0;           // counts above the maximum
  std::int64_t people = 0;            // with a row that counts, where rows say whose they are
  std::int64_t people_over_caps = 0;  // those of whom something was left out; only if asked for

  std::int64_t counted() const { return rows - outside_span - unlisted_series; }  // rows
};

// Whether it is found out how many people are above the caps, which takes memory for every one of them.
enum class CountPeople { no, yes };

class BoundedSeries {
 public:
  BoundedSeries(std::int64_t series, std::int64_t steps, std::vector<std::int64_t> counts, const Caps& caps,
                Basis basis, LeftOut left_out)
      : series_(series), steps_(steps), counts_(std::move(counts)), caps_(caps), basis_(basis), left_out_(left_out) {}

  std::int64_t series() const { return series_; }
  std::int64_t steps() const { return steps_; }
  std::span<const std::int64_t> counts() const { return counts_; }  // series-major, each in [0, maximum]
  const Caps& caps() const { return caps_; }
  Basis basis() const { return basis_; }  // of the caps: enforced on records, declared for counts
  const LeftOut& left_out() const { return left_out_; }

 private:
  std::int64_t series_, steps_;
  std::vector<std::int64_t> counts_;
  Caps caps_;
  Basis basis_;
  LeftOut left_out_;
};

// From records with a user column: the caps are enforced. Which of a person's pairs stay is uniformly random: those
// with the smallest pseudo-random priorities under a key from `right`, whatever the order of the rows. Memory grows
// with what stays, not with what is read. `keys` are the public series; empty for one series without a name.
Result<BoundedSeries> bound_records(data::RecordSource&, const SlotAxis&, const std::vector<std::string>& keys,
                                    const Caps&, DrawRight& right, CountPeople = CountPeople::no);

// From rows that are counts already, or that each count 1 when there is no value column (then they are summed): the
// caps are what the caller declares.
Result<BoundedSeries> bound_counts(data::RecordSource&, const SlotAxis&, const std::vector<std::string>& keys,
                                   const Caps&, Duplicates);

}  // namespace chronoveil::bound
