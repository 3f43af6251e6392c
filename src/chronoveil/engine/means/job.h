// The parts of a job file that make it one of means: [means], [places], and the columns and public counts they need.
#pragma once

#include "chronoveil/engine/job/job.h"
#include "chronoveil/engine/job/table.h"

namespace chronoveil::engine {

// Reads [means], the grid of [places], `counts` and `users` of [plan] and the source's place, longitude and latitude,
// after [source] was read. Refuses them all in a job without [means], and [series] and [live] in one with it.
Result<void> read_means(const JobTable&, Job&);

// What holds for every job of means. Errors name the key as a job file spells it.
Result<void> check_means(const Job&);

void add_means_facts(const MeansSpec&, Facts&);

// "5,3,2", or the name of a file with whole numbers separated by white space or commas: records of each person.
// `path` becomes the file's, relative to the folder of the job; empty for a list.
Result<std::vector<std::uint32_t>> read_counts(std::string_view key, const std::string& text, const std::string& job,
                                               std::string& path);

}  // namespace chronoveil::engine
