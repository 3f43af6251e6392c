#include <algorithm>
#include <map>

#include "chronoveil/ledger/inside/inside.h"
#include "chronoveil/ledger/ledger.h"
#include "chronoveil/ledger/proof/first_seal.h"

namespace chronoveil::ledger {

namespace {

// Every row that is added to signed rows is signed by the same key, and there is one key at a time.
Result<void> check_one_key(const std::vector<Stored>& all) {
  std::map<std::string, std::string> signed_by;
  for (const Stored& one : all) {
    if (one.seal->signature.empty()) continue;
    std::string& names = signed_by[one.seal->signature.substr(0, one.seal->signature.find(':'))];
    names += (names.empty() ? "'" : ", '") + one.rows.front().dataset + "'";
  }
  if (signed_by.size() <= 1) return {};
  std::string listed;
  for (const auto& [key, names] : signed_by) listed += (listed.empty() ? "" : "; ") + names + " by " + key;
  return fail(
      ErrorKind::usage, "CHRONOVEIL_KEY",
      "the datasets are signed by several keys: " + listed +
          "; a copy of them all is signed by one: choose it, look at the datasets of the others, then sign these "
          "with it: chronoveil budget sign NAME");
}

// Whether the rows are of a backup that says that it holds every dataset of its ledger. Those of earlier versions do
// not, and were written one dataset after the other.
bool is_whole_backup(const std::vector<Entry>& rows) {
  const auto opened = std::find_if(rows.rbegin(), rows.rend(), [](const Entry& row) { return row.kind == "opened"; });
  return opened != rows.rend() && opened->body == to_body(Origin::whole_backup);
}

}  // namespace

// The rows of each dataset, with a note that they are a backup: whoever uses it as it is, or moves it, must know no
// less than whoever restores it. What was moved away stays closed, and needs no note.
Result<std::vector<Addition>> Ledger::Inside::noted_backup(const std::vector<Stored>& datasets, Origin origin) const {
  CV_CHECK(check_one_key(datasets));
  std::vector<Addition> all;
  for (const Stored& stored : datasets) {
    std::vector<Entry> notes;
    if (departure_of(stored.rows).moved == nullptr) {
      CV_TRY(notes.emplace_back(), note_after(stored.rows, "opened", to_body(origin)));
    }
    CV_TRY(all.emplace_back(), carried(stored, notes));
  }
  return all;
}

// Every dataset of a store, if all of them can be copied.
Result<std::vector<Stored>> Ledger::Inside::rows_to_copy(Store& from, const std::vector<std::string>& names) const {
  std::vector<Stored> rows;
  for (const std::string& name : names) {
    CV_TRY(rows.emplace_back(), sound_rows(from, name));
    CV_CHECK(check_anchored(name, rows.back().rows));
    if (departure_of(rows.back().rows).under_way())
      return fail(ErrorKind::usage, "ledger",
                  "a move of dataset '" + name +
                      "' was interrupted; run it again first, since a copy of what is on its way could be opened, too");
  }
  return rows;
}

Result<void> Ledger::back_up(const std::string& to) {
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(const std::unique_ptr<Store> target, open_store(to, first_seal_of));
  CV_TRY(const std::vector<std::string> present, target->datasets());
  if (!present.empty())
    return fail(ErrorKind::usage, "backup", "there is a ledger with datasets already; choose a new place");
  CV_TRY(const std::vector<std::string> names, inside_->names());
  CV_TRY(const std::vector<Stored> rows, inside_->rows_to_copy(*inside_->store, names));
  CV_TRY(const std::vector<Addition> all, inside_->noted_backup(rows, Origin::whole_backup));
  return target->add(all);
}

Result<void> Ledger::restore(const std::string& from) {
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(const std::unique_ptr<Store> source, open_store(from, first_seal_of, Absent::refuse));
  CV_TRY(const std::vector<std::string> names, source->datasets());
  CV_TRY(const std::vector<Stored> rows, inside_->rows_to_copy(*source, names));
  bool whole = true;
  std::vector<std::string> open;
  for (const Stored& stored : rows) {
    if (Inside::departure_of(stored.rows).moved != nullptr) continue;
    open.push_back(stored.rows.front().dataset);
    whole = whole && is_whole_backup(stored.rows);
  }
  if (names.empty()) return fail(ErrorKind::usage, "restore", "the backup holds no dataset");
  if (open.empty())
    return fail(ErrorKind::usage, "restore", "every dataset was moved elsewhere before the backup was made");
  // Backups of earlier versions do not say that they are any.
  CV_TRY(const std::vector<Addition> all, inside_->noted_backup(rows, whole ? Origin::whole_backup : Origin::backup));
  CV_CHECK(inside_->store->add(all));
  if (!whole)
    warn(
        "the backup was made by an earlier version, or by copying a file, and does not say that it is whole; look "
        "whether every dataset is there (chronoveil budget list), and do not create a missing one anew: its budget may "
        "be spent");
  for (const std::string& name : open) {
    CV_TRY(const Account* here, inside_->catch_up(name, inside_->reader(name)));
    CV_CHECK(inside_->anchor_head(name, *here));
  }
  return {};
}

}  // namespace chronoveil::ledger
