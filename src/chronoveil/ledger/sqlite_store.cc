#include "chronoveil/ledger/sqlite_store.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace chronoveil::ledger {
namespace {

constexpr int kApplicationId = 0x43564c47;  // "CVLG"
constexpr int kSchemaVersion = 2;
constexpr int kBusyMilliseconds = 60'000;

// Version 1 had the rows alone. Version 2 makes the database itself refuse to change or remove one.
constexpr const char* kCreateRows = R"(
CREATE TABLE entries (
  dataset TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  recorded_at TEXT NOT NULL,
  recorded_by TEXT NOT NULL,
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  previous TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (dataset, sequence)
) WITHOUT ROWID;
PRAGMA application_id = 1129729095;
)";
static_assert(kApplicationId == 1129729095);

constexpr const char* kFromVersion1 = R"(
CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entries_never_go BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entries_only_grow BEFORE INSERT ON entries
WHEN NEW.sequence <> (SELECT COALESCE(MAX(sequence) + 1, 0) FROM entries WHERE dataset = NEW.dataset)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
PRAGMA user_version = 2;
)";

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

// Leaves a statement ready for its next use, whatever happened.
class Use {
 public:
  explicit Use(const Statement& statement) : statement_(statement.get()) {}
  ~Use() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  void bind(int index, const std::string& text) {
    sqlite3_bind_text(statement_, index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }
  void bind(int index, std::int64_t number) { sqlite3_bind_int64(statement_, index, number); }
  int step() { return sqlite3_step(statement_); }
  std::string text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return bytes == nullptr ? std::string()
                            : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
  }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }

 private:
  sqlite3_stmt* statement_;
};

class SqliteStore final : public Store {
 public:
  static Result<std::unique_ptr<Store>> open(const std::string& path) {
    auto store = std::unique_ptr<SqliteStore>(new SqliteStore(path));
    CV_CHECK(store->connect());
    CV_CHECK(store->prepare_schema());
    CV_CHECK(store->prepare_statements());
    return std::unique_ptr<Store>(std::move(store));
  }

  std::string_view kind() const override { return "sqlite"; }

  Result<std::vector<std::string>> datasets() override {
    Use use(datasets_);
    std::vector<std::string> names;
    int status = SQLITE_OK;
    while ((status = use.step()) == SQLITE_ROW) names.push_back(use.text(0));
    if (status != SQLITE_DONE) return failure("read");
    return names;
  }

  Result<std::vector<Entry>> entries(const std::string& dataset, std::int64_t from) override {
    Use use(entries_);
    use.bind(1, dataset);
    use.bind(2, from);
    std::vector<Entry> result;
    int status = SQLITE_OK;
    while ((status = use.step()) == SQLITE_ROW) {
      result.push_back(
          {dataset, use.integer(0), use.text(1), use.text(2), use.text(3), use.text(4), use.text(5), use.text(6)});
    }
    if (status != SQLITE_DONE) return failure("read");
    return result;
  }

  Result<void> append(const std::string& dataset, const Writer& writer) override {
    CV_CHECK(run(begin_));
    Result<void> done = append_inside(dataset, writer);
    if (done) done = run(commit_);
    // A failed statement may have rolled back by itself already.
    if (!done && sqlite3_get_autocommit(database_.get()) == 0)
      sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    return done;
  }

 private:
  explicit SqliteStore(std::string path) : path_(std::move(path)) {}

  bool in_memory() const { return path_ == ":memory:"; }

  Failure failure(std::string_view doing) const {
    const int status = database_ ? sqlite3_extended_errcode(database_.get()) : SQLITE_NOMEM;
    std::string message = "ledger: cannot " + std::string(doing) + " '" + path_ + "': " + sqlite3_errstr(status);
    if ((status & 0xff) == SQLITE_CONSTRAINT) message += " (the ledger is append-only)";
    return fail(ErrorKind::storage, std::move(message));
  }

  Result<void> execute(const char* sql, std::string_view doing) {
    if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return failure(doing);
    return {};
  }

  Result<std::int64_t> number(const char* pragma) {
    CV_TRY(const Statement statement, prepare(pragma));
    Use use(statement);
    if (use.step() != SQLITE_ROW) return failure("read");
    return use.integer(0);
  }

  Result<Statement> prepare(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v3(database_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK) {
      return failure("read");
    }
    return Statement(statement);
  }

  Result<void> run(const Statement& statement) {
    Use use(statement);
    if (use.step() != SQLITE_DONE) return failure("write");
    return {};
  }

  // SQLite would create the file with the umask's mode; its log and shared memory take the mode of the file.
  Result<void> create_file() {
    const auto cannot = [&](const std::string& why) {
      return fail(ErrorKind::storage, "ledger: cannot open '" + path_ + "': " + why);
    };
    std::filesystem::path missing = std::filesystem::path(path_).parent_path();
    std::vector<std::filesystem::path> folders;
    std::error_code error;
    for (; !missing.empty() && !std::filesystem::exists(missing, error); missing = missing.parent_path())
      folders.push_back(missing);
    for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
      if (::mkdir(folder->c_str(), 0700) != 0 && errno != EEXIST) return cannot(std::strerror(errno));
    }
    // A file that is there already is not touched: closing it would drop the locks that another connection of this
    // process holds on it.
    const int file = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return errno == EEXIST ? Result<void>() : cannot(std::strerror(errno));
    ::close(file);
    return {};
  }

  Result<void> connect() {
    if (path_.empty()) return invalid("ledger", path_, "a path, or a URL postgresql://...");
    if (!in_memory()) CV_CHECK(create_file());
    sqlite3* database = nullptr;
    const int status = sqlite3_open_v2(path_.c_str(), &database, SQLITE_OPEN_READWRITE, nullptr);
    database_.reset(database);
    if (status != SQLITE_OK) return failure("open");
    sqlite3_extended_result_codes(database, 1);
    sqlite3_busy_timeout(database, kBusyMilliseconds);
    CV_CHECK(execute("PRAGMA trusted_schema = OFF; PRAGMA synchronous = FULL;", "open"));
    if (!in_memory()) CV_CHECK(enter_write_ahead_log());
    return {};
  }

  Result<void> enter_write_ahead_log() {
    CV_TRY(const Statement statement, prepare("PRAGMA journal_mode = WAL"));
    Use use(statement);
    if (use.step() != SQLITE_ROW) return failure("open");
    if (use.text(0) != "wal") return fail(ErrorKind::storage, "ledger: '" + path_ + "' cannot keep a write-ahead log");
    return {};
  }

  // Whoever comes first creates or upgrades; the others wait for the lock and find it done.
  Result<void> prepare_schema() {
    CV_TRY(const std::int64_t version, number("PRAGMA user_version"));
    CV_TRY(const std::int64_t application, number("PRAGMA application_id"));
    if (version == kSchemaVersion && application == kApplicationId) return {};
    CV_CHECK(execute("BEGIN IMMEDIATE", "open"));
    Result<void> done = upgrade();
    if (done) done = execute("COMMIT", "open");
    if (!done && sqlite3_get_autocommit(database_.get()) == 0)
      sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    return done;
  }

  Result<void> upgrade() {
    CV_TRY(std::int64_t version, number("PRAGMA user_version"));
    CV_TRY(const std::int64_t application, number("PRAGMA application_id"));
    CV_TRY(const std::int64_t tables, number("SELECT COUNT(*) FROM sqlite_master"));
    const bool empty = version == 0 && application == 0 && tables == 0;
    if (!empty && application != kApplicationId) {
      return fail(ErrorKind::storage, "ledger: '" + path_ + "' is another program's database, not a ledger");
    }
    if (version > kSchemaVersion) {
      return fail(ErrorKind::storage, "ledger: '" + path_ + "' was written by a newer release (schema " +
                                          std::to_string(version) + "; this one knows up to " +
                                          std::to_string(kSchemaVersion) + ")");
    }
    if (empty) CV_CHECK(execute(kCreateRows, "create"));
    if (version < 2) CV_CHECK(execute(kFromVersion1, "upgrade"));
    return {};
  }

  Result<void> prepare_statements() {
    CV_TRY(begin_, prepare("BEGIN IMMEDIATE"));
    CV_TRY(commit_, prepare("COMMIT"));
    CV_TRY(datasets_, prepare("SELECT DISTINCT dataset FROM entries ORDER BY dataset"));
    CV_TRY(entries_, prepare("SELECT sequence, recorded_at, recorded_by, kind, body, previous, hash FROM entries "
                             "WHERE dataset = ?1 AND sequence >= ?2 ORDER BY sequence"));
    CV_TRY(insert_,
           prepare("INSERT INTO entries (dataset, sequence, recorded_at, recorded_by, kind, body, previous, hash) "
                   "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"));
    return {};
  }

  Result<void> append_inside(const std::string& dataset, const Writer& writer) {
    CV_TRY(const std::vector<Entry> rows, writer([&](std::int64_t from) { return entries(dataset, from); }));
    for (const Entry& row : rows) {
      Use use(insert_);
      use.bind(1, dataset);
      use.bind(2, row.sequence);
      int column = 3;
      for (const std::string* text :
           {&row.recorded_at, &row.recorded_by, &row.kind, &row.body, &row.previous, &row.hash}) {
        use.bind(column++, *text);
      }
      if (use.step() != SQLITE_DONE) return failure("write");
    }
    return {};
  }

  std::string path_;
  Database database_;
  Statement begin_, commit_, datasets_, entries_, insert_;
};

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite_store(const std::string& path) { return SqliteStore::open(path); }

}  // namespace chronoveil::ledger
