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
  // What it does not say is not compared.
  std::optional<accounting::Event> event;
  std::optional<Unit> unit;
  std::optional<Relation> relation;
  std::optional<double> epsilon, delta;
  bool as_published = false;  // a paper's number, which our accountants do not certify
};

// bad_data for a release without a debit, and for an unknown event, unit or relation.
Result<ReleaseClaims> claims_of(std::string_view release_json);

// What the debit contradicts, in sentences:
//   digest    of everything that it says but its title: values, guarantee, assumptions, plan
//   event     the one that was debited
//   unit, relation   those that were debited: stated with the debit, or the dataset's
//   ε, δ      at least what the event costs
// `tied`: the ledger's row for "released" has a digest. Earlier versions wrote none, nor does a live release.
struct ClaimsHeld {
  std::vector<std::string> contradictions;
  bool tied = false;
};
ClaimsHeld held_against(const ReleaseClaims&, const ledger::Debit&, const ledger::Dataset&);

}  // namespace chronoveil::engine
