// The sums of cells on the page of a release.
#pragma once

#include <string>

#include "chronoveil/report/series/published.h"

namespace chronoveil::report {

// "All series, Sunday 1 March 2026: 302, between 290 and 315": the newest slot; empty for one series.
std::string newest_total(const Release&);

// What all series add up to: a chart by slot, and the sums over longer periods; groups and series over the whole span.
// Empty for a release without totals.
std::string totals_section(const Release&, const std::string& measure);

}  // namespace chronoveil::report
