// What lies beside a ledger and names a debit of it: stored releases, the folders of live releases, the checkpoints and
// models of trainings. A ledger that lacks such a debit, or knows less of it, is older than these files: it was
// restored or cut short, and would give out a budget twice.
#pragma once

#include <string>
#include <vector>

#include "chronoveil/ledger/ledger.h"

namespace chronoveil::engine {

// One debit that a file beside the ledger names and the ledger does not have, or knows less of than the file does.
struct Contradiction {
  std::string path;
  ledger::DebitId debit;
  bool there = false;  // it is in the ledger

  std::string text() const;
};

// All contradictions for a dataset, which may be missing from the ledger. Reads the head of each stored release and
// checkpoint, the state of each live release and the document of each model, nothing else; only plain files, and only
// what has the name and form of ours. A folder that is there but cannot be listed is a storage error.
Result<std::vector<Contradiction>> contradictions(ledger::Ledger&, const std::string& ledger_place,
                                                  const std::string& dataset);
// The same for every dataset that the ledger or a file beside it knows.
Result<std::vector<Contradiction>> contradictions(ledger::Ledger&, const std::string& ledger_place);

// A storage error that names the first contradiction, if there is one.
Result<void> check_witnesses(ledger::Ledger&, const std::string& ledger_place, const std::string& dataset);
// The same for every dataset.
Result<void> check_witnesses(ledger::Ledger&, const std::string& ledger_place);

}  // namespace chronoveil::engine
