// The facade for jobs of counts per series and slot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "chronoveil/engine/job/job.h"
#include "chronoveil/engine/release/checked_job.h"
#include "chronoveil/engine/release/run_options.h"
#include "chronoveil/plan/comparison.h"
#include "chronoveil/report/series/writers.h"

namespace chronoveil::engine {

// From public facts only: the axis, the shape, the choice. `comparison` is set when every candidate was priced: on
// request, and whenever the job leaves the choice to us.
struct Planned {
  SlotAxis axis;
  mechanisms::Request request;
  std::optional<plan::Comparison> comparison;
  mechanisms::SeriesPlan chosen;
  Guarantee guarantee;  // that a release by the chosen mechanism carries
  std::string reason;
  std::string tells_nothing;  // why no interval would say anything, and what helps; empty: they do
  ledger::Eviction eviction = ledger::Eviction::possible;  // by privacy.max_steps
};
// A job with a [live] section chooses among the mechanisms that can publish each step as it comes.
Result<Planned> plan_job(const Job&, Compare = Compare::always);

// How the cap on a person's slots and the length of a slot trade off: how far off one cell would be, by the chosen
// mechanism. What a cap leaves out is not in it; that depends on the data, and a look measures it.
struct CapTable {
  std::vector<std::string> lengths = {};
  std::vector<std::int64_t> caps = {};
  std::vector<double> errors = {};   // by length, then by cap; NaN where there is no such release
  std::vector<double> typical = {};  // with a sample: a count of it, on average, by length
  bool smoothed = false;             // errors are those of simulated releases of the sample; else of the noise alone
};
// Empty where the unit has no such cap.
Result<std::optional<CapTable>> cap_table(const Job&, const Planned&);

// What a plan needs to know of the slots.
struct Horizon {
  std::int64_t steps = 0;
  std::int64_t usual_length = 0;  // of a slot, in milliseconds
};
// The same without an axis.
Result<Planned> plan_over(const Job&, const Horizon&, Compare, plan::Audience);

using Checked = CheckedJob<Planned>;
Result<Checked> check_job(const Job&, const RunOptions&, bool read_data = false);

// Plan, check outputs and columns, debit, read and bound, measure, reconstruct, store, write the outputs.
// An error after the debit says what became of it. What is not private (a seed, a replay) touches no ledger.
Result<report::Published> run_job(const Job&, const RunOptions&);

// Emits a stored release anew: no debit, no data. Refused unless the ledger has the debit and the debit is of this job.
Result<report::Published> run_again(const Job&, const std::string& debit, const RunOptions&);

// The internal evaluation of a release (the text of a release JSON) against the data. Reveals the data.
Result<report::Evaluation> evaluate_job(const Job&, std::string_view release_json);

}  // namespace chronoveil::engine
