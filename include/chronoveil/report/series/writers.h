// A release as files. Each function returns the whole text; base/system/atomic_file.h writes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/report/series/published.h"

namespace chronoveil::report {

// series,time,value,lower,upper,sampled; no series column for one series without a name. A release that is not private
// has a column `mark` that says so in every row. On a grid then follow the longitude and latitude of the middle.
std::string to_csv(const Published&);

// Every public cell as a feature with the outline of its place, for maps; document/geojson.h says what outlines are.
std::string to_geojson(const Published&, const std::vector<std::string>& outlines);

// of,name,per,start,end,value,lower,upper: the sums of cells, the longest periods first. Empty if there are none.
std::string totals_csv(const Published&);

// series, guarantee, plan, debit, software; numbers as the shortest decimals that read back. from_json(to_json(x))
// gives back what the CSV and the report need, so that a stored release can be emitted anew.
std::string to_json(const Published&);
Result<Published> from_json(std::string_view);

// A self-contained page with inline SVG: light and dark, phone and print, no script, nothing fetched. `csv` is the name
// of the CSV beside it, which it links to; empty where there is none.
std::string to_html(const Published&, const std::string& csv = "");

// The charts of the page as one SVG that stands alone.
std::string to_svg(const Published&);

// The internal evaluation: truth against release. Watermarked "internal: reveals the data".
struct Evaluation {
  Published published;
  std::vector<double> truth;    // what the data says before caps and clamping, series-major
  std::vector<double> bounded;  // what the mechanism saw
  std::int64_t rows = 0, outside_span = 0, unlisted_series = 0, over_caps = 0, clamped = 0;
};
// Over all steps of all series. Relative: |value - truth| / max(|truth|, 1). Coverage: the share of truths within
// [lower, upper]. No steps: all zero.
struct Errors {
  double mean_absolute = 0, root_mean_square = 0, mean_relative = 0, coverage = 0;  // against the truth
  double mean_absolute_bounded = 0, coverage_bounded = 0;                           // against what the mechanism saw
};
Errors errors_of(const Evaluation&);
std::string evaluation_html(const Evaluation&);
std::string evaluation_json(const Evaluation&);

}  // namespace chronoveil::report
