// Checking a ledger after the fact: the chain, the price of every row, and that each fitted when it was admitted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/ledger/debit.h"
#include "chronoveil/ledger/proof/entry.h"
#include "chronoveil/ledger/proof/seal.h"
#include "chronoveil/ledger/proof/signing.h"

namespace chronoveil::ledger {

struct Finding {
  std::string dataset;
  std::int64_t sequence = 0;
  std::string message;
};

// A debit that may rest on a defect of its version of the analysis (known_defects.h). The chain is valid all the same.
struct Affected {
  DebitId debit;
  std::string defect;  // "CV-2"
  std::string summary;
};

struct Verification {
  std::int64_t datasets = 0;
  std::int64_t rows = 0;
  std::int64_t debits = 0;
  std::vector<Finding> findings;
  std::vector<Affected> affected;

  bool holds() const { return findings.empty(); }
};

// Reads the rows of one dataset from the first on. A broken chain ends the reading: what follows proves nothing. A
// debit that costs more when priced again does not end it.
//   each row continues the chain, is dated no earlier than the row before, and is allowed after it
//   the stored budget is no larger than what (ε, δ) implies
//   each stored cost is no less than what its event costs when priced again (to 1e-9, for another machine's logarithm)
//   each debit fitted what the filter would still admit; each event in a slot was dominated by the slot's
//   the seal is exactly that of these rows
//   the uses of a run follow each other without a gap, are no more than were reserved, and end when it is settled
void verify_dataset(const std::string& dataset, const std::vector<Entry>&, const std::optional<Seal>&, Verification&);

// Whether the signature of a seal, if any, is valid; with a key, whether there is one by that key.
void verify_signature(const std::string& dataset, const std::optional<Seal>&, const std::optional<PublicKey>&,
                      Verification&);

// Whether the row that a release refers to is among the rows.
void verify_reference(const DebitReference&, const std::vector<Entry>&, Verification&);

}  // namespace chronoveil::ledger
