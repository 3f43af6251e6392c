#include "support/postgres_server.h"

#include <fcntl.h>
#include <grp.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

namespace chronoveil::testing {
namespace {

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "the PostgreSQL server for the tests: %s\n", what);
  std::_Exit(1);
}

// PostgreSQL refuses to run as root; root becomes the user that the package made for it.
void leave_root() {
  if (geteuid() != 0) return;
  const passwd* user = getpwnam("postgres");
  if (user == nullptr || initgroups("postgres", user->pw_gid) != 0 || setgid(user->pw_gid) != 0 ||
      setuid(user->pw_uid) != 0) {
    give_up("root cannot become the user postgres");
  }
}

pid_t start(const std::vector<std::string>& command, const std::string& folder) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  leave_root();
  prctl(PR_SET_PDEATHSIG, SIGQUIT);
  const int log = open((folder + "/log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  if (chdir(folder.c_str()) == 0) execv(arguments[0], arguments.data());
  _exit(127);
}

std::string newest_programs() {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", error)) {
    const std::string programs = version.path().string() + "/bin";
    if (access((programs + "/postgres").c_str(), X_OK) == 0 && access((programs + "/initdb").c_str(), X_OK) == 0) {
      found.push_back(programs);
    }
  }
  return found.empty() ? std::string() : *std::max_element(found.begin(), found.end());
}

}  // namespace

PostgresServer* PostgresServer::shared() {
  static const std::unique_ptr<PostgresServer> server = [] {
    const std::string programs = newest_programs();
    return programs.empty() ? nullptr : std::make_unique<PostgresServer>(programs);
  }();
  return server.get();
}

PostgresServer::PostgresServer(std::string programs) : owner_(getpid()) {
  std::string pattern = (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + std::string("/chronoveil-pg-XXXXXX");
  if (mkdtemp(pattern.data()) == nullptr) give_up("no temporary folder");
  folder_ = pattern;
  if (geteuid() == 0) {
    const passwd* user = getpwnam("postgres");
    if (user == nullptr || chown(folder_.c_str(), user->pw_uid, user->pw_gid) != 0) give_up("no user postgres");
  }
  const std::string data = folder_ + "/data";
  int status = 0;
  const pid_t init = start(
      {programs + "/initdb", "-D", data, "-U", "chronoveil", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"},
      folder_);
  if (waitpid(init, &status, 0) != init || status != 0) give_up("initdb failed");
  server_ = start({programs + "/postgres", "-D", data, "-k", folder_, "-c", "listen_addresses=", "-c",
                   "max_connections=40", "-c", "shared_buffers=16MB"},
                  folder_);
  for (int i = 0; PQping(url().c_str()) != PQPING_OK; ++i) {
    if (i == 600 || waitpid(server_, &status, WNOHANG) != 0) give_up("it did not start");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

PostgresServer::~PostgresServer() {
  if (getpid() != owner_) return;
  kill(server_, SIGINT);
  waitpid(server_, nullptr, 0);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

bool PostgresServer::sql(const std::string& statements) const {
  PGconn* connection = PQconnectdb(url().c_str());
  PQsetNoticeProcessor(
      connection, [](void*, const char*) {}, nullptr);
  PGresult* result = PQexec(connection, statements.c_str());
  const ExecStatusType status = PQresultStatus(result);
  PQclear(result);
  PQfinish(connection);
  return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

}  // namespace chronoveil::testing
