// Publishes a step anew only when it has moved away from what was published last, so that any w steps in a row spend at
// most ε [Kellaris14].
//   Questions  every step: S = Σ_s |count_s − last_s| over the d series that report, with Laplace noise of 2 w c/ε;
//              when S/d > c/ε_t, every count, with Laplace noise of c/ε_t; else last is published again
//   ε_t        in a window of w steps at most ε/2: strategy `absorption` or `distribution` of window_shares.h
//   Privacy    ε-DP for any w slots in a row: one neighbour moves S, and the counts of a slot together, by at most c in
//              each of them; w ε/(2w) + ε/2 = ε. Replacement moves twice as much: c is then 2c throughout. δ is not
//              used.
//   Error      that of c/ε_t where a step is published anew, else what the series moved since, with an interval that
//              holds whatever the series does: |count_s − last_s| <= S
//   Edges      w >= T is a whole person; last is 0 before the first publication; a share so small that its noise could
//              not be drawn is not spent; one use per step in which a series reports
#pragma once

#include <memory>

#include "chronoveil/mechanisms/live.h"
#include "chronoveil/mechanisms/parts/window_shares.h"
#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::mechanisms {

const SeriesMechanism& w_event();

// The process with any kind of shares, so that tests can check others in the same way.
std::unique_ptr<LiveProcess> w_event_process(const SeriesPlan&, std::unique_ptr<WindowShares>);

}  // namespace chronoveil::mechanisms
