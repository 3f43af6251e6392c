#include "chronoveil/engine/look/measure.h"

#include <algorithm>

#include "chronoveil/bound/bounded_series.h"

namespace chronoveil::engine {
namespace {

std::vector<bound::PeopleQuestion> questions_of(const LookPlanned& planned) {
  std::vector<bound::PeopleQuestion> all;
  for (std::size_t i = 0; i < planned.questions.size(); ++i) {
    const report::LookQuestion& question = planned.questions[i];
    bound::PeopleQuestion asked;
    asked.of = question.of == "slots" ? bound::PeopleQuestion::Of::slots : bound::PeopleQuestion::Of::records;
    asked.longer = planned.longer[i];
    for (const double first : question.first) asked.first.push_back(static_cast<std::int64_t>(first));
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
  return bound::count_people(source, planned.axis, job.keys, questions_of(planned), right);
}

Result<std::vector<double>> measure_people(const LookPlanned& planned, const bound::PeopleCounted& counted,
                                           mechanisms::Draws& draws) {
  CV_TRY(Measurement measured, mechanisms::measure(planned.chosen, as_series(planned.chosen.shape, counted), draws));
  return std::move(measured.values);
}

}  // namespace chronoveil::engine
