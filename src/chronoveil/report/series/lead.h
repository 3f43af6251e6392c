// What a reader wants first: the newest value in words, and how sure it is.
#pragma once

#include <string>

#include "chronoveil/report/series/published.h"

namespace chronoveil::report {

// `note` (HTML) says what the intervals cover. Empty for a release without steps.
std::string series_lead(const Published&, const std::string& note);

}  // namespace chronoveil::report
