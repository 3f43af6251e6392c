#include "chronoveil/ledger/stores/sqlite_schema.h"

#include <map>

namespace chronoveil::ledger {
namespace {

constexpr const char* kRows = R"(
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
static_assert(kSqliteApplicationId == 1129729095);

constexpr const char* kAppendOnly = R"(
CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entries_never_go BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entries_only_grow BEFORE INSERT ON entries
WHEN NEW.sequence <> (SELECT COALESCE(MAX(sequence) + 1, 0) FROM entries WHERE dataset = NEW.dataset)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
PRAGMA user_version = 2;
)";

constexpr const char* kSeals = R"(
CREATE TABLE seals (
  dataset TEXT NOT NULL PRIMARY KEY,
  length INTEGER NOT NULL,
  head TEXT NOT NULL,
  sums TEXT NOT NULL,
  signature TEXT NOT NULL
) WITHOUT ROWID;
CREATE TRIGGER seals_never_go BEFORE DELETE ON seals
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER seals_begin_with_rows BEFORE INSERT ON seals
WHEN NOT EXISTS (SELECT 1 FROM entries WHERE dataset = NEW.dataset AND sequence = NEW.length - 1 AND hash = NEW.head)
  OR EXISTS (SELECT 1 FROM entries WHERE dataset = NEW.dataset AND sequence = NEW.length)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER seals_grow_with_rows BEFORE UPDATE ON seals
WHEN NEW.dataset <> OLD.dataset
  OR NEW.length < OLD.length
  OR (NEW.length = OLD.length AND NEW.sums <> OLD.sums)
  OR NOT EXISTS (SELECT 1 FROM entries WHERE dataset = NEW.dataset AND sequence = NEW.length - 1 AND hash = NEW.head)
  OR EXISTS (SELECT 1 FROM entries WHERE dataset = NEW.dataset AND sequence = NEW.length)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
PRAGMA user_version = 3;
)";

// The words alone: spacing does not matter.
std::string words_of(const std::string& sql) {
  std::string words;
  for (const char c : sql) {
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
      const bool joins = c == '(' || c == ')' || c == ',' || c == ';';
      if (joins && !words.empty() && words.back() == ' ') words.pop_back();
      words += c;
    } else if (!words.empty() && words.back() != ' ' && words.back() != '(' && words.back() != ')' &&
               words.back() != ',' && words.back() != ';') {
      words += ' ';
    }
  }
  return words;
}

using Objects = std::map<std::string, std::string>;  // "trigger entries_never_go" -> its table and its words

Result<Objects> objects_of(sqlite::Connection& database) {
  const auto unlisted = [] { return fail(ErrorKind::storage, "ledger", "its tables cannot be listed"); };
  const Result<sqlite::Statement> statement =
      database.prepare("SELECT type, name, tbl_name, COALESCE(sql, '') FROM main.sqlite_master");
  if (!statement) return unlisted();
  sqlite::Use use(*statement);
  Objects objects;
  int status = SQLITE_OK;
  while ((status = use.step()) == SQLITE_ROW)
    objects.emplace(use.text(0) + " " + use.text(1), use.text(2) + ": " + words_of(use.text(3)));
  if (status != SQLITE_DONE) return unlisted();
  return objects;
}

// What a new database of that version holds.
Result<Objects> objects_of_version(int version) {
  sqlite::Connection database(
      [](std::string_view, int) { return fail(ErrorKind::storage, "ledger", "no memory for a database"); });
  CV_CHECK(database.open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
  for (int step = 1; step <= version; ++step) CV_CHECK(database.execute(sqlite_upgrade_to(step)));
  return objects_of(database);
}

}  // namespace

const char* sqlite_upgrade_to(int version) { return version == 1 ? kRows : version == 2 ? kAppendOnly : kSeals; }

Result<void> check_sqlite_schema(sqlite::Connection& database, int version, const std::string& path) {
  CV_TRY(const Objects expected, objects_of_version(version));
  CV_TRY(const Objects found, objects_of(database));
  const auto refuse = [&](const std::string& object, const char* what) {
    return fail(ErrorKind::storage, "ledger",
                "'" + path + "' was changed by somebody else: its " + object + " " + what);
  };
  for (const auto& [object, words] : expected) {
    const auto place = found.find(object);
    if (place == found.end()) return refuse(object, "is gone");
    if (place->second != words) return refuse(object, "is another one");
  }
  for (const auto& item : found)
    if (!expected.contains(item.first))
      return fail(ErrorKind::storage, "ledger",
                  "'" + path + "' holds a table, view, index or trigger that does not belong to a ledger");
  return {};
}

}  // namespace chronoveil::ledger
