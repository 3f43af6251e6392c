// Translating an event between what a request protects and what a dataset promises.
#pragma once

#include <optional>

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/events/neighbours.h"

namespace chronoveil::ledger {

using accounting::for_replacement;

// What a dataset promises to protect: `width` events in a row for w-event; for relation swap (unit event) two values
// that are less than `width` steps apart.
struct Protected {
  Unit unit = Unit::event;
  std::int64_t width = 1;
  Relation relation = Relation::add_remove;
};

// Whether a cap of a request can push something out: for somebody over the cap of I steps, one more slot takes the
// place of another step.
//   possible   unless the request says otherwise
//   none       no cap is below what is possible, or each slot is capped by itself
//   unsaid     in debits from before kFirstToSayEviction, which were charged as if `none`
enum class Eviction { possible, none, unsaid };
inline constexpr std::int64_t kFirstToSayEviction = 6;  // the version of the analysis

// What a request says about its own event; what it leaves out is as the dataset has it. An event that knows its own
// neighbours (`time_subsampling`, `structured_subsampling`, `randomized_response`, all that moves values in time)
// decides for itself: alone it must not be told others, as a part of a composition it is not told any. `width` is the
// window where the relation is swap.
struct Stated {
  std::optional<Unit> unit;
  std::optional<std::int64_t> width;
  std::optional<Relation> relation;
  Eviction eviction = Eviction::possible;
};

// A statement about several events, as far as it concerns this one: an event that knows its own neighbours is not told
// others. A composition is told everything, for its parts.
Stated told_to(const accounting::Event&, Stated);

// Whether a request for this unit protects strictly more than the dataset promises.
bool is_wider(Unit, std::int64_t width, const Protected& dataset);

// Whether a part of the event is for a wider unit than the dataset's, where a cap that evicts would make it dearer.
bool depends_on_eviction(const accounting::Event&, const Stated&, const Protected& dataset);

// The event as the dataset must be charged for it, or an error when it does not fit:
//   unit      must cover the dataset's (user covers w-event covers event; a wider window covers a narrower; w steps of
//             a user by `structured_subsampling`, which are declared, cover w events in a row and no more)
//   eviction  in a dataset with add_remove or replace, a request for a wider unit whose caps can evict is converted by
//             for_replacement, after its relation was. Let one event n of a person w come or go: D and D - n both
//             become D - w when the rest of w goes too, so they are two steps of the wider unit apart. No better bound
//             holds for a cap that evicts: with I = 1 a new first slot empties another. One event replaced by somebody
//             else's changes w and w': two replacements. New values and swaps stay within one user's series.
//             `structured_subsampling` has no cap: its w steps are declared
//   relation  add_remove in a dataset with replace or replace_values: converted by for_replacement. replace in a
//             dataset with replace_values: unchanged, since new values of one unit are a replacement. Every other
//             mixture is refused: noise that hides a replacement need not hide how many units there are, and noise that
//             hides values need not hide where and when they were
//   swap      an event for swaps fits only a dataset that promises swaps in a window at most as wide: hiding when does
//             not hide what. In a dataset that promises swaps, an event that hides a user's new values fits unchanged,
//             for a series with two values swapped is another series of the user (w steps of a user: from w = 2 on); so
//             does one that hides new values of as many events in a row as the window is wide. One that hides one
//             event's value is converted by for_replacement: two values change. add_remove first becomes replace
Result<accounting::Event> fitted(const accounting::Event&, const Stated&, const Protected&);

}  // namespace chronoveil::ledger
