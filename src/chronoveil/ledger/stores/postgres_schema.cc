#include "chronoveil/ledger/stores/postgres_schema.h"

#include <array>
#include <set>

namespace chronoveil::ledger {
namespace {

// @ stands for the schema.
std::string in_schema(std::string sql, const std::string& schema) {
  for (std::size_t at = sql.find('@'); at != std::string::npos; at = sql.find('@', at + schema.size()))
    sql.replace(at, 1, schema);
  return sql;
}

constexpr const char* kRows = R"(
CREATE TABLE @.chronoveil_meta (schema_version INTEGER NOT NULL);
INSERT INTO @.chronoveil_meta VALUES (1);
CREATE TABLE @.chronoveil_entries (
  dataset TEXT NOT NULL,
  sequence BIGINT NOT NULL,
  recorded_at TEXT NOT NULL,
  recorded_by TEXT NOT NULL,
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  previous TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (dataset, sequence)
);
)";

constexpr const char* kLockedRows = R"(
CREATE TABLE @.chronoveil_datasets (name TEXT PRIMARY KEY, length BIGINT NOT NULL);
INSERT INTO @.chronoveil_datasets SELECT dataset, COUNT(*) FROM @.chronoveil_entries GROUP BY dataset;
CREATE FUNCTION @.chronoveil_append_only() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$;
CREATE TRIGGER entries_never_change BEFORE UPDATE OR DELETE ON @.chronoveil_entries
  FOR EACH ROW EXECUTE FUNCTION @.chronoveil_append_only();
CREATE TRIGGER entries_never_go BEFORE TRUNCATE ON @.chronoveil_entries
  FOR EACH STATEMENT EXECUTE FUNCTION @.chronoveil_append_only();
UPDATE @.chronoveil_meta SET schema_version = 2;
)";

constexpr const char* kSealColumns = R"(
ALTER TABLE @.chronoveil_datasets ADD COLUMN head TEXT NOT NULL DEFAULT '', ADD COLUMN sums TEXT NOT NULL DEFAULT '',
  ADD COLUMN signature TEXT NOT NULL DEFAULT '';
UPDATE @.chronoveil_meta SET schema_version = 3;
)";

constexpr const char* kNewGuards = "UPDATE @.chronoveil_meta SET schema_version = 4;";

struct Function {
  const char* name;
  const char* body;
};

// A role that may only insert can only append rows that continue the chain, with seals that fit the rows. It cannot
// choose the name in a row, nor its time: a debit dated in another month would be paid from that month's budget. The
// time must be within ten minutes of the server's clock; a row that follows one of the future is dated like it. The
// owner of the tables, who restores and moves, may write earlier names and times.
constexpr std::array kFunctions = {
    Function{"chronoveil_append_only", "BEGIN RAISE EXCEPTION 'the ledger is append-only'; END"},
    Function{"chronoveil_entry_fits", R"(DECLARE
  owner boolean := pg_has_role(session_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'MEMBER');
  form text := 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';
  earliest text := to_char((clock_timestamp() - interval '10 minutes') AT TIME ZONE 'UTC', form);
  latest text := to_char((clock_timestamp() + interval '10 minutes') AT TIME ZONE 'UTC', form);
  before text := (SELECT max(recorded_at COLLATE "C") FROM @.chronoveil_entries
    WHERE dataset = NEW.dataset AND sequence = NEW.sequence - 1);
BEGIN
  IF NEW.dataset COLLATE "C" !~ '^[A-Za-z0-9._-]{1,64}$' THEN
    RAISE EXCEPTION 'no dataset can have that name';
  END IF;
  IF NEW.recorded_at COLLATE "C" !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z$'
      OR NEW.recorded_at COLLATE "C" < before THEN
    RAISE EXCEPTION 'the row is not dated after the one before it';
  END IF;
  IF NOT owner AND ((NEW.recorded_at COLLATE "C" > latest AND NEW.recorded_at IS DISTINCT FROM before)
      OR (NEW.kind = 'debit' AND NEW.recorded_at COLLATE "C" < earliest)) THEN
    RAISE EXCEPTION 'the row is not dated by the clock of the server';
  END IF;
  IF NEW.sequence < 0 OR (NEW.sequence = 0 AND NEW.previous <> '') OR (NEW.sequence > 0 AND NOT EXISTS (
      SELECT 1 FROM @.chronoveil_entries
      WHERE dataset = NEW.dataset AND sequence = NEW.sequence - 1 AND hash = NEW.previous)) THEN
    RAISE EXCEPTION 'the row does not follow the one before it';
  END IF;
  IF NEW.hash <> encode(sha256(convert_to(concat_ws(E'\n', 'chronoveil-ledger-1', NEW.previous, NEW.dataset,
      NEW.sequence::text, NEW.recorded_at, NEW.recorded_by, NEW.kind, NEW.body), 'UTF8')), 'hex') THEN
    RAISE EXCEPTION 'the row does not match its hash';
  END IF;
  IF NEW.recorded_by <> session_user::text AND NOT starts_with(NEW.recorded_by, session_user::text || ' (')
      AND NOT owner THEN
    RAISE EXCEPTION 'the row is recorded in another name';
  END IF;
  RETURN NEW;
END)"},
    Function{"chronoveil_entry_sealed", R"(BEGIN
  IF NOT EXISTS (SELECT 1 FROM @.chronoveil_datasets WHERE name = NEW.dataset AND length > NEW.sequence) THEN
    RAISE EXCEPTION 'the row has no seal';
  END IF;
  RETURN NULL;
END)"},
    Function{"chronoveil_seal_grows", R"(BEGIN
  IF NEW.name <> OLD.name OR NEW.length < OLD.length OR (OLD.signature <> '' AND NEW.signature = '')
      OR (NEW.length = OLD.length AND (NEW.head <> OLD.head OR NEW.sums <> OLD.sums)) THEN
    RAISE EXCEPTION 'a seal only grows with its rows';
  END IF;
  IF NEW.signature <> OLD.signature
      AND (NEW.length = OLD.length OR NEW.signature COLLATE "C" !~ '^[0-9a-f]{64}:[0-9a-f]{128}$')
      AND NOT pg_has_role(session_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'MEMBER') THEN
    RAISE EXCEPTION 'a signature alone is for the owner to change';
  END IF;
  RETURN NEW;
END)"},
    Function{"chronoveil_seal_fits", R"(BEGIN
  IF NOT EXISTS (SELECT 1 FROM @.chronoveil_datasets AS seal JOIN @.chronoveil_entries AS last
        ON last.dataset = seal.name AND last.sequence = seal.length - 1 AND last.hash = seal.head
        WHERE seal.name = NEW.name)
      OR EXISTS (SELECT 1 FROM @.chronoveil_datasets AS seal JOIN @.chronoveil_entries AS more
        ON more.dataset = seal.name AND more.sequence = seal.length WHERE seal.name = NEW.name) THEN
    RAISE EXCEPTION 'the seal is not that of the rows';
  END IF;
  RETURN NULL;
END)"},
};

struct Trigger {
  const char* name;
  const char* table;
  const char* when;
  const char* each;
  const char* function;
  int type;       // as pg_trigger has it: 1 row, 2 before, 4 insert, 8 delete, 16 update, 32 truncate
  bool deferred;  // until the end of the transaction: rows and seal are written one after the other
};

constexpr std::array kTriggers = {
    Trigger{"entries_never_change", "chronoveil_entries", "BEFORE UPDATE OR DELETE", "ROW", "chronoveil_append_only",
            1 | 2 | 8 | 16, false},
    Trigger{"entries_never_go", "chronoveil_entries", "BEFORE TRUNCATE", "STATEMENT", "chronoveil_append_only", 2 | 32,
            false},
    Trigger{"entries_fit", "chronoveil_entries", "BEFORE INSERT", "ROW", "chronoveil_entry_fits", 1 | 2 | 4, false},
    Trigger{"entries_sealed", "chronoveil_entries", "AFTER INSERT", "ROW", "chronoveil_entry_sealed", 1 | 4, true},
    Trigger{"seals_never_go", "chronoveil_datasets", "BEFORE DELETE", "ROW", "chronoveil_append_only", 1 | 2 | 8,
            false},
    Trigger{"seals_never_cut", "chronoveil_datasets", "BEFORE TRUNCATE", "STATEMENT", "chronoveil_append_only", 2 | 32,
            false},
    Trigger{"seals_grow", "chronoveil_datasets", "BEFORE UPDATE", "ROW", "chronoveil_seal_grows", 1 | 2 | 16, false},
    Trigger{"seals_fit", "chronoveil_datasets", "AFTER INSERT OR UPDATE", "ROW", "chronoveil_seal_fits", 1 | 4 | 16,
            true},
};

std::string body_of(const Function& function, const std::string& schema) { return in_schema(function.body, schema); }

// One line per object, as check_postgres_schema reads them from the catalogue.
std::set<std::string> expected_objects(const std::string& schema) {
  const std::string text = " text not null", number = " bigint not null";
  std::set<std::string> lines;
  const auto columns = [&](const std::string& table, std::initializer_list<std::string> all) {
    for (const std::string& column : all) lines.insert("column " + table + "." + column);
  };
  columns("chronoveil_meta", {"schema_version integer not null"});
  columns("chronoveil_entries", {"dataset" + text, "sequence" + number, "recorded_at" + text, "recorded_by" + text,
                                 "kind" + text, "body" + text, "previous" + text, "hash" + text});
  columns("chronoveil_datasets", {"name" + text, "length" + number, "head" + text, "sums" + text, "signature" + text});
  for (const char* table : {"chronoveil_meta", "chronoveil_entries", "chronoveil_datasets"})
    lines.insert(std::string("table ") + table + " r p false false false");
  lines.insert("key chronoveil_entries p PRIMARY KEY (dataset, sequence)");
  lines.insert("key chronoveil_datasets p PRIMARY KEY (name)");
  for (const Trigger& trigger : kTriggers) {
    const std::string deferred = trigger.deferred ? "true true" : "false false";
    lines.insert(std::string("trigger ") + trigger.table + "." + trigger.name + " A " + std::to_string(trigger.type) +
                 " " + deferred + " true 0 " + trigger.function);
  }
  for (const Function& function : kFunctions)
    lines.insert(std::string("function ") + function.name +
                 " plpgsql false true {\"search_path=pg_catalog, pg_temp\"} " + body_of(function, schema));
  return lines;
}

// $1 is the schema. A row-level policy would hide rows, an unlogged table forget them, a rule rewrite what is asked.
constexpr const char* kFoundObjects = R"(
WITH tables AS (
  SELECT c.* FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relname IN ('chronoveil_meta', 'chronoveil_entries', 'chronoveil_datasets'))
SELECT format('table %s %s %s %s %s %s', relname, relkind, relpersistence, relrowsecurity::text, relhasrules::text,
    (relhassubclass OR EXISTS (SELECT 1 FROM pg_inherits i WHERE i.inhrelid = tables.oid))::text) FROM tables
UNION ALL
SELECT format('column %s.%s %s%s', relname, attname, format_type(atttypid, atttypmod),
    CASE WHEN attnotnull THEN ' not null' ELSE '' END)
FROM tables JOIN pg_attribute a ON a.attrelid = tables.oid AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT format('key %s %s %s', relname, contype, pg_get_constraintdef(k.oid))
FROM tables JOIN pg_constraint k ON k.conrelid = tables.oid AND k.contype IN ('p', 'u', 'c', 'f', 'x')
UNION ALL
SELECT format('trigger %s.%s %s %s %s %s %s %s %s', relname, tgname, tgenabled, tgtype, tgdeferrable::text,
    tginitdeferred::text, (tgqual IS NULL AND p.pronamespace = tables.relnamespace)::text, tgnargs, p.proname)
FROM tables JOIN pg_trigger t ON t.tgrelid = tables.oid JOIN pg_proc p ON p.oid = t.tgfoid
UNION ALL
SELECT DISTINCT format('function %s %s %s %s %s %s', p.proname, l.lanname, p.prosecdef::text,
    (p.proowner = tables.relowner)::text, p.proconfig::text, p.prosrc)
FROM tables JOIN pg_trigger t ON t.tgrelid = tables.oid JOIN pg_proc p ON p.oid = t.tgfoid
  JOIN pg_language l ON l.oid = p.prolang
)";

}  // namespace

Result<std::string> ledger_schema(PostgresSession& session) {
  std::vector<std::string> holders;
  for (const std::string& schema : session.path()) {
    CV_TRY(const PostgresSession::Rows rows,
           session.query("SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                         "WHERE n.nspname = $1 AND c.relname = 'chronoveil_meta'",
                         {schema}));
    if (pq().PQntuples(rows.get()) > 0) holders.push_back(schema);
  }
  if (holders.size() > 1)
    return fail(ErrorKind::storage, "ledger",
                "there is a ledger in each of the schemas '" + holders[0] + "' and '" + holders[1] +
                    "' of the search path; name the one that is meant: ?options=-csearch_path%3DNAME");
  if (!holders.empty()) return holders.front();
  if (session.path().empty())
    return fail(ErrorKind::storage, "ledger",
                "the search path names no schema that exists; name one: ?options=-csearch_path%3DNAME");
  return session.path().front();
}

std::string postgres_upgrade_to(int version, const std::string& schema) {
  return in_schema(version == 1   ? kRows
                   : version == 2 ? kLockedRows
                   : version == 3 ? kSealColumns
                                  : kNewGuards,
                   schema);
}

std::string postgres_guards(const std::string& schema) {
  std::string sql;
  for (const Function& function : kFunctions)
    sql += "CREATE OR REPLACE FUNCTION " + schema + "." + function.name +
           "() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $chronoveil$" +
           body_of(function, schema) + "$chronoveil$;\n";
  for (const Trigger& trigger : kTriggers) {
    const std::string table = schema + "." + trigger.table;
    sql += std::string("DROP TRIGGER IF EXISTS ") + trigger.name + " ON " + table + ";\n";
    sql += std::string(trigger.deferred ? "CREATE CONSTRAINT TRIGGER " : "CREATE TRIGGER ") + trigger.name + " " +
           trigger.when + " ON " + table + (trigger.deferred ? " DEFERRABLE INITIALLY DEFERRED" : "") + " FOR EACH " +
           trigger.each + " EXECUTE FUNCTION " + schema + "." + trigger.function + "();\n";
    // Also in sessions that replicate what another server did.
    sql += "ALTER TABLE " + table + " ENABLE ALWAYS TRIGGER " + trigger.name + ";\n";
  }
  return sql;
}

Result<void> check_postgres_schema(PostgresSession& session, const std::string& schema, const std::string& quoted) {
  const std::set<std::string> expected = expected_objects(quoted);
  CV_TRY(const PostgresSession::Rows rows, session.query(kFoundObjects, {schema}));
  std::set<std::string> found;
  for (int row = 0; row < pq().PQntuples(rows.get()); ++row) found.insert(text_at(rows, row, 0));
  const auto named = [](const std::string& line) {
    return line.substr(0, line.find(' ', line.find(' ') + 1));  // its kind and its name
  };
  const auto refuse = [](const std::string& object, const char* what) {
    return fail(ErrorKind::storage, "ledger",
                "the PostgreSQL ledger was changed by somebody else: its " + object + what);
  };
  for (const std::string& line : expected)
    if (!found.contains(line)) return refuse(named(line), " is gone, switched off or another one");
  for (const std::string& line : found)
    if (!expected.contains(line)) return refuse(named(line), " does not belong to a ledger");
  return {};
}

}  // namespace chronoveil::ledger
