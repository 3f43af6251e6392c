// One epoch ("iterate") or one step ("without_replacement") of training on windows of series [Schuchardt25]: which
// windows of a series one neighbour's change can touch, and how often they are drawn.
//   Loss      gradients clipped to norm 1 are 2 apart; structured_subsampling.cc has the pair of each way to sample
//   Edges     all windows touched and all series drawn: a Gaussian of μ = 2λ/σ
#pragma once

#include <vector>

#include "chronoveil/accounting/events/kind.h"

namespace chronoveil::accounting {

struct StructuredSubsampling {
  enum class Top { iterate, without_replacement };
  enum class Bottom { with_replacement, poisson };
  static constexpr std::string_view kName = "structured_subsampling";
  static constexpr bool kSamplesUnits = true;
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

  static constexpr auto fields() {
    using E = StructuredSubsampling;
    return std::tuple(
        field::required("series", &E::series, field::at_least(1, kExactInDouble), "number of series"),
        field::required("length", &E::length, field::at_most(kExactInDouble),
                        "length of the series; several are separated by commas"),
        field::required("context_length", &E::context_length, field::at_least(0, kExactInDouble),
                        "steps a window looks back"),
        field::required("forecast_length", &E::forecast_length, field::at_least(1, kExactInDouble),
                        "steps a window looks ahead"),
        field::required("batch_size", &E::batch_size, field::at_least(1), "expected windows in a batch"),
        field::defaulted("windows_per_series", &E::windows_per_series, field::at_least(1),
                         "windows drawn from a series"),
        field::noise("noise_multiplier", &E::noise_multiplier, kPositive, kNoiseMultiplierHelp),
        field::choice("top_level", &E::top_level,
                      {{Top::iterate, "iterate"}, {Top::without_replacement, "without_replacement"}},
                      "iterate or without_replacement"),
        field::choice("bottom_level", &E::bottom_level,
                      {{Bottom::with_replacement, "with_replacement"}, {Bottom::poisson, "poisson"}},
                      "with_replacement or poisson"),
        field::choice("unit", &E::unit, {{Unit::event, "event"}, {Unit::user, "user"}}, "event or user"),
        field::defaulted("width", &E::width, field::at_least(1, kExactInDouble), "events in a row, or steps of a user"),
        field::unsaid("context_noise", &E::context_noise, kNotNegative, "noise on the context"),
        field::unsaid("label_noise", &E::label_noise, kNotNegative, "noise on the forecast"));
  }
  bool operator==(const StructuredSubsampling&) const = default;

  Result<void> check(bool open) const;
  static constexpr Relation own_relation() { return Relation::replace; }
  Unit own_unit() const { return unit == Unit::event && width > 1 ? Unit::w_event : unit; }
  MadeLoss loss() const;
  Result<Event> for_replacement() const;  // refused: the sensitivity is no parameter
  bool dominated_by(const StructuredSubsampling& slot) const { return only_noisier(*this, slot); }
  Result<double> gaussian_distance() const;
  // 1 − (1 − q)^n, the largest over the lengths, where q is the chance that a step (an epoch) draws a window that the
  // change touches: q = ρ (1 − (1 − K/T)^λ), or ρ (1 − (1 − min(1, λ/T))^K) for poisson. Noise on windows does not
  // lower it: the window is drawn all the same.
  double chance_of_use(double count) const;
};

// T = L − L_F + 1 windows of a series of length L, after L_C zeros are prepended.
std::int64_t windows_of(const StructuredSubsampling&, std::int64_t length);
// K: windows that the change can touch; min(L_C + L_F, T) for one event, min(L_C + L_F + w − 1, T) for w in a row,
// min(w (L_C + L_F), T) for w arbitrary steps of a user.
std::int64_t touched_windows(const StructuredSubsampling&, std::int64_t length);
// r: the largest share K/T over all lengths; the shortest series decides.
double touched_share(const StructuredSubsampling&);
// ρ: the probability that a series is in the batch; 1 for "iterate".
double series_rate(const StructuredSubsampling&);
// With noise on context and forecast: the largest, over placements of the change and over lengths, of
// (1/T) Σ_windows τ, τ = 2Φ(½√(m_C/σ_C² + m_F/σ_F²)) − 1 the total variation that the window shows.
double augmented_share(const StructuredSubsampling&);

// For comparison: all windows of all series are pooled and batch_size of them are drawn without replacement. The price
// of this mixture is a lower bound for any analysis that knows only this.
Result<Event> black_box_event(const StructuredSubsampling&);

}  // namespace chronoveil::accounting
