// Where rows are kept. A store knows rows and transactions, nothing about privacy; the ledger decides what to append.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/ledger/entry.h"

namespace chronoveil::ledger {

class Store {
 public:
  virtual ~Store() = default;

  virtual std::string_view kind() const = 0;  // "sqlite", "postgresql"

  // The names of all datasets, sorted.
  virtual Result<std::vector<std::string>> datasets() = 0;

  // The rows of a dataset from a sequence number on, in order.
  virtual Result<std::vector<Entry>> entries(const std::string& dataset, std::int64_t from) = 0;

  // Reads and appends in one transaction that excludes every other writer of the dataset, and returns success only once
  // the appended rows are durable. An error of the writer appends nothing. Where the database asks for a retry the
  // writer runs again from the start. After an error of the store the rows may or may not have been kept.
  using Reader = std::function<Result<std::vector<Entry>>(std::int64_t from)>;
  using Writer = std::function<Result<std::vector<Entry>>(const Reader&)>;
  virtual Result<void> append(const std::string& dataset, const Writer&) = 0;
};

// Opens, and where absent creates, the store at a path, or at a URL postgresql://...; brings older schemas up to date.
Result<std::unique_ptr<Store>> open_store(const std::string& where);

// A digest that tells one place from another, the same for every way to write a path, without giving away a password.
std::string place_digest(const std::string& where);

// Where the ledger is unless the user says otherwise: $XDG_DATA_HOME/chronoveil/ledger.db, or below ~/.local/share.
Result<std::string> default_ledger_path();

}  // namespace chronoveil::ledger
