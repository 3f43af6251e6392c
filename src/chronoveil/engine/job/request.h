// What a job asks of a mechanism, of whatever kind.
#pragma once

#include "chronoveil/engine/job/job.h"

namespace chronoveil::engine {

template <class Request>
void ask_as_job(const Job& job, Request& request) {
  request.epsilon = job.epsilon;
  request.delta = job.delta;
  request.analysis = job.analysis;
  request.parameters = job.parameters;
  if constexpr (requires { request.level; }) request.level = job.level;
}

}  // namespace chronoveil::engine
