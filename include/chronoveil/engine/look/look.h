// A look before a release finds the caps that leave the least error. It asks how many slots people fill, with noise and
// under a debit of its own, so that nobody has to choose caps by reading the data.
//
// What is asked   numbers of people by number of slots (for each of a few public lengths of a slot), by records in one
//                 slot where records count, and of means by value: histograms over public bins, to which each person
//                 adds one (bound/people/people_counted.h)
// What it costs   q histograms together change by q in one bin each, or 2 q where one person replaces another:
//                   Laplace   b = q / ε, pure ε                                       [DworkRoth14, theorem 3.6]
//                   Gaussian  σ = noise multiplier × √q                               [BalleWang18, theorem 8]
//                 They are the `laplace` and `gaussian` mechanisms of series, with the bins as slots of which a person
//                 fills q: plan, event, price and samplers are theirs
// What follows    is made of noisy numbers and public facts alone, so it costs nothing [DworkRoth14, proposition 2.1]
// A release with caps of a look holds by itself; its debit and that of the look add up in the ledger.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chronoveil/engine/means/means.h"
#include "chronoveil/engine/release/run_options.h"
#include "chronoveil/engine/series/series.h"
#include "chronoveil/report/look/look.h"

namespace chronoveil::engine {

struct LookOptions : RunOptions {
  double epsilon = 0.05;             // of the look
  double delta = 0;                  // greater than 0: Gaussian noise, if it is less
  std::vector<std::string> lengths;  // of slots; empty: the job's, and those of an hour, a day and a week that fit
  std::string output;                // the file of the job with its caps; empty: the job's own; "-": standard output
  std::string json;                  // the look with its guarantee and debit; empty: none
};

// From public facts only.
struct LookPlanned {
  SlotAxis axis;                                   // of the job
  std::vector<report::LookQuestion> questions;     // without people
  std::vector<std::vector<std::uint32_t>> longer;  // by question: which of its slots holds each slot of the axis
  std::vector<report::LookChoice> choices;         // with their noise alone
  std::vector<mechanisms::CellsPlan> cells;        // of means: the job's plan at each choice
  mechanisms::SeriesPlan chosen;
  Guarantee guarantee;  // that the look carries
};

Result<LookPlanned> plan_look(const Job&, const LookOptions&);

// Plans, debits, reads, draws, and writes the caps into the job: everything else in it stays as it is, to the byte.
// With a seed nothing is written.
Result<report::Look> run_look(const Job&, const LookOptions&);
// With fewer people a bin cannot be told from an empty one.
double least_seen(const report::LookQuestion&, const mechanisms::SeriesPlan&);

// The largest number of the bin in which that share of the people is reached.
// Empty if too few are seen.
std::optional<double> look_quantile(const report::Look&, const report::LookQuestion&, double share);

// What a look writes into its job: keys, and values as a job file spells them. Nothing without a proposal, or if the
// look is not private.
std::vector<std::pair<std::string, std::string>> values_for_job(const report::Look&);

// How many people may be in the bins that are too small to see, after the last one that is seen, and are taken to be in
// the others: what these bins add up to with their noise, and two standard deviations. Between none and all.
double most_unseen(const report::Look&, const report::LookQuestion&);

// The proposal as lines of a job file.
std::string proposed_lines(const report::Look&);

// From a stored look: no debit, no data.
Result<report::Look> run_look_again(const Job&, const std::string& debit, const LookOptions&);

}  // namespace chronoveil::engine
