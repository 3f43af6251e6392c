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

// Whether a cap of a request can push something out: somebody over the cap of I steps who has one slot more counts in
// another step less.
//   possible   unless the request says otherwise
//   none       every cap is at least everything that there can be, or is for each slot by itself
//   unsaid     read from debits before kFirstToSayEviction, which were charged as if none could
enum class Eviction { possible, none, unsaid };
inline constexpr std::int64_t kFirstToSayEviction = 6;  // the version of the analysis

// What a request says about its own event; what it leaves out is the dataset's. An event that knows its own
// neighbours (`time_subsampling`, `structured_subsampling`, `randomized_response`, all that moves values in time)
// decides for itself. `width` is the window where the relation is swap.
struct Stated {
  std::optional<Unit> unit;
  std::optional<std::int64_t> width;
  std::optional<Relation> relation;
  Eviction eviction = Eviction::possible;
};

// Whether a request for this unit protects strictly more than the dataset promises.
bool is_wider(Unit, std::int64_t width, const Protected& dataset);

// Whether a part of the event is for a wider unit than the dataset's, where a cap that evicts would make it dearer.
bool depends_on_eviction(const accounting::Event&, const Stated&, const Protected& dataset);

// The event as the dataset must be charged for it, or an error when it does not fit:
//   unit      must cover the dataset's (user covers w-event covers event; a wider window covers a narrower; w steps of
//             a user by `structured_subsampling`, which are declared, cover w events in a row and no more)
//   eviction  in a dataset with add_remove or replace, a request for a wider unit whose caps can evict is converted by
//             for_replacement, after its relation was. One event n of a person w more or less: D and D - n both become
//             D - w when the rest of w goes too, so they are two steps of the wider unit apart, and no more can be said
//             of a cap that evicts: with I = 1 a new first slot empties another. One event replaced by one of somebody
//             else is a new w and a new w': two replacements. New values and swaps stay within one user's series.
//             `structured_subsampling` has no cap: its w steps are declared
//   relation  add_remove in a dataset with replace or replace_values: converted by for_replacement. replace in one with
//             replace_values: as it is, since new values of one unit are a replacement. Every other mixture is refused:
//             noise that hides a replacement need not hide how many there are, and noise that hides values need not
//             hide where and when they were
//   swap      an event for swaps fits a dataset that promises swaps of a window as wide at most, and no other: hiding
//             when does not hide what. In a dataset that promises swaps, what hides a user's new values fits as it is,
//             for a series with two values swapped is another series of the user (of w steps of a user, from w = 2 on);
//             so does what hides those of as many events in a row as the window is wide. What hides one event's is
//             converted by for_replacement: two values change. add_remove is first converted to replace
Result<accounting::Event> fitted(const accounting::Event&, const Stated&, const Protected&);

}  // namespace chronoveil::ledger
