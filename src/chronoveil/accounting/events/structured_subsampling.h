// Which windows of a series one neighbour's change can touch, and how often they are drawn [Schuchardt25].
#pragma once

#include <cstdint>

#include "chronoveil/accounting/events/event.h"

namespace chronoveil::accounting {

// T = L − L_F + 1 windows of a series of length L, after L_C zeros are prepended.
std::int64_t windows_of(const StructuredSubsampling&, std::int64_t length);
// K: windows that the change can touch; min(L_C + L_F, T) for one event, min(L_C + L_F + w − 1, T) for w in a row,
// min(w (L_C + L_F), T) for w arbitrary steps of a user.
std::int64_t touched_windows(const StructuredSubsampling&, std::int64_t length);
// r: the largest share K/T over all lengths; the shortest series decides.
double touched_share(const StructuredSubsampling&);
// ρ: the probability that a series is in the batch; 1 for "iterate".
double series_rate(const StructuredSubsampling&);
// With noise on context and forecast: the largest, over placements of the change and over lengths, of
// (1/T) Σ_windows τ, τ = 2Φ(½√(m_C/σ_C² + m_F/σ_F²)) − 1 the total variation that the window shows.
double augmented_share(const StructuredSubsampling&);

// For comparison: all windows of all series pooled and batch_size of them drawn without replacement. A mixture whose
// price is a lower bound on any analysis that knows only this.
Result<Event> black_box_event(const StructuredSubsampling&);

}  // namespace chronoveil::accounting
