#include "chronoveil/mechanisms/catalogue.h"

#include <array>
#include <string>

#include "chronoveil/mechanisms/series/dft.h"
#include "chronoveil/mechanisms/series/event.h"
#include "chronoveil/mechanisms/series/fast.h"
#include "chronoveil/mechanisms/series/filter_subsample.h"
#include "chronoveil/mechanisms/series/fixed_rate.h"
#include "chronoveil/mechanisms/series/gaussian.h"
#include "chronoveil/mechanisms/series/kalman.h"
#include "chronoveil/mechanisms/series/laplace.h"
#include "chronoveil/mechanisms/series/running_total.h"
#include "chronoveil/mechanisms/series/shrink.h"
#include "chronoveil/mechanisms/series/subsample.h"
#include "chronoveil/mechanisms/series/w_event.h"

namespace chronoveil::mechanisms {

std::span<const SeriesMechanism* const> series_catalogue() {
  static const std::array rows = {&laplace(),          &gaussian(), &dft(),        &subsample(),
                                  &filter_subsample(), &shrink(),   &event(),      &running_total(),
                                  &kalman(),           &fast(),     &fixed_rate(), &w_event()};
  return rows;
}

Result<const SeriesMechanism*> find_series_mechanism(std::string_view name) {
  std::string names;
  for (const SeriesMechanism* row : series_catalogue()) {
    if (row->name == name) return row;
    names.append(names.empty() ? "" : ", ").append(row->name);
  }
  return invalid("mechanism.name", name, "one of " + names);
}

}  // namespace chronoveil::mechanisms
