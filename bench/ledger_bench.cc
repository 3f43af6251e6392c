// Durable debits and uses of a run, per second, beside bare SQLite commits of rows of the same size with the same
// settings on the same disk.
//   ledger_bench [--toy]
// The files are made in the working folder, so that the caller chooses the disk that is measured.
#include <sqlite3.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "chronoveil/ledger/ledger.h"
#include "timing.h"

namespace {

using namespace chronoveil;
using bench::items_per_second;
using bench::report;

const accounting::Event kEvent{accounting::Gaussian{1000}};

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "ledger_bench: %s\n", why.c_str());
  std::exit(1);
}

void run(sqlite3* database, const char* sql) {
  if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) != SQLITE_OK) stop(sqlite3_errmsg(database));
}

// The least that makes a row durable: begin, insert, commit, all prepared.
class BareTable {
 public:
  explicit BareTable(const std::string& path) {
    if (sqlite3_open(path.c_str(), &database_) != SQLITE_OK) stop("cannot open a database");
    run(database_, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    run(database_,
        "CREATE TABLE entries (dataset TEXT, sequence INTEGER, recorded_at TEXT, recorded_by TEXT, kind TEXT,"
        " body TEXT, previous TEXT, hash TEXT, PRIMARY KEY (dataset, sequence)) WITHOUT ROWID");
    sqlite3_prepare_v2(database_, "BEGIN IMMEDIATE", -1, &begin_, nullptr);
    sqlite3_prepare_v2(database_, "INSERT INTO entries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", -1, &insert_, nullptr);
    sqlite3_prepare_v2(database_, "COMMIT", -1, &commit_, nullptr);
  }
  ~BareTable() {
    for (sqlite3_stmt* statement : {begin_, insert_, commit_}) sqlite3_finalize(statement);
    sqlite3_close(database_);
  }
  BareTable(const BareTable&) = delete;
  BareTable& operator=(const BareTable&) = delete;

  void commit(const ledger::Entry& row) {
    step(begin_);
    int column = 1;
    for (const std::string* text : {&row.dataset, &row.dataset, &row.recorded_at, &row.recorded_by, &row.kind,
                                    &row.body, &row.previous, &row.hash}) {
      sqlite3_bind_text(insert_, column++, text->data(), static_cast<int>(text->size()), SQLITE_STATIC);
    }
    sqlite3_bind_int64(insert_, 2, ++sequence_);
    step(insert_);
    step(commit_);
  }

 private:
  static void step(sqlite3_stmt* statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) stop("cannot write");
    sqlite3_reset(statement);
  }

  sqlite3* database_ = nullptr;
  sqlite3_stmt* begin_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  sqlite3_stmt* commit_ = nullptr;
  std::int64_t sequence_ = 0;
};

ledger::Terms terms() {
  ledger::Terms terms;
  terms.dataset = "city";
  terms.purpose = "hourly counts";
  terms.mechanism = "gaussian";
  return terms;
}

void debit(ledger::Ledger& ledger) {
  const auto receipt = ledger.reserve(terms(), kEvent);
  if (!receipt) stop(receipt.error().text());
}

// Events of kinds that do not combine, all different.
accounting::Event different_event(int n) {
  const double noise = 1000 + n;
  switch (n % 5) {
    case 0: return {accounting::Laplace{noise}};
    case 1: return {accounting::Gaussian{noise}};
    case 2: return {accounting::Pure{1 / noise}};
    case 3: return {accounting::DiscreteLaplace{noise, 1}};
    default: return {accounting::Exponential{1 / noise}};
  }
}

// What budget show asks, with a thousand debits behind it.
double views_per_second(const std::string& path, int debits, int repetitions) {
  auto ledger = ledger::Ledger::open(path);
  if (!ledger) stop(ledger.error().text());
  ledger::DatasetRequest request;
  request.name = "city";
  request.epsilon = 1000;
  request.delta = 1e-6;
  if (const auto created = ledger->create(request); !created) stop(created.error().text());
  for (int n = 0; n < debits; ++n) {
    if (const auto receipt = ledger->reserve(terms(), different_event(n)); !receipt) stop(receipt.error().text());
  }
  return items_per_second(1, repetitions, [&] {
    auto reopened = ledger::Ledger::open(path);
    if (!reopened || !reopened->view("city")) stop("cannot view the ledger");
  });
}

void use(ledger::Ledger& ledger, const ledger::DebitId& run, std::int64_t first) {
  if (const auto used = ledger.use_run(run, first, 1); !used) stop(used.error().text());
}

ledger::Entry last_row(ledger::Ledger& ledger) {
  const auto rows = ledger.entries("city");
  if (!rows) stop(rows.error().text());
  return rows->back();
}

}  // namespace

int main(int argc, char** argv) {
  const bool toy = argc > 1 && std::string_view(argv[1]) == "--toy";
  const int rows = toy ? 10 : 1'000;
  const int repetitions = toy ? 1 : 7;
  std::string folder = "ledger_bench.XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) stop("cannot make a folder");
  {
    auto ledger = ledger::Ledger::open(folder + "/ledger.db");
    if (!ledger) stop(ledger.error().text());
    ledger::DatasetRequest request;
    request.name = "city";
    request.epsilon = 1000;
    request.delta = 1e-6;
    if (const auto created = ledger->create(request); !created) stop(created.error().text());
    debit(*ledger);
    const ledger::Entry debit_row = last_row(*ledger);
    const auto run = ledger->reserve_run(terms(), kEvent, rows * repetitions + 1);
    if (!run) stop(run.error().text());
    std::int64_t used = 0;
    use(*ledger, run->id, used++);
    const ledger::Entry use_row = last_row(*ledger);
    BareTable bare(folder + "/bare.db"), bare_uses(folder + "/bare_uses.db");

    // In turns, so that other work of the disk slows all of them alike.
    double debits = 0, commits = 0, uses = 0, use_commits = 0;
    for (int i = 0; i < repetitions; ++i) {
      commits = std::max(commits, items_per_second(rows, 1, [&] {
                           for (int n = 0; n < rows; ++n) bare.commit(debit_row);
                         }));
      debits = std::max(debits, items_per_second(rows, 1, [&] {
                          for (int n = 0; n < rows; ++n) debit(*ledger);
                        }));
      use_commits = std::max(use_commits, items_per_second(rows, 1, [&] {
                               for (int n = 0; n < rows; ++n) bare_uses.commit(use_row);
                             }));
      uses = std::max(uses, items_per_second(rows, 1, [&] {
                        for (int n = 0; n < rows; ++n) use(*ledger, run->id, used++);
                      }));
    }
    report("durable debits", debits);
    report("bare commits", commits);
    report("durable uses of a run", uses);
    report("bare commits of uses", use_commits);
  }
  const double written = 2 * rows * repetitions + 4;
  report("rows checked on opening", items_per_second(written, repetitions, [&] {
           auto ledger = ledger::Ledger::open(folder + "/ledger.db");
           if (!ledger || !ledger->check(terms(), kEvent)) stop("cannot reopen the ledger");
         }));
  report("views of 1,000 different debits", views_per_second(folder + "/many.db", rows, repetitions));
  std::filesystem::remove_all(folder);
}
