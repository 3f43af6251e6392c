// What a trained model promises, in words for the people who publish it.
#pragma once

#include "chronoveil/engine/train/plan.h"

namespace chronoveil::engine {

// For a plan that is priced. Neighbours are panels in which the values of w steps of one series differ; which series
// and steps there are is public, so the relation is replace_values.
Guarantee train_guarantee(const Job&, const TrainPlanned&);

}  // namespace chronoveil::engine
