// [train] of a job file: a forecasting model that learns from series with a guarantee.
#pragma once

#include <optional>

#include "chronoveil/engine/job/table.h"
#include "chronoveil/engine/train/train.h"

namespace chronoveil::engine {

// Refuses sections and keys that training has no use for.
Result<void> refuse_in_train(const JobTable&);
// What follows from several keys: the columns to learn from, and the noise_unit that bounds imply.
Result<void> complete_train(const JobTable&, Job&);
Result<void> check_train(const Job&);

// w: the steps of one series that a neighbour changes. 1 for event, privacy.width for w-event, privacy.max_steps for
// user.
std::int64_t changed_steps(const Job&);

// train.lower and train.upper. One without the other, or invalid bounds, are usage errors.
Result<std::optional<forecasting::ValueBounds>> bounds_of(const TrainSpec&);
// With bounds, how far a change can move the values of a step: the least noise_unit that needs no trust.
double largest_change(const forecasting::ValueBounds&, const TrainSpec&);

// The spans of series out of a public CSV with the columns series, start and end, as they are written there. Errors are
// usage or storage and name train.spans.
Result<std::vector<TrainSpec::Span>> read_spans(const std::string& path);

}  // namespace chronoveil::engine
