#include "chronoveil/bound/participation.h"

#include <fcntl.h>
#include <sodium.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <span>
#include <system_error>

#include "chronoveil/base/bit_source.h"

namespace chronoveil::bound {

namespace {

constexpr int kApplicationId = 0x43565054;  // "CVPT"
constexpr int kSchemaVersion = 1;
constexpr const char* kSchema = R"(
CREATE TABLE people (
  person BLOB PRIMARY KEY,
  last_slot INTEGER NOT NULL,
  used_before INTEGER NOT NULL,
  used_after INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE secret (key BLOB NOT NULL) STRICT;
PRAGMA application_id = 1129730132;
PRAGMA user_version = 1;
)";
static_assert(kApplicationId == 1129730132 && kSchemaVersion == 1);

// A conflict with a slot that is later changes nothing, and is seen by that.
constexpr const char* kUse = R"(
INSERT INTO people (person, last_slot, used_before, used_after) VALUES (?1, ?2, 0, ?3)
ON CONFLICT (person) DO UPDATE SET
  last_slot = ?2,
  used_before = CASE last_slot WHEN ?2 THEN used_before ELSE used_after END,
  used_after = CASE last_slot WHEN ?2 THEN used_before ELSE used_after END + ?3
WHERE last_slot <= ?2
)";

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
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

  void bind(int index, std::span<const unsigned char> bytes) {
    sqlite3_bind_blob(statement_, index, bytes.data(), static_cast<int>(bytes.size()), SQLITE_STATIC);
  }
  void bind(int index, std::int64_t number) { sqlite3_bind_int64(statement_, index, number); }
  int step() { return sqlite3_step(statement_); }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  std::string text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return bytes == nullptr ? std::string() : std::string(bytes);
  }
  std::span<const unsigned char> blob(int column) const {
    const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(statement_, column));
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
  }

 private:
  sqlite3_stmt* statement_;
};

using Key = std::array<unsigned char, crypto_generichash_KEYBYTES>;
using HashedName = std::array<unsigned char, 16>;

Failure earlier_slot() {
  return fail(ErrorKind::internal, "participation: a slot came after a later one; slots only go forward");
}

class SqliteParticipation final : public Participation {
 public:
  explicit SqliteParticipation(std::string path) : path_(std::move(path)) {}

  Result<void> connect(Missing missing) {
    CV_CHECK(make_file(missing));
    sqlite3* database = nullptr;
    const int status = sqlite3_open_v2(path_.c_str(), &database, SQLITE_OPEN_READWRITE, nullptr);
    database_.reset(database);
    if (status != SQLITE_OK) return failure("open");
    sqlite3_extended_result_codes(database, 1);
    // Two processes that bound for the same people would each let them have what is left.
    CV_CHECK(execute("PRAGMA trusted_schema = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL;"));
    CV_CHECK(enter_write_ahead_log());
    CV_CHECK(prepare_schema(missing));
    CV_CHECK(read_key());
    CV_TRY(find_, prepare("SELECT last_slot, used_before, used_after FROM people WHERE person = ?1"));
    CV_TRY(use_, prepare(kUse));
    CV_TRY(last_slot_, number("SELECT COALESCE(MAX(last_slot), -1) FROM people"));
    return {};
  }

  std::int64_t last_slot() const override { return last_slot_; }

  Result<std::vector<std::int64_t>> used_before(std::int64_t step,
                                                const std::vector<std::string_view>& people) override {
    const std::vector<HashedName> hashed = hash(people);
    std::vector<std::int64_t> used(people.size());
    for (const std::size_t i : in_order_of_the_table(hashed)) {
      Use find(find_);
      find.bind(1, hashed[i]);
      const int status = find.step();
      if (status == SQLITE_DONE) continue;
      if (status != SQLITE_ROW) return failure("read");
      const std::int64_t last_slot = find.integer(0);
      if (last_slot > step) return earlier_slot();
      used[i] = find.integer(last_slot == step ? 1 : 2);
    }
    return used;
  }

  Result<void> use(std::int64_t step, const std::vector<std::string_view>& people,
                   const std::vector<std::int64_t>& pairs) override {
    if (people.size() != pairs.size() || std::any_of(pairs.begin(), pairs.end(), [](auto n) { return n < 0; })) {
      return fail(ErrorKind::internal, "participation: not one number of pairs a person");
    }
    if (people.empty()) return {};
    CV_CHECK(in_transaction([&] { return use_inside(step, people, pairs); }));
    last_slot_ = std::max(last_slot_, step);
    return {};
  }

 private:
  Failure failure(std::string_view doing) const {
    const int status = database_ ? sqlite3_extended_errcode(database_.get()) : SQLITE_NOMEM;
    const char* const why = (status & 0xff) == SQLITE_BUSY ? "another process has it open" : sqlite3_errstr(status);
    return cannot(doing, why);
  }
  Failure cannot(std::string_view doing, const std::string& why) const {
    return fail(ErrorKind::storage, "participation: cannot " + std::string(doing) + " '" + path_ + "': " + why);
  }
  Failure gone() const { return cannot("go on with", "it is missing, and with it who has used up how much"); }

  // SQLite would make the file with the umask's mode; its log takes the mode of the file.
  Result<void> make_file(Missing missing) {
    if (missing == Missing::make) {
      const int file = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      if (file < 0 && errno != EEXIST) return cannot("make", std::strerror(errno));
      if (file >= 0) ::close(file);
    }
    struct stat found {};
    if (::stat(path_.c_str(), &found) != 0) return errno == ENOENT ? gone() : cannot("open", std::strerror(errno));
    if (!S_ISREG(found.st_mode)) return cannot("open", "it is not a file");
    if ((found.st_mode & 07777) != 0600 && ::chmod(path_.c_str(), 0600) != 0) {
      return cannot("take from others", std::strerror(errno));
    }
    return sync_folder();
  }

  // Each time: whoever made the file may have died before this.
  Result<void> sync_folder() {
    const std::string folder = std::filesystem::path(path_).parent_path();
    const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0) return cannot("make", std::strerror(errno));
    const int status = ::fsync(opened);
    const int why = errno;
    ::close(opened);
    if (status != 0) return cannot("make", std::strerror(why));
    return {};
  }

  Result<void> execute(const char* sql) {
    if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return failure("write");
    return {};
  }

  Result<Statement> prepare(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v3(database_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK) {
      return failure("read");
    }
    return Statement(statement);
  }

  Result<std::int64_t> number(const char* sql) {
    CV_TRY(const Statement statement, prepare(sql));
    Use use(statement);
    if (use.step() != SQLITE_ROW) return failure("read");
    return use.integer(0);
  }

  Result<void> run(const Statement& statement) {
    Use use(statement);
    if (use.step() != SQLITE_DONE) return failure("write");
    return {};
  }

  template <class Body>
  Result<void> in_transaction(Body body) {
    CV_CHECK(run(begin_));
    Result<void> done = body();
    if (done) done = run(commit_);
    // A failed statement may have rolled back by itself already.
    if (!done && sqlite3_get_autocommit(database_.get()) == 0) {
      sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
    return done;
  }

  Result<void> enter_write_ahead_log() {
    CV_TRY(const Statement statement, prepare("PRAGMA journal_mode = WAL"));
    Use use(statement);
    if (use.step() != SQLITE_ROW) return failure("open");
    if (use.text(0) != "wal") return cannot("open", "it cannot keep a write-ahead log");
    return {};
  }

  Result<void> prepare_schema(Missing missing) {
    CV_TRY(begin_, prepare("BEGIN IMMEDIATE"));
    CV_TRY(commit_, prepare("COMMIT"));
    CV_TRY(const std::int64_t version, number("PRAGMA user_version"));
    CV_TRY(const std::int64_t application, number("PRAGMA application_id"));
    if (version == kSchemaVersion && application == kApplicationId) return {};
    CV_TRY(const std::int64_t tables, number("SELECT COUNT(*) FROM sqlite_master"));
    if (application == kApplicationId) return cannot("open", "it was written by another version of this program");
    if (version != 0 || application != 0 || tables != 0) return cannot("open", "it is another program's database");
    if (missing == Missing::refuse) return gone();
    return in_transaction([&]() -> Result<void> {
      CV_CHECK(execute(kSchema));
      return make_key();
    });
  }

  Result<void> make_key() {
    std::array<std::uint64_t, sizeof(Key) / 8> words{};
    BitSource::for_this_thread().fill(words);
    Key key;
    static_assert(sizeof words == sizeof key);
    std::memcpy(key.data(), words.data(), sizeof key);
    CV_TRY(const Statement statement, prepare("INSERT INTO secret (key) VALUES (?1)"));
    Use use(statement);
    use.bind(1, key);
    if (use.step() != SQLITE_DONE) return failure("write");
    return {};
  }

  Result<void> read_key() {
    CV_TRY(const Statement statement, prepare("SELECT key FROM secret"));
    Use use(statement);
    if (use.step() != SQLITE_ROW) return failure("read");
    const std::span<const unsigned char> stored = use.blob(0);
    if (stored.size() != key_.size()) return cannot("read", "its key is damaged");
    std::copy(stored.begin(), stored.end(), key_.begin());
    return {};
  }

  std::vector<HashedName> hash(const std::vector<std::string_view>& people) const {
    std::vector<HashedName> hashed(people.size());
    for (std::size_t i = 0; i < people.size(); ++i) {
      crypto_generichash(hashed[i].data(), hashed[i].size(), reinterpret_cast<const unsigned char*>(people[i].data()),
                         people[i].size(), key_.data(), key_.size());
    }
    return hashed;
  }

  // So that every page of the table is visited once.
  static std::vector<std::size_t> in_order_of_the_table(const std::vector<HashedName>& hashed) {
    std::vector<std::size_t> order(hashed.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return hashed[a] < hashed[b]; });
    return order;
  }

  Result<void> use_inside(std::int64_t step, const std::vector<std::string_view>& people,
                          const std::vector<std::int64_t>& pairs) {
    const std::vector<HashedName> hashed = hash(people);
    for (const std::size_t i : in_order_of_the_table(hashed)) {
      Use use(use_);
      use.bind(1, hashed[i]);
      use.bind(2, step);
      use.bind(3, pairs[i]);
      if (use.step() != SQLITE_DONE) return failure("write");
      if (sqlite3_changes(database_.get()) == 0) return earlier_slot();
    }
    return {};
  }

  std::string path_;
  std::int64_t last_slot_ = -1;
  std::unique_ptr<sqlite3, CloseDatabase> database_;
  Statement begin_, commit_, find_, use_;
  Key key_{};
};

}  // namespace

Result<std::unique_ptr<Participation>> Participation::open(const std::string& path, Missing missing) {
  if (path.empty()) return fail(ErrorKind::storage, "participation: '' is not the name of a file");
  // Absolute, since SQLite takes some relative names, such as ":memory:", for something else than a file.
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error) return fail(ErrorKind::storage, "participation: cannot find '" + path + "': " + error.message());
  auto participation = std::make_unique<SqliteParticipation>(absolute.string());
  CV_CHECK(participation->connect(missing));
  return std::unique_ptr<Participation>(std::move(participation));
}

}  // namespace chronoveil::bound
