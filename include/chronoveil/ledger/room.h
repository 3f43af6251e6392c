// How far a budget goes, counted in debits: that is understood before any filter is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "chronoveil/ledger/debit.h"

namespace chronoveil::ledger {

// Debits are counted up to this many.
inline constexpr std::int64_t kMostCounted = 10'000;

// What a debit lacks: shares of what it comes nearest to fitting into.
struct Lack {
  double asked = 0, left = 0;
  bool of_delta = false;  // of δ for such events, not of the budget
};

// What a debit means to a budget.
struct Room {
  // How many like it would be admitted from now on, one after the other, with nothing else in between; kMostCounted + 1
  // stands for more than kMostCounted. Each debit is charged its price of today, and sums are exact, so that many are
  // admitted and the next one is refused.
  std::int64_t more = 0;
  // The share of the whole budget that one takes (share_of), or 1 where the first debit may take everything.
  double share = 0;
  // Only where nothing was debited yet, so that the dataset can still be made anew, and where the share matters:
  // another kind of filter that would charge at most half of it, and the share that it would charge.
  std::optional<std::pair<FilterKind, double>> thriftier = std::nullopt;
  std::optional<Lack> lack = std::nullopt;  // where none fits
};

// "12", or "more than 10,000".
std::string count_text(const Room&);
// "8.4 %", rounded up, or "more than 10 times the whole".
std::string share_text(double share);

// "takes 35.2 % of the budget; 24.9 % is left".
std::string text(const Lack&);
// "this job takes 8.4 % of the budget, and 11 like it would fit", and how it would take less; or what it lacks.
std::string text(const Room&);

// The last debit of a dataset, and the room for more of it.
struct LikeLast {
  DebitId last;
  std::string purpose;
  std::optional<double> epsilon;  // what it costs alone, as the dataset is charged for it; empty if it has no price
  double delta = 0;               // at which; 0 if the ε holds at any δ
  Room room;
};

// "room for 12 more releases like the last one, city:7 (ε = 1, δ = 1e-06)".
std::string text(const LikeLast&);

}  // namespace chronoveil::ledger
