// Shared by the baselines that change values: each value has the same share of ε, and unit user pays for all T of them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "chronoveil/mechanisms/temporal_mechanism.h"

namespace chronoveil::mechanisms {

// How many answers are about one neighbour: one per lane for unit event, T per lane for unit user.
std::int64_t answers(Unit, std::optional<std::int64_t> length, std::int64_t lanes);

// The plan with the least noise of `open`, an event of one value, within (ε, δ).
Result<TemporalPlan> with_shares(const TemporalRequest&, const TemporalMechanism&, accounting::Kind open);

// Public bounds: lower < upper, both and their difference finite.
Result<void> check_bounds(std::optional<double> lower, std::optional<double> upper, std::string_view mechanism);

// A number that takes the whole text, blanks around it aside. Errors are bad_data and never quote it.
Result<double> number_in(std::string_view text);

// A process that answers each value by itself, and at most T of them if T is given: unit user pays for that many.
using Answer = std::function<Result<std::string>(const std::string& value, BitSource&)>;
std::unique_ptr<TemporalProcess> value_process(const TemporalPlan&, Answer);

}  // namespace chronoveil::mechanisms
