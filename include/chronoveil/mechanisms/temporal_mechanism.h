// Mechanisms for a series that its owner releases: those that move values in time without changing them, and for
// comparison those that change values without moving them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/base/guarantee.h"
#include "chronoveil/mechanisms/parameters.h"

namespace chronoveil {
class DrawRight;
}

namespace chronoveil::mechanisms {

class Draws;

// The longest series for unit user: times the largest number of lanes it is far below overflow.
inline constexpr std::int64_t kLongestSeries = std::int64_t{1} << 36;

// Public facts. Nothing here is data.
struct TemporalRequest {
  std::int64_t window = 0;  // k; for mechanisms that move values
  double epsilon = 0;
  double delta = 0;
  accounting::Analysis analysis = accounting::Analysis::certified;
  std::int64_t lanes = 1;  // 1: all columns move together; else each column on its own, and their costs add up
  bool streams = false;    // values must leave while others still come
  // For mechanisms that change values:
  Unit unit = Unit::event;              // one value, or with `length` all of them
  std::optional<std::int64_t> length;   // T, public, up to kLongestSeries; needed for unit user
  std::optional<double> lower, upper;   // public bounds of a number
  std::vector<std::string> categories;  // public, of randomized_response
  Parameters parameters;
};

struct TemporalPlan {
  std::string mechanism;
  std::int64_t window = 0;  // 0 where values are changed
  std::int64_t lanes = 1;
  Unit unit = Unit::event;
  std::optional<std::int64_t> length;
  std::optional<double> lower, upper;
  std::vector<std::string> categories;
  Parameters parameters;  // all of the mechanism's, defaults filled in, calibrated ones as numbers
  Relation relation = Relation::swap;
  double delta = 0;         // at which `price` holds
  accounting::Event event;  // of all lanes; exactly what runs
  accounting::Price price;  // with `nominal` where a paper has another number
};

// A value and where in the series it was; `step` is never published.
struct TimedValue {
  std::string text;
  std::int64_t step = 0;
};
// What leaves, in order: the n-th that leaves is released for step n. Empty: the slot stays empty.
using Released = std::optional<TimedValue>;

// One lane at work. Errors start with the parameter to blame, or are about the last value; they never quote it, and the
// caller knows its row.
class TemporalProcess {
 public:
  virtual ~TemporalProcess() = default;
  virtual Result<void> push(TimedValue, DrawRight&, std::vector<Released>& out) = 0;
  // After the last value. Returns how many values are missing (only threshold loses any).
  virtual Result<std::int64_t> finish(DrawRight&, std::vector<Released>& out) = 0;
};

struct TemporalMechanism {
  std::string_view name;
  std::string_view summary;    // one line
  bool moves = true;           // values move and do not change; otherwise the reverse
  bool certified = true;       // there is a certified price; otherwise only `--analysis published`
  bool has_published = false;  // `--analysis published` differs
  std::vector<ParameterInfo> parameters = {};
  // Calibrates. Errors: usage if it does not fit; cannot_certify, naming the smallest δ, if nothing reaches (ε, δ).
  Result<TemporalPlan> (*prepare)(const TemporalRequest&) = nullptr;
  // The event of a run of the plan, from its public facts and parameters; an ε that is no parameter comes from
  // plan.event.
  Result<accounting::Event> (*event)(const TemporalPlan&) = nullptr;
  Result<std::unique_ptr<TemporalProcess>> (*start)(const TemporalPlan&) = nullptr;  // of one lane
};

// One run of a plan, all its lanes. `draws` proves that its event was debited, once, or marks the result as not
// private; it must outlive this.
class Perturbation {
 public:
  // Checks that what is drawn is what the event says: a plan that was tampered with is not run.
  static Result<Perturbation> start(const TemporalPlan&, Draws& draws);
  Result<void> push(std::size_t lane, TimedValue value, std::vector<Released>& out);
  // One series is one run: a lane takes nothing after this.
  Result<std::int64_t> finish(std::size_t lane, std::vector<Released>& out);
  // When all lanes are finished: nothing more is drawn.
  void close();

 private:
  Perturbation() = default;
  Draws* draws_ = nullptr;
  std::vector<std::unique_ptr<TemporalProcess>> lanes_;
};

// What a release under the plan promises, with the assumptions that it rests on.
Guarantee temporal_guarantee(const TemporalPlan&);
// What is not protected, in sentences.
std::vector<std::string> not_protected(const TemporalPlan&);

// How far values move under a plan: a function of the plan alone (a run of `steps` made-up values from a fixed seed),
// so that it may be published. The actual moves of a release must not be published: they say more about the order than
// was priced.
struct Moves {
  std::int64_t first = 0;         // the displacement (released minus original step) of shares[0]
  std::vector<double> shares;     // of all values, by displacement
  double mean_distance = 0;       // of the values that are released
  double missing = 0, empty = 0;  // shares of the steps
  // Per value: mean distance + window * (missing + empty), [Ye23] with D = 1, M = E = k. The paper's term for repeated
  // values is 0 here: no law repeats one, since a value goes to one slot and a slot leaves once.
  double cost = 0;
  // Standard errors of mean_distance, of missing and empty, and of cost; 0 for what was counted, not estimated.
  double distance_error = 0, missing_error = 0, cost_error = 0;
};
// Enough for shares to hold to a tenth of a percent, and most means to two or three digits.
inline constexpr std::int64_t kMadeUpValues = 2'000'000;
// `rows`, public too, is the length of the series. If values would move farther than that, or get lost at an end, runs
// of that length are made instead, ends included, as many as `steps` takes. Without it there are no shares for a sort
// that moves values by many thousands of steps.
Result<Moves> expected_moves(const TemporalPlan&, std::int64_t steps = kMadeUpValues, std::uint64_t seed = 1,
                             std::optional<std::int64_t> rows = std::nullopt);
// What may be shown: distance, missing, empty and cost rounded to the digits that hold, to within one in the last, but
// at least one digit; shares are unchanged.
Moves to_what_holds(Moves);
// The same for what was released: displacements, and how many are missing and empty among `steps`.
class MoveCount {
 public:
  void add(std::int64_t released_at, const Released&);
  Moves moves(std::int64_t steps, std::int64_t missing, std::int64_t window) const;

 private:
  std::vector<std::int64_t> behind_, ahead_;  // by distance
  std::int64_t empty_ = 0;
};

}  // namespace chronoveil::mechanisms
