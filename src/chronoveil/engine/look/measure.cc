#include "chronoveil/engine/look/measure.h"

#include <algorithm>

#include "chronoveil/bound/bounded_series.h"

namespace chronoveil::engine {
namespace {

std::vector<bound::PeopleQuestion> questions_of(const LookPlanned& planned, const bound::ValueGrid* values) {
  std::vector<bound::PeopleQuestion> all;
  for (std::size_t i = 0; i < planned.questions.size(); ++i) {
    const report::LookQuestion& question = planned.questions[i];
    const bound::ValueGrid* const grid = question.of == "value" ? values : nullptr;
    bound::PeopleQuestion asked;
    asked.of = question.of == "slots"   ? bound::PeopleQuestion::Of::slots
               : question.of == "value" ? bound::PeopleQuestion::Of::value
                                        : bound::PeopleQuestion::Of::records;
    asked.longer = planned.longer[i];
    for (const double first : question.first)
      asked.first.push_back(static_cast<std::int64_t>(grid ? (first - grid->lower()) / grid->step() : first));
    all.push_back(std::move(asked));
  }
  return all;
}

// The bins of all questions one after another. A person is in one bin of each, whatever the rows: no cap is needed.
bound::BoundedSeries as_series(const mechanisms::PublicShape& shape, const bound::PeopleCounted& counted) {
  std::vector<std::int64_t> counts;
  for (const std::vector<std::int64_t>& people : counted.people)
    for (const std::int64_t number : people) counts.push_back(std::min(number, shape.maximum));
  const bound::Caps caps{shape.unit, shape.max_steps, shape.max_per_slot, shape.maximum};
  return {shape.series, shape.steps, std::move(counts), caps, Basis::enforced, {}};
}

}  // namespace

Result<bound::PeopleCounted> count_people(const Job& job, const LookPlanned& planned, data::RecordSource& source,
                                          DrawRight& right) {
  if (!job.is<MeansSpec>())
    return bound::count_people(source, planned.axis, job.keys, questions_of(planned, nullptr), right);
  CV_TRY(const bound::ValueGrid grid, bound::ValueGrid::make(job.means().lower, job.means().upper));
  bound::Places places;
  places.names = job.keys;
  if (job.places.grid) {
    CV_TRY(places.grid, PlaceGrid::make(*job.places.grid));
    places.names.clear();
  }
  return bound::count_people(source, planned.axis, places, grid, questions_of(planned, &grid), right);
}

Result<std::vector<double>> measure_people(const LookPlanned& planned, const bound::PeopleCounted& counted,
                                           mechanisms::Draws& draws) {
  CV_TRY(Measurement measured, mechanisms::measure(planned.chosen, as_series(planned.chosen.shape, counted), draws));
  return std::move(measured.values);
}

}  // namespace chronoveil::engine
