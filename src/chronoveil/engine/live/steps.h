// What came in for the step that is open, and what it counts for.
//   Counts    a row a series and step; a series without one did not report. With `duplicates = "sum"` rows are added.
//   Records   a person a row: bounded, and a series without a row counts 0, since an empty slot is a zero. Rows of one
//             each, without a person, likewise.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
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
  // Whether somebody could.
  static bool remembers(const Job&, const mechanisms::PublicShape&);

  // The number of the series of a row; none where it is not listed.
  std::optional<std::int64_t> series_of(const data::RecordBatch&, std::size_t row) const;
  // False where the series reports a step in one row, and it has come: the first counts. `person` matters with records.
  bool add(std::string_view person, std::int64_t series, std::int64_t amount);

  bool empty() const { return rows_ == 0; }
  // Nothing more can come: every series has reported, and may report only once.
  bool complete() const { return once_ && reported_ == static_cast<std::int64_t>(counts_.size()); }

  // Drops the counts that came for the step: they will come again. Not for people.
  void forget();
  // The latest slot that anybody's participation was written down for; nothing where nobody's is.
  std::optional<std::int64_t> remembered() const;
  // What all that was written down amounts to; nothing where nobody's is.
  std::optional<bound::ParticipationSeal> seal() const;

  // The counts of the step, one a series, mechanisms::kMissing where none came; the next step is open then.
  Result<void> close(std::int64_t step, std::vector<std::int64_t>& counts);

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  OpenStep() = default;

  std::unordered_map<std::string, std::int64_t, TextHash, std::equal_to<>> series_;  // empty for one without a name
  std::optional<bound::SlotBounder> people_;
  const bound::Participation* participation_ = nullptr;  // of people_
  bool once_ = false;                                    // a series reports a step in one row
  bool zeros_ = false;                                   // a series without a row counts 0
  std::int64_t maximum_ = 0;
  std::vector<std::int64_t> counts_;  // kMissing where none came
  std::int64_t reported_ = 0, rows_ = 0;
};

}  // namespace chronoveil::engine
