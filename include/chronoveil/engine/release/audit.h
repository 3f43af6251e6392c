// What the owner of a ledger asks of it: where it is, what is left, whether files beside it contradict it, and whether
// a release is what was debited.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/base/guarantee.h"
#include "chronoveil/ledger/ledger.h"

namespace chronoveil::engine {

// Where the ledger is: as given, or the user's own when empty.
Result<std::string> ledger_place(const std::string& given);

// The share of the filter that is left, in [0, 1]: of its tightest coordinate, or of the union's member with the most.
double share_left(const ledger::View&);
// "a gaussian with noise_multiplier >= 4.7, or a pure event with epsilon <= 0.5", or "nothing".
std::string still_admits(const ledger::View&);

// ---- Witnesses: what lies beside a ledger and names a debit of it: stored releases, the folders of live releases, the
// checkpoints and models of trainings. A ledger that lacks such a debit, or knows less of it, is older than these
// files: it was restored or cut short, and would give out a budget twice.

// One debit that a file beside the ledger names and the ledger does not have, or knows less of than the file does.
struct Contradiction {
  std::string path;
  ledger::DebitId debit;
  bool there = false;  // it is in the ledger
  // The file is one of ours and cannot be read. Only the dataset of its debit is known, and that it may be missing.
  bool unreadable = false;

  std::string text() const;
};

// All contradictions for a dataset, which may be missing from the ledger. Reads the head of each stored release and
// checkpoint, the state of each live release and the document of each model, nothing else; only plain files, and only
// what has the name and form of ours. A file of ours that is damaged or unreadable counts as a contradiction, never as
// absent. A folder that is there but cannot be listed is a storage error.
Result<std::vector<Contradiction>> contradictions(ledger::Ledger&, const std::string& ledger_place,
                                                  const std::string& dataset);
// The same for every dataset that the ledger or a file beside it knows.
Result<std::vector<Contradiction>> contradictions(ledger::Ledger&, const std::string& ledger_place);

// A storage error that names the first contradiction, if there is one.
// `but` is the path of one that may be unreadable: a live release whose state is damaged can still be closed.
Result<void> check_witnesses(ledger::Ledger&, const std::string& ledger_place, const std::string& dataset,
                             const std::string& but = "");
// The same for every dataset.
Result<void> check_witnesses(ledger::Ledger&, const std::string& ledger_place);

// ---- Claims: what a release JSON of any kind says of itself, held against the debit that it names. ----

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
