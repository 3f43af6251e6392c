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

Result<void> Ledger::back_up(const std::string& to) {
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(const std::unique_ptr<Store> target, open_store(to, first_seal_of));
  CV_TRY(const std::vector<std::string> present, target->datasets());
  if (!present.empty())
    return fail(ErrorKind::usage, "backup", "there is a ledger with datasets already; choose a new place");
  CV_TRY(const std::vector<std::string> names, inside_->names());
  std::vector<Stored> rows;
  for (const std::string& name : names) {
    CV_TRY(rows.emplace_back(), Inside::sound_rows(*inside_->store, name));
    CV_CHECK(inside_->check_anchored(name, rows.back().rows));
    if (Inside::departure_of(rows.back().rows).under_way())
      return fail(ErrorKind::usage, "backup",
                  "a move of dataset '" + name +
                      "' was interrupted; run it again first, since a copy of what is on its way could be opened, too");
  }
  CV_CHECK(check_one_key(rows));
  std::vector<Addition> all;
  for (const Stored& stored : rows) {
    // Whoever uses the backup as it is, or moves it, must know no less than whoever restores it.
    std::vector<Entry> notes;
    if (Inside::departure_of(stored.rows).moved == nullptr) {
      CV_TRY(notes.emplace_back(), inside_->note_after(stored.rows, "opened", to_body(Origin::whole_backup)));
    }
    CV_TRY(all.emplace_back(), inside_->carried(stored, notes));
  }
  return target->add(all);
}

Result<void> Ledger::restore(const std::string& from) {
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(const std::unique_ptr<Store> source, open_store(from, first_seal_of, Absent::refuse));
  CV_TRY(const std::vector<std::string> names, source->datasets());
  if (names.empty()) return fail(ErrorKind::usage, "restore", "the backup holds no dataset");
  CV_TRY(const std::vector<std::string> present, inside_->store->datasets());
  std::vector<Stored> rows;
  bool whole = true;
  for (const std::string& name : names) {
    if (std::find(present.begin(), present.end(), name) != present.end())
      return fail(ErrorKind::usage, "dataset", "'" + name + "' exists there already");
    CV_TRY(rows.emplace_back(), Inside::sound_rows(*source, name));
    CV_CHECK(inside_->check_anchored(name, rows.back().rows));
    if (Inside::departure_of(rows.back().rows).moved != nullptr)
      return fail(ErrorKind::usage, "restore", "dataset '" + name + "' was moved elsewhere before the backup was made");
    whole = whole && is_whole_backup(rows.back().rows);
  }
  CV_CHECK(check_one_key(rows));
  std::vector<Addition> all;
  for (const Stored& stored : rows) {
    // Backups of earlier versions do not say that they are any.
    const Origin origin = whole ? Origin::whole_backup : Origin::backup;
    CV_TRY(const Entry note, inside_->note_after(stored.rows, "opened", to_body(origin)));
    CV_TRY(all.emplace_back(), inside_->carried(stored, {note}));
  }
  CV_CHECK(inside_->store->add(all));
  if (!whole)
    warn(
        "the backup was made by an earlier version, or by copying a file, and does not say that it is whole; look "
        "whether every dataset is there (chronoveil budget list), and do not create a missing one anew: its budget may "
        "be spent");
  for (const std::string& name : names) {
    CV_TRY(const Account* here, inside_->catch_up(name, inside_->reader(name)));
    CV_CHECK(inside_->anchor_head(name, *here));
  }
  return {};
}

}  // namespace chronoveil::ledger
