// The facade that apps call: plan, debit, run, report.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/engine/job.h"
#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/plan/comparison.h"
#include "chronoveil/report/writers.h"

namespace chronoveil::engine {

struct RunOptions {
  std::string ledger;                                  // a path or URL; the user's own when empty
  bool confirmed = false;                              // --yes: a second debit for the same job and span is meant
  std::optional<std::uint64_t> seed;                   // not private; touches no ledger
  std::optional<mechanisms::Replay> replay;            // not private; touches no ledger
  std::function<void(const std::string&)> note_debit;  // called once the debit is durable, before data is read
  std::function<void(std::string_view stage, double done)> progress;
};

// From public facts only: the axis, the shape, every candidate, the choice.
struct Planned {
  SlotAxis axis;
  mechanisms::Request request;
  plan::Comparison comparison;
  mechanisms::SeriesPlan chosen;
  std::string reason;
};
Result<Planned> plan_job(const Job&);

// Validates job, columns, outputs and budget. No debit, no value is used.
struct Checked {
  Planned planned;
  std::string budget;  // what the ledger would say, in a sentence
};
Result<Checked> check_job(const Job&, const RunOptions&);

// Plan, debit, read and bound, measure, reconstruct, store, write the outputs.
Result<report::Published> run_job(const Job&, const RunOptions&);

// Emits a stored release anew: no debit, no data.
Result<report::Published> run_again(const Job&, const std::string& debit, const RunOptions&);

// The internal evaluation of a release (a release JSON) against the data. Reveals the data.
Result<report::Evaluation> evaluate_job(const Job&, const std::string& release_json);

}  // namespace chronoveil::engine
