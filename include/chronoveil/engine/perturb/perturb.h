// The facade for one series of its owner: values that move in time (or are changed in place), row by row.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "chronoveil/engine/release/checked_job.h"
#include "chronoveil/engine/release/run_options.h"
#include "chronoveil/mechanisms/temporal_mechanism.h"
#include "chronoveil/plan/temporal_comparison.h"
#include "chronoveil/report/perturbed/perturbed.h"

namespace chronoveil::engine {

// From public facts only. `comparison` is set when every candidate was priced: on request, and whenever the job leaves
// the choice to us.
struct PerturbPlanned {
  mechanisms::TemporalRequest request;
  std::optional<plan::TemporalComparison> comparison;
  mechanisms::TemporalPlan chosen;
  Guarantee guarantee;
  std::string reason;
};
Result<PerturbPlanned> plan_perturbation(const Job&, Compare = Compare::always);

// The certified curve δ(ε) of an event, around `epsilon` and out to where it is (nearly) 0.
Result<std::vector<report::CurvePoint>> certified_curve(const accounting::Event&, double epsilon);

// The document, and the rows unless they left at once.
struct PerturbedRelease : report::Perturbed {
  std::string csv;
  std::optional<report::PerturbedInternal> internal;
};

struct PerturbOptions : RunOptions {
  // Takes rows as soon as they may leave. Without it a job that leaves_at_once() is refused, before the debit.
  std::function<Result<void>(std::string_view)> leave;
};

// Whether rows leave while others still come: nothing is then stored, and no error can take back what has left.
bool leaves_at_once(const Job&);

Result<PerturbedRelease> run_perturbation(const Job&, const PerturbOptions&);
Result<PerturbedRelease> run_perturbation_again(const Job&, const std::string& debit, const PerturbOptions&);

// What becomes of the columns of the source, by its header: no row is looked at.
struct PerturbedColumns {
  std::string time;                                // empty: there is none
  std::vector<std::string> kept, moved, left_out;  // as they are; moved, or changed in place; in no output
};
// Empty where the header cannot be known: of a stream, of rows without one, of a file that is not there yet. An error
// lists the columns unless they look like a row of data.
Result<std::optional<PerturbedColumns>> perturbed_columns(const Job&);

using PerturbChecked = CheckedJob<PerturbPlanned>;
Result<PerturbChecked> check_perturbation(const Job&, const RunOptions&, bool read_data);

}  // namespace chronoveil::engine
