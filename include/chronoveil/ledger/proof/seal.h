// The seal of a dataset's rows, kept beside them and written in the same transaction: their number, the hash of the
// last, and their sums. A chain cannot show that its end was cut off or that the database returns fewer rows than it
// was given; a seal that does not fit the rows can.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/ledger/filters/filter.h"
#include "chronoveil/ledger/proof/entry.h"

namespace chronoveil::ledger {

struct Seal {
  std::int64_t length = 0;  // rows
  std::string head;         // the hash of the last
  std::string sums;         // Sums::text()
  std::string signature;    // empty unless signed

  bool operator==(const Seal&) const = default;
};

// What was debited in each period: the sum of all costs, of parts and of the whole dataset alike.
class Sums {
 public:
  void add(const std::string& period, const Cost&);
  // Canonical JSON: {"2026-03":{"delta":"0","values":["0.5"]}}; the period is "" when the budget does not renew.
  std::string text() const;

 private:
  std::map<std::string, Cost> by_period_;
};

// Checks the stored seal against `rows`, the seal that the rows have, without a signature. An error names the dataset
// and what does not fit.
Result<void> check_seal(const std::string& dataset, const Seal& rows, const std::optional<Seal>& read);

}  // namespace chronoveil::ledger
