// What a look asks of a job of means, and what follows: caps on cells and records, and bounds of values.
#pragma once

#include <vector>

#include "chronoveil/engine/look/look.h"
#include "chronoveil/engine/look/questions.h"

namespace chronoveil::engine {

// Cells in slots of each length; values, between the public bounds that the job has, which may be wide; records in one
// cell where the job caps them. Adds a plan of the job for each choice.
Result<void> ask_of_means(const Job&, const std::vector<LookLength>&, LookPlanned&);

// By what protects the job: where its mechanism hides that somebody is there, so does the look; else it hides who.
Result<Relation> relation_of_means(const Job&);

// Fills in people, typical, left_out, error and the proposal, in units of the width between the bounds.
//   cap     the one with the least error: √(noise² + sampling²). Which cells stay of a person is random, so that a mean
//           of fewer people is off by sampling, sd √(1/kept − 1/all), and not by a bias
//   length  as for counts: a tenth of the width is good enough
//   bounds  those ends of bins with the least √(bias² + noise²): bias is how far values are moved on average, and noise
//           grows with the width
void predict_means(const Job&, const LookPlanned&, report::Look&);

}  // namespace chronoveil::engine
