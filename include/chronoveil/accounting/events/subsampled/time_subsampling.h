// Gaussian noise on a random subset of the steps of a series, perhaps after a filter in time [Koga22]: J, a Poisson(p)
// subset of the steps, is public and independent of the data; one person added or removed changes at most I steps by at
// most 1 each.
//   Loss      without a filter, exactly: δ(ε) = Σ_k Bin(k; I, p) G(√k/σ), k changed steps being kept; with one, a bound
//   Edges     p = 0 costs nothing; p = 1 is a Gaussian of μ = √I/σ
#pragma once

#include "chronoveil/accounting/events/kind.h"

namespace chronoveil::accounting {

struct TimeSubsampling {
  static constexpr std::string_view kName = "time_subsampling";
  std::int64_t participation;          // I: steps that one person can change, by at most 1 each
  double rate;                         // p: the probability that a step is kept
  double noise_multiplier;             // σ
  std::optional<std::int64_t> length;  // T
  std::optional<double> filter_width;  // σ_g of the circular Gaussian filter

  static constexpr auto fields() {
    return std::tuple(
        field::required("participation", &TimeSubsampling::participation, field::at_least(1),
                        "steps one person can change"),
        field::required("rate", &TimeSubsampling::rate, kShare, "probability that a step is kept"),
        field::noise("noise_multiplier", &TimeSubsampling::noise_multiplier, kPositive, kNoiseMultiplierHelp),
        field::defaulted("length", &TimeSubsampling::length, field::at_least(1), "length of the series"),
        Companion<TimeSubsampling, double>{"filter", "gaussian", "filter_width", &TimeSubsampling::filter_width,
                                           "gaussian"},
        field::defaulted("filter_width", &TimeSubsampling::filter_width, kPositive, "width of the filter in steps"));
  }
  bool operator==(const TimeSubsampling&) const = default;

  Result<void> check(bool open) const;
  static constexpr Relation own_relation() { return Relation::add_remove; }
  static constexpr Unit own_unit() { return Unit::user; }
  MadeLoss loss() const;
  // Refused after a filter if twice the steps are more than the series has.
  Result<Event> for_replacement() const;
  bool dominated_by(TimeSubsampling slot) const;
  Result<double> gaussian_distance() const;
  // 1 − (1 − p)^(I n): some step of a person is kept. With a filter the same, for the steps that change most.
  double chance_of_use(double count) const;
};

}  // namespace chronoveil::accounting
