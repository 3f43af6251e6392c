#include "chronoveil/mechanisms/cells/parts/smoothing.h"

#include <algorithm>

#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/post/cells/cells.h"

namespace chronoveil::mechanisms {
namespace {

std::vector<post::cells::Middle> middles_of(const std::optional<PlaceGrid>& grid) {
  std::vector<post::cells::Middle> middles;
  if (!grid) return middles;
  for (std::int64_t place = 0; place < grid->places(); ++place) {
    const PlaceGrid::Point middle = grid->middle_of(place);
    middles.push_back({middle.x / grid->spec().size, middle.y / grid->spec().size});
  }
  return middles;
}

}  // namespace

Result<void> check_smoothing(const CellsPlan& plan) {
  CV_TRY(const CellMechanism* mechanism, find_cell_mechanism(plan.mechanism));
  if (!mechanism->can_be_smoothed)
    return fail(ErrorKind::usage, "output.smooth",
                plan.mechanism +
                    " cannot be smoothed: smoothing is for array_averaging, clip_mean and baseline, whose noise has "
                    "mean 0 and a deviation that is public. Leave it out, or name one of these");
  if (plan.shape.cells() > kMostSmoothed)
    return fail(ErrorKind::usage, "output.smooth",
                "there are " + std::to_string(plan.shape.cells()) + " cells, and at most " +
                    std::to_string(kMostSmoothed) + " can be smoothed; leave it out");
  return {};
}

Smoothed smoothed_by(const CellShape& shape, const std::optional<PlaceGrid>& grid) {
  return grid && post::cells::near_places_fit(shape.places, shape.steps) ? Smoothed::over_places : Smoothed::by_place;
}

std::int64_t steps_of_day(const SlotAxis& axis) {
  constexpr std::int64_t kDay = 24 * 60 * 60 * 1000;
  if (axis.steps() == 0) return 0;
  // Of the usual slot: a change of clocks makes others longer or shorter.
  const std::int64_t length = axis.boundaries[1] - axis.boundaries[0];
  return kDay % length == 0 ? kDay / length : 0;
}

std::vector<CellEstimate> smoothed(const CellsPlan& plan, std::vector<CellEstimate> uncut,
                                   const std::optional<PlaceGrid>& grid, const SlotAxis& axis) {
  std::vector<double> values(uncut.size(), 0), deviations(uncut.size(), 0);
  for (std::size_t i = 0; i < uncut.size(); ++i) {
    if (uncut[i].state != CellEstimate::State::published) continue;
    values[i] = uncut[i].measured = uncut[i].mean;
    deviations[i] = uncut[i].deviation;
  }
  const post::SmoothedCells made = post::smooth_cells(values, deviations,
                                                      {.places = plan.shape.places,
                                                       .steps = plan.shape.steps,
                                                       .middles = middles_of(grid),
                                                       .season = steps_of_day(axis),
                                                       .fourth_moment = plan.noise == NoiseKind::laplace ? 6.0 : 3.0});
  for (std::size_t i = 0; i < uncut.size(); ++i) {
    if (uncut[i].state != CellEstimate::State::published) continue;
    const double half_width = (uncut[i].upper - uncut[i].lower) / 2 * made.widths[i];
    uncut[i].mean = made.values[i];
    uncut[i].lower = made.values[i] - half_width;
    uncut[i].upper = made.values[i] + half_width;
  }
  return uncut;
}

}  // namespace chronoveil::mechanisms
