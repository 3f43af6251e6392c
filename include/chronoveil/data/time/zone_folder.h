// Where time zones are read.
#pragma once

#include <string>

namespace chronoveil::data {

// Another folder like the system's /usr/share/zoneinfo, for systems that have none: zones that are not there are looked
// for here. For the whole process; such as the one in Python's package tzdata.
void read_zones_from(std::string folder);

}  // namespace chronoveil::data
