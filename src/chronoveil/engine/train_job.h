// [train] of a job file: a forecasting model that learns from series with a guarantee.
#pragma once

#include "chronoveil/engine/job.h"
#include "chronoveil/engine/job_table.h"

namespace chronoveil::engine {

// After [dataset] and [source]. Refuses sections and keys that training has no use for, and keys of training elsewhere.
Result<void> read_train(const JobTable&, Job&);
Result<void> check_train(const Job&);
void add_train_facts(const TrainSpec&, Facts&);

// w: the steps of one series that a neighbour changes. 1 for event, privacy.width for w-event, privacy.max_steps for
// user.
std::int64_t changed_steps(const Job&);

// The spans of series out of a public CSV with the columns series, start and end, as they are written there. Errors are
// usage or storage and name train.spans.
Result<std::vector<TrainSpec::Span>> read_spans(const std::string& path);

}  // namespace chronoveil::engine
