#include "chronoveil/ledger/filters/domination.h"

#include <algorithm>
#include <optional>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/accounting/moves/noisy_sort.h"
#include "chronoveil/ledger/filters/amount.h"

namespace chronoveil::ledger {

using accounting::Event;

namespace {

bool same(const Event& a, const Event& b) { return accounting::to_text(a) == accounting::to_text(b); }

// Equal but for a noise multiplier, which may be larger.
template <class Kind>
bool only_noisier(const Kind& event, const Kind& slot) {
  Kind same_noise = event;
  same_noise.noise_multiplier = slot.noise_multiplier;
  return event.noise_multiplier >= slot.noise_multiplier && same(Event{same_noise}, Event{slot});
}

// The ε of one occurrence of an event that is purely private, from its parameters.
std::optional<Amount> pure_epsilon(const Event& event) {
  if (const auto* e = std::get_if<accounting::Laplace>(&event.kind)) return Amount::ratio_up(1, e->noise_multiplier);
  if (const auto* e = std::get_if<accounting::DiscreteLaplace>(&event.kind)) {
    return Amount::ratio_up(e->sensitivity, e->scale);
  }
  if (const auto* e = std::get_if<accounting::Exponential>(&event.kind)) return Amount::stated_up(e->epsilon);
  if (const auto* e = std::get_if<accounting::Pure>(&event.kind)) return Amount::stated_up(e->epsilon);
  if (const auto* e = std::get_if<accounting::RandomizedResponse>(&event.kind)) return Amount::stated_up(e->epsilon);
  if (const auto* e = std::get_if<accounting::NoisySort>(&event.kind); e && !e->max_shift) {
    return Amount::stated_up(e->epsilon);
  }
  return std::nullopt;
}

struct OneDominates {
  const Event& event;

  bool operator()(const accounting::Pure& slot) const {
    const auto epsilon = pure_epsilon(event);
    return epsilon && *epsilon <= Amount::stated_down(slot.epsilon);
  }
  bool operator()(const accounting::Approximate& slot) const {
    if (const auto* e = std::get_if<accounting::Approximate>(&event.kind)) {
      return e->epsilon <= slot.epsilon && e->delta <= slot.delta;
    }
    return operator()(accounting::Pure{slot.epsilon});
  }
  template <class Slot>
  bool operator()(const Slot& slot) const {
    const auto* e = std::get_if<Slot>(&event.kind);
    return e != nullptr && same_kind(*e, slot);
  }

  static bool same_kind(const accounting::Gaussian& e, const accounting::Gaussian& s) { return only_noisier(e, s); }
  static bool same_kind(const accounting::Laplace& e, const accounting::Laplace& s) { return only_noisier(e, s); }
  static bool same_kind(const accounting::Mixture& e, const accounting::Mixture& s) { return only_noisier(e, s); }
  static bool same_kind(const accounting::StructuredSubsampling& e, const accounting::StructuredSubsampling& s) {
    return only_noisier(e, s);
  }
  static bool same_kind(accounting::TimeSubsampling e, const accounting::TimeSubsampling& s) {
    if (e.participation > s.participation) return false;
    e.participation = s.participation;
    return only_noisier(e, s);
  }
  static bool same_kind(const accounting::DiscreteGaussian& e, const accounting::DiscreteGaussian& s) {
    return e.scale == s.scale && e.sensitivity <= s.sensitivity;
  }
  static bool same_kind(const accounting::DiscreteLaplace& e, const accounting::DiscreteLaplace& s) {
    return e.scale >= s.scale && e.sensitivity <= s.sensitivity;
  }
  static bool same_kind(const accounting::Exponential& e, const accounting::Exponential& s) {
    return e.epsilon <= s.epsilon;
  }
  static bool same_kind(const accounting::RandomizedResponse& e, const accounting::RandomizedResponse& s) {
    return e.values == s.values && e.epsilon <= s.epsilon;
  }
  // What moves values in time is taken as it is: whether other parameters disclose less depends on all of them.
  static bool same_kind(const accounting::RanSwitch& e, const accounting::RanSwitch& s) { return same({e}, {s}); }
  static bool same_kind(const accounting::StaSwitch& e, const accounting::StaSwitch& s) { return same({e}, {s}); }
  static bool same_kind(const accounting::NoisySort& e, const accounting::NoisySort& s) {
    return same({accounting::with_plateau(e)}, {accounting::with_plateau(s)});
  }
  static bool same_kind(const accounting::Threshold& e, const accounting::Threshold& s) { return same({e}, {s}); }
  // A smaller sample shows less: its pair is a mixture of that of the larger one and of nothing.
  static bool same_kind(accounting::DpSgd e, const accounting::DpSgd& s) {
    return e.rate <= s.rate && e.noise_multiplier >= s.noise_multiplier;
  }
  static bool same_kind(const accounting::PoissonSampled& e, const accounting::PoissonSampled& s) {
    return e.relation == s.relation && e.rate <= s.rate && is_dominated_by(*e.inner, *s.inner);
  }
  template <class FixedSize>
  static bool same_sample(const FixedSize& e, const FixedSize& s) {
    return e.relation == s.relation && e.population == s.population && e.batch_size <= s.batch_size &&
           is_dominated_by(*e.inner, *s.inner);
  }
  static bool same_kind(const accounting::SampledWithoutReplacement& e,
                        const accounting::SampledWithoutReplacement& s) {
    return same_sample(e, s);
  }
  static bool same_kind(const accounting::SampledWithReplacement& e, const accounting::SampledWithReplacement& s) {
    return same_sample(e, s);
  }
  static bool same_kind(const accounting::Compose& e, const accounting::Compose& s) {
    return std::equal(e.events.begin(), e.events.end(), s.events.begin(), s.events.end(), is_dominated_by);
  }
};

}  // namespace

bool is_dominated_by(const Event& event, const Event& slot) {
  if (event.count > slot.count) return false;
  return std::visit(OneDominates{event}, slot.kind);
}

}  // namespace chronoveil::ledger
