#include "chronoveil/bound/people/participation_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/base/system/atomic_file.h"

namespace chronoveil::bound {

using sqlite::Statement;
using sqlite::Use;

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

}  // namespace

ParticipationFile::ParticipationFile(std::string path)
    : path_(std::move(path)), database_([this](std::string_view doing, int code) { return failed(doing, code); }) {}

Failure ParticipationFile::failed(std::string_view doing, int code) const {
  return cannot(doing, (code & 0xff) == SQLITE_BUSY ? "another process has it open" : sqlite3_errstr(code));
}

Failure ParticipationFile::cannot(std::string_view doing, const std::string& why) const {
  return fail(ErrorKind::storage, "participation", "cannot " + std::string(doing) + " '" + path_ + "': " + why);
}

Failure ParticipationFile::damaged() const {
  return cannot("go on with", "it is damaged, so how much each person has used is not known");
}

Failure ParticipationFile::gone() const {
  return cannot("go on with", "it is missing, so how much each person has used is not known");
}

Result<void> ParticipationFile::open(Missing missing, bool sealed) {
  CV_CHECK(make_file(missing));
  CV_CHECK(database_.open(path_, SQLITE_OPEN_READWRITE));
  // Two processes that bound the same people would each give them all that is left.
  CV_CHECK(
      database_.execute("PRAGMA trusted_schema = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL;"));
  CV_TRY(const bool keeps_log, database_.enter_write_ahead_log(std::chrono::milliseconds(0)));
  if (!keeps_log) return cannot("open", "it cannot keep a write-ahead log");
  CV_TRY(begin_, database_.prepare("BEGIN IMMEDIATE"));
  CV_TRY(commit_, database_.prepare("COMMIT"));
  CV_CHECK(prepare_schema(missing, sealed));
  CV_CHECK(check_schema(kPeople));
  CV_TRY(find_,
         database_.prepare("SELECT person, last_slot, used_before, used_after, mac FROM people WHERE person = ?1"));
  CV_TRY(put_, database_.prepare(kPut));
  return {};
}

Result<void> ParticipationFile::look() {
  CV_CHECK(database_.open(sqlite::immutable_uri(path_), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI));
  CV_CHECK(database_.execute("PRAGMA trusted_schema = OFF"));
  CV_TRY(const std::int64_t version, database_.number("PRAGMA user_version"));
  if (version != kSchemaVersion) return damaged();
  return check_schema(kPeople);
}

// SQLite would make the file with the umask's mode; its log takes the mode of the file.
Result<void> ParticipationFile::make_file(Missing missing) {
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
  // Each time: the process that created the file may have died before this.
  return synchronise_folder("participation", std::filesystem::path(path_).parent_path());
}

Result<void> ParticipationFile::in_transaction(const std::function<Result<void>()>& body) {
  CV_CHECK(database_.run(begin_));
  Result<void> done = body();
  if (done) done = database_.run(commit_);
  if (!done) database_.roll_back_if_open();
  return done;
}

Result<void> ParticipationFile::prepare_schema(Missing missing, bool sealed) {
  CV_TRY(const std::int64_t version, database_.number("PRAGMA user_version"));
  CV_TRY(const std::int64_t application, database_.number("PRAGMA application_id"));
  if (version == kSchemaVersion && application == kApplicationId) return {};
  // Only what the last version left has no seal.
  if (version == 1 && application == kApplicationId && !sealed) return upgrade();
  CV_TRY(const std::int64_t tables, database_.number("SELECT COUNT(*) FROM sqlite_master"));
  if (application == kApplicationId) return cannot("open", "it was written by another version of this program");
  if (version != 0 || application != 0 || tables != 0) return cannot("open", "it is another program's database");
  if (missing == Missing::refuse) return gone();
  return in_transaction([&]() -> Result<void> {
    for (const char* sql : {kPeople, kSecret, kMarks}) CV_CHECK(database_.execute(sql));
    return make_key();
  });
}

// Rows of version 1 get their MACs. Nothing vouches for them; they are accepted as they are, if the file is intact.
Result<void> ParticipationFile::upgrade() {
  CV_CHECK(check_schema(kPeopleBefore));
  CV_TRY(const ParticipationKeys made, keys({}));
  return in_transaction([&]() -> Result<void> {
    for (const char* sql : {"ALTER TABLE people RENAME TO people_before", kPeople}) CV_CHECK(database_.execute(sql));
    CV_TRY(put_, database_.prepare(kPut));
    {
      CV_TRY(const Statement statement,
             database_.prepare("SELECT person, last_slot, used_before, used_after FROM people_before ORDER BY person"));
      Use rows(statement);
      int status = SQLITE_ROW;
      while ((status = rows.step()) == SQLITE_ROW) {
        CV_TRY(const PersonUses row, row_in(rows));
        CV_CHECK(put(row, made));
      }
      if (status != SQLITE_DONE) return database_.failure("read");
    }
    for (const char* sql : {"DROP TABLE people_before", kMarks}) CV_CHECK(database_.execute(sql));
    return {};
  });
}

// No trigger, no view, no other table: what is written here is what will be read.
Result<void> ParticipationFile::check_schema(const char* people) {
  CV_TRY(const std::string whole, database_.text("PRAGMA integrity_check(1)"));
  if (whole != "ok") return damaged();
  CV_TRY(const Statement statement, database_.prepare("SELECT sql FROM sqlite_master ORDER BY name"));
  Use use(statement);
  for (const char* sql : {people, kSecret}) {
    if (use.step() != SQLITE_ROW || use.text(0) != sql) return damaged();
  }
  return use.step() == SQLITE_DONE ? Result<void>() : damaged();
}

Result<void> ParticipationFile::make_key() {
  std::array<std::uint64_t, ParticipationKeys::kBytes / 8> words{};
  BitSource::for_this_thread().fill(words);
  CV_TRY(const Statement statement, database_.prepare("INSERT INTO secret (key) VALUES (?1)"));
  Use use(statement);
  use.bind(1, std::span(reinterpret_cast<const unsigned char*>(words.data()), sizeof words));
  const int status = use.step();
  sodium_memzero(words.data(), sizeof words);
  if (status != SQLITE_DONE) return database_.failure("write");
  return {};
}

Result<ParticipationKeys> ParticipationFile::keys(const std::optional<SealSecret>& secret) {
  const auto bad_key = [&] { return cannot("read", "its key is damaged"); };
  CV_TRY(const Statement statement, database_.prepare("SELECT key FROM secret"));
  Use use(statement);
  const int status = use.step();
  if (status != SQLITE_ROW) return status == SQLITE_DONE ? bad_key() : database_.failure("read");
  const std::span<const unsigned char> stored = use.blob(0);
  if (!use.has(0, SQLITE_BLOB) || stored.size() != ParticipationKeys::kBytes) return bad_key();
  try {
    ParticipationKeys made(stored.first<ParticipationKeys::kBytes>(), secret);
    if (use.step() != SQLITE_DONE) return bad_key();
    return made;
  } catch (const std::bad_alloc&) {
    return cannot("read", "not enough memory for its keys");
  }
}

// The first four columns: person, last_slot, used_before, used_after.
Result<PersonUses> ParticipationFile::row_in(const Use& use) const {
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

// The same with the fifth, the MAC, which must be right.
Result<PersonUses> ParticipationFile::sealed_row_in(const Use& use, const ParticipationKeys& keys) const {
  CV_TRY(const PersonUses row, row_in(use));
  const RowMac mac = keys.mac(row);
  const std::span<const unsigned char> stored = use.blob(4);
  if (!use.has(4, SQLITE_BLOB) || !std::equal(mac.begin(), mac.end(), stored.begin(), stored.end())) return damaged();
  return row;
}

Result<void> ParticipationFile::for_each(const ParticipationKeys& keys,
                                         const std::function<Result<void>(const PersonUses&)>& look_at) {
  CV_TRY(const Statement statement,
         database_.prepare("SELECT person, last_slot, used_before, used_after, mac FROM people ORDER BY person"));
  Use use(statement);
  std::optional<HashedName> last;
  int status = SQLITE_ROW;
  while ((status = use.step()) == SQLITE_ROW) {
    CV_TRY(const PersonUses row, sealed_row_in(use, keys));
    if (last && !(*last < row.person)) return damaged();
    last = row.person;
    CV_CHECK(look_at(row));
  }
  if (status != SQLITE_DONE) return database_.failure("read");
  return {};
}

Result<PersonUses> ParticipationFile::uses_of(const HashedName& person, const ParticipationKeys& keys) {
  Use find(find_);
  find.bind(1, person);
  const int status = find.step();
  if (status == SQLITE_ROW) return sealed_row_in(find, keys);
  if (status != SQLITE_DONE) return database_.failure("read");
  PersonUses nothing;
  nothing.person = person;
  return nothing;
}

Result<void> ParticipationFile::put(const PersonUses& row, const ParticipationKeys& keys) {
  const RowMac mac = keys.mac(row);
  Use use(put_);
  use.bind(1, row.person);
  use.bind(2, row.last_slot);
  use.bind(3, row.before);
  use.bind(4, row.after);
  use.bind(5, mac);
  if (use.step() != SQLITE_DONE) return database_.failure("write");
  if (sqlite3_changes(database_.get()) != 1) return damaged();
  return {};
}

}  // namespace chronoveil::bound
