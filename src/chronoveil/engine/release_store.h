// Releases kept where their ledger is, so that one can be emitted anew at no cost. They are as public as what was
// published; the folder is the owner's alone all the same.
#pragma once

#include <string>
#include <string_view>

#include "chronoveil/ledger/debit.h"

namespace chronoveil::engine {

class ReleaseStore {
 public:
  // Beside a SQLite ledger LEDGER: LEDGER.releases/. For a PostgreSQL ledger: releases-DIGEST/ in the user's data
  // folder, the digest telling ledgers apart.
  static Result<ReleaseStore> of_ledger(const std::string& place);

  // Makes the folder (mode 0700) and finds out whether files can be written there.
  Result<void> prepare() const;
  // city:3 becomes city-3.json, mode 0600.
  std::string path_of(const ledger::DebitId&) const;
  bool has(const ledger::DebitId&) const;
  // Never over another: what is stored of a debit was drawn for it, and there is one draw of a debit.
  Result<void> put(const ledger::DebitId&, std::string text) const;
  Result<std::string> get(const ledger::DebitId&) const;

 private:
  explicit ReleaseStore(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

}  // namespace chronoveil::engine
