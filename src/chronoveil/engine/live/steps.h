// The rows of the open step, and what they count for.
//   Counts    one row per series and step; a series without a row did not report. With `duplicates = "sum"` rows are
//             added.
//   Records   one person per row: bounded, and a series without a row counts 0, since an empty slot is a zero. The same
//             for rows that count 1 each without naming a person.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "chronoveil/bound/people/slot_bounder.h"
#include "chronoveil/data/record_source.h"
#include "chronoveil/engine/job/job.h"

namespace chronoveil::engine {

class OpenStep {
 public:
  // `people` is the file that remembers participation, needed only where somebody could exceed the cap; empty in a
  // rehearsal, which remembers in memory.
  static Result<OpenStep> make(const Job&, const mechanisms::PublicShape&, const std::string& people, bound::Missing,
                               const std::optional<bound::ParticipationAsOf>& = {});
  // Whether somebody could exceed the cap.
  static bool remembers(const Job&, const mechanisms::PublicShape&);

  // The number of the row's series; empty if it is not listed.
  std::optional<std::int64_t> series_of(const data::RecordBatch&, std::size_t row) const;
  // Not for records. False if the series reports a step in one row, which has come already: the first counts.
  bool add(std::int64_t series, std::int64_t amount);
  // For records: a slot to gather them in; null where rows name nobody.
  std::unique_ptr<bound::SlotPeople> new_people() const { return people_ ? people_->new_slot() : nullptr; }
  // All records of the step.
  void take(std::unique_ptr<bound::SlotPeople> slot) { slot_ = std::move(slot); }

  bool empty() const { return rows_ == 0; }
  // Whether nothing more can come: every series has reported, and may report only once.
  bool complete() const { return once_ && reported_ == static_cast<std::int64_t>(counts_.size()); }

  // Drops the counts of the step, which will come again. Not for people.
  void forget();
  // The latest slot with stored participation; empty if none is stored.
  std::optional<std::int64_t> remembered() const;
  // The seal of all stored participation; empty if none is stored.
  std::optional<bound::ParticipationSeal> seal() const;

  // The counts of the step, one per series, mechanisms::kMissing where none came. Opens the next step.
  Result<void> close(std::int64_t step, std::vector<std::int64_t>& counts);

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  OpenStep() = default;

  std::unordered_map<std::string, std::int64_t, TextHash, std::equal_to<>> series_;  // empty for one without a name
  std::optional<bound::SlotBounder> people_;
  std::unique_ptr<bound::SlotPeople> slot_;              // of records; null while there are none
  const bound::Participation* participation_ = nullptr;  // of people_
  bool once_ = false;                                    // a series reports a step in one row
  bool zeros_ = false;                                   // a series without a row counts 0
  std::int64_t maximum_ = 0;
  std::vector<std::int64_t> counts_;  // kMissing where none came
  std::int64_t reported_ = 0, rows_ = 0;
};

}  // namespace chronoveil::engine
