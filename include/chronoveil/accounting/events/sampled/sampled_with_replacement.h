// A sample of `batch_size` out of `population` units: every draw is any of them (sampled.h). In both relations inner is
// for a unit that is replaced: the size of the sample does not change. Under add_remove `population` counts the unit
// that is added or removed.
//   Edges     a population of one: the inner event, with the unit drawn batch_size times
#pragma once

#include "chronoveil/accounting/events/sampled/inner.h"

namespace chronoveil::accounting {

struct SampledWithReplacement {
  static constexpr std::string_view kName = "sampled_with_replacement";
  static constexpr bool kSamplesUnits = true;
  std::int64_t population;
  std::int64_t batch_size;
  std::shared_ptr<const Event> inner;
  Relation relation = Relation::replace;

  static constexpr auto fields() {
    return std::tuple(
        field::required("population", &SampledWithReplacement::population, field::at_least(1, kExactInDouble),
                        kPopulationHelp),
        field::required("batch_size", &SampledWithReplacement::batch_size, field::at_least(1, kExactInDouble),
                        kSampleSizeHelp),
        field::required("inner", &SampledWithReplacement::inner, kAny, kInnerHelp),
        field::choice("relation", &SampledWithReplacement::relation, kSampledRelations, "", Presence::unsaid));
  }
  Result<void> check(bool open) const;
  double share() const;  // rounded up

  MadeLoss loss() const;
  Result<Event> for_replacement() const;
  bool dominated_by(const SampledWithReplacement& slot) const {
    return relation == slot.relation && population == slot.population && batch_size <= slot.batch_size;
  }
  // The sample may hold one unit batch_size times.
  Result<double> gaussian_distance() const;
};

}  // namespace chronoveil::accounting
