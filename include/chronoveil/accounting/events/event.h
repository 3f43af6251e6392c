// Events: what a mechanism did, complete enough to price it now and again later.
// What happened is separate from what it cost: here is the one list of kinds, and what all of them have.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "chronoveil/accounting/events/compose.h"
#include "chronoveil/accounting/events/moves/noisy_sort.h"
#include "chronoveil/accounting/events/moves/ranswitch.h"
#include "chronoveil/accounting/events/moves/staswitch.h"
#include "chronoveil/accounting/events/moves/threshold.h"
#include "chronoveil/accounting/events/noise/discrete_gaussian.h"
#include "chronoveil/accounting/events/noise/discrete_laplace.h"
#include "chronoveil/accounting/events/noise/gaussian.h"
#include "chronoveil/accounting/events/noise/laplace.h"
#include "chronoveil/accounting/events/noise/mixture.h"
#include "chronoveil/accounting/events/sampled/dp_sgd.h"
#include "chronoveil/accounting/events/sampled/poisson_sampled.h"
#include "chronoveil/accounting/events/sampled/sampled_with_replacement.h"
#include "chronoveil/accounting/events/sampled/sampled_without_replacement.h"
#include "chronoveil/accounting/events/stated/approximate.h"
#include "chronoveil/accounting/events/stated/exponential.h"
#include "chronoveil/accounting/events/stated/pure.h"
#include "chronoveil/accounting/events/stated/randomized_response.h"
#include "chronoveil/accounting/events/subsampled/structured_subsampling.h"
#include "chronoveil/accounting/events/subsampled/time_subsampling.h"

namespace chronoveil::accounting {

// The list of kinds. A new kind goes here, with its header above: all code that reads, prints, prices or compares
// events follows this list.
using Kind =
    std::variant<Gaussian, Laplace, DiscreteGaussian, DiscreteLaplace, Exponential, Pure, Approximate,
                 RandomizedResponse, Mixture, TimeSubsampling, StructuredSubsampling, RanSwitch, StaSwitch, NoisySort,
                 Threshold, PoissonSampled, SampledWithoutReplacement, SampledWithReplacement, DpSgd, Compose>;

struct Event {
  Kind kind;
  std::int64_t count = 1;  // how often, decided before the first output
};

// What every kind has (kind.h).
template <class E>
concept EventKind = requires(const E& event) {
  { E::kName } -> std::convertible_to<std::string_view>;
  E::fields();
  { event.loss() } -> std::same_as<MadeLoss>;
  { event.for_replacement() } -> std::same_as<Result<Event>>;
  { event.dominated_by(event) } -> std::same_as<bool>;
};

// Calls f<E>() for every kind E, in the order of the list.
template <class F>
void each_kind(F f) {
  [&]<EventKind... E>(std::type_identity<std::variant<E...>>) { (f.template operator()<E>(), ...); }
  (std::type_identity<Kind>());
}

// Its name: "gaussian", ..., "compose".
std::string_view name(const Event&);

// Every parameter in range, or an error that names the first that is not. With `open_noise`, noise parameters
// may be kToCalibrate.
Result<void> validate(const Event&, bool open_noise = false);

// What a sampled event does with its sample; null for other events. `dp_sgd` has no event inside.
const Event* inner_of(const Event&);

// The event with every kToCalibrate replaced by `value`; `opened` makes the noise parameter of a simple event open.
Event with_noise(Event, double value);
bool has_open_noise(const Event&);
Event opened(Event);
// noise_multiplier, scale, ...; of a composition, the names of those left open, each once.
std::vector<std::string> noise_names(const Event&);

// What the event says about its neighbours; empty if the caller's sensitivity decides. A composition with an event that
// moves values in time holds for swaps, one of add_remove and replace events for replacements (neighbours.h).
std::optional<Unit> unit_of(const Event&);
std::optional<Relation> relation_of(const Event&);
// The window of an event with relation swap: the narrowest of a composition's.
std::optional<std::int64_t> window_of(const Event&);

}  // namespace chronoveil::accounting
