// Where rows are kept. A store knows rows, seals and transactions, nothing about privacy; the ledger decides what to
// append.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/ledger/proof/entry.h"
#include "chronoveil/ledger/proof/seal.h"

namespace chronoveil::ledger {

// What is kept of a dataset, read at one instant: rows from some sequence number on, in order, and the seal of all.
struct Stored {
  std::vector<Entry> rows;
  std::optional<Seal> seal;
};

// Rows to append, and the seal of all rows once they are there. Without rows nothing is written.
struct Addition {
  std::vector<Entry> rows;
  Seal seal;
};

class Store {
 public:
  virtual ~Store() = default;

  virtual std::string_view kind() const = 0;  // "sqlite", "postgresql"

  // The names of all datasets that have a row or a seal, sorted.
  virtual Result<std::vector<std::string>> datasets() = 0;

  virtual Result<Stored> read(const std::string& dataset, std::int64_t from) = 0;

  // Reads and appends in one transaction that excludes every other writer of the dataset, and returns success only once
  // the appended rows and their seal are durable. An error of the writer appends nothing. Where the database asks for a
  // retry the writer runs again from the start.
  using Reader = std::function<Result<Stored>(std::int64_t from)>;
  using Writer = std::function<Result<Addition>(const Reader&)>;
  virtual Result<void> append(const std::string& dataset, const Writer&) = 0;
  // Takes in datasets of which it has nothing yet, all in one transaction: a ledger that holds some of them is one in
  // which the others could be created anew, with their whole budget.
  virtual Result<void> add(const std::vector<Addition>& datasets) = 0;
  // Whether the last append failed while the rows were being made durable, so that they may have been kept.
  virtual bool in_doubt() const = 0;

  // Replaces the signature of a seal; refused if the seal is no longer `expected`.
  virtual Result<void> sign(const std::string& dataset, const Seal& expected, const std::string& signature) = 0;

  // The name by which the database itself knows the writer; empty if it knows none.
  virtual std::string writer_name() const { return ""; }
  // What the owner of the database should know, one sentence each.
  virtual std::vector<std::string> warnings() { return {}; }
};

// Writes the first rows of a dataset, which must outlive the writer; refused if it has any.
Store::Writer first_rows(const Addition&);

// Makes the seal of rows that were written before there were seals.
using Sealer = std::function<Result<Seal>(const std::vector<Entry>&)>;

// What to do where there is no ledger yet.
enum class Absent { create, refuse };

// Opens, or creates if absent, the store at a path, or at a URL postgresql://...; brings older schemas up to date.
// Refused: a database that is damaged, or that holds anything but a ledger, such as somebody else's trigger.
Result<std::unique_ptr<Store>> open_store(const std::string& where, const Sealer&, Absent = Absent::create);

// Where a ledger lies, whatever path or symbolic link leads to it; everything that is kept beside a ledger is found
// from this. SQLite follows links, too, and names log and memory after their target. A URL stays as it is.
std::string real_place(const std::string& where);

// A digest that identifies a place, however its path is written, without giving away a password.
std::string place_digest(const std::string& where);

// Where the ledger is unless the user says otherwise: $XDG_DATA_HOME/chronoveil/ledger.db, or below ~/.local/share.
Result<std::string> default_ledger_path();

}  // namespace chronoveil::ledger
