// The charts of a release: one large one, or the first twelve of the public list, then all of them as a map.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "chronoveil/report/draw/chart.h"
#include "chronoveil/report/series/published.h"

namespace chronoveil::report {

inline constexpr std::size_t kMostCharts = 12;
inline constexpr std::size_t kMostTableRows = 1000;

// What a value is: "Count per week".
std::string measure_of(const Published&);

// The release must outlive them.
std::vector<Chart> charts_of(const Release&, const std::string& measure, std::span<const double> truth = {});

// With the numbers behind each chart; `csv` is the file beside the page that has all of them, or empty. `truth` is
// empty in anything that is published.
std::string series_charts(const Published&, const std::string& csv, std::span<const double> truth = {});

// Mean, usual half width of the interval and the greatest value where it is clear, one row per series; empty for one
// series, whose chart shows them.
std::string summary_table(const Release&);

}  // namespace chronoveil::report
