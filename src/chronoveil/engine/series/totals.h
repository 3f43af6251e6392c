// Sums of the cells of a release, from public facts and released values.
#pragma once

#include "chronoveil/base/totals.h"
#include "chronoveil/engine/job/job.h"
#include "chronoveil/engine/series/groups.h"
#include "chronoveil/mechanisms/sums.h"

namespace chronoveil::engine {

// Which sums there are: of all series, of each public group, and of each series by itself, over
//   span     all steps
//   month, week, day  what whole slots make of them by the calendar of the zone; what the span cuts at its ends is left
//            out, and what is a slot itself
//   slot     a step; only of several series
// One series has sums over time alone. Running totals are sums over time already: they are summed by slot alone.
struct SumPlan {
  std::vector<Group> groups;
  std::vector<Periods> periods;  // the longest first
  mechanisms::SumsAsked asked;
};
Result<SumPlan> plan_sums(const Job&, const SlotAxis&, const mechanisms::SeriesPlan&);

// "city_totals.csv" beside "city.csv": where sums go unless the job says otherwise.
std::string totals_beside(const std::string& csv);

// All before each group, these before each series; longest periods first; cut at 0 and rounded as the job says, each by
// itself.
Totals totals_of(const Job&, const SumPlan&, const mechanisms::Summands&);

}  // namespace chronoveil::engine
