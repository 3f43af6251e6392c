// Public groups of series, whose sums are published, too.
#pragma once

#include "chronoveil/engine/job/job.h"

namespace chronoveil::engine {

// Reads the file that `series.groups` names, a CSV `series,group`, for the keys of the job. A series that it does not
// name is in no group. Refused (usage): a series that is not listed or there twice, an empty name, a file that is the
// source. Where `series.list` names that very file, it is the list of series, too, and may leave a group empty.
Result<void> read_groups(Job&);
// The series of such a file, in its order.
Result<std::vector<std::string>> keys_in_groups(const std::string& path);

// The groups by name, in the order of their first series, each with its series in the order of the list.
struct Group {
  std::string name;
  std::vector<std::int64_t> series;
};
std::vector<Group> groups_of(const Job&);

}  // namespace chronoveil::engine
