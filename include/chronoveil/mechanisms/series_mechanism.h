// The interface of every mechanism for series: prepared from public facts, measured once with a receipt, reconstructed
// by post-processing. Each is one row of catalogue.h. No data type is named here, so that a plan can include this.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/base/guarantee.h"
#include "chronoveil/base/measurement.h"
#include "chronoveil/mechanisms/parameters.h"

namespace chronoveil::bound {
class BoundedSeries;
}

namespace chronoveil::mechanisms {

class CountMemory;
class Draws;
class LiveProcess;
struct SumsAsked;
struct Summed;

// The public facts that fix a sensitivity.
struct PublicShape {
  std::int64_t series = 1;
  std::int64_t steps = 0;  // T, of each series
  Unit unit = Unit::user;
  Relation relation = Relation::add_remove;
  std::int64_t width = 1;              // w, for unit w-event
  std::int64_t max_steps = 0;          // I, for unit user: pairs (series, slot) per person over all series
  std::int64_t max_per_slot = 1;       // c
  std::int64_t maximum = 100'000'000;  // counts are clamped to [0, maximum]

  // Values that one neighbour can change: I, 1 or w, doubled for replacement, and at most all values. Each changes by
  // at most c (for event and w-event: a slot changes by at most c over all series together).
  std::int64_t changes() const;
  // Series that one neighbour can touch: one per changed cell for user, else one per changed count (n c).
  std::int64_t touched() const;
  double l1() const;  // changes() c
  double l2() const;  // c √changes(), rounded up
};

struct Request {
  PublicShape shape;
  double epsilon = 0;
  double delta = 0;
  accounting::Analysis analysis = accounting::Analysis::certified;
  Parameters parameters;
  double level = 0.95;  // of the intervals
};

// Everything that will happen, from public facts only: what is debited, run and printed.
struct SeriesPlan {
  std::string mechanism;
  PublicShape shape;
  Parameters parameters;  // all of the mechanism's, defaults filled in
  double level = 0.95;
  NoiseKind noise = NoiseKind::gaussian;
  double scale = 0;           // b or σ, in counts: exactly what is drawn
  double grid = 1;            // the step of the values, a power of two
  double sensitivity = 0;     // L1 (Laplace) or L2 (Gaussian) of what is measured, rounding included
  std::int64_t measured = 0;  // values measured in all (expected number if sampled, largest if live)
  // Of weighted sums of counts: the weights that were priced, and that run, whatever a later version would make of the
  // parameters. Empty: none.
  std::vector<double> weights = {};
  double delta = 0;  // the δ at which `price` holds
  accounting::Event event;
  accounting::Price price;
};

// What a measurement holds: counts, each with independent noise of the plan's scale, or something else.
enum class Measured { otherwise, counts_by_series, counts_by_step };

struct SeriesMechanism {
  std::string_view name;
  std::string_view summary;    // one line
  std::vector<Unit> units;     // that it protects
  bool needs_delta = false;    // runs only with δ > 0
  bool has_published = false;  // `--analysis published` differs
  bool keeps_steps = false;    // measures a random subset of the steps
  bool totals = false;         // the value of a step estimates the sum of its series up to that step
  Measured measured = Measured::otherwise;
  std::vector<ParameterInfo> parameters = {};
  // Calibrates. Errors: usage if the request does not fit, cannot_certify if it cannot be certified.
  Result<SeriesPlan> (*prepare)(const Request&) = nullptr;
  // Measures `counts`, series-major integers in [0, maximum]. Called through measure() below.
  Result<Measurement> (*measure)(const SeriesPlan&, std::span<const std::int64_t> counts, Draws&) = nullptr;
  // Post-processing: a value and an interval for every step.
  Result<Estimate> (*reconstruct)(const SeriesPlan&, const Measurement&) = nullptr;
  // The same with what sums of cells are made of; see sums.h. Null: follows from `measured`.
  Result<Summed> (*reconstruct_summed)(const SeriesPlan&, const Measurement&, const SumsAsked&) = nullptr;
  // Steps as they come; see live.h. Null: the mechanism needs the whole series. `causal`: the whole series does not
  // help, so measure and reconstruct are measure_live and reconstruct_live.
  Result<std::unique_ptr<LiveProcess>> (*go_live)(const SeriesPlan&) = nullptr;
  bool causal = false;
  // Of a live mechanism that asks for weighted sums of counts so far: what remembers them. Null: it asks for counts.
  std::unique_ptr<CountMemory> (*remember)(const SeriesPlan&) = nullptr;
  // For plans to compare by, where a step is not one draw of the plan's scale. `step_scale`: the scale of a draw.
  // `step_spread`: how many times the standard deviation of a draw a step has that is the sum of many.
  double (*step_scale)(const SeriesPlan&) = nullptr;
  double (*step_spread)(const SeriesPlan&) = nullptr;
};

// The ratio of scale to sensitivity that an event of a series mechanism promises; empty for other events. For Pure{ε}:
// 1/ε, as for a Laplace release with all of ε.
std::optional<double> noise_multiplier(const accounting::Event&);

// Checks that what is drawn is what the event says: a plan that was tampered with is not run.
Result<void> check_noise(const SeriesPlan&);

// Runs the mechanism of the plan. `draws` proves that its event was debited, once, or marks the result as not
// private; draws that continue a run are for live steps and are refused.
Result<Measurement> measure(const SeriesPlan&, const bound::BoundedSeries&, Draws& draws);
Result<Estimate> reconstruct(const SeriesPlan&, const Measurement&);
Result<Summed> reconstruct(const SeriesPlan&, const Measurement&, const SumsAsked&);

}  // namespace chronoveil::mechanisms
