// Time as the ledger records it. Time never decides whether a debit fits: it only labels rows, and never runs
// backwards.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "chronoveil/base/result.h"

namespace chronoveil::ledger {

using Instant = std::chrono::sys_time<std::chrono::milliseconds>;

// "2026-03-01T12:00:00.000Z": texts compare as their instants do.
std::string timestamp(Instant);

enum class Renewal { month, year };
std::string_view name(Renewal);
Result<Renewal> parse_renewal(std::string_view);

// The public period, in UTC, that a timestamp falls in: "2026-03" or "2026".
std::string period_of(Renewal, std::string_view timestamp);

}  // namespace chronoveil::ledger
