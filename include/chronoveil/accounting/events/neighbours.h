// Converts events priced for one kind of neighbours to another kind, so that a composition of both has a price.
#pragma once

#include "chronoveil/accounting/events/event.h"

namespace chronoveil::accounting {

// An event priced for one unit added or removed, as it looks when one unit is replaced by another: a replacement is a
// removal and an addition, so every sensitivity doubles, and (ε, δ) becomes (2ε, (1 + e^ε) δ). The same two steps lead
// from one new value to two. Refused (usage) for events whose sensitivity is not a parameter (`mixture`,
// `structured_subsampling`), for samples that are already for a replacement, for `time_subsampling` after a filter if
// twice the steps are more than the series has, and for events that move values in time.
Result<Event> for_replacement(const Event&);

// Among whom a simple event is priced.
struct Neighbours {
  Relation relation = Relation::replace;
  Unit unit = Unit::event;
  std::int64_t width = 1;  // of w events in a row, or of the steps of a user that `structured_subsampling` declares
};

// A simple event that does not move values, as it looks when two values less than `window` steps apart are swapped:
//   a user's new values, or those of as many events in a row as the window is wide: unchanged, since a series with two
//   values swapped is another series of the user (w steps of a user: from w = 2 on)
//   one event's new value: by for_replacement, for two values change
//   add_remove: first by for_replacement
Result<Event> for_swap(const Event&, const Neighbours&, std::int64_t window);

// A composition in which something moves values in time holds for swaps within the narrowest window. Events that state
// other neighbours are converted by for_swap; if that is impossible, cannot_certify names both. Events that state no
// neighbours (`gaussian`, `pure`, ...) are unchanged: the caller's sensitivity is for the swap.
//   noisy_sort ε₁ with randomized_response ε₂: ε₁ + 2ε₂ at δ = 0
// A composition of events for add_remove and for replace holds for replacements: the former are converted by
// for_replacement, and if that is impossible, cannot_certify names both.
//   dp_sgd with structured_subsampling: dp_sgd is priced with half of its noise, for a replacement
//   one relation in all, or none stated: unchanged
Result<Event> in_one_relation(const Event&);

}  // namespace chronoveil::accounting
