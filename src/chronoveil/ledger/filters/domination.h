// Which events may run in a slot that was reserved for another.
#pragma once

#include "chronoveil/accounting/events/event.h"

namespace chronoveil::ledger {

// True only when whatever `event` reveals could be computed from what `slot` reveals, or its neighbours are fewer:
//   the same event, or the same kind with a smaller count and
//     more noise        gaussian, laplace, discrete_laplace, mixture, time_subsampling, structured_subsampling: more
//                       noise is the slot's noise and some on top (Laplace laws are self-decomposable)
//     less sensitivity  discrete_gaussian, discrete_laplace: log-concave noise, so a smaller shift reveals less
//     fewer steps       time_subsampling: a smaller participation
//     a smaller sample  dp_sgd, poisson_sampled, and samples of a fixed size from the same population, the inner event
//                       being dominated: as what the larger one shows, or, with some probability, nothing
//     a smaller ε       exponential, pure, approximate (and δ), randomized_response over as many values
//   in a slot `pure` or `approximate`: laplace, discrete_laplace, exponential and randomized_response of at most its ε
//   `compose`: as many events, each dominated by the one in its place.
// False does not mean that it reveals more: a discrete Gaussian of a larger scale is not known to be dominated.
bool is_dominated_by(const accounting::Event& event, const accounting::Event& slot);

}  // namespace chronoveil::ledger
