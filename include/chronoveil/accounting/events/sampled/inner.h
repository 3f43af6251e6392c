// Shared by events that sample units: the inner event, which says what is done with the sample.
#pragma once

#include "chronoveil/accounting/events/kind.h"

namespace chronoveil::accounting {

inline constexpr std::string_view kRateHelp = "probability that a unit is in the sample",
                                  kPopulationHelp = "number of units", kSampleSizeHelp = "units in a sample",
                                  kInnerHelp = "what is done with the sample, an event as JSON";
inline constexpr std::pair<Relation, std::string_view> kSampledRelations[] = {{Relation::add_remove, "add_remove"},
                                                                              {Relation::replace, "replace"}};

// `wanted` is the relation that the inner event must be priced for. One sample is used once: several uses would be a
// composition inside, which no sampled price covers.
Result<void> check_inner(const std::shared_ptr<const Event>& inner, Relation relation, Relation wanted);

}  // namespace chronoveil::accounting
