// A move, so that a dataset is open in at most one place, wherever it is killed. Each step is durable before the next:
//
//   1. here   `moved`    closes the dataset
//   2. there  a copy that ends with `copied`; it is closed, too
//   3. here   `arrived`  names that copy by the hash of its last row
//   4. there  `opened`   opens it
//
// Until 3 nothing was ever opened, so a copy that was lost or taken away is made anew; the first one can never be
// opened any more. From 3 on only the copy that was named is opened, whatever else lies at the place, and if it is
// gone, nothing is. Earlier versions opened the copy in step 2, and noted that afterwards or not at all: what they
// closed is open elsewhere unless it is found where it was moved to.
#include <fmt/format.h>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/ledger/inside/inside.h"
#include "chronoveil/ledger/ledger.h"
#include "chronoveil/ledger/proof/first_seal.h"

namespace chronoveil::ledger {

Ledger::Inside::Departure Ledger::Inside::departure_of(const std::vector<Entry>& rows) {
  Departure found;
  for (const Entry& row : rows) {
    if (row.kind == "opened") found = {};
    if (row.kind == "moved") found.moved = &row;
    if (row.kind == "copied") found.copied = &row;
    if (row.kind == "arrived") found.arrived = &row;
  }
  return found;
}

bool Ledger::Inside::Departure::under_way() const {
  if (moved == nullptr || arrived != nullptr) return false;
  const Result<MovedBody> body = moved_from_body(moved->body);
  return copied != nullptr || (body && body->noted_first);
}

Result<void> Ledger::Inside::move(const std::string& dataset, const MovedBody& body, Store& to) {
  const auto refuse = [&](const std::string& why) {
    return fail(ErrorKind::usage, "move", "dataset '" + dataset + "' " + why);
  };
  const std::string exists = "exists there already";
  CV_TRY(Stored here, sound_rows(*store, dataset));
  CV_TRY(Stored there, sound_rows(to, dataset));
  Departure left = departure_of(here.rows);
  if (left.copied != nullptr)
    return refuse(
        "was brought here by a move that was interrupted; run that move again, with the ledger it began with");
  if (left.moved == nullptr) {
    if (!there.rows.empty()) return refuse(exists);
    // One that was deleted goes along: its rows are anchored.
    CV_CHECK(append(dataset, false,
                    [&](const Account&, const std::string&, const Store::Reader&) -> Result<std::vector<Draft>> {
                      return std::vector<Draft>{{"moved", to_body(body)}};
                    }));
    CV_TRY(here, sound_rows(*store, dataset));
    left = departure_of(here.rows);
  }
  CV_TRY(const MovedBody moved, moved_from_body(left.moved->body));
  if (moved.place != body.place) return refuse("was moved elsewhere");
  if (there.rows.empty()) {
    if (left.arrived != nullptr)
      return refuse(
          "has arrived there before, and is there no longer; find the ledger that it was moved to and put it back, for "
          "nothing is opened twice");
    if (!moved.noted_first)
      return refuse(
          "was moved there by an earlier version, which may have opened it, and is there no longer; find the ledger "
          "that "
          "it was moved to and put it back, for nothing is opened twice; if there never was one, restore a backup from "
          "before the move");
    const std::string token = fmt::format("{:016x}", BitSource::for_this_thread().next_u64());
    CV_TRY(const Entry note, note_after(here.rows, "copied", copied_body(token)));
    CV_TRY(const Addition copy, carried(here, {note}));
    CV_CHECK(to.add({copy}));
    there = {copy.rows, copy.seal};
  }
  const auto at = static_cast<std::size_t>(left.moved->sequence);
  if (there.rows.size() <= at || there.rows[at].hash != left.moved->hash) return refuse(exists);
  const Entry* first = there.rows.size() > at + 1 ? &there.rows[at + 1] : nullptr;
  const bool is_copy = first != nullptr && first->kind == "copied";
  if (!is_copy && (first == nullptr || first->kind != "opened"))
    return refuse("is there as a backup of what was closed here; take that ledger away, and run it again");
  const std::string copy = is_copy ? first->hash : "";
  if (left.arrived == nullptr) {
    CV_CHECK(add_note(*store, here, "arrived", arrived_body(copy)));
  } else {
    CV_TRY(const std::string named, copy_from_arrived_body(left.arrived->body));
    if (named != copy) return refuse("has arrived there before, as another copy than the one that is there now");
  }
  if (&there.rows.back() == first && is_copy) return add_note(to, there, "opened", to_body(Origin::moved));
  return {};
}

Result<void> Ledger::move(const std::string& to) {
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(const std::unique_ptr<Store> target, open_store(to, first_seal_of));
  CV_TRY(const std::vector<std::string> names, inside_->names());
  const MovedBody body{std::string(target->kind()), place_digest(to), true};
  for (const std::string& name : names) CV_CHECK(inside_->move(name, body, *target));
  return {};
}

}  // namespace chronoveil::ledger
