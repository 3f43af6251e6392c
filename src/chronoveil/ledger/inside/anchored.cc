#include "chronoveil/ledger/inside/inside.h"

namespace chronoveil::ledger {

Failure Ledger::Inside::older_than_anchor(const std::string& dataset) {
  return fail(ErrorKind::storage, "anchor",
              "the ledger is older than its anchor, or another one: dataset '" + dataset +
                  "' does not have a row that was anchored; put back the latest ledger");
}

// Whether the last row that was read is the one that was anchored for that length, if any was.
Result<void> Ledger::Inside::check_anchored_head(const std::string& dataset, const Account& account) const {
  const auto heads = anchored.find(dataset);
  if (heads == anchored.end()) return {};
  const auto head = heads->second.find(account.next_sequence());
  if (head != heads->second.end() && head->second != account.head()) return older_than_anchor(dataset);
  return {};
}

// A dataset that was moved away has its later heads elsewhere.
Result<void> Ledger::Inside::check_anchored_length(const std::string& dataset, const Account& account) const {
  const auto heads = anchored.find(dataset);
  if (heads == anchored.end() || account.moved_away()) return {};
  if (heads->second.rbegin()->first > account.next_sequence()) return older_than_anchor(dataset);
  return {};
}

Result<void> Ledger::Inside::check_anchored(const std::string& dataset, const std::vector<Entry>& rows) const {
  if (!anchor) return {};
  Account account;
  for (const Entry& row : rows) {
    CV_CHECK(account.apply(row));
    CV_CHECK(check_anchored_head(dataset, account));
  }
  return check_anchored_length(dataset, account);
}

// If its head cannot be anchored, the debit stands all the same; no data was read yet.
Result<void> Ledger::Inside::anchor_head(const std::string& dataset, const Account& account) {
  if (!anchor) return {};
  Result<void> done = anchor->append(dataset, account.next_sequence(), account.head());
  if (!done) done.error().message += "; what was written stands: see chronoveil budget history " + dataset;
  return done;
}

// The signature of a seal that follows one with the signature `before`.
Result<std::string> Ledger::Inside::signature_for(const std::string& dataset, const Seal& seal,
                                                  const std::string& before, bool is_new) const {
  if (key == nullptr) {
    if (before.empty()) return std::string();
    return fail(ErrorKind::usage, "CHRONOVEIL_KEY",
                "dataset '" + dataset +
                    "' is signed; name the secret key that it is signed with, or it could not be "
                    "verified any more");
  }
  if (!is_new && !before.starts_with(key->public_key().text() + ":"))
    return fail(ErrorKind::usage, "CHRONOVEIL_KEY",
                "dataset '" + dataset +
                    "' is not signed by this key yet; look at it, then run: chronoveil budget sign " + dataset);
  return sign_seal(*key, dataset, seal);
}

}  // namespace chronoveil::ledger
