// Everything that is published with means per place and slot, and the files that are made of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/means_release.h"
#include "chronoveil/mechanisms/cell_mechanism.h"
#include "chronoveil/plan/means_comparison.h"
#include "chronoveil/report/series/published.h"

namespace chronoveil::report {

struct MeansPublished {
  std::string title;
  std::string measure;  // what is averaged, in words; by default the name of the value's column
  MeansRelease release;
  mechanisms::CellsPlan plan;
  std::optional<plan::MeansComparison> comparison;
  std::string reason;                           // why this mechanism
  std::optional<ledger::DebitReference> debit;  // none when not private
  std::optional<BudgetLeft> budget;
  std::vector<std::string> not_protected;  // sentences
};

// place,slot,mean,lower,upper; one row per public cell, the last three fields empty where nothing is published. A
// single place without a name is empty. Smoothed means have further columns `measured` and `deviation`; what is not
// private has a column `mark`; then follow, on a grid, the longitude and latitude of the middle of the place.
std::string means_csv(const MeansPublished&);

// cells, guarantee, plan, debit, software; means_from_json(means_json(x)) gives back what CSV and report need.
std::string means_json(const MeansPublished&);
Result<MeansPublished> means_from_json(std::string_view);

// A self-contained page: the map of cells coloured by mean, the strip by slot, the table, the guarantee and what it
// does not cover. Light and dark, phone and print, no script, nothing fetched.
// `csv` is the name of the CSV beside it, which it links to; empty where there is none.
std::string means_html(const MeansPublished&, const std::string& csv = "");

// Every public cell as a feature with the outline of its place, for maps; document/geojson.h says what outlines are.
std::string means_geojson(const MeansPublished&, const std::vector<std::string>& outlines);
// The map of the page as an SVG that stands alone.
std::string means_svg(const MeansPublished&);

// The internal evaluation: truth against release. Watermarked "internal: reveals the data".
struct MeansEvaluation {
  MeansPublished published;
  std::vector<double> truth;  // the mean of every cell before caps and clamping, place * T + slot; NaN without records
  std::vector<std::int64_t> users;  // of every cell, before caps
  std::int64_t rows = 0, outside_span = 0, unlisted_places = 0, over_cells = 0, over_records = 0, clamped = 0;
};
// Over the cells that are published and have a truth. Coverage: the share of truths within [lower, upper].
struct MeansErrors {
  std::int64_t cells = 0;
  double mean_absolute = 0, root_mean_square = 0, coverage = 0;
};
MeansErrors errors_of(const MeansEvaluation&);
std::string evaluation_html(const MeansEvaluation&);
std::string evaluation_json(const MeansEvaluation&);

}  // namespace chronoveil::report
