// Rows of a CSV through a perturbation: which column is what, and how released values become rows again.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/data/field_rows.h"
#include "chronoveil/engine/job/job.h"
#include "chronoveil/engine/perturb/internal.h"
#include "chronoveil/mechanisms/temporal_mechanism.h"

namespace chronoveil::engine {

// Columns by their places in a row, in the order of the input. The output has the times, what is kept, what is
// perturbed; any other column is left out.
struct PerturbColumns {
  std::optional<std::size_t> time;
  std::vector<std::size_t> kept, perturbed;
  std::vector<std::string> names;  // of the output
  char delimiter = ',';            // of input and output
};
Result<PerturbColumns> columns_of(const Job&, const std::vector<std::string>& header);

class RowMover {
 public:
  // `mark`: what is not private gets a last column that says so, called mark, or chronoveil_mark if that name is taken.
  RowMover(const PerturbColumns&, mechanisms::Perturbation, std::size_t lanes, const std::string& mark);

  const std::string& header() const { return header_; }
  // From now on every value is kept, before and after, and how far it moved: for the owner's own report.
  void keep_record();
  // Appends the rows that leave. Errors name the row and the column, never a value.
  Result<void> push(std::span<const std::string_view> fields, std::string& out);
  // The rest.
  Result<void> finish(std::string& out);

  std::int64_t rows() const { return rows_; }
  std::int64_t empty() const { return empty_; }
  std::int64_t missing() const { return missing_; }
  // The actual moves, where a record is kept: for the owner alone.
  const mechanisms::MoveCount& moves() const { return moves_; }
  const std::vector<BeforeAfter>& record() const { return record_; }

 private:
  struct Lane {
    std::vector<std::size_t> columns;
    std::deque<mechanisms::Released> waiting;  // for the other lanes
    std::int64_t released = 0;                 // so far, where a record is kept
  };
  Result<void> push_lane(std::size_t lane, std::span<const std::string_view> fields);
  void take_over(Lane&);
  void write_rows(std::string& out);
  void write_lane(Lane&, std::string& out);
  void record_before(std::span<const std::string_view> fields);
  void record_after(const Lane&, const mechanisms::Released&);
  void append_field(std::string_view text, std::string& out) const;

  PerturbColumns columns_;
  mechanisms::Perturbation perturbation_;
  char delimiter_;
  std::string header_, end_;
  std::vector<Lane> lanes_;
  std::deque<std::string> starts_;  // the times and what is kept, of rows that have not left
  std::vector<mechanisms::Released> arrived_;
  mechanisms::MoveCount moves_;
  std::vector<BeforeAfter> record_;  // of the perturbed columns; empty unless asked for
  std::int64_t rows_ = 0, empty_ = 0, missing_ = 0;
};

}  // namespace chronoveil::engine
