// A mechanism that is run on a random sample of the units (rows, people): each is in it with probability `rate`,
// independently (sampled.h). Relation add_remove: inner is for a unit added or removed. Relation replace: inner covers
// a unit that is replaced, and one that is missing.
//   Edges     a rate of 0 costs nothing; one of 1 is the inner event
#pragma once

#include "chronoveil/accounting/events/sampled/inner.h"

namespace chronoveil::accounting {

struct PoissonSampled {
  static constexpr std::string_view kName = "poisson_sampled";
  static constexpr bool kSamplesUnits = true;
  double rate;
  std::shared_ptr<const Event> inner;
  Relation relation = Relation::add_remove;

  static constexpr auto fields() {
    return std::tuple(field::required("rate", &PoissonSampled::rate, kShare, kRateHelp),
                      field::required("inner", &PoissonSampled::inner, kAny, kInnerHelp),
                      field::choice("relation", &PoissonSampled::relation, kSampledRelations, "", Presence::unsaid));
  }
  Result<void> check(bool open) const;
  double share() const { return rate; }

  MadeLoss loss() const;
  Result<Event> for_replacement() const;
  // A smaller sample shows what the larger one shows or, with some probability, nothing.
  bool dominated_by(const PoissonSampled& slot) const { return relation == slot.relation && rate <= slot.rate; }
  Result<double> pure_epsilon() const;
  Result<double> gaussian_distance() const;
};

}  // namespace chronoveil::accounting
