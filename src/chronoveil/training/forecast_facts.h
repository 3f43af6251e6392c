// What a forecast from a private history asks of which data, for the digest that tells it from others.
#pragma once

#include <string>
#include <vector>

#include "chronoveil/engine/job/job.h"
#include "chronoveil/training/forecast.h"

namespace chronoveil::training {

// Everything that decides the result: another model (`model`: its digest), or other draws of its paths, is another
// forecast. What is read and protected is told as a job of counts tells it, keys that a forecast does not have by their
// defaults: debits of earlier versions have such digests.
engine::Facts facts_of(const ForecastRequest&, const PrivateHistoryPlan&, const std::string& model,
                       const std::vector<std::string>& channels);

}  // namespace chronoveil::training
