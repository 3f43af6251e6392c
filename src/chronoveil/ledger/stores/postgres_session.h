// A connection to a PostgreSQL server, and transactions that start again when the server asks for it. Errors name the
// SQLSTATE but not the server's message, which may quote what was sent.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/postgres/libpq.h"

namespace chronoveil::ledger {

class PostgresSession {
 public:
  struct Clear {
    void operator()(PGresult* result) const { pq().PQclear(result); }
  };
  using Rows = std::unique_ptr<PGresult, Clear>;

  // `what` begins every error: "ledger", "anchor". From here on unqualified names are the server's own, whatever the
  // search path of the URL; that path is kept in path().
  static Result<PostgresSession> connect(const std::string& what, const std::string& url);

  // The schemas on the URL's search path that exist and may be used, in order.
  const std::vector<std::string>& path() const { return path_; }
  // The role that logged in, which no SET ROLE changes.
  const std::string& user() const { return user_; }
  // A name as SQL takes it, in double quotes.
  Result<std::string> quoted(const std::string& name) const;

  Result<void> command(const std::string& sql);
  Result<Rows> query(const std::string& sql, const std::vector<std::string>& parameters = {});
  // A statement that must write exactly one row: a rule or a trigger may make it write none.
  Result<void> write_one(const std::string& sql, const std::vector<std::string>& parameters);
  // The value of a setting, such as fsync.
  Result<std::string> setting(const std::string& name);

  // Runs the body, serialisable; it returns whether it has written anything. Rolled back if not, or on failure.
  Result<void> transaction(const std::function<Result<bool>()>& body);
  // Whether the last transaction failed in such a way that it may have been kept.
  bool in_doubt() const { return in_doubt_; }

 private:
  struct Finish {
    void operator()(PGconn* connection) const { pq().PQfinish(connection); }
  };

  Failure failure(const PGresult*);
  Result<void> begin_session();
  Result<void> commit();
  bool should_retry() const;

  std::string what_;
  std::unique_ptr<PGconn, Finish> connection_;
  std::vector<std::string> path_;
  std::string user_;
  std::string last_state_;
  bool in_doubt_ = false;
};

std::string text_at(const PostgresSession::Rows&, int row, int column);

}  // namespace chronoveil::ledger
