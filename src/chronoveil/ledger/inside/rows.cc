#include <algorithm>
#include <limits>

#include "chronoveil/ledger/inside/inside.h"

namespace chronoveil::ledger {

// Brings the account up to the rows in the store.
Result<Account*> Ledger::Inside::catch_up(const std::string& dataset, const Store::Reader& read) {
  Account& account = accounts[dataset];
  // The last row known is read again: a ledger that lost it must not be written to.
  const std::int64_t known = account.next_sequence() - 1;
  CV_TRY(const Stored stored, read(std::max<std::int64_t>(known, 0)));
  auto row = stored.rows.begin();
  if (known >= 0) {
    if (row == stored.rows.end() || row->hash != account.head()) {
      accounts.erase(dataset);
      return fail(ErrorKind::storage, "ledger",
                  "rows of dataset '" + dataset + "' that were there before are gone or changed");
    }
    ++row;
  }
  const auto take_in = [&]() -> Result<void> {
    for (; row != stored.rows.end(); ++row) {
      CV_CHECK(account.apply(*row));
      CV_CHECK(check_anchored_head(dataset, account));
    }
    CV_CHECK(check_seal(dataset, account.seal(), stored.seal));
    if (stored.seal) CV_CHECK(signer_of(dataset, *stored.seal));
    return check_anchored_length(dataset, account);
  };
  if (Result<void> done = take_in(); !done) {
    accounts.erase(dataset);
    return tl::unexpected(done.error());
  }
  signatures[dataset] = stored.seal ? stored.seal->signature : "";
  return &account;
}

// An invalid name is not of a dataset that anybody made.
Result<std::vector<std::string>> Ledger::Inside::names() {
  CV_TRY(std::vector<std::string> all, store->datasets());
  for (const std::string& name : all)
    if (!check_dataset_name(name))
      return fail(ErrorKind::storage, "ledger", "it is damaged: a dataset has an invalid name");
  for (const auto& item : anchored)
    if (std::find(all.begin(), all.end(), item.first) == all.end()) return older_than_anchor(item.first);
  return all;
}

namespace {

// Whether the last thing that happened to a dataset, apart from being carried about, is that it was deleted. Looks at
// its last rows alone: this is asked of every dataset, however long.
Result<bool> is_deleted(Store& store, const std::string& dataset) {
  constexpr std::int64_t kUsual = 8;
  CV_TRY(const Stored head, store.read(dataset, std::numeric_limits<std::int64_t>::max()));
  const std::int64_t length = head.seal ? head.seal->length : 0;
  for (const std::int64_t from : {std::max<std::int64_t>(0, length - kUsual), std::int64_t{0}}) {
    CV_TRY(const Stored stored, store.read(dataset, from));
    const auto last = std::find_if(stored.rows.rbegin(), stored.rows.rend(), [](const Entry& row) {
      return row.kind != "opened" && row.kind != "moved" && row.kind != "arrived";
    });
    if (last != stored.rows.rend()) return last->kind == "deleted";
  }
  return false;
}

}  // namespace

Result<std::vector<std::string>> Ledger::Inside::names_in_use() {
  CV_TRY(const std::vector<std::string> all, names());
  std::vector<std::string> used;
  for (const std::string& name : all) {
    CV_TRY(const bool deleted, is_deleted(*store, name));
    if (!deleted) used.push_back(name);
  }
  return used;
}

Result<Account*> Ledger::Inside::existing(const std::string& dataset, const Store::Reader& read) {
  CV_CHECK(check_dataset_name(dataset));
  CV_TRY(Account * account, catch_up(dataset, read));
  if (!account->exists()) {
    accounts.erase(dataset);
    return invalid("dataset", dataset, "one that was created; see budget list and budget create");
  }
  return account;
}

Result<Account*> Ledger::Inside::writable(const std::string& dataset, const Store::Reader& read) {
  CV_TRY(Account * account, existing(dataset, read));
  if (account->moved_away())
    return fail(ErrorKind::usage, "dataset", "'" + dataset + "' was moved to another ledger; write there");
  return account;
}

Store::Reader Ledger::Inside::reader(const std::string& dataset) {
  return [this, dataset](std::int64_t from) { return store->read(dataset, from); };
}

}  // namespace chronoveil::ledger
