// The options of a run, the same for `run` and `release`, and the run itself.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "chronoveil/engine/look/look.h"
#include "chronoveil/engine/means/means.h"
#include "chronoveil/engine/perturb/perturb.h"
#include "chronoveil/engine/series/series.h"

namespace chronoveil::cli {

struct RunFlags {
  std::string ledger;
  bool yes = false;
  bool allow_empty = false;
  bool allow_uninformative = false;
  std::optional<std::string> again;
  bool dry_run = false;
  std::optional<std::string> seed;
  std::optional<std::string> noise_from;
  std::optional<std::string> keep_from;
};

void add_uninformative_flag(CLI::App& command, bool& allow);
void add_run_flags(CLI::App& command, RunFlags& flags);
// Those of a look, which has no intervals.
void add_look_flags(CLI::App& command, RunFlags& flags);
// Numbers to use instead of drawn noise and kept steps.
void add_replay_flags(CLI::App& command, RunFlags& flags);

// --analysis, which replaces what the job says.
void add_analysis_option(CLI::App& command, std::optional<std::string>& analysis);
Result<void> apply_analysis(const std::optional<std::string>& word, accounting::Analysis& analysis);

Result<engine::RunOptions> options_of(const RunFlags&);

// From now on, whatever ends the program says what has been spent; a debit that is taken up is named on stderr.
void watch_debit(engine::RunOptions&);

// What a run brought, and whether an earlier debit of the same job was taken up for it.
template <class Published>
struct Ran : Published {
  bool taken_up = false;
};

// Shows progress on a terminal, and says what has been spent, however it ends.
Result<Ran<report::Published>> run_with(const engine::Job&, const RunFlags&);
Result<Ran<report::MeansPublished>> run_means_with(const engine::Job&, const RunFlags&);
Result<Ran<engine::PerturbedRelease>> run_perturbation_with(const engine::Job&, const RunFlags&);

Result<Ran<report::Look>> run_look_with(const engine::Job&, const RunFlags&, engine::LookOptions);

}  // namespace chronoveil::cli
