// Whether a clock may date a row of a budget that renews.
//
// Such a budget trusts the clock: a debit belongs to the period that it says. A clock that runs ahead would open a
// period that is not there yet, with a budget of its own; and because no row is ever dated before the row that it
// follows, which is what keeps an old period from being opened again, everything after it would be charged to that one
// period until the real clock gets there. So a debit at a time far after the last row, or that no clock shows while
// this software is in use, is refused until somebody says that the clock is right. Rows that spend nothing (what became
// of a debit, that a use of a run is gone) are never refused: at such a time they are dated like the row before them.
//
// Where a dataset got ahead all the same it stays in that latest period: that is safe, one period is charged instead of
// many, and it ends when the clock passes it. There is no way back, since that would open a period a second time.
#pragma once

#include <string>

#include "chronoveil/base/result.h"
#include "chronoveil/ledger/calendar.h"

namespace chronoveil::ledger {

// "1" in this variable of the environment says that the clock is right.
inline constexpr const char* kClockIsRight = "CHRONOVEIL_CLOCK_IS_RIGHT";

// Without a word, the next row may be this much later than the last one: 100 days where a budget renews by the month,
// 400 where it does by the year. The first row must be of the years 2026 to 2045.
// `last`: when the last row was recorded; empty when there is none.
bool is_plausible(Renewal, const std::string& last, Instant clock);

// Why a debit is refused at that time.
Failure implausible(const std::string& dataset, const std::string& last, Instant clock);

}  // namespace chronoveil::ledger
