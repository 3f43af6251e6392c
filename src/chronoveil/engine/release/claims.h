// What a release JSON of any kind says of itself, held against the debit that it names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/base/guarantee.h"
#include "chronoveil/ledger/ledger.h"

namespace chronoveil::engine {

struct ReleaseClaims {
  ledger::DebitReference debit;
  std::string digest;  // report/document/digest.h
  // What it does not say is not held against anything.
  std::optional<accounting::Event> event;
  std::optional<Unit> unit;
  std::optional<Relation> relation;
  std::optional<double> epsilon, delta;
  bool as_published = false;  // a paper's number, which no accountant of ours stands for
};

// bad_data for what has no debit, and for an event, unit or relation that there is not.
Result<ReleaseClaims> claims_of(std::string_view release_json);

// What of it the debit contradicts, in sentences:
//   digest    of everything that it says but its title: values, guarantee, assumptions, plan
//   event     the one that was debited
//   unit, relation   those that were debited: stated with the debit, or the dataset's
//   ε, δ      no less than what the event costs
// `tied` where the row that says released has a digest. Earlier versions wrote none, nor does a live release.
struct ClaimsHeld {
  std::vector<std::string> contradictions;
  bool tied = false;
};
ClaimsHeld held_against(const ReleaseClaims&, const ledger::Debit&, const ledger::Dataset&);

}  // namespace chronoveil::engine
