#include "chronoveil/mechanisms/catalogue.h"

#include <array>
#include <string>

#include "chronoveil/mechanisms/cells/array_averaging.h"
#include "chronoveil/mechanisms/cells/baseline.h"
#include "chronoveil/mechanisms/cells/clip_mean.h"
#include "chronoveil/mechanisms/cells/levy.h"
#include "chronoveil/mechanisms/cells/quantile.h"
#include "chronoveil/mechanisms/cells/registered_mean.h"
#include "chronoveil/mechanisms/cells/sum_over_count.h"
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
#include "chronoveil/mechanisms/temporal/noisy_sort.h"
#include "chronoveil/mechanisms/temporal/numeric_noise.h"
#include "chronoveil/mechanisms/temporal/randomized_response.h"
#include "chronoveil/mechanisms/temporal/switching.h"
#include "chronoveil/mechanisms/temporal/threshold.h"

namespace chronoveil::mechanisms {

std::span<const SeriesMechanism* const> series_catalogue() {
  static const std::array rows = {&laplace(),          &gaussian(), &dft(),        &subsample(),
                                  &filter_subsample(), &shrink(),   &event(),      &running_total(),
                                  &kalman(),           &fast(),     &fixed_rate(), &w_event()};
  return rows;
}

std::span<const CellMechanism* const> cell_catalogue() {
  static const std::array rows = {&baseline(),       &clip_mean(),        &array_averaging(), &levy(),
                                  &fixed_quantile(), &epsilon_quantile(), &sum_over_count(),  &registered_mean()};
  return rows;
}

std::span<const TemporalMechanism* const> temporal_catalogue() {
  static const std::array rows = {&ranswitch(),           &staswitch(), &threshold(),    &noisy_sort(),
                                  &randomized_response(), &piecewise(), &local_laplace()};
  return rows;
}

namespace {

template <class Row>
Result<const Row*> find_row(std::span<const Row* const> rows, std::string_view name) {
  std::string names;
  for (const Row* row : rows) {
    if (row->name == name) return row;
    names.append(names.empty() ? "" : ", ").append(row->name);
  }
  return invalid("mechanism.name", name, "one of " + names);
}

}  // namespace

Result<const SeriesMechanism*> find_series_mechanism(std::string_view name) {
  return find_row(series_catalogue(), name);
}

Result<const CellMechanism*> find_cell_mechanism(std::string_view name) { return find_row(cell_catalogue(), name); }

Result<const TemporalMechanism*> find_temporal_mechanism(std::string_view name) {
  return find_row(temporal_catalogue(), name);
}

}  // namespace chronoveil::mechanisms
