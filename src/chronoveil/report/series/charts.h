// The charts of a release: one large one, or the first twelve of the public list, then all of them as a map.
#pragma once

#include <span>
#include <string>

#include "chronoveil/base/release.h"

namespace chronoveil::report {

inline constexpr std::size_t kMostCharts = 12;
inline constexpr std::size_t kMostTableRows = 1000;

// `truth` is empty in anything that is published.
std::string series_charts(const Release&, std::span<const double> truth = {});

// Mean, greatest value and usual half width of the interval, one row per series; empty for one series, whose chart
// shows them.
std::string summary_table(const Release&);

}  // namespace chronoveil::report
