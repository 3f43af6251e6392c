// Releases kept where their ledger is, so that one can be emitted anew at no cost. They are as public as the outputs,
// yet the folder is for the owner alone.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/ledger/debit.h"

namespace chronoveil::engine {

class ReleaseStore {
 public:
  // Beside a SQLite ledger LEDGER, wherever a link to it lies: LEDGER.releases/. Earlier versions put it beside the
  // link; releases there are still found. For a PostgreSQL ledger: releases-DIGEST/ in the user's data folder, the
  // digest telling ledgers apart.
  static Result<ReleaseStore> of_ledger(const std::string& place);

  // Makes the folder (mode 0700) and finds out whether files can be written there.
  Result<void> prepare() const;
  // city:3 becomes city-3.json, and its slot city:3/7 city-3+7.json; mode 0600.
  std::string path_of(const ledger::DebitId&) const;
  bool has(const ledger::DebitId&) const;
  // Never replaces a file: what is stored was drawn for its debit, and a debit has only one draw.
  Result<void> put(const ledger::DebitId&, std::string text) const;
  Result<std::string> get(const ledger::DebitId&) const;
  // Where there may be releases.
  std::vector<std::filesystem::path> folders() const;

 private:
  ReleaseStore(std::string folder, std::string earlier) : folder_(std::move(folder)), earlier_(std::move(earlier)) {}
  // The path of a stored release, in either folder; else where it would be.
  std::string present(const ledger::DebitId&) const;
  std::string folder_, earlier_;
};

}  // namespace chronoveil::engine
