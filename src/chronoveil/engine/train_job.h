// [train] of a job file: a forecasting model that learns from series with a guarantee.
#pragma once

#include "chronoveil/engine/job.h"
#include "chronoveil/engine/job_table.h"

namespace chronoveil::engine {

// After [dataset] and [source]. Refuses sections and keys that training has no use for, and keys of training elsewhere.
Result<void> read_train(const JobTable&, Job&);
Result<void> check_train(const Job&);
void add_train_facts(const TrainSpec&, Facts&);

// "event", 24 for w-event of width 24, the declared number of steps for user: w of the event.
std::int64_t changed_steps(const Job&);

// The spans of series out of a public CSV with the columns series, start and end, as they are written there.
Result<std::vector<TrainSpec::Span>> read_spans(const std::string& path);

}  // namespace chronoveil::engine
