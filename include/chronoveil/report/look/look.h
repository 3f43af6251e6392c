// What a look says: how many people have which number of slots, with noise, and the caps that follow from it. Nothing
// here is data: all but the noisy numbers is public, or made of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chronoveil/base/guarantee.h"
#include "chronoveil/ledger/debit.h"
#include "chronoveil/mechanisms/series_mechanism.h"
#include "chronoveil/report/series/published.h"

namespace chronoveil::report {

// One number of each person, and how many people have which.
//   slots    slots of that length, series counted apart, in which the person has a row
//   records  records, or amounts, in the one slot of one series where the person has most
//   value    one of the person's values, drawn at random
struct LookQuestion {
  std::string of;                   // "slots", "records", "value"
  std::string length = "";          // of slots: "1h", "1d"
  std::vector<double> first = {};   // the least number of each bin
  std::vector<double> last = {};    // and the largest
  std::vector<double> people = {};  // noisy
};

// A cap, and the error of one count that it would leave.
struct LookChoice {
  std::string length;
  std::int64_t cap = 0;
  double noise = 0;     // expected, absolute; known before the look. With a public sample after all smoothing
  double typical = 0;   // people in a slot of a series, on average
  double left_out = 0;  // the share of them that the cap leaves out
  double error = 0;     // √((left_out × typical)² + noise²) / typical; infinite where nobody is seen
};

struct Look {
  std::string title;
  std::string mark;  // "seeded: not private", or empty
  Guarantee guarantee;
  mechanisms::SeriesPlan plan;  // of the bins, as if they were the slots of one series
  std::vector<std::string> not_protected;
  std::string asked;  // the digest of what it asked about: rows, keys, places, span
  double people = 0;  // in all; noisy
  std::vector<LookQuestion> questions;
  std::vector<LookChoice> choices;                            // by length, then by cap
  std::vector<std::pair<std::string, std::string>> proposal;  // keys of the job with their values, as a job file spells
                                                              // them; empty: too few people to be seen
  std::optional<ledger::DebitReference> debit;
  std::optional<BudgetLeft> budget;
};

std::string look_json(const Look&);
Result<Look> look_from_json(std::string_view);

}  // namespace chronoveil::report
