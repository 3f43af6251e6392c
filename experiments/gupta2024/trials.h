// Many releases of the same cells by one mechanism, with seeds of their own, and how far off they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/mechanisms/parameters.h"
#include "gupta2024/datasets.h"

namespace chronoveil::gupta2024 {

// A mechanism of the catalogue with its parameters; `label` is its name in the tables.
struct Contender {
  std::string label, mechanism;
  mechanisms::Parameters parameters = {};
  accounting::Analysis analysis = accounting::Analysis::certified;
  std::optional<std::int64_t> max_records = {};  // where counts are private
};

// Those that need public counts, and those that protect them, too, with each cap of the dataset.
std::vector<Contender> for_public_counts();
std::vector<Contender> for_private_counts(const Dataset&);

struct Outcome {
  double charged = 0;  // ε of what happens, as the certified analysis has it
  double scale = 0;    // b of the noise of a mean at its stated sensitivity; over several cells, their mean
  double error = 0;    // |released − mean of all records|, over cells and runs
  double spread = 0;   // of a run's error (over several cells: of their mean)
  double bias = 0;     // released − mean of all records
};
// δ = 0, every cell on its own with all of ε. Released values are cut to the bounds, as in every release; a cell that
// is not published, its noisy count being too small, counts as the middle of the bounds.
Result<Outcome> run_trials(const Dataset&, const Contender&, double epsilon, int trials);

}  // namespace chronoveil::gupta2024
