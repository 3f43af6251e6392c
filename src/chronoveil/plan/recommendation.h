// Which of the candidates, and why: the argument of docs/which_mechanism.md.
//   A public sample   the least expected error
//   Unit event        event: its noise hides one slot, and no smoother is needed at that scale
//   δ > 0             shrink, since noise on every step carries the most information and a smoother can use it; but
//                     laplace if its noise carries at least twice the information of Gaussian noise, which happens when
//                     a person changes very few values. (filter_subsample may carry more if a person is in few steps,
//                     but about a smoothed series, whose distance from the series no public fact bounds: only a sample
//                     can recommend it)
//   δ = 0             dft if one person moves fewer coefficients than steps and its noise per step is at most half of
//                     Laplace's, else laplace: under pure ε, asking less lowers the noise, but what is not asked is
//                     lost
// Live, where each step is published before the next has come:
//   Unit event        event
//   δ > 0             kalman: m questions with Gaussian noise carry the same information for every m, so every step is
//                     asked and a causal filter uses all of it; laplace where it carries twice as much, as above
//   δ = 0             w_event for w slots in a row of at least 8; fixed_rate where its noise is at most half of
//                     Laplace's, since every question costs and a well chosen rate is rarely worse than fast; else
//                     laplace
// Mechanisms that publish running totals answer another question and are never recommended.
#pragma once

#include <string>
#include <vector>

#include "chronoveil/plan/comparison.h"

namespace chronoveil::plan {

struct Recommendation {
  std::string mechanism;  // empty when none fits
  std::string reason;
};

Recommendation recommend(const mechanisms::Request&, const std::vector<Candidate>&, Audience, bool by_expected_error);

}  // namespace chronoveil::plan
