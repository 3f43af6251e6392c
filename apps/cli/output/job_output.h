// What the commands around a job print, for people and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "chronoveil/engine/series/series.h"

namespace chronoveil::cli {

// The release JSON without its values: guarantee, plan, debit, budget, software.
nlohmann::ordered_json summary_json(const report::Published&);
// The same for a plan: guarantee, and plan with every candidate.
nlohmann::ordered_json plan_json(const engine::Job&, const engine::Planned&,
                                 const std::optional<engine::CapTable>& = std::nullopt);

// What is released and what is protected, in two lines.
std::string job_text(const engine::Job&, const engine::Planned&);
// Why a run would refuse the plan: no interval would say anything.
std::string nothing_text(const std::string& tells_nothing);
// The candidates as a table, and which one is chosen and why.
std::string plan_text(const engine::Job&, const engine::Planned&,
                      const std::optional<engine::CapTable>& = std::nullopt);
// ε, δ, what they hold for, and every assumption with who answers for it.
std::string guarantee_text(const Guarantee&);

// "2 of 57 runs of the programme used: 2 of 52 of weekly.toml, ..."
std::string programme_text(const report::ProgrammeUse&);
nlohmann::ordered_json programme_json(const report::ProgrammeUse&);
// Adds it to the budget of a summary, for a run that took a slot.
void add_programme(const std::optional<report::BudgetLeft>&, nlohmann::ordered_json& summary);
// Which debit paid, and what is left; empty if it is not private.
std::string debit_text(const std::optional<ledger::DebitReference>&, const std::optional<report::BudgetLeft>&);

// Where the files went.
// What `run` says of a release of counts.
std::string published_text(const engine::Job&, const report::Published&);
// The last words of a command that released something: on standard output. Where an output goes there, a release that
// was paid for is summed up on stderr: nothing is spent in silence. Not where the release JSON is there; it says all.
void print_summary(const engine::Job&, const std::string& text, bool paid);
void print_notes(const std::string& lines);
std::string outputs_text(const engine::Job&);
nlohmann::ordered_json outputs_json(const engine::Job&);

bool writes_to_stdout(const engine::Job&);
// Refuses --json if the job itself writes to standard output.
Result<void> check_room(const engine::Job&, bool json);

// What --dry-run prints: the plan and its guarantee.
Result<void> print_dry_run(const engine::Job&, bool json);

void print_json(const nlohmann::ordered_json&);

}  // namespace chronoveil::cli
