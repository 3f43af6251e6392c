// What the rows of a dataset amount to, kept beside them and written in the same transaction: how many there are, the
// hash of the last, and what they add up to. A chain cannot show that its end was cut off or that the database hands
// out fewer rows than it was given; a seal that does not fit the rows can.
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

// What was debited in each period: the sum of the costs, those of parts and of the whole dataset alike.
class Sums {
 public:
  void add(const std::string& period, const Cost&);
  // Canonical JSON: {"2026-03":{"delta":"0","values":["0.5"]}}; the period is "" when the budget does not renew.
  std::string text() const;

 private:
  std::map<std::string, Cost> by_period_;
};

// Whether the seal that was read is that of the rows that were read; `rows` is what it should be, without a signature.
// An error names the dataset and what does not fit.
Result<void> check_seal(const std::string& dataset, const Seal& rows, const std::optional<Seal>& read);

}  // namespace chronoveil::ledger
