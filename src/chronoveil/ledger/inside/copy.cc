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

// All rows, or an error if they are no chain: a broken chain is not carried elsewhere.
Result<Stored> Ledger::Inside::sound_rows(Store& from, const std::string& dataset) {
  CV_TRY(Stored stored, from.read(dataset, 0));
  CV_TRY(const Seal seal, seal_of(stored.rows));
  CV_CHECK(check_seal(dataset, seal, stored.seal));
  if (stored.seal) CV_CHECK(signer_of(dataset, *stored.seal));
  return stored;
}

Result<Entry> Ledger::Inside::note_after(const std::vector<Entry>& rows, std::string kind, std::string body) const {
  Account account;
  for (const Entry& row : rows) CV_CHECK(account.apply(row));
  return Entry{
      rows.front().dataset, 0, time_of_next_row(account), options.who, std::move(kind), std::move(body), "", ""};
}

// Not anchored: the anchor goes on with the rows that are written once the dataset is open.
Result<void> Ledger::Inside::add_note(Store& to, const Stored& known, std::string kind, std::string body) {
  const std::string dataset = known.rows.front().dataset;
  CV_TRY(const Entry note, note_after(known.rows, std::move(kind), std::move(body)));
  accounts.erase(dataset);
  return to.append(dataset, [&](const Store::Reader& read) -> Result<Addition> {
    CV_TRY(const Stored now, read(known.rows.back().sequence));
    if (now.rows.size() != 1 || now.rows.front().hash != known.rows.back().hash)
      return fail(ErrorKind::usage, "move", "another process writes to dataset '" + dataset + "'; run it again");
    CV_TRY(const Addition all, carried(known, {note}));
    return Addition{{all.rows.back()}, all.seal};
  });
}

}  // namespace chronoveil::ledger
