// One row of the ledger, and the hash that ties it to the row before.
// Every dataset has its own chain: row 0 creates it, the row numbered n + 1 carries the hash of row n. The hash is
// SHA-256 over these lines, so any tool can check it:
//   chronoveil-ledger-1, previous, dataset, sequence, recorded_at, recorded_by, kind, body
// joined by line feeds; no field contains one. The row before the first has the hash "" (nothing).
#pragma once

#include <cstdint>
#include <string>

#include "chronoveil/base/result.h"

namespace chronoveil::ledger {

struct Entry {
  std::string dataset;
  std::int64_t sequence = 0;
  std::string recorded_at;  // UTC, "2026-03-01T12:00:00.000Z"; never before an earlier row's
  std::string recorded_by;
  std::string kind;  // create, debit, slot, drawing, use, state, moved, opened
  std::string body;  // canonical JSON
  std::string previous;
  std::string hash;

  bool operator==(const Entry&) const = default;
};

std::string sha256_hex(const std::string& text);
std::string hash_of(const Entry&);

// Appends to a chain whose last row has this hash.
Entry linked(Entry, std::int64_t sequence, const std::string& previous);

// An error names the row, never what is in it.
Result<void> check_link(const Entry&, std::int64_t sequence, const std::string& previous);

}  // namespace chronoveil::ledger
