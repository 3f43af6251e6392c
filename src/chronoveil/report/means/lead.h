// What a reader wants first: the newest means in words, and how sure they are.
#pragma once

#include <string>

#include "chronoveil/report/means/published.h"

namespace chronoveil::report {

// `note` (HTML) says what the intervals cover. Limits that a reader would not expect stand here, too. Empty for a
// release without slots.
std::string means_lead(const MeansPublished&, const std::string& note);

}  // namespace chronoveil::report
