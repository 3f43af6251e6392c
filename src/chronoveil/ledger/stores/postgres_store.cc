#include "chronoveil/ledger/stores/postgres_store.h"

#include <cstdlib>
#include <utility>

#include "chronoveil/ledger/stores/postgres_schema.h"
#include "chronoveil/ledger/stores/postgres_session.h"

namespace chronoveil::ledger {
namespace {

using Rows = PostgresSession::Rows;

std::int64_t integer_at(const Rows& rows, int row, int column) {
  return std::strtoll(pq().PQgetvalue(rows.get(), row, column), nullptr, 10);
}

class PostgresStore final : public Store {
 public:
  static Result<std::unique_ptr<Store>> open(const std::string& url, const Sealer& sealer, Absent absent) {
    CV_TRY(PostgresSession session, PostgresSession::connect("ledger", url));
    auto store = std::unique_ptr<PostgresStore>(new PostgresStore(std::move(session)));
    CV_TRY(store->name_, ledger_schema(store->session_));
    CV_TRY(store->schema_, store->session_.quoted(store->name_));
    CV_TRY(const int version, store->schema_version());
    if (version == 0 && absent == Absent::refuse)
      return fail(
          ErrorKind::usage, "ledger",
          "there is none in schema '" + store->name_ + "' of that PostgreSQL database; budget create makes one");
    CV_CHECK(store->prepare_schema(sealer));
    return std::unique_ptr<Store>(std::move(store));
  }

  std::string_view kind() const override { return "postgresql"; }
  std::string writer_name() const override { return session_.user(); }
  bool in_doubt() const override { return session_.in_doubt(); }

  std::vector<std::string> warnings() override {
    std::vector<std::string> all;
    for (const std::string name : {"fsync", "full_page_writes"}) {
      const Result<std::string> value = session_.setting(name);
      if (value && *value == "off")
        all.push_back("the PostgreSQL server of the ledger runs with " + name +
                      " = off: a crash of its machine can lose debits");
    }
    return all;
  }

  Result<std::vector<std::string>> datasets() override {
    CV_TRY(const Rows rows, session_.query("SELECT dataset COLLATE \"C\" AS name FROM " + entries() +
                                           " UNION SELECT name COLLATE \"C\" FROM " + seals() + " ORDER BY name"));
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(pq().PQntuples(rows.get())));
    for (int row = 0; row < pq().PQntuples(rows.get()); ++row) names.push_back(text_at(rows, row, 0));
    return names;
  }

  // One statement, so that rows and seal are of one instant. A row that was only made to be locked is no seal yet.
  Result<Stored> read(const std::string& dataset, std::int64_t from) override {
    CV_TRY(const Rows rows,
           session_.query("SELECT 0 AS what, length AS number, head, sums, signature, '', '', '' FROM " + seals() +
                              " WHERE name = $1 AND NOT (length = 0 AND head = '') UNION ALL "
                              "SELECT 1, sequence, recorded_at, recorded_by, kind, body, previous, hash FROM " +
                              entries() + " WHERE dataset = $1 AND sequence >= $2 ORDER BY what, number",
                          {dataset, std::to_string(from)}));
    Stored stored;
    stored.rows.reserve(static_cast<std::size_t>(pq().PQntuples(rows.get())));
    for (int row = 0; row < pq().PQntuples(rows.get()); ++row) {
      const auto text = [&](int column) { return text_at(rows, row, column); };
      if (integer_at(rows, row, 0) == 0) {
        stored.seal = Seal{integer_at(rows, row, 1), text(2), text(3), text(4)};
      } else {
        stored.rows.push_back(
            {dataset, integer_at(rows, row, 1), text(2), text(3), text(4), text(5), text(6), text(7)});
      }
    }
    return stored;
  }

  Result<void> append(const std::string& dataset, const Writer& writer) override {
    return session_.transaction([&] { return append_inside(dataset, writer); });
  }

  Result<void> add(const std::vector<Addition>& datasets) override {
    return session_.transaction([&]() -> Result<bool> {
      for (const Addition& one : datasets) CV_CHECK(append_inside(one.rows.front().dataset, first_rows(one)));
      return true;
    });
  }

  Result<void> sign(const std::string& dataset, const Seal& expected, const std::string& signature) override {
    return session_.transaction([&]() -> Result<bool> {
      CV_CHECK(lock(dataset));
      CV_TRY(const Stored stored, read(dataset, expected.length));
      if (stored.seal != expected) return fail(ErrorKind::storage, "ledger", "rows were added meanwhile; sign again");
      Seal sealed = expected;
      sealed.signature = signature;
      CV_CHECK(put_seal(dataset, sealed));
      return true;
    });
  }

 private:
  explicit PostgresStore(PostgresSession session) : session_(std::move(session)) {}

  std::string entries() const { return schema_ + ".chronoveil_entries"; }
  std::string seals() const { return schema_ + ".chronoveil_datasets"; }
  std::string meta() const { return schema_ + ".chronoveil_meta"; }

  Result<void> lock(const std::string& dataset) {
    CV_CHECK(session_.query("INSERT INTO " + seals() +
                                " (name, length, head, sums, signature) VALUES ($1, 0, '', '', '') "
                                "ON CONFLICT DO NOTHING",
                            {dataset}));
    // An append changes this row instead of only locking it, so that a writer that waited here has to start again and
    // sees every row.
    CV_CHECK(session_.query("SELECT length FROM " + seals() + " WHERE name = $1 FOR UPDATE", {dataset}));
    return {};
  }

  Result<void> put_seal(const std::string& dataset, const Seal& seal) {
    return session_.write_one(
        "UPDATE " + seals() + " SET length = $2, head = $3, sums = $4, signature = $5 WHERE name = $1",
        {dataset, std::to_string(seal.length), seal.head, seal.sums, seal.signature});
  }

  Result<bool> append_inside(const std::string& dataset, const Writer& writer) {
    CV_CHECK(lock(dataset));
    CV_TRY(const Addition addition, writer([&](std::int64_t from) { return read(dataset, from); }));
    if (addition.rows.empty()) return false;
    for (const Entry& row : addition.rows) {
      CV_CHECK(session_.write_one("INSERT INTO " + entries() +
                                      " (dataset, sequence, recorded_at, recorded_by, kind, body, previous, hash) "
                                      "VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                                  {dataset, std::to_string(row.sequence), row.recorded_at, row.recorded_by, row.kind,
                                   row.body, row.previous, row.hash}));
    }
    CV_CHECK(put_seal(dataset, addition.seal));
    return true;
  }

  // Whoever comes first creates or upgrades; the others collide with it, start again and find it done.
  Result<void> prepare_schema(const Sealer& sealer) {
    CV_TRY(const int version, schema_version());
    if (version != kPostgresSchemaVersion) {
      const auto lock_and_upgrade = [&]() -> Result<bool> {
        // Before anything is read, so that a process that waited here sees what the one before it made.
        if (version > 0) {
          Result<void> locked = session_.command("LOCK TABLE " + meta() + " IN ACCESS EXCLUSIVE MODE");
          if (!locked) {
            locked.error().message += "; it was made by an earlier release: let the owner of its tables open it once";
            return tl::unexpected(locked.error());
          }
        }
        return upgrade(sealer);
      };
      CV_CHECK(session_.transaction(lock_and_upgrade));
    }
    return check_postgres_schema(session_, name_, schema_);
  }

  // 0 when there is no ledger yet.
  Result<int> schema_version() {
    CV_TRY(const Rows table, session_.query("SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                                            "WHERE n.nspname = $1 AND c.relname = 'chronoveil_meta'",
                                            {name_}));
    if (pq().PQntuples(table.get()) == 0) return 0;
    CV_TRY(const Rows rows, session_.query("SELECT schema_version FROM " + meta()));
    if (pq().PQntuples(rows.get()) != 1)
      return fail(ErrorKind::storage, "ledger",
                  "the PostgreSQL ledger is damaged: it does not have exactly one version");
    return static_cast<int>(integer_at(rows, 0, 0));
  }

  Result<bool> upgrade(const Sealer& sealer) {
    CV_TRY(const int version, schema_version());
    if (version > kPostgresSchemaVersion) {
      return fail(ErrorKind::storage, "ledger",
                  "the PostgreSQL ledger was written by a newer release (schema " + std::to_string(version) +
                      "; this one knows up to " + std::to_string(kPostgresSchemaVersion) + ")");
    }
    if (version == kPostgresSchemaVersion) return false;  // found up to date by now
    if (version < 0) return fail(ErrorKind::storage, "ledger", "the PostgreSQL ledger is damaged: it has no version");
    for (int step = version + 1; step <= kPostgresSchemaVersion; ++step)
      CV_CHECK(session_.command(postgres_upgrade_to(step, schema_)));
    if (version < kPostgresSealsSince) CV_CHECK(seal_everything(sealer));
    CV_CHECK(session_.command(postgres_guards(schema_)));
    return true;
  }

  Result<void> seal_everything(const Sealer& sealer) {
    CV_TRY(const std::vector<std::string> names, datasets());
    for (const std::string& name : names) {
      CV_TRY(const Stored stored, read(name, 0));
      if (stored.rows.empty()) {  // locked once and never written
        CV_CHECK(session_.write_one("DELETE FROM " + seals() + " WHERE name = $1", {name}));
        continue;
      }
      CV_TRY(const Seal seal, sealer(stored.rows));
      CV_CHECK(put_seal(name, seal));
    }
    return {};
  }

  PostgresSession session_;
  std::string name_, schema_;  // plain, and in quotes
};

}  // namespace

Result<std::unique_ptr<Store>> open_postgres_store(const std::string& url, const Sealer& sealer, Absent absent) {
  return PostgresStore::open(url, sealer, absent);
}

}  // namespace chronoveil::ledger
