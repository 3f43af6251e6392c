// Whether a clock may date a row of a budget that renews.
//
// Such a budget trusts the clock: a debit belongs to the period that the clock says. A clock that runs ahead would open
// a future period, with a budget of its own. No row is ever dated before an earlier one, so that no old period is
// opened again; so everything after it would be charged to that one period until the real clock gets there. Hence a
// debit far after the last row, or at a time outside the years of this software, is refused until somebody says that
// the clock is right. Rows that spend nothing (the state of a debit, the use of a run) are never refused: at such a
// time they are dated like the row before them.
//
// A dataset that got ahead all the same stays in that period until the clock passes it. This is safe: one period is
// charged instead of many. There is no way back, since that would open a period a second time.
#pragma once

#include <string>

#include "chronoveil/base/result.h"
#include "chronoveil/ledger/calendar.h"

namespace chronoveil::ledger {

// "1" in this variable of the environment says that the clock is right.
inline constexpr const char* kClockIsRight = "CHRONOVEIL_CLOCK_IS_RIGHT";

// By default the next row may be this much later than the last one: 100 days if the budget renews monthly, 400 if
// yearly. The first row must be of the years 2026 to 2045.
// `last`: when the last row was recorded; empty when there is none.
bool is_plausible(Renewal, const std::string& last, Instant clock);

// Why a debit is refused at that time.
Failure implausible(const std::string& dataset, const std::string& last, Instant clock);

}  // namespace chronoveil::ledger
