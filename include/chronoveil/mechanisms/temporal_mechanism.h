// Mechanisms for one series of its owner: those that move values in time and leave them as they are, and for comparison
// those that change values and leave them in time.
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

// The most values of a series for unit user: times the most lanes, far below overflow.
inline constexpr std::int64_t kLongestSeries = std::int64_t{1} << 36;

// Public facts. Nothing here is data.
struct TemporalRequest {
  std::int64_t window = 0;  // k; of the mechanisms that move values
  double epsilon = 0;
  double delta = 0;
  accounting::Analysis analysis = accounting::Analysis::certified;
  std::int64_t lanes = 1;  // 1: all columns move together; else each column on its own, and their costs add up
  bool streams = false;    // values must leave while others still come
  // Of the mechanisms that change values:
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
  Parameters parameters;  // every one of the mechanism's, defaults filled in, calibrated ones as numbers
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
// What leaves, in order: the n-th that leaves is released for step n. Nothing: a slot that stays empty.
using Released = std::optional<TimedValue>;

// One lane at work. Errors start with the parameter that is to blame, or are about the value pushed last; they never
// quote it, and the caller knows its row.
class TemporalProcess {
 public:
  virtual ~TemporalProcess() = default;
  virtual Result<void> push(TimedValue, DrawRight&, std::vector<Released>& out) = 0;
  // After the last value. The number that are missing (threshold alone has any).
  virtual Result<std::int64_t> finish(DrawRight&, std::vector<Released>& out) = 0;
};

struct TemporalMechanism {
  std::string_view name;
  std::string_view summary;    // one line
  bool moves = true;           // values stay what they are; otherwise their times do
  bool certified = true;       // there is a certified price; otherwise only `--analysis published`
  bool has_published = false;  // `--analysis published` differs
  std::vector<ParameterInfo> parameters = {};
  // Calibrates. usage for what does not fit; cannot_certify where no parameters reach (ε, δ), naming the smallest δ.
  Result<TemporalPlan> (*prepare)(const TemporalRequest&) = nullptr;
  // The event that a run of the plan is, from its public facts and parameters; an ε that is no parameter is the
  // event's.
  Result<accounting::Event> (*event)(const TemporalPlan&) = nullptr;
  Result<std::unique_ptr<TemporalProcess>> (*start)(const TemporalPlan&) = nullptr;  // of one lane
};

// One run of a plan, all its lanes. `draws` proves that its event was debited, once, or marks the result as not
// private; it must outlive this.
class Perturbation {
 public:
  // What is drawn must be what the event says: a plan that was tampered with is not run.
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
// so that it may be published. What really happened in a release must not be: it says more about the order than was
// priced.
struct Moves {
  std::int64_t first = 0;         // displacement (released minus original step) of shares[0]
  std::vector<double> shares;     // of all values, by displacement
  double mean_distance = 0;       // of the values that are released
  double missing = 0, empty = 0;  // shares of the steps
  // A value: mean distance + window * (missing + empty), [Ye23] with D = 1, M = E = k. The paper's cost has a term for
  // repeated values too: by none of the laws is there any, since a value goes to one slot and a slot leaves once.
  double cost = 0;
  // Standard errors of mean_distance, of missing and of empty, and of cost; 0 of what was counted, not estimated.
  double distance_error = 0, missing_error = 0, cost_error = 0;
};
// So many that shares hold to a tenth of a percent, and most means to two or three digits.
inline constexpr std::int64_t kMadeUpValues = 2'000'000;
// `rows`, public too, are those of the series: where values would move farther than there are rows, or get lost at an
// end, as many runs of that length instead as `steps` takes, ends included. Without them, there are no shares of a sort
// that moves values by many thousands of steps.
Result<Moves> expected_moves(const TemporalPlan&, std::int64_t steps = kMadeUpValues, std::uint64_t seed = 1,
                             std::optional<std::int64_t> rows = std::nullopt);
// What may be shown: distance, missing, empty and cost rounded to the digits that hold, to within one in the last; the
// shares as they are. One digit is always left.
Moves to_what_holds(Moves);
// The same of what was released: displacements, and how many are missing and empty among `steps`.
class MoveCount {
 public:
  void add(std::int64_t released_at, const Released&);
  Moves moves(std::int64_t steps, std::int64_t missing, std::int64_t window) const;

 private:
  std::vector<std::int64_t> behind_, ahead_;  // by distance
  std::int64_t empty_ = 0;
};

}  // namespace chronoveil::mechanisms
