// Events: what a mechanism did, complete enough to price it now and to price it again later.
// What happened is separate from what it cost: nothing here computes a privacy loss.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "chronoveil/base/guarantee.h"
#include "chronoveil/base/result.h"

namespace chronoveil::accounting {

// A noise parameter that calibrate() is to choose.
inline constexpr double kToCalibrate = std::numeric_limits<double>::quiet_NaN();

// Continuous noise, also when rounded to a grid: the scale over the L2 (Gaussian) or L1 (Laplace) sensitivity.
struct Gaussian {
  double noise_multiplier;
};
struct Laplace {
  double noise_multiplier;
};
// Noise on the integers; scale and sensitivity in grid steps.
struct DiscreteGaussian {
  double scale;
  std::int64_t sensitivity;
};
struct DiscreteLaplace {
  double scale;
  std::int64_t sensitivity;
};
// A selection with bounded range ε: the exponential mechanism.
struct Exponential {
  double epsilon;
};
struct Pure {
  double epsilon;
};
struct Approximate {
  double epsilon;
  double delta;
};
struct RandomizedResponse {
  double epsilon;
  std::int64_t values;
};
struct GaussianMixture {
  std::vector<double> means;
  std::vector<double> weights;
};
// One of two mixtures of Gaussians with one standard deviation.
struct Mixture {
  GaussianMixture p, q;
  double noise_multiplier;
};
// Noise on a random subset of the steps of a series, perhaps after a filter in time [Koga22].
struct TimeSubsampling {
  std::int64_t participation;  // I: steps that one person can change, by at most 1 each
  double rate;                 // p: the probability that a step is kept
  double noise_multiplier;
  std::optional<std::int64_t> length;  // T
  std::optional<double> filter_width;  // σ_g of the circular Gaussian filter
};
// One epoch ("iterate") or one step ("without_replacement") of training on windows of series [Schuchardt25].
struct StructuredSubsampling {
  enum class Top { iterate, without_replacement };
  enum class Bottom { with_replacement, poisson };
  std::int64_t series;
  std::vector<std::int64_t> length;  // distinct lengths, ascending
  std::int64_t context_length;
  std::int64_t forecast_length;
  std::int64_t batch_size;
  std::int64_t windows_per_series = 1;
  double noise_multiplier;
  Top top_level = Top::without_replacement;
  Bottom bottom_level = Bottom::with_replacement;
  Unit unit = Unit::event;  // event, or w events in a row, or w arbitrary steps of a user
  std::int64_t width = 1;
  double context_noise = 0;
  double label_noise = 0;
};
// Temporal local privacy: neighbours are one series with two values swapped that are less than `window` steps apart.
// Each step exchanges its value with a later one of its window, or with probability `stay` leaves it; q = (1 - stay) /
// (window - 1) for each of the others. StaSwitch never delays a value by more than window - 1 in all [Ye23].
struct RanSwitch {
  std::int64_t window;
  double stay;
};
struct StaSwitch {
  std::int64_t window;
  double stay;
};
// Values in the order of step + noise; ties in random order. Keys with more than `max_shift` of noise are drawn again.
// `plateau` is the r of a staircase, 1 to window - 1; without it staircase_plateau(window, ε), for ever.
struct NoisySort {
  enum class Law { laplace, staircase };  // discrete Laplace of scale 2 (window - 1) / ε; base/staircase.h
  std::int64_t window;
  double epsilon;
  Law law = Law::laplace;
  std::optional<std::int64_t> max_shift;
  std::optional<std::int64_t> plateau = std::nullopt;
};
// The one-way dispatch of [Ye21]: known by its published analysis alone. 0 is a threshold that calibrate() is to
// choose.
struct Threshold {
  std::int64_t window;
  std::int64_t threshold;
};

struct Event;
struct Compose {
  std::vector<Event> events;
};

// A mechanism that is run on a random sample of the units (rows, people). `inner` is what it does with the sample, its
// noise being for the relation below.
// Each unit is in the sample with probability `rate`, independently. Relation add_remove: inner is for a unit added or
// removed. Relation replace: inner covers a unit that is replaced, and one that is missing.
struct PoissonSampled {
  double rate;
  std::shared_ptr<const Event> inner;
  Relation relation = Relation::add_remove;
};
// A sample of `batch_size` out of `population` units: every subset is equally likely, or every draw is any of them.
// In both relations inner is for a unit that is replaced: the size of the sample does not change. Under add_remove
// `population` counts the unit that is added or removed.
struct SampledWithoutReplacement {
  std::int64_t population;
  std::int64_t batch_size;
  std::shared_ptr<const Event> inner;
  Relation relation = Relation::replace;
};
struct SampledWithReplacement {
  std::int64_t population;
  std::int64_t batch_size;
  std::shared_ptr<const Event> inner;
  Relation relation = Relation::replace;
};
// One step of DP-SGD as it is widely known: a Poisson-sampled Gaussian, add_remove.
struct DpSgd {
  double rate;
  double noise_multiplier;
};

using Kind =
    std::variant<Gaussian, Laplace, DiscreteGaussian, DiscreteLaplace, Exponential, Pure, Approximate,
                 RandomizedResponse, Mixture, TimeSubsampling, StructuredSubsampling, RanSwitch, StaSwitch, NoisySort,
                 Threshold, PoissonSampled, SampledWithoutReplacement, SampledWithReplacement, DpSgd, Compose>;

struct Event {
  Kind kind;
  std::int64_t count = 1;  // how often, decided before the first output
};

// The name in the table of events: "gaussian", ..., "compose".
std::string_view name(const Event&);

// Every parameter in range, or an error that names the first that is not. With `open_noise`, noise parameters
// may be kToCalibrate.
Result<void> validate(const Event&, bool open_noise = false);

// What a sampled event does with its sample; nothing for other events. `dp_sgd` has no event inside.
const Event* inner_of(const Event&);

// The event with every kToCalibrate replaced by `value`; `opened` makes the noise parameter of a simple event open.
Event with_noise(Event, double value);
bool has_open_noise(const Event&);
Event opened(Event);
// noise_multiplier, scale, epsilon, stay or threshold; of a composition, the names of those left open, each once.
std::vector<std::string> noise_names(const Event&);

// What the event says about its neighbours; nothing when the caller's sensitivity decides. A composition with an event
// that moves values in time holds for swaps, one of add_remove and replace events for replacements (neighbours.h).
std::optional<Unit> unit_of(const Event&);
std::optional<Relation> relation_of(const Event&);
// The window of an event with relation swap: the narrowest of a composition's.
std::optional<std::int64_t> window_of(const Event&);

}  // namespace chronoveil::accounting
