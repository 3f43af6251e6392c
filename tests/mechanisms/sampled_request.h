// What the tests of both mechanisms that sample steps ask for.
#pragma once

#include <variant>

#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::mechanisms {

inline Request request_for(std::int64_t series, std::int64_t steps, std::int64_t max_steps) {
  Request request;
  request.shape = {.series = series, .steps = steps, .max_steps = max_steps, .maximum = 1000};
  request.epsilon = 0.5;
  request.delta = 1e-4;
  return request;
}

inline const accounting::TimeSubsampling& event_of(const SeriesPlan& plan) {
  return std::get<accounting::TimeSubsampling>(plan.event.kind);
}

}  // namespace chronoveil::mechanisms
