// The control of plan_cannot_see_data: the same header, from a layer that may see it.
// layer: bound
// expect-success
#include "chronoveil/data/record_source.h"

chronoveil::data::RecordBatch batch;
