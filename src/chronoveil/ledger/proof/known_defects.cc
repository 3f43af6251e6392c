#include "chronoveil/ledger/proof/known_defects.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>

namespace chronoveil::ledger {

using accounting::Event;

namespace {

// Whether `is_so` holds for some simple event of this kind, given how often it happens in all.
template <class Kind>
bool any(const Event& event, const std::function<bool(const Kind&, double count)>& is_so, double times = 1) {
  const double count = times * static_cast<double>(event.count);
  if (const auto* compose = std::get_if<accounting::Compose>(&event.kind))
    return std::any_of(compose->events.begin(), compose->events.end(),
                       [&](const Event& part) { return any<Kind>(part, is_so, count); });
  const auto* simple = std::get_if<Kind>(&event.kind);
  return simple != nullptr && is_so(*simple, count);
}

bool is_live_run(const Dataset&, const DebitBody& debit, const Event&) { return debit.live().has_value(); }

bool did_not_say_eviction(const Dataset& dataset, const DebitBody& debit, const Event& event) {
  return debit.terms.stated.eviction == Eviction::unsaid &&
         depends_on_eviction(event, debit.terms.stated, dataset.promise);
}

// Overflow was met from 26 noise multipliers on.
bool has_distant_means(const Dataset&, const DebitBody&, const Event& event) {
  return any<accounting::Mixture>(event, [](const accounting::Mixture& mixture, double) {
    const auto [p_low, p_high] = std::minmax_element(mixture.p.means.begin(), mixture.p.means.end());
    const auto [q_low, q_high] = std::minmax_element(mixture.q.means.begin(), mixture.q.means.end());
    return std::max(*p_high, *q_high) - std::min(*p_low, *q_low) >= 20 * mixture.noise_multiplier;
  });
}

// The smaller δ is, the fewer of its digits 1 - δ keeps; none below 2^-54.
bool composes_tiny_delta(const Dataset&, const DebitBody&, const Event& event) {
  const bool composed = std::holds_alternative<accounting::Compose>(event.kind);
  return any<accounting::Approximate>(event, [&](const accounting::Approximate& simple, double count) {
    return simple.delta > 0 && simple.delta < 1e-12 && (composed || count > 1);
  });
}

bool straddles_fewer_parts_than_events(const Dataset& dataset, const DebitBody& debit, const Event&) {
  return debit.terms.part && dataset.partition && dataset.promise.unit == Unit::w_event &&
         (dataset.partition->widened || dataset.partition->straddle < dataset.promise.width);
}

bool costs_very_much(const Dataset& dataset, const DebitBody& debit, const Event&) {
  constexpr double kMuch = 10'000;
  return (debit.takes_all && dataset.epsilon > kMuch) ||
         std::any_of(debit.cost.values.begin(), debit.cost.values.end(),
                     [](const Amount& amount) { return amount.value() > kMuch; });
}

bool keeps_no_step_but_for_delta(const Dataset& dataset, const DebitBody& debit, const Event& event) {
  const double delta = debit.terms.delta.value_or(dataset.delta);
  return any<accounting::TimeSubsampling>(event, [&](const accounting::TimeSubsampling& steps, double) {
    return -std::expm1(static_cast<double>(steps.participation) * std::log1p(-steps.rate)) <= delta;
  });
}

bool may_outlive_its_period(const Dataset& dataset, const DebitBody& debit, const Event&) {
  return dataset.renews && (debit.uses || debit.has_slots);
}

bool doubles_filtered_steps(const Dataset& dataset, const DebitBody&, const Event& event) {
  return dataset.promise.relation != Relation::add_remove &&
         any<accounting::TimeSubsampling>(event, [](const accounting::TimeSubsampling& steps, double) {
           return steps.filter_width && steps.length && steps.participation > *steps.length / 2;
         });
}

bool has_little_training_noise(const Dataset&, const DebitBody&, const Event& event) {
  return any<accounting::StructuredSubsampling>(event, [](const accounting::StructuredSubsampling& windows, double) {
    const bool poisson = windows.bottom_level == accounting::StructuredSubsampling::Bottom::poisson;
    return (poisson && windows.noise_multiplier < 0.16) ||
           (windows.windows_per_series > 1 && windows.noise_multiplier < 0.33);
  });
}

bool trains_on_poisson_batches(const Dataset&, const DebitBody& debit, const Event& event) {
  return debit.uses &&
         any<accounting::StructuredSubsampling>(event, [](const accounting::StructuredSubsampling& windows, double) {
           return windows.bottom_level == accounting::StructuredSubsampling::Bottom::poisson;
         });
}

bool is_truncated_staircase(const Dataset&, const DebitBody&, const Event& event) {
  return any<accounting::NoisySort>(event, [](const accounting::NoisySort& sort, double) {
    return sort.law == accounting::NoisySort::Law::staircase && sort.max_shift && !sort.plateau;
  });
}

bool moves_values(const Dataset&, const DebitBody&, const Event& event) {
  return accounting::window_of(event).has_value();
}

bool repeats_hardly_any_noise(const Dataset&, const DebitBody&, const Event& event) {
  constexpr double kHardlyAny = 1e-7;
  return any<accounting::Laplace>(event,
                                  [](const accounting::Laplace& simple, double count) {
                                    return simple.noise_multiplier < kHardlyAny && count > 1;
                                  }) ||
         any<accounting::DiscreteLaplace>(event, [](const accounting::DiscreteLaplace& simple, double count) {
           return simple.scale < kHardlyAny * static_cast<double>(simple.sensitivity) && count > 1;
         });
}

// Whether an event of this kind is purely private with an ε that a difference of logarithms loses.
template <class Kind>
bool any_with_tiny_epsilon(const Event& event) {
  constexpr double kTiny = 1e-7;
  return any<Kind>(event, [](const Kind& simple, double) {
    if constexpr (requires { simple.noise_multiplier; }) return simple.noise_multiplier > 1 / kTiny;
    if constexpr (requires { simple.scale; }) return static_cast<double>(simple.sensitivity) < kTiny * simple.scale;
    if constexpr (requires { simple.epsilon; }) return simple.epsilon > 0 && simple.epsilon < kTiny;
  });
}

bool has_tiny_pure_events(const Dataset& dataset, const DebitBody&, const Event& event) {
  return dataset.filter.kind == FilterKind::renyi &&
         (any_with_tiny_epsilon<accounting::Laplace>(event) ||
          any_with_tiny_epsilon<accounting::DiscreteLaplace>(event) || any_with_tiny_epsilon<accounting::Pure>(event) ||
          any_with_tiny_epsilon<accounting::Approximate>(event) ||
          any_with_tiny_epsilon<accounting::RandomizedResponse>(event) ||
          any_with_tiny_epsilon<accounting::Exponential>(event));
}

// A lower bound on the largest loss of all simple events together; 0 for an event that happens rarely and so may have
// hardly any loss, infinity for one whose loss is never that small.
double least_top(const Event& event) {
  const double each = std::visit(
      []<class Kind>(const Kind& simple) {
        if constexpr (std::is_same_v<Kind, accounting::Compose>) {
          double sum = 0;
          for (const Event& part : simple.events) sum += least_top(part);
          return sum;
        } else if constexpr (std::is_same_v<Kind, accounting::Mixture> || std::is_same_v<Kind, accounting::DpSgd> ||
                             std::is_same_v<Kind, accounting::StructuredSubsampling> || requires { simple.inner; }) {
          return 0.0;
        } else if constexpr (requires { simple.noise_multiplier; }) {
          return 1 / simple.noise_multiplier;
        } else if constexpr (requires { simple.scale; }) {
          return static_cast<double>(simple.sensitivity) / simple.scale;
        } else if constexpr (requires { simple.epsilon; }) {
          return static_cast<double>(simple.epsilon);
        } else {
          return std::numeric_limits<double>::infinity();
        }
      },
      event.kind);
  return static_cast<double>(event.count) * each;
}

// Only differences of means matter, but the means themselves were kept, which lost digits.
bool has_means_far_from_zero(const Event& event) {
  return any<accounting::Mixture>(event, [](const accounting::Mixture& mixture, double) {
    const auto is_far = [&](double mean) { return std::abs(mean) > 1000 * mixture.noise_multiplier; };
    return std::any_of(mixture.p.means.begin(), mixture.p.means.end(), is_far) ||
           std::any_of(mixture.q.means.begin(), mixture.q.means.end(), is_far);
  });
}

// A composition was read with an absolute error of 1e-19 or so in the loss, however small the losses were.
bool lost_digits(const Dataset& dataset, const DebitBody& debit, const Event& event) {
  const bool composed = std::holds_alternative<accounting::Compose>(event.kind) || event.count > 1;
  const bool priced_at_delta = debit.terms.delta && *debit.terms.delta > 0 && *debit.terms.delta < 1e-6;
  return (composed && priced_at_delta && least_top(event) < 1e-3) || costs_very_much(dataset, debit, event) ||
         has_means_far_from_zero(event);
}

std::size_t parts_of(const Event& event) {
  const auto* compose = std::get_if<accounting::Compose>(&event.kind);
  if (compose == nullptr) return 1;
  std::size_t parts = 0;
  for (const Event& part : compose->events) parts += parts_of(part);
  return parts;
}

bool costs_next_to_nothing(const Event& event) {
  if (const auto* compose = std::get_if<accounting::Compose>(&event.kind))
    return std::any_of(compose->events.begin(), compose->events.end(), costs_next_to_nothing);
  const double top = least_top(event);  // 0 if unknown
  return top > 0 && top < 1e-140;
}

// Margins of 1e-12 covered the roundings of some thousand parts; a square below the range of a double was 0.
bool sums_very_many_or_next_to_nothing(const Dataset&, const DebitBody&, const Event& event) {
  return parts_of(event) >= 1000 || costs_next_to_nothing(event);
}

constexpr std::array kDefects = {
    KnownDefect{
        "CV-1", 2, 5,
        "a live release of people's records: rows decided which steps were published, so one person's row could "
        "show",
        is_live_run},
    KnownDefect{"CV-2", 1, 5,
                "a request for a wider unit than the dataset's was charged as if its cap could push nothing out",
                did_not_say_eviction},
    KnownDefect{"CV-3", 1, 5, "a mixture whose means are far apart was priced in one direction only",
                has_distant_means},
    KnownDefect{"CV-4", 1, 5, "a tiny δ was lost when events were composed", composes_tiny_delta},
    KnownDefect{"CV-5", 1, 5,
                "windows of w-event were taken to straddle two parts unless told otherwise, however wide they were",
                straddles_fewer_parts_than_events},
    KnownDefect{"CV-6", 1, 5, "the upper bound of a composition with ε above 10,000 could lie below the truth",
                costs_very_much},
    KnownDefect{"CV-7", 1, 5, "steps are kept so rarely that δ alone covers what is shown without noise",
                keeps_no_step_but_for_delta},
    KnownDefect{
        "CV-8", 1, 5,
        "a run, or slots, of one period may publish in the next, whose outputs then reach two budgets; show did "
        "not say so",
        may_outlive_its_period},
    KnownDefect{"CV-9", 1, 5,
                "filtered and subsampled series were charged for too few steps when converted to a replacement",
                doubles_filtered_steps},
    KnownDefect{"CV-10", 1, 3, "training with very little noise was priced near zero", has_little_training_noise},
    KnownDefect{"CV-11", 2, 3,
                "training on Poisson batches clipped by the size that a batch happened to have, which its price does "
                "not cover",
                trains_on_poisson_batches},
    KnownDefect{"CV-12", 2, 2, "a truncated staircase sort was drawn with another plateau than it is priced with",
                is_truncated_staircase},
    KnownDefect{"CV-13", 2, 5,
                "empty lines of a file with one column were skipped, so that a swap moved all values between",
                moves_values},
    KnownDefect{"CV-14", 5, 5, "many uses of Laplace noise below 1e-7 of the sensitivity were priced at nothing",
                repeats_hardly_any_noise},
    KnownDefect{"CV-15", 1, 5, "the cost of purely private events with a very small ε was lost in rounding",
                has_tiny_pure_events},
    KnownDefect{
        "CV-16", 1, 6,
        "the last digits of ε were lost where losses or the noise are next to nothing, and where means are far from 0",
        lost_digits},
    KnownDefect{"CV-17", 1, 7,
                "the cost of very many different parts was rounded down in its last digits, and a cost of next to "
                "nothing became nothing",
                sums_very_many_or_next_to_nothing},
};

}  // namespace

std::span<const KnownDefect> known_defects() { return kDefects; }

std::vector<const KnownDefect*> defects_of(const Dataset& dataset, const DebitBody& debit, const Event& composed) {
  std::vector<const KnownDefect*> found;
  for (const KnownDefect& defect : kDefects) {
    if (debit.analysis >= defect.first && debit.analysis <= defect.last && defect.may_concern(dataset, debit, composed))
      found.push_back(&defect);
  }
  return found;
}

}  // namespace chronoveil::ledger
