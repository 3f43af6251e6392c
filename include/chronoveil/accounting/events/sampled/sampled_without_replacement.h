// A sample of `batch_size` out of `population` units: every subset is equally likely (sampled.h). In both relations
// inner is for a unit that is replaced: the size of the sample does not change. Under add_remove `population` counts
// the unit that is added or removed.
//   Edges     a batch as large as the population: the inner event
#pragma once

#include "chronoveil/accounting/events/sampled/inner.h"

namespace chronoveil::accounting {

struct SampledWithoutReplacement {
  static constexpr std::string_view kName = "sampled_without_replacement";
  static constexpr bool kSamplesUnits = true;
  std::int64_t population;
  std::int64_t batch_size;
  std::shared_ptr<const Event> inner;
  Relation relation = Relation::replace;

  static constexpr auto fields() {
    return std::tuple(
        field::required("population", &SampledWithoutReplacement::population, field::at_least(1, kExactInDouble),
                        kPopulationHelp),
        field::required("batch_size", &SampledWithoutReplacement::batch_size, field::at_least(1, kExactInDouble),
                        kSampleSizeHelp),
        field::required("inner", &SampledWithoutReplacement::inner, kAny, kInnerHelp),
        field::choice("relation", &SampledWithoutReplacement::relation, kSampledRelations, "", Presence::unsaid));
  }
  Result<void> check(bool open) const;
  double share() const;  // rounded up

  MadeLoss loss() const;
  Result<Event> for_replacement() const;
  bool dominated_by(const SampledWithoutReplacement& slot) const {
    return relation == slot.relation && population == slot.population && batch_size <= slot.batch_size;
  }
  Result<double> pure_epsilon() const;
  Result<double> gaussian_distance() const;
};

}  // namespace chronoveil::accounting
