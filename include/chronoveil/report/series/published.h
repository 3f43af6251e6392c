// A published release with everything that explains it: the one input of every writer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chronoveil/base/release.h"
#include "chronoveil/ledger/room.h"
#include "chronoveil/mechanisms/series_mechanism.h"
#include "chronoveil/plan/comparison.h"

namespace chronoveil::report {

// How ε grows when the truth exceeds a declared cap.
struct CapGrowth {
  std::int64_t times = 1;  // the truth is this many times I
  double epsilon = 0;
};

// How many runs of a programme are used, by its jobs.
struct ProgrammeUse {
  struct OfJob {
    std::string name;
    std::int64_t used = 0, runs = 0;
  };
  std::vector<OfJob> jobs;
};

// What is left of the dataset's budget after the debit.
struct BudgetLeft {
  std::string dataset;
  double epsilon = 0, delta = 0;  // the dataset's total
  double fraction_left = 0;       // of the filter's binding order
  std::string still_admits;       // "a gaussian with noise_multiplier >= 2.9, ..."
  // For more releases like it, right after it was made; in no document.
  std::optional<ledger::Room> room = std::nullopt;
  // Of a run that takes a slot, which leaves the budget as it is; in no document either.
  std::optional<ProgrammeUse> programme = std::nullopt;
};

struct Published {
  std::string title;
  Release release;
  mechanisms::SeriesPlan plan;
  std::optional<plan::Comparison> comparison;
  std::string reason;                           // why this mechanism
  std::optional<ledger::DebitReference> debit;  // none when not private
  std::optional<BudgetLeft> budget;
  Basis caps = Basis::declared;            // enforced on records, declared for counts (BoundedSeries::caps)
  std::vector<CapGrowth> cap_growth;       // declared caps only
  std::vector<std::string> not_protected;  // sentences
};

}  // namespace chronoveil::report
