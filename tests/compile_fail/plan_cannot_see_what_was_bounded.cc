// Counts that were bounded are private all the same: planning cannot name them.
// layer: plan
// expect-error: chronoveil/bound/bounded_series\.h: No such file or directory
#include "chronoveil/bound/bounded_series.h"
