#include <algorithm>

#include "chronoveil/ledger/inside/inside.h"
#include "chronoveil/ledger/ledger.h"
#include "chronoveil/ledger/proof/first_seal.h"

namespace chronoveil::ledger {

namespace {

// The row that closed a dataset here; nothing if it is open.
const Entry* closing_row(const std::vector<Entry>& rows) {
  const auto row = std::find_if(rows.rbegin(), rows.rend(), [](const Entry& one) { return one.kind != "arrived"; });
  return row != rows.rend() && row->kind == "moved" ? &*row : nullptr;
}

}  // namespace

Result<void> Ledger::back_up(const std::string& to) {
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(const std::unique_ptr<Store> target, open_store(to, first_seal_of));
  CV_TRY(const std::vector<std::string> present, target->datasets());
  if (!present.empty())
    return fail(ErrorKind::usage, "backup", "there is a ledger with datasets already; choose a new place");
  CV_TRY(const std::vector<std::string> names, inside_->names());
  // Everything that can be refused is refused before the first row is written: a backup without one of the datasets
  // would restore without it, and that dataset could be created anew with its whole budget.
  std::vector<Addition> all;
  for (const std::string& name : names) {
    CV_TRY(const Stored stored, Inside::sound_rows(*inside_->store, name));
    CV_CHECK(inside_->check_anchored(name, stored.rows));
    // Whoever uses the backup as it is, or moves it, must know no less than whoever restores it.
    std::vector<Entry> notes;
    if (closing_row(stored.rows) == nullptr) {
      CV_TRY(notes.emplace_back(), inside_->opened(stored.rows, Origin::backup));
    }
    CV_TRY(all.emplace_back(), inside_->carried(stored, notes));
  }
  for (const Addition& rows : all) CV_CHECK(Inside::put(rows, *target));
  return {};
}

Result<void> Ledger::restore(const std::string& from) {
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(const std::unique_ptr<Store> source, open_store(from, first_seal_of, Absent::refuse));
  CV_TRY(const std::vector<std::string> names, source->datasets());
  if (names.empty()) return fail(ErrorKind::usage, "restore", "the backup holds no dataset");
  CV_TRY(const std::vector<std::string> present, inside_->store->datasets());
  std::vector<Addition> all;  // as in a backup: all of it or nothing
  for (const std::string& name : names) {
    if (std::find(present.begin(), present.end(), name) != present.end())
      return fail(ErrorKind::usage, "dataset", "'" + name + "' exists there already");
    CV_TRY(const Stored stored, Inside::sound_rows(*source, name));
    CV_CHECK(inside_->check_anchored(name, stored.rows));
    if (closing_row(stored.rows) != nullptr) {
      return fail(ErrorKind::usage, "restore", "dataset '" + name + "' was moved elsewhere before the backup was made");
    }
    // Backups of earlier versions do not say that they are any.
    CV_TRY(const Entry note, inside_->opened(stored.rows, Origin::backup));
    CV_TRY(all.emplace_back(), inside_->carried(stored, {note}));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& name = names[i];
    CV_CHECK(Inside::put(all[i], *inside_->store));
    CV_TRY(const Account* here, inside_->catch_up(name, inside_->reader(name)));
    CV_CHECK(inside_->anchor_head(name, *here));
  }
  return {};
}

Result<void> Ledger::move(const std::string& to) {
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(const std::unique_ptr<Store> target, open_store(to, first_seal_of));
  CV_TRY(const std::vector<std::string> names, inside_->names());
  CV_TRY(const std::vector<std::string> present, target->datasets());
  const MovedBody body{std::string(target->kind()), place_digest(to)};
  for (const std::string& name : names) {
    CV_TRY(Stored stored, Inside::sound_rows(*inside_->store, name));
    const Entry* closing = closing_row(stored.rows);
    const bool left_before = closing != nullptr,
               is_there = std::find(present.begin(), present.end(), name) != present.end();
    if (left_before) {
      CV_TRY(const MovedBody moved, moved_from_body(closing->body));
      if (moved.place != body.place)
        return fail(ErrorKind::usage, "move", "dataset '" + name + "' was moved elsewhere");
    }
    if (is_there) {
      // An earlier run may have come as far as this.
      CV_TRY(const Stored there, target->read(name, left_before ? closing->sequence : 0));
      if (!left_before || there.rows.empty() || there.rows.front().hash != closing->hash)
        return fail(ErrorKind::usage, "move", "dataset '" + name + "' exists there already");
      CV_CHECK(inside_->note_arrival(name));
      continue;
    }
    if (left_before && stored.rows.back().kind == "arrived")
      return fail(ErrorKind::usage, "move",
                  "dataset '" + name +
                      "' has arrived there before, and is there no longer; find the ledger that it was moved to, for "
                      "nothing is opened twice");
    if (!left_before) {
      CV_CHECK(inside_->append(
          name, false,  // one that was deleted goes along: its rows are anchored
          [&](const Account&, const std::string&, const Store::Reader&) -> Result<std::vector<Inside::Draft>> {
            return std::vector<Inside::Draft>{{"moved", to_body(body)}};
          }));
      CV_TRY(stored, Inside::sound_rows(*inside_->store, name));
    }
    std::vector<Entry> notes;
    CV_TRY(notes.emplace_back(), inside_->opened(stored.rows, Origin::moved));
    // An earlier run closed the dataset, and nobody knows whether it also opened it there: if so, and if that ledger
    // was taken away, somebody may have gone on with it.
    if (left_before) {
      CV_TRY(notes.emplace_back(), inside_->opened(stored.rows, Origin::backup));
    }
    CV_CHECK(inside_->copy(stored, *target, notes));
    CV_CHECK(inside_->note_arrival(name));
  }
  return {};
}

}  // namespace chronoveil::ledger
