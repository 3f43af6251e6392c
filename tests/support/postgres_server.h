// A PostgreSQL server of our own, in a temporary folder, reachable through a socket in that folder only.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

namespace chronoveil::testing {

class PostgresServer {
 public:
  // Started on first use, stopped when the process ends, killed by the kernel should the process be killed. Null if no
  // server is installed; the process ends with a message if one is installed but does not start.
  static PostgresServer* shared();

  explicit PostgresServer(std::string programs);
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  std::string url() const { return "postgresql:///postgres?user=chronoveil&host=" + folder_; }
  bool sql(const std::string& statements) const;

 private:
  std::string folder_;
  pid_t owner_ = 0;  // a forked child must not stop the server
  pid_t server_ = -1;
};

}  // namespace chronoveil::testing
