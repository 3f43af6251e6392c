#include "chronoveil/ledger/inside/inside.h"

namespace chronoveil::ledger {

// The rows of a dataset as they are, with notes of how they came, sealed and signed for another store.
Result<Addition> Ledger::Inside::carried(const Stored& from, const std::vector<Entry>& notes) const {
  Addition all{from.rows, *from.seal};
  if (notes.empty()) return all;
  for (const Entry& note : notes)
    all.rows.push_back(linked(note, all.rows.back().sequence + 1, std::string(all.rows.back().hash)));
  CV_TRY(all.seal, seal_of(all.rows));
  if (!from.seal->signature.empty()) {
    CV_TRY(all.seal.signature, signature_for(from.rows.front().dataset, all.seal, from.seal->signature, false));
  }
  return all;
}

// Writes them to a store that has none of the dataset.
Result<void> Ledger::Inside::put(const Addition& all, Store& to) {
  const std::string& dataset = all.rows.front().dataset;
  return to.append(dataset, [&](const Store::Reader& read) -> Result<Addition> {
    CV_TRY(const Stored present, read(0));
    if (!present.rows.empty() || present.seal)
      return fail(ErrorKind::usage, "dataset", "'" + dataset + "' exists there already");
    return all;
  });
}

Result<void> Ledger::Inside::copy(const Stored& from, Store& to, const std::vector<Entry>& notes) const {
  CV_TRY(const Addition all, carried(from, notes));
  return put(all, to);
}

// All rows, or an error if they are no chain: a broken chain is not carried elsewhere.
Result<Stored> Ledger::Inside::sound_rows(Store& from, const std::string& dataset) {
  CV_TRY(Stored stored, from.read(dataset, 0));
  CV_TRY(const Seal seal, seal_of(stored.rows));
  CV_CHECK(check_seal(dataset, seal, stored.seal));
  if (stored.seal) CV_CHECK(signer_of(dataset, *stored.seal));
  return stored;
}

Result<Entry> Ledger::Inside::opened(const std::vector<Entry>& rows, Origin origin) const {
  Account account;
  for (const Entry& row : rows) CV_CHECK(account.apply(row));
  return Entry{rows.front().dataset, 0, time_of_next_row(account), options.who, "opened", to_body(origin), "", ""};
}

// Written once the rows are open at their new place. It is not anchored: the anchor goes on with the rows there.
Result<void> Ledger::Inside::note_arrival(const std::string& dataset) {
  Result<void> done = store->append(dataset, [&](const Store::Reader& read) -> Result<Addition> {
    CV_TRY(const Account* account, catch_up(dataset, read));
    if (account->arrived()) return Addition{{}, account->seal()};
    Entry note{dataset, 0, time_of_next_row(*account), options.who, "arrived", empty_body(), "", ""};
    Addition added{{linked(std::move(note), account->next_sequence(), account->head())}, {}};
    CV_TRY(added.seal, account->seal_with(added.rows));
    CV_TRY(added.seal.signature, signature_for(dataset, added.seal, signatures[dataset], false));
    return added;
  });
  accounts.erase(dataset);
  return done;
}

}  // namespace chronoveil::ledger
