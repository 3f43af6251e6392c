#include <algorithm>

#include "chronoveil/base/system/waiting.h"
#include "chronoveil/ledger/inside/inside.h"

namespace chronoveil::ledger {

namespace {

// What a caller must know of rows that may be stored although this could not be confirmed.
std::string doubt_about(const std::vector<Entry>& rows) {
  const bool debit = std::any_of(rows.begin(), rows.end(), [](const Entry& row) { return row.kind == "debit"; });
  return std::string(debit ? "; the debit may have been made" : "; it may have been written all the same") +
         ": see chronoveil budget history " + rows.front().dataset;
}

}  // namespace

Result<std::vector<Entry>> Ledger::Inside::append(const std::string& dataset, bool must_exist,
                                                  const Composer& compose) {
  CV_CHECK(check_dataset_name(dataset));
  std::vector<Entry> rows;
  WaitingFor waiting("the ledger's dataset '" + dataset + "', which another process holds");
  Result<void> done = store->append(dataset, [&](const Store::Reader& read) -> Result<Addition> {
    waiting.over();
    rows.clear();
    CV_TRY(const Account* account, must_exist ? writable(dataset, read) : catch_up(dataset, read));
    const std::string recorded_at = time_of_next_row(*account);
    CV_TRY(const std::vector<Draft> drafts, compose(*account, recorded_at, read));
    std::string previous = account->head();
    for (const Draft& draft : drafts) {
      Entry entry{dataset, 0, time_of(draft.kind, recorded_at, *account), options.who, draft.kind, draft.body, "", ""};
      rows.push_back(
          linked(std::move(entry), account->next_sequence() + static_cast<std::int64_t>(rows.size()), previous));
      previous = rows.back().hash;
    }
    CV_TRY(Seal seal, account->seal_with(rows));
    if (!rows.empty()) {
      CV_TRY(seal.signature, signature_for(dataset, seal, signatures[dataset], account->next_sequence() == 0));
    }
    return Addition{rows, std::move(seal)};
  });
  if (!done) {
    // After a storage error it is unknown what was kept; a refusal leaves the account as it was read.
    if (done.error().kind == ErrorKind::storage) accounts.erase(dataset);
    if (store->in_doubt() && !rows.empty()) {
      done.error().in_doubt = true;
      done.error().message += doubt_about(rows);
    }
    return tl::unexpected(done.error());
  }
  Account& account = accounts[dataset];
  for (const Entry& row : rows) {
    if (Result<void> applied = account.apply(row); !applied) {
      accounts.erase(dataset);
      return tl::unexpected(applied.error());
    }
  }
  if (!rows.empty()) CV_CHECK(anchor_head(dataset, account));
  return rows;
}

}  // namespace chronoveil::ledger
