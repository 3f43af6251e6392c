// Plan-time code cannot name a data type, so no parameter can depend on data by accident.
// layer: plan
// expect-error: chronoveil/data/record_source\.h: No such file or directory
#include "chronoveil/data/record_source.h"
