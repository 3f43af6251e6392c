// The guarantee of a perturbed series in words that its owner understands. Every sentence is true of what it describes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chronoveil/report/page/words.h"
#include "chronoveil/report/perturbed/perturbed.h"

namespace chronoveil::report {

Facts facts_of(const Perturbed&);

// Whether values move in time and stay what they are.
bool values_move(const Perturbed&);

// "heart_rate", "heart_rate and steps", "heart_rate, steps and 4 more": at most `most` names.
std::string list_words(const std::vector<std::string>& names, std::size_t most);

// The least distance within which `share` of the values that are released stay.
std::int64_t distance_of(const mechanisms::Moves&, double share);

// "42 % of the values stay where they are; 9 of 10 move by at most 7 rows."
std::string moves_words(const mechanisms::Moves&);

// What a paper states for the parameters: beside a certified price, or as the price.
std::optional<accounting::Nominal> nominal_of(const mechanisms::TemporalPlan&);

// A certified upper bound of δ at ε, from the points of the curve; nothing to the left of the first. Between two points
// the chord in e^ε, since δ is convex in it; beyond the last, the last, since δ only falls.
std::optional<double> delta_on(const std::vector<CurvePoint>&, double epsilon);

// How a paper's number differs from the certified one, in a few sentences; nothing where there is no such number.
std::string nominal_words(const Perturbed&);

}  // namespace chronoveil::report
