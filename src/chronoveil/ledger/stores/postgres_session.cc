#include "chronoveil/ledger/stores/postgres_session.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>

#include "chronoveil/base/system/waiting.h"

namespace chronoveil::ledger {
namespace {

constexpr int kMostAttempts = 500;
// How long we may hold a lock in silence: a stopped process must not keep everybody waiting.
constexpr const char* kLongestSilence = "60s";

}  // namespace

std::string text_at(const PostgresSession::Rows& rows, int row, int column) {
  return {pq().PQgetvalue(rows.get(), row, column),
          static_cast<std::size_t>(pq().PQgetlength(rows.get(), row, column))};
}

Result<PostgresSession> PostgresSession::connect(const std::string& what, const std::string& url) {
  CV_CHECK(at(what, load_libpq()));
  PostgresSession session;
  session.what_ = what;
  session.connection_.reset(pq().PQconnectdb(url.c_str()));
  if (!session.connection_ || pq().PQstatus(session.connection_.get()) != CONNECTION_OK)
    return fail(ErrorKind::storage, what, "cannot connect to the PostgreSQL server that the URL names");
  pq().PQsetNoticeProcessor(
      session.connection_.get(), [](void*, const char*) {}, nullptr);
  CV_CHECK(session.begin_session());
  return session;
}

Result<void> PostgresSession::begin_session() {
  // Before anything is called by an unqualified name: a schema on the path may hold a function or an operator of that
  // name.
  CV_TRY(const Rows path, query("SELECT pg_catalog.unnest(pg_catalog.current_schemas(false))"));
  for (int row = 0; row < pq().PQntuples(path.get()); ++row) path_.push_back(text_at(path, row, 0));
  CV_CHECK(query("SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', false)"));
  CV_TRY(const Rows user, query("SELECT session_user::text"));
  user_ = text_at(user, 0, 0);
  // A server may be set to less durability; ask for it on our own connection.
  CV_CHECK(command("SET synchronous_commit = on"));
  CV_CHECK(command("SET default_transaction_isolation = 'serializable'"));
  CV_CHECK(command("SET client_encoding = 'UTF8'"));
  CV_TRY(const std::chrono::milliseconds patience, longest_wait());
  const std::string for_a_lock = std::to_string(patience.count()) + "ms";
  for (const auto& [name, longest] : {std::pair<std::string, std::string>{"lock_timeout", for_a_lock},
                                      {"idle_in_transaction_session_timeout", kLongestSilence}}) {
    CV_TRY(const std::string chosen, setting(name));
    if (chosen == "0") CV_CHECK(command("SET " + name + " = '" + longest + "'"));
  }
  return {};
}

Result<std::string> PostgresSession::quoted(const std::string& name) const {
  char* escaped = pq().PQescapeIdentifier(connection_.get(), name.data(), name.size());
  if (escaped == nullptr) return fail(ErrorKind::storage, what_, "a name of the database is not UTF-8");
  const std::unique_ptr<char, void (*)(void*)> held(escaped, pq().PQfreemem);
  return std::string(escaped);
}

Failure PostgresSession::failure(const PGresult* result) {
  const char* state = result == nullptr ? nullptr : pq().PQresultErrorField(result, PG_DIAG_SQLSTATE);
  last_state_ = state == nullptr ? "" : state;
  std::string why;
  if (last_state_ == "P0001") why = ": the ledger is append-only, and its database refused what does not fit";
  if (last_state_ == "42501") why = ": the role may not do this; docs/ledger.md says what it needs";
  if (last_state_ == "55P03") why = ": another process holds the lock; try again, or end that process";
  return fail(ErrorKind::storage, what_,
              "the PostgreSQL server failed" +
                  (last_state_.empty() ? std::string(" (connection lost)") : " (SQLSTATE " + last_state_ + ")") + why);
}

Result<void> PostgresSession::command(const std::string& sql) {
  const Rows result(pq().PQexec(connection_.get(), sql.c_str()));
  if (pq().PQresultStatus(result.get()) != PGRES_COMMAND_OK) return failure(result.get());
  return {};
}

Result<PostgresSession::Rows> PostgresSession::query(const std::string& sql,
                                                     const std::vector<std::string>& parameters) {
  std::vector<const char*> values;
  values.reserve(parameters.size());
  for (const std::string& parameter : parameters) values.push_back(parameter.c_str());
  Rows result(pq().PQexecParams(connection_.get(), sql.c_str(), static_cast<int>(values.size()), nullptr, values.data(),
                                nullptr, nullptr, 0));
  const ExecStatusType status = pq().PQresultStatus(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) return failure(result.get());
  return result;
}

Result<void> PostgresSession::write_one(const std::string& sql, const std::vector<std::string>& parameters) {
  CV_TRY(const Rows result, query(sql, parameters));
  if (std::string_view(pq().PQcmdTuples(result.get())) != "1")
    return fail(ErrorKind::storage, what_, "the database did not take a row; something in it keeps rows away");
  return {};
}

Result<std::string> PostgresSession::setting(const std::string& name) {
  CV_TRY(const Rows rows, query("SELECT pg_catalog.current_setting($1)", {name}));
  return text_at(rows, 0, 0);
}

// Serialisation failure, deadlock, and what two processes see that create the same thing at once: a key, table,
// function or type that exists already, or a row of the catalogue that another has just changed.
bool PostgresSession::should_retry() const {
  constexpr std::array<std::string_view, 6> kPassing = {"40001", "40P01", "23505", "42P07", "42710", "42723"};
  return std::find(kPassing.begin(), kPassing.end(), last_state_) != kPassing.end();
}

// Only a conflict or a refused row says for certain that it was not kept; any other error leaves that open.
Result<void> PostgresSession::commit() {
  const Rows result(pq().PQexec(connection_.get(), "COMMIT"));
  if (pq().PQresultStatus(result.get()) == PGRES_COMMAND_OK) {
    if (std::string_view(pq().PQcmdStatus(result.get())) == "COMMIT") return {};
    return fail(ErrorKind::storage, what_, "the PostgreSQL server did not commit");
  }
  Failure failed = failure(result.get());
  const std::string_view kind = std::string_view(last_state_).substr(0, std::min<std::size_t>(2, last_state_.size()));
  in_doubt_ = kind != "40" && kind != "23" && kind != "P0";
  return failed;
}

Result<void> PostgresSession::transaction(const std::function<Result<bool>()>& body) {
  for (int attempt = 1;; ++attempt) {
    last_state_.clear();
    in_doubt_ = false;
    Result<void> done = command("BEGIN ISOLATION LEVEL SERIALIZABLE");
    if (done) {
      const Result<bool> wrote = body();
      if (!wrote) done = tl::unexpected(wrote.error());
      if (wrote && *wrote) done = commit();
    }
    const bool retry = !done && should_retry();
    if (pq().PQtransactionStatus(connection_.get()) != PQTRANS_IDLE)
      pq().PQclear(pq().PQexec(connection_.get(), "ROLLBACK"));
    if (!retry || attempt == kMostAttempts) return done;
    const std::uint32_t spread = 2u << static_cast<unsigned>(std::min(attempt, 5));
    std::this_thread::sleep_for(std::chrono::milliseconds(1 + randombytes_uniform(spread)));
  }
}

}  // namespace chronoveil::ledger
