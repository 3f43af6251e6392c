// Prices events: ε at δ, δ at ε, with a certified upper and lower bound. See docs/accounting.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/base/guarantee.h"
#include "chronoveil/base/units.h"

namespace chronoveil::accounting {

// Raised whenever a price may change; stored with every debit.
inline constexpr int kAnalysisVersion = 8;

enum class Analysis { certified, published };

struct Options {
  Analysis analysis = Analysis::certified;
  double tolerance = 1e-3;  // the relative gap in ε between both bounds (or 1e-6 absolute, whichever is larger)
  bool attained = false;    // also compute what real neighbours attain
  bool fitted = false;      // the ledger has fitted the event to its neighbours: in_one_relation() would do it twice
  bool measured = true;     // false: no price is measured; StaSwitch in a wide window then has a larger price at once
};

// What a paper states for the same parameters: bounds for single outputs, not for sets of them.
struct Nominal {
  double epsilon = 0;
  double delta = 0;
};

struct Price {
  double epsilon = 0;        // upper bound; infinity if no finite ε holds at this δ; `reason` says why
  double epsilon_lower = 0;  // lower bound of the same analysis
  double delta = 0;          // upper bound
  double delta_lower = 0;
  std::optional<double> epsilon_attained;  // attained by real neighbours: a diagnostic, never the guarantee
  std::optional<double> delta_attained;
  Analysis analysis = Analysis::certified;
  Certificate certificate = Certificate::upper_bound;
  double beta = 0;  // of Certificate::upper_bound_with_confidence: the bound is wrong with probability at most β
  std::optional<Nominal> nominal;  // beside a certified price, if a paper states another number
  std::string reason;
};

// The smallest ε at which the event is (ε, δ)-DP.
Result<Price> epsilon_at(const Event&, Delta, const Options& = {});
// The smallest δ at which the event is (ε, δ)-DP.
Result<Price> delta_at(const Event&, Epsilon, const Options& = {});

// The largest count at which the event stays within (ε, δ). Its own `count` is ignored.
Result<std::int64_t> max_count(const Event&, Epsilon, Delta, const Options& = {});

// The least noise (or, for exponential, pure, randomized response and noisy_sort, the largest ε parameter; for the
// switches the largest `stay`) within (ε, δ). If no parameter reaches ε at this δ: cannot_certify, naming the smallest
// δ at which one does.
struct Calibration {
  double noise = 0;       // the value that replaced kToCalibrate
  std::string parameter;  // noise_multiplier, scale, epsilon or stay
  Event event;            // the event with that value
  Price price;            // its price at δ; price.epsilon <= ε always
};
Result<Calibration> calibrate(const Event& open, Epsilon, Delta, const Options& = {});

// The largest Price::beta of this event, at any ε or δ, found by calibrate() or not; 0 if prices are certain. For a
// composition, whose own price is certain, the largest of its events one by one.
double largest_beta(const Event&);

// Whether a price of this event is measured in a window so wide that it takes longer than a few seconds.
bool takes_long_to_measure(const Event&);

}  // namespace chronoveil::accounting
