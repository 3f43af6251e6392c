// The post-processing of single values that a job of counts asks for.
#pragma once

#include <utility>

#include "chronoveil/engine/series/spec.h"
#include "chronoveil/post/adjust.h"

namespace chronoveil::engine {

inline Estimate adjusted(const SeriesSpec& spec, Estimate estimate) {
  if (spec.non_negative) estimate = post::non_negative(std::move(estimate));
  if (spec.integers) estimate = post::to_integers(std::move(estimate));
  return estimate;
}

}  // namespace chronoveil::engine
