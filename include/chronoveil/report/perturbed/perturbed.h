// What was released about one series by its owner, as its documents need it. The rows themselves are in a CSV that is
// written as they leave; nothing here holds them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/mechanisms/temporal_mechanism.h"
#include "chronoveil/report/series/published.h"

namespace chronoveil::report {

// δ(ε) of the event, certified, from public parameters.
struct CurvePoint {
  double epsilon = 0;
  double delta = 0;
};

struct Perturbed {
  std::string title;
  std::string time;                  // the column of times; empty: rows have none
  std::vector<std::string> columns;  // that were perturbed
  std::vector<std::string> kept;     // public columns that stayed in place
  bool times_move = false;           // which view was asked for: rows keep their values and get new times
  std::int64_t rows = 0;             // as many as came in, which is public
  std::int64_t empty = 0;            // slots that were released empty
  std::string rows_digest;           // SHA-256 of the rows as CSV; empty where they left as a stream
  Guarantee guarantee;
  std::string mark;  // "seeded: not private", or empty
  mechanisms::TemporalPlan plan;
  std::string reason;          // why this mechanism
  mechanisms::Moves expected;  // of the law, not of this release
  std::vector<CurvePoint> curve;
  std::vector<std::string> not_protected;
  std::optional<ledger::DebitReference> debit;
  std::optional<BudgetLeft> budget;
};

// title, view, time, columns, kept, rows, empty, rows_sha256, guarantee, plan, expected, curve, debit, budget,
// software; what is not private begins with a mark. `view` says what moves: "values" or "times".
std::string perturbed_json(const Perturbed&);
Result<Perturbed> perturbed_from_json(std::string_view);

// A self-contained page: what was released, how far values move by the law, what is protected and what is not, the
// certified curve and a paper's point. `csv` is the released file, where it is beside the page, or empty. Light and
// dark, phone and print, no script, nothing fetched.
std::string perturbed_html(const Perturbed&, const std::string& csv = "");

// The two drawings of that page, the law and the curve, as one SVG that stands alone.
std::string perturbed_svg(const Perturbed&);

// What only the owner may see: it undoes part of the protection, or shows the data.
struct PerturbedInternal {
  mechanisms::Moves realised;  // of this release
  struct Column {
    std::string name;
    bool numeric = false;
    std::int64_t range = 0;  // steps of the moving average
    // Thinned for drawing: (step, average before, average after); of numeric columns.
    struct Average {
      std::int64_t step = 0;
      double before = 0, after = 0;
    };
    std::vector<Average> averages;
    double average_error = 0;  // root mean square of the difference of both averages, over all steps
    // The most frequent values: text, count before, count after; of columns with few different values.
    struct Count {
      std::string value;
      std::int64_t before = 0, after = 0;
    };
    std::vector<Count> counts;
  };
  std::vector<Column> columns;
};
// How far values moved, beside what the law says; averages and counts before and after. Marked internal on every page.
std::string perturbed_internal_html(const Perturbed&, const PerturbedInternal&);

}  // namespace chronoveil::report
