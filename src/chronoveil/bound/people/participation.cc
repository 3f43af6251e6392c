#include "chronoveil/bound/people/participation.h"

#include <fcntl.h>
#include <sodium.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <new>
#include <numeric>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "chronoveil/base/bit_source.h"

namespace chronoveil::bound {

namespace {

constexpr int kApplicationId = 0x43565054;  // "CVPT"
constexpr int kSchemaVersion = 2;
constexpr const char* kPeople = R"(CREATE TABLE people (
  person BLOB PRIMARY KEY,
  last_slot INTEGER NOT NULL,
  used_before INTEGER NOT NULL,
  used_after INTEGER NOT NULL,
  mac BLOB NOT NULL
) STRICT, WITHOUT ROWID)";
// Of version 1: rows without a MAC.
constexpr const char* kPeopleBefore = R"(CREATE TABLE people (
  person BLOB PRIMARY KEY,
  last_slot INTEGER NOT NULL,
  used_before INTEGER NOT NULL,
  used_after INTEGER NOT NULL
) STRICT, WITHOUT ROWID)";
constexpr const char* kSecret = "CREATE TABLE secret (key BLOB NOT NULL) STRICT";
constexpr const char* kMarks = "PRAGMA application_id = 1129730132; PRAGMA user_version = 2;";
static_assert(kApplicationId == 1129730132 && kSchemaVersion == 2);

constexpr const char* kPut = R"(
INSERT INTO people (person, last_slot, used_before, used_after, mac) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (person) DO UPDATE SET last_slot = ?2, used_before = ?3, used_after = ?4, mac = ?5
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
  bool has(int column, int type) const { return sqlite3_column_type(statement_, column) == type; }
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

Failure earlier_slot() {
  return fail(ErrorKind::internal, "participation: a slot came after a later one; slots only go forward");
}

// Opened so, a file is neither locked nor made, and its log is not looked for.
std::string uri_of(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      constexpr const char* kDigits = "0123456789abcdef";
      uri += {'%', kDigits[(c >> 4) & 15], kDigits[c & 15]};
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

class SqliteParticipation final : public Participation {
 public:
  explicit SqliteParticipation(std::string path) : path_(std::move(path)) {}

  Result<void> connect(Missing missing, const std::optional<ParticipationAsOf>& as_of) {
    CV_CHECK(make_file(missing));
    sqlite3* database = nullptr;
    const int status = sqlite3_open_v2(path_.c_str(), &database, SQLITE_OPEN_READWRITE, nullptr);
    database_.reset(database);
    if (status != SQLITE_OK) return failure("open");
    sqlite3_extended_result_codes(database, 1);
    // Two processes that bound for the same people would each let them have what is left.
    CV_CHECK(execute("PRAGMA trusted_schema = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL;"));
    CV_CHECK(enter_write_ahead_log());
    CV_TRY(begin_, prepare("BEGIN IMMEDIATE"));
    CV_TRY(commit_, prepare("COMMIT"));
    CV_CHECK(prepare_schema(missing, as_of.has_value()));
    CV_CHECK(check_and_read(as_of));
    CV_TRY(find_, prepare("SELECT person, last_slot, used_before, used_after, mac FROM people WHERE person = ?1"));
    CV_TRY(put_, prepare(kPut));
    return {};
  }

  // Of a file as it lies there, without its log: nothing is locked.
  Result<void> look(const ParticipationAsOf& as_of) {
    sqlite3* database = nullptr;
    const int status =
        sqlite3_open_v2(uri_of(path_).c_str(), &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
    database_.reset(database);
    if (status != SQLITE_OK) return failure("open");
    sqlite3_extended_result_codes(database, 1);
    CV_CHECK(execute("PRAGMA trusted_schema = OFF"));
    CV_TRY(const std::int64_t version, number("PRAGMA user_version"));
    if (version != kSchemaVersion) return damaged();
    return check_and_read(as_of);
  }

  std::int64_t last_slot() const override { return last_slot_; }
  ParticipationSeal seal() const override { return seal_; }

  Result<std::vector<std::int64_t>> used_before(std::int64_t step,
                                                const std::vector<std::string_view>& people) override {
    const std::vector<HashedName> hashed = hash(people);
    std::vector<std::int64_t> used(people.size());
    read_.clear();
    read_.reserve(people.size());
    for (const std::size_t i : in_order_of_the_table(hashed)) {
      CV_TRY(const PersonUses found, uses_of(hashed[i]));
      if (found.last_slot > step) return earlier_slot();
      used[i] = found.used_before(step);
      read_.push_back(found);
    }
    return used;
  }

  Result<void> use(std::int64_t step, const std::vector<std::string_view>& people,
                   const std::vector<std::int64_t>& pairs) override {
    if (people.size() != pairs.size() || std::any_of(pairs.begin(), pairs.end(), [](auto n) { return n < 0; })) {
      return fail(ErrorKind::internal, "participation: not one number of pairs a person");
    }
    if (people.empty()) return {};
    // What became of a transaction that failed is in the file alone.
    if (std::exchange(unsure_, true)) {
      read_.clear();
      CV_CHECK(read_people({}));
    }
    ParticipationSeal after = seal_;
    CV_CHECK(in_transaction([&] { return use_inside(step, people, pairs, after); }));
    unsure_ = false;
    seal_ = after;
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
  Failure damaged() const { return cannot("go on with", "it is damaged; who has used up how much cannot be told"); }
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

  Result<void> prepare_schema(Missing missing, bool sealed) {
    CV_TRY(const std::int64_t version, number("PRAGMA user_version"));
    CV_TRY(const std::int64_t application, number("PRAGMA application_id"));
    if (version == kSchemaVersion && application == kApplicationId) return {};
    // Only what the last version left has no seal.
    if (version == 1 && application == kApplicationId && !sealed) return upgrade();
    CV_TRY(const std::int64_t tables, number("SELECT COUNT(*) FROM sqlite_master"));
    if (application == kApplicationId) return cannot("open", "it was written by another version of this program");
    if (version != 0 || application != 0 || tables != 0) return cannot("open", "it is another program's database");
    if (missing == Missing::refuse) return gone();
    return in_transaction([&]() -> Result<void> {
      for (const char* sql : {kPeople, kSecret, kMarks}) CV_CHECK(execute(sql));
      return make_key();
    });
  }

  // Rows of version 1 get their MACs. Nothing says what they were; they are taken as they are, in a file that is whole.
  Result<void> upgrade() {
    CV_CHECK(check_schema(kPeopleBefore));
    CV_CHECK(read_key({}));
    return in_transaction([&]() -> Result<void> {
      for (const char* sql : {"ALTER TABLE people RENAME TO people_before", kPeople}) CV_CHECK(execute(sql));
      CV_TRY(put_, prepare(kPut));
      {
        CV_TRY(const Statement statement,
               prepare("SELECT person, last_slot, used_before, used_after FROM people_before ORDER BY person"));
        Use rows(statement);
        int status = SQLITE_ROW;
        while ((status = rows.step()) == SQLITE_ROW) {
          CV_TRY(const PersonUses row, row_in(rows));
          CV_CHECK(put(row));
        }
        if (status != SQLITE_DONE) return failure("read");
      }
      for (const char* sql : {"DROP TABLE people_before", kMarks}) CV_CHECK(execute(sql));
      return {};
    });
  }

  // No trigger, no view, no other table: what is written here is what will be read.
  Result<void> check_schema(const char* people) {
    CV_TRY(const Statement whole, prepare("PRAGMA integrity_check(1)"));
    {
      Use use(whole);
      if (use.step() != SQLITE_ROW) return failure("read");
      if (use.text(0) != "ok") return damaged();
    }
    CV_TRY(const Statement statement, prepare("SELECT sql FROM sqlite_master ORDER BY name"));
    Use use(statement);
    for (const char* sql : {people, kSecret}) {
      if (use.step() != SQLITE_ROW || use.text(0) != sql) return damaged();
    }
    return use.step() == SQLITE_DONE ? Result<void>() : damaged();
  }

  Result<void> check_and_read(const std::optional<ParticipationAsOf>& as_of) {
    CV_CHECK(check_schema(kPeople));
    CV_CHECK(read_key(as_of));
    CV_CHECK(read_people(as_of));
    keys_before_.reset();
    return {};
  }

  Result<void> make_key() {
    std::array<std::uint64_t, ParticipationKeys::kBytes / 8> words{};
    BitSource::for_this_thread().fill(words);
    CV_TRY(const Statement statement, prepare("INSERT INTO secret (key) VALUES (?1)"));
    Use use(statement);
    use.bind(1, {reinterpret_cast<const unsigned char*>(words.data()), sizeof words});
    const int status = use.step();
    sodium_memzero(words.data(), sizeof words);
    if (status != SQLITE_DONE) return failure("write");
    return {};
  }

  static SealSecret new_secret() {
    std::array<std::uint64_t, std::tuple_size_v<SealSecret>> words{};
    BitSource::for_this_thread().fill(words);
    return std::bit_cast<SealSecret>(words);
  }

  Result<void> read_key(const std::optional<ParticipationAsOf>& as_of) {
    CV_TRY(const Statement statement, prepare("SELECT key FROM secret"));
    Use use(statement);
    const int status = use.step();
    if (status != SQLITE_ROW) return status == SQLITE_DONE ? cannot("read", "its key is damaged") : failure("read");
    const std::span<const unsigned char> stored = use.blob(0);
    if (!use.has(0, SQLITE_BLOB) || stored.size() != ParticipationKeys::kBytes)
      return cannot("read", "its key is damaged");
    try {
      const auto key = stored.first<ParticipationKeys::kBytes>();
      const bool secret = as_of && as_of->seal.secret;
      keys_.emplace(key, secret ? *as_of->seal.secret : new_secret());
      if (as_of && !secret) keys_before_.emplace(key, std::nullopt);
    } catch (const std::bad_alloc&) {
      return cannot("read", "not enough memory for its keys");
    }
    if (use.step() != SQLITE_DONE) return cannot("read", "its key is damaged");
    return {};
  }

  // The first four columns: person, last_slot, used_before, used_after.
  Result<PersonUses> row_in(const Use& use) const {
    PersonUses row;
    const std::span<const unsigned char> person = use.blob(0);
    bool whole = use.has(0, SQLITE_BLOB) && person.size() == row.person.size();
    for (const int column : {1, 2, 3}) whole = whole && use.has(column, SQLITE_INTEGER);
    if (!whole) return damaged();
    std::copy(person.begin(), person.end(), row.person.begin());
    row.last_slot = use.integer(1);
    row.before = use.integer(2);
    row.after = use.integer(3);
    if (row.last_slot < 0 || row.before < 0 || row.after < row.before) return damaged();
    return row;
  }

  // The same with the fifth, which must be right.
  Result<PersonUses> sealed_row_in(const Use& use) const {
    CV_TRY(const PersonUses row, row_in(use));
    const RowMac mac = keys_->mac(row);
    const std::span<const unsigned char> stored = use.blob(4);
    if (!use.has(4, SQLITE_BLOB) || !std::equal(mac.begin(), mac.end(), stored.begin(), stored.end())) return damaged();
    return row;
  }

  // Every row, in the order in which they are looked up: where all are in order, each is found.
  Result<void> read_people(const std::optional<ParticipationAsOf>& as_of) {
    CV_TRY(const Statement statement,
           prepare("SELECT person, last_slot, used_before, used_after, mac FROM people ORDER BY person"));
    Use use(statement);
    const ParticipationKeys& keys_then = keys_before_ ? *keys_before_ : *keys_;
    ParticipationSeal now = keys_->empty_seal(), then = keys_then.empty_seal();
    std::optional<HashedName> last;
    std::int64_t last_slot = -1;
    int status = SQLITE_ROW;
    while ((status = use.step()) == SQLITE_ROW) {
      CV_TRY(const PersonUses row, sealed_row_in(use));
      if (last && !(*last < row.person)) return damaged();
      last = row.person;
      last_slot = std::max(last_slot, row.last_slot);
      keys_->add(now, row.person, row.after);
      if (as_of && row.last_slot > as_of->step) return not_as_of();
      if (as_of) keys_then.add(then, row.person, row.used_before(as_of->step));
    }
    if (status != SQLITE_DONE) return failure("read");
    if (as_of && !(then == as_of->seal)) return not_as_of();
    seal_ = now;
    last_slot_ = last_slot;
    return {};
  }

  Failure not_as_of() const {
    return cannot("go on with",
                  "it is damaged, is older than the state, or is not the one that belongs to it; put "
                  "back the one that does, or end the release");
  }

  Result<PersonUses> uses_of(const HashedName& person) {
    Use find(find_);
    find.bind(1, person);
    const int status = find.step();
    if (status == SQLITE_ROW) return sealed_row_in(find);
    if (status != SQLITE_DONE) return failure("read");
    PersonUses nothing;
    nothing.person = person;
    return nothing;
  }

  Result<void> put(const PersonUses& row) {
    const RowMac mac = keys_->mac(row);
    Use use(put_);
    use.bind(1, row.person);
    use.bind(2, row.last_slot);
    use.bind(3, row.before);
    use.bind(4, row.after);
    use.bind(5, mac);
    if (use.step() != SQLITE_DONE) return failure("write");
    if (sqlite3_changes(database_.get()) != 1) return damaged();
    return {};
  }

  std::vector<HashedName> hash(const std::vector<std::string_view>& people) const {
    std::vector<HashedName> hashed(people.size());
    for (std::size_t i = 0; i < people.size(); ++i) hashed[i] = keys_->name(people[i]);
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
                          const std::vector<std::int64_t>& pairs, ParticipationSeal& seal) {
    const std::vector<HashedName> hashed = hash(people);
    const std::vector<PersonUses> read = std::exchange(read_, {});
    auto known = read.begin();
    for (const std::size_t i : in_order_of_the_table(hashed)) {
      known = std::find_if(known, read.end(), [&](const PersonUses& one) { return !(one.person < hashed[i]); });
      const bool found = known != read.end() && known->person == hashed[i];
      CV_TRY(PersonUses row, found ? Result<PersonUses>(*known) : uses_of(hashed[i]));
      if (row.last_slot > step) return earlier_slot();
      keys_->take(seal, row.person, row.after);
      row.before = row.used_before(step);
      row.last_slot = step;
      if (pairs[i] > std::numeric_limits<std::int64_t>::max() - row.before)
        return fail(ErrorKind::internal, "participation: more pairs than can be counted");
      row.after = row.before + pairs[i];
      keys_->add(seal, row.person, row.after);
      CV_CHECK(put(row));
    }
    return {};
  }

  std::string path_;
  std::int64_t last_slot_ = -1;
  std::unique_ptr<sqlite3, CloseDatabase> database_;
  Statement begin_, commit_, find_, put_;
  std::optional<ParticipationKeys> keys_;
  std::optional<ParticipationKeys> keys_before_;  // while a seal without a secret is compared
  // What was read last, in the order of the table; whoever reads it wants to add to it. Nobody else writes to the file.
  std::vector<PersonUses> read_;
  ParticipationSeal seal_;  // of what is in the file
  bool unsure_ = false;     // whether it is that
};

Result<std::string> absolute_path(const std::string& path) {
  if (path.empty()) return fail(ErrorKind::storage, "participation: '' is not the name of a file");
  // Absolute, since SQLite takes some relative names, such as ":memory:", for something else than a file.
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error) return fail(ErrorKind::storage, "participation: cannot find '" + path + "': " + error.message());
  return absolute.string();
}

}  // namespace

Result<std::unique_ptr<Participation>> Participation::open(const std::string& path, Missing missing,
                                                           const std::optional<ParticipationAsOf>& as_of) {
  CV_TRY(const std::string absolute, absolute_path(path));
  auto participation = std::make_unique<SqliteParticipation>(absolute);
  CV_CHECK(participation->connect(missing, as_of));
  return std::unique_ptr<Participation>(std::move(participation));
}

Result<bool> Participation::verify(const std::string& path, const ParticipationAsOf& as_of) {
  CV_TRY(const std::string absolute, absolute_path(path));
  struct stat log {};
  if (::stat((absolute + "-wal").c_str(), &log) == 0 && log.st_size > 0) return false;
  CV_CHECK(SqliteParticipation(absolute).look(as_of));
  return true;
}

}  // namespace chronoveil::bound
