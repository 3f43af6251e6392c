#include "chronoveil/ledger/stores/sqlite_store.h"

#include <chrono>

#include "chronoveil/base/system/waiting.h"
#include "chronoveil/ledger/stores/sqlite_file.h"
#include "chronoveil/ledger/stores/sqlite_schema.h"
#include "chronoveil/sqlite/connection.h"

namespace chronoveil::ledger {
namespace {

using sqlite::Statement;
using sqlite::Use;

class SqliteStore final : public Store {
 public:
  static Result<std::unique_ptr<Store>> open(const std::string& path, const Sealer& sealer, Absent absent) {
    auto store = std::unique_ptr<SqliteStore>(new SqliteStore(path));
    CV_CHECK(store->connect(absent));
    CV_CHECK(store->check_integrity());
    CV_CHECK(store->check_log());
    CV_CHECK(store->prepare_schema(sealer));
    CV_CHECK(store->prepare_statements());
    return std::unique_ptr<Store>(std::move(store));
  }

  std::string_view kind() const override { return "sqlite"; }

  Result<std::vector<std::string>> datasets() override {
    Use use(datasets_);
    std::vector<std::string> names;
    int status = SQLITE_OK;
    while ((status = use.step()) == SQLITE_ROW) names.push_back(use.text(0));
    if (status != SQLITE_DONE) return database_.failure("read");
    return names;
  }

  Result<Stored> read(const std::string& dataset, std::int64_t from) override {
    Use use(read_);
    use.bind(1, dataset);
    use.bind(2, from);
    Stored stored;
    int status = SQLITE_OK;
    while ((status = use.step()) == SQLITE_ROW) {
      if (use.integer(0) == kSealFirst) {
        if (stored.seal) return damaged("a dataset has two seals");
        stored.seal = Seal{use.integer(1), use.text(2), use.text(3), use.text(4)};
      } else {
        stored.rows.push_back(
            {dataset, use.integer(1), use.text(2), use.text(3), use.text(4), use.text(5), use.text(6), use.text(7)});
      }
    }
    if (status != SQLITE_DONE) return database_.failure("read");
    return stored;
  }

  Result<void> append(const std::string& dataset, const Writer& writer) override {
    return write([&] { return append_inside(dataset, writer); });
  }

  Result<void> add(const std::vector<Addition>& datasets) override {
    return write([&]() -> Result<bool> {
      for (const Addition& one : datasets) CV_CHECK(append_inside(one.rows.front().dataset, first_rows(one)));
      return true;
    });
  }

  bool in_doubt() const override { return in_doubt_; }

  Result<void> sign(const std::string& dataset, const Seal& expected, const std::string& signature) override {
    return write([&]() -> Result<bool> {
      CV_TRY(const Stored stored, read(dataset, expected.length));
      if (stored.seal != expected) return fail(ErrorKind::storage, "ledger", "rows were added meanwhile; sign again");
      Seal sealed = expected;
      sealed.signature = signature;
      CV_CHECK(put_seal(dataset, sealed));
      return true;
    });
  }

 private:
  explicit SqliteStore(std::string path)
      : path_(std::move(path)), database_([this](std::string_view doing, int code) { return failed(doing, code); }) {}

  Failure failed(std::string_view doing, int code) const {
    std::string message = "cannot " + std::string(doing) + " '" + path_ + "': " + sqlite3_errstr(code);
    if ((code & 0xff) == SQLITE_CONSTRAINT) message += " (the ledger is append-only)";
    if ((code & 0xff) == SQLITE_BUSY) message += "; another process has held it for too long (see CHRONOVEIL_WAIT)";
    return fail(ErrorKind::storage, "ledger", std::move(message));
  }

  bool in_memory() const { return path_ == ":memory:"; }

  Failure damaged(const std::string& what) const {
    return fail(ErrorKind::storage, "ledger",
                "'" + path_ + "' is damaged: " + what + "; restore a backup (chronoveil budget restore)");
  }

  Result<void> connect(Absent absent) {
    if (path_.empty()) return invalid("ledger", path_, "a path, or a URL postgresql://...");
    if (!in_memory()) {
      CV_CHECK(check_log_has_database(path_));
      if (absent == Absent::refuse && !is_file_there(path_))
        return invalid("ledger", path_, "an existing ledger; budget create makes one");
      CV_CHECK(make_ledger_file(path_));
      CV_TRY(identity_, check_only_name(path_));
      file_alone_ = last_rows_without_log(path_);
    }
    CV_CHECK(database_.open(path_, SQLITE_OPEN_READWRITE));
    // A log that does not belong to the file must not be written into it.
    if (!file_alone_.empty()) sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    CV_TRY(patience_, longest_wait());
    database_.wait_while_busy(patience_);
    CV_CHECK(database_.execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA synchronous = FULL;",
                               "open"));
    if (in_memory()) return {};
    CV_TRY(const bool keeps_log, database_.enter_write_ahead_log(patience_));
    if (!keeps_log) return fail(ErrorKind::storage, "ledger", "'" + path_ + "' cannot keep a write-ahead log");
    return {};
  }

  // A byte that changed on the disk must not hide rows, or let them be overwritten. Hashes and seals check what the
  // pages hold; this checks how they are linked. It takes a few hundredths of a second for 10,000 rows.
  Result<void> check_integrity() {
    CV_TRY(const std::string integrity, database_.text("PRAGMA integrity_check(1)"));
    if (integrity != "ok") return damaged("its pages are not linked correctly");
    CV_TRY(const std::string encoding, database_.text("PRAGMA encoding"));
    if (encoding != "UTF-8") return damaged("its texts are not in UTF-8");
    return {};
  }

  // What the file holds by itself must be there with the log, too. SQLite accepts any intact log, even one of an
  // earlier day, and shows the rows of that day.
  Result<void> check_log() {
    if (file_alone_.empty()) return {};
    CV_TRY(const Statement statement,
           database_.prepare("SELECT hash FROM entries WHERE dataset = ?1 AND sequence = ?2"));
    for (const auto& [dataset, last] : file_alone_) {
      Use use(statement);
      use.bind(1, dataset);
      use.bind(2, std::int64_t{last.first});
      const int status = use.step();
      if (status != SQLITE_ROW && status != SQLITE_DONE) return database_.failure("read");
      if (status == SQLITE_DONE || use.text(0) != last.second)
        return fail(ErrorKind::storage, "ledger",
                    "the log beside '" + path_ +
                        "' (-wal or -journal) is older than the file and would undo debits; if it was put there by "
                        "hand, take it away, else restore a backup (chronoveil budget restore)");
    }
    file_alone_.clear();
    sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr);
    return {};
  }

  // The file may have been given a second name, or its name to another file, since it was opened.
  Result<void> check_same_file() const {
    if (in_memory()) return {};
    CV_TRY(const FileIdentity now, check_only_name(path_));
    if (now == identity_) return {};
    return fail(ErrorKind::storage, "ledger", "'" + path_ + "' was replaced by another file while it was open");
  }

  // Whoever comes first creates or upgrades; the others wait for the lock and find it done.
  Result<void> prepare_schema(const Sealer& sealer) {
    const auto look = [&]() -> Result<bool> {
      CV_TRY(const std::int64_t version, database_.number("PRAGMA user_version"));
      CV_TRY(const std::int64_t application, database_.number("PRAGMA application_id"));
      if (version != kSqliteSchemaVersion || application != kSqliteApplicationId) return false;
      CV_CHECK(take_schema());
      return true;
    };
    CV_TRY(const bool current, in_transaction("BEGIN", look));
    if (current) return {};
    CV_CHECK(in_transaction("BEGIN IMMEDIATE", [&] { return upgrade(sealer); }));
    return {};
  }

  template <class Body>
  Result<bool> in_transaction(const char* begin, const Body& body) {
    CV_CHECK(database_.execute(begin, "open"));
    Result<bool> done = body();
    if (done) {
      if (Result<void> committed = database_.execute("COMMIT", "open"); !committed)
        done = tl::unexpected(committed.error());
    }
    database_.roll_back_if_open();
    return done;
  }

  // Checks the schema and keeps its current number.
  Result<void> take_schema() {
    CV_CHECK(check_sqlite_schema(database_, kSqliteSchemaVersion, path_));
    CV_TRY(schema_, database_.number("PRAGMA schema_version"));
    return {};
  }

  Result<bool> upgrade(const Sealer& sealer) {
    CV_TRY(const std::int64_t version, database_.number("PRAGMA user_version"));
    CV_TRY(const std::int64_t application, database_.number("PRAGMA application_id"));
    CV_TRY(const std::int64_t tables, database_.number("SELECT COUNT(*) FROM sqlite_master"));
    const bool empty = version == 0 && application == 0 && tables == 0;
    if (!empty && application != kSqliteApplicationId) {
      return fail(ErrorKind::storage, "ledger", "'" + path_ + "' is another program's database, not a ledger");
    }
    if (version > kSqliteSchemaVersion) {
      return fail(ErrorKind::storage, "ledger",
                  "'" + path_ + "' was written by a newer release (schema " + std::to_string(version) +
                      "; this one knows up to " + std::to_string(kSqliteSchemaVersion) + ")");
    }
    if (!empty && version < 1) return damaged("it has no version");
    if (!empty) CV_CHECK(check_sqlite_schema(database_, static_cast<int>(version), path_));
    for (int step = static_cast<int>(version) + 1; step <= kSqliteSchemaVersion; ++step)
      CV_CHECK(database_.execute(sqlite_upgrade_to(step), "upgrade"));
    if (version < 3) CV_CHECK(seal_everything(sealer));
    CV_CHECK(take_schema());
    return true;
  }

  Result<void> seal_everything(const Sealer& sealer) {
    CV_CHECK(prepare_statements());
    CV_TRY(const std::vector<std::string> names, datasets());
    for (const std::string& name : names) {
      CV_TRY(const Stored stored, read(name, 0));
      CV_TRY(const Seal seal, sealer(stored.rows));
      CV_CHECK(put_seal(name, seal));
    }
    return {};
  }

  Result<void> prepare_statements() {
    CV_TRY(begin_, database_.prepare("BEGIN IMMEDIATE"));
    CV_TRY(commit_, database_.prepare("COMMIT"));
    CV_TRY(schema_version_, database_.prepare("PRAGMA schema_version"));
    CV_TRY(datasets_,
           database_.prepare("SELECT dataset FROM entries UNION SELECT dataset FROM seals ORDER BY dataset"));
    // One statement, so that rows and seal are of one instant.
    CV_TRY(read_,
           database_.prepare("SELECT 0, length, head, sums, signature, '', '', '' FROM seals WHERE dataset = ?1 "
                             "UNION ALL "
                             "SELECT 1, sequence, recorded_at, recorded_by, kind, body, previous, hash FROM entries "
                             "WHERE dataset = ?1 AND sequence >= ?2 ORDER BY 1, 2"));
    CV_TRY(insert_, database_.prepare(
                        "INSERT INTO entries (dataset, sequence, recorded_at, recorded_by, kind, body, previous, hash) "
                        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"));
    CV_TRY(reseal_,
           database_.prepare("UPDATE seals SET length = ?2, head = ?3, sums = ?4, signature = ?5 WHERE dataset = ?1"));
    CV_TRY(seal_,
           database_.prepare("INSERT INTO seals (dataset, length, head, sums, signature) VALUES (?1, ?2, ?3, ?4, ?5)"));
    return {};
  }

  // The body says whether it has written anything.
  template <class Body>
  Result<void> write(const Body& body) {
    in_doubt_ = false;
    CV_CHECK(database_.run(begin_));
    Result<bool> wrote = same_schema();
    if (const Result<void> same = check_same_file(); !same) wrote = tl::unexpected(same.error());
    if (wrote) wrote = body();
    Result<void> done;
    if (!wrote) done = tl::unexpected(wrote.error());
    if (wrote && *wrote) {
      done = database_.run(commit_);
      in_doubt_ = !done;
    }
    database_.roll_back_if_open();
    if (done && *wrote) empty_log();
    return done;
  }

  // Somebody may have added a trigger since the ledger was opened.
  Result<bool> same_schema() {
    Use use(schema_version_);
    if (use.step() != SQLITE_ROW) return database_.failure("read");
    if (use.integer(0) != schema_) CV_CHECK(take_schema());
    return true;
  }

  // A statement that must have written exactly one row. A database may report success and have done nothing.
  Result<void> write_one(Use& use) {
    if (use.step() != SQLITE_DONE) return database_.failure("write");
    if (sqlite3_changes(database_.get()) != 1)
      return fail(ErrorKind::storage, "ledger", "'" + path_ + "' did not take a row; something in it keeps rows away");
    return {};
  }

  Result<void> put_seal(const std::string& dataset, const Seal& seal) {
    CV_TRY(const Stored present, read(dataset, seal.length));
    Use use(present.seal ? reseal_ : seal_);
    use.bind(1, dataset);
    use.bind(2, seal.length);
    use.bind(3, seal.head);
    use.bind(4, seal.sums);
    use.bind(5, seal.signature);
    return write_one(use);
  }

  Result<bool> append_inside(const std::string& dataset, const Writer& writer) {
    CV_TRY(const Addition addition, writer([&](std::int64_t from) { return read(dataset, from); }));
    if (addition.rows.empty()) return false;
    for (const Entry& row : addition.rows) {
      Use use(insert_);
      use.bind(1, dataset);
      use.bind(2, row.sequence);
      int column = 3;
      for (const std::string* text :
           {&row.recorded_at, &row.recorded_by, &row.kind, &row.body, &row.previous, &row.hash}) {
        use.bind(column++, *text);
      }
      CV_CHECK(write_one(use));
    }
    CV_CHECK(put_seal(dataset, addition.seal));
    return true;
  }

  // Writes the log into the file, so that a copy of the file is a whole ledger. If readers or a full disk prevent it,
  // the rows stay in the log, where they are as durable.
  void empty_log() {
    if (in_memory()) return;
    sqlite3_busy_timeout(database_.get(), 0);
    sqlite3_wal_checkpoint_v2(database_.get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
    database_.wait_while_busy(patience_);
  }

  static constexpr std::int64_t kSealFirst = 0;  // in what read_ returns

  std::string path_;
  FileIdentity identity_;                  // of the file that was opened
  LastRows file_alone_;                    // until the log is checked
  std::chrono::milliseconds patience_{0};  // for a lock
  sqlite::Connection database_;
  Statement begin_, commit_, schema_version_, datasets_, read_, insert_, reseal_, seal_;
  std::int64_t schema_ = 0;  // SQLite's number of the schema that was checked
  bool in_doubt_ = false;
};

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite_store(const std::string& path, const Sealer& sealer, Absent absent) {
  return SqliteStore::open(path, sealer, absent);
}

}  // namespace chronoveil::ledger
