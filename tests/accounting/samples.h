// One event of each kind, of ordinary cost: the switches, which have none at a small δ, have tests of their own.
#pragma once

#include <vector>

#include "chronoveil/accounting/events/event.h"

namespace chronoveil::accounting {

inline StructuredSubsampling sample_structured() {
  StructuredSubsampling e{};
  e.series = 50;
  e.length = {40, 60};
  e.context_length = 4;
  e.forecast_length = 2;
  e.batch_size = 5;
  e.noise_multiplier = 2;
  return e;
}

inline std::vector<Event> sample_events() {
  StructuredSubsampling several = sample_structured(), poisson = sample_structured(), augmented = sample_structured();
  several.windows_per_series = 2;
  poisson.bottom_level = StructuredSubsampling::Bottom::poisson;
  augmented.context_noise = 2;
  augmented.label_noise = 1;
  return {{Gaussian{3}, 1},
          {Laplace{8}, 1},
          {DiscreteGaussian{6, 2}, 1},
          {DiscreteLaplace{20, 3}, 1},
          {Exponential{0.2}, 1},
          {Pure{0.1}, 1},
          {Approximate{0.1, 1e-12}, 1},
          {RandomizedResponse{0.2, 4}, 1},
          {Mixture{{{0, 1}, {0.9, 0.1}}, {{0}, {1}}, 2}, 1},
          {TimeSubsampling{10, 0.1, 6, {}, {}}, 1},
          {TimeSubsampling{10, 0.1, 6, 80, 3.0}, 1},
          {sample_structured(), 1},
          {several, 1},
          {poisson, 1},
          {augmented, 1},
          {DpSgd{0.1, 3}, 1},
          {PoissonSampled{0.1, std::make_shared<const Event>(Event{Laplace{4}, 1})}, 1},
          {SampledWithoutReplacement{50, 5, std::make_shared<const Event>(Event{Gaussian{3}, 1})}, 1},
          {SampledWithReplacement{50, 5, std::make_shared<const Event>(Event{Gaussian{3}, 1})}, 1},
          {NoisySort{6, 0.2, NoisySort::Law::laplace, {}}, 1},
          {NoisySort{6, 0.2, NoisySort::Law::staircase, {}}, 1},
          {NoisySort{6, 0.2, NoisySort::Law::staircase, {}, 5}, 1}};
}

}  // namespace chronoveil::accounting
