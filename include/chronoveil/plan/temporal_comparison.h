// Which mechanism that moves values in time: every such row of the catalogue, prepared for one request, with its cost
// and how far it moves values, and a recommendation. No data.
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

// staswitch is not calibrated in a comparison beyond this window: it takes a fifth of a second here, and some eight
// times as long for the next window.
inline constexpr std::int64_t kLargestComparedState = 8;

// Recommends the one that moves values least far, by the expected cost per value, among those that are certified and
// know all parameters of the request; if there is none, among all that fit. Refused: a parameter that no mechanism
// knows, and a request that none fits (cannot_certify if every attempt failed with it).
Result<TemporalComparison> compare_temporal(const mechanisms::TemporalRequest&);

}  // namespace chronoveil::plan
