// The guarantee of a perturbed series in words that its owner understands. Every sentence is true of what it describes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chronoveil/report/page/words.h"
#include "chronoveil/report/perturbed/perturbed.h"

namespace chronoveil::report {

Facts facts_of(const Perturbed&);

// Whether values move in time and are otherwise unchanged.
bool values_move(const Perturbed&);

// "heart_rate", "heart_rate and steps", "heart_rate, steps and 4 more": at most `most` names.
std::string list_words(const std::vector<std::string>& names, std::size_t most);

// The least distance within which `share` of the released values stay.
std::int64_t distance_of(const mechanisms::Moves&, double share);

// "42 % of the values stay where they are; 9 of 10 move by at most 7 rows."
std::string moves_words(const mechanisms::Moves&);

// "About 79 % of the values are as they came in; each of the others is any other value with the same chance."; empty
// where values are not exchanged for others of a public list.
std::string kept_words(const mechanisms::TemporalPlan&);

// What a paper states for the parameters: beside a certified price, or as the price.
std::optional<accounting::Nominal> nominal_of(const mechanisms::TemporalPlan&);

// A certified upper bound of δ at ε, from the points of the curve; empty left of the first point. Between two points it
// is the chord in e^ε, since δ is convex in e^ε; beyond the last point it is the last δ, since δ only falls.
std::optional<double> delta_on(const std::vector<CurvePoint>&, double epsilon);

// How a paper's number differs from the certified one, in a few sentences; empty if there is no such number.
std::string nominal_words(const Perturbed&);

}  // namespace chronoveil::report
