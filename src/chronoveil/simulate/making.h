// Makes a world: its rows, which are written, what is true of them, and how to release them.
#pragma once

#include "chronoveil/simulate/job_text.h"
#include "chronoveil/simulate/text_file.h"
#include "chronoveil/simulate/truth.h"
#include "chronoveil/simulate/worlds.h"

namespace chronoveil::simulate {

Result<Truth> simulate(const Traffic&, std::uint64_t seed, TextFile& rows);
Result<Truth> simulate(const Checkins&, std::uint64_t seed, TextFile& rows);
Result<Truth> simulate(const Flu&, std::uint64_t seed, TextFile& rows);
Result<Truth> simulate(const Meters&, std::uint64_t seed, TextFile& rows);
Result<Truth> simulate(const Buses&, std::uint64_t seed, TextFile& rows);

// How to release it. The world must be one that simulate() accepts.
Result<JobFacts> job_facts(const Traffic&);
Result<JobFacts> job_facts(const Checkins&);
Result<JobFacts> job_facts(const Flu&);
Result<JobFacts> job_facts(const Meters&);
Result<JobFacts> job_facts(const Buses&);

}  // namespace chronoveil::simulate
