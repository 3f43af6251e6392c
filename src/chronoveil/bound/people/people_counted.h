// How many people have which number: histograms over public bins, to which each person adds exactly one.
//   Sensitivity   a person's number depends on the rows of that person alone (and on a key that is drawn anew), and
//                 lies in exactly one bin. So one person more or less changes one bin by 1, and another person in the
//                 same place at most two: L1 1 or 2, L2 1 or √2 per question, whatever the rows are [DworkRoth14, 3.3]
//   Rows          bins come from the job. No bin appears because somebody is in it
//   Edges         numbers beyond the last bin are in it, those below the first one in the first
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chronoveil/base/draw_right.h"
#include "chronoveil/base/result.h"
#include "chronoveil/base/slot_axis.h"
#include "chronoveil/bound/cells/bounded_cells.h"
#include "chronoveil/data/record_source.h"

namespace chronoveil::bound {

// What is asked of each person.
//   slots    in how many longer slots, series or places counted apart, the person has a row; `longer` says which of
//            them holds each slot of the axis
//   records  how many records the person has in one cell, where they are most: amounts, where rows have some
//   value    one of the person's values, on the grid: the one whose priority under a key from `right` is least, so that
//            each is as likely. Of means only
struct PeopleQuestion {
  enum class Of { slots, records, value } of = Of::slots;
  std::vector<std::uint32_t> longer;
  std::vector<std::int64_t> first;  // the least number of each bin, ascending
};

struct PeopleCounted {
  std::vector<std::vector<std::int64_t>> people;  // by question, then by bin
  std::int64_t counted = 0;                       // rows inside the span and of a listed key
};

// Of counts. Refused rows are those that bound_records refuses.
Result<PeopleCounted> count_people(data::RecordSource&, const SlotAxis&, const std::vector<std::string>& keys,
                                   const std::vector<PeopleQuestion>&, DrawRight& right);
// Of means. Refused rows are those that bound_cells refuses: a value must be a finite number.
Result<PeopleCounted> count_people(data::RecordSource&, const SlotAxis&, const Places&, const ValueGrid&,
                                   const std::vector<PeopleQuestion>&, DrawRight& right);

}  // namespace chronoveil::bound
