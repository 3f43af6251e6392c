// No draws, no measurement.
// expect-error: (too few arguments|no matching function|invalid initialization)
#include "chronoveil/mechanisms/series_mechanism.h"

auto run(const chronoveil::mechanisms::SeriesPlan& plan, const chronoveil::bound::BoundedSeries& series) {
  return chronoveil::mechanisms::measure(plan, series);
}
