// The member `totals` of a release JSON: {"periods": [{per, first, end}], "sums": [{of, name, per, value, lower,
// upper}]}. first and end are places in `boundaries`; name is null for all series. Without totals it is absent.
#pragma once

#include <string>

#include "chronoveil/base/release.h"
#include "chronoveil/report/document/json_fields.h"

namespace chronoveil::report {

// With a comma and a line break after it.
void append_totals(std::string& out, const Totals&);
Result<Totals> totals_in(const Fields& document, std::int64_t steps);

}  // namespace chronoveil::report
