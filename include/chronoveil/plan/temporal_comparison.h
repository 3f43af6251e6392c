// Which mechanism that moves values in time: every such row of the catalogue prepared for one request, with what it
// costs and how far it moves values, and a recommendation. No data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/mechanisms/temporal_mechanism.h"

namespace chronoveil::plan {

struct TemporalCandidate {
  std::string mechanism;  // a name of the catalogue
  std::optional<mechanisms::TemporalPlan> plan;
  std::optional<mechanisms::Moves> moves;  // expected, when there is a plan; to the digits that hold
  Error refusal;                           // when there is none
  bool as_asked = true;  // false: a parameter of the request was left out, since the mechanism has none such
};

struct TemporalComparison {
  std::vector<TemporalCandidate> candidates;  // in the order of the catalogue
  std::string recommended;                    // a mechanism's name
  std::string reason;                         // one or two sentences
};

// staswitch is not calibrated in a comparison beyond this window: that takes a fifth of a second here, and some eight
// times as long at the next.
inline constexpr std::int64_t kLargestComparedState = 8;

// The recommended one moves values least far, by the expected cost of a value, among those that are certified and know
// all parameters of the request; where none is, among all that fit. Refused: a parameter that no mechanism knows, and a
// request that none fits (cannot_certify if that is why for each that was tried).
Result<TemporalComparison> compare_temporal(const mechanisms::TemporalRequest&);

}  // namespace chronoveil::plan
