// Stands between a PostgreSQL client and the server, and cuts the connection at a message of the protocol.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>

#include "support/temporary_folder.h"

namespace chronoveil::testing {

class PostgresProxy {
 public:
  enum class Cut {
    before,  // the message is lost, and everything after it
    after,   // the message arrives, and nothing after it
  };

  // `server_folder`: where the server has its socket.
  explicit PostgresProxy(const std::string& server_folder);
  ~PostgresProxy();
  PostgresProxy(const PostgresProxy&) = delete;
  PostgresProxy& operator=(const PostgresProxy&) = delete;

  // What a URL has as its host.
  const std::string& folder() const { return folder_.path(); }

  // Cuts at the n-th message from now on, counted from 1 in both directions together; 0 for never. Everything that was
  // sent before has passed.
  void cut_at(int message, Cut);
  bool has_cut() const { return cut_; }

 private:
  void serve();
  // Passes on what is whole in the buffer; false when the connection is to be cut.
  bool pass(std::string& buffer, int to, bool& started);

  TemporaryFolder folder_;
  std::string server_;
  int listener_ = -1;
  int stop_[2] = {-1, -1};
  std::atomic<int> countdown_ = 0;
  std::atomic<Cut> how_ = Cut::before;
  std::atomic<bool> cut_ = false;
  std::thread thread_;
};

}  // namespace chronoveil::testing
