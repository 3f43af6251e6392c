// What becomes of a second row for the same series and slot, where rows are counts.
#pragma once

namespace chronoveil::bound {

enum class Duplicates { refuse, sum };

}  // namespace chronoveil::bound
