#include "support/postgres_proxy.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace chronoveil::testing {
namespace {

sockaddr_un address_in(const std::string& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (folder + "/.s.PGSQL.5432").c_str(), sizeof address.sun_path - 1);
  return address;
}

// The bytes of the first message in the buffer, 0 while it is not whole. The first that a client sends has no type.
std::size_t whole_message(const std::string& buffer, bool started) {
  const std::size_t at = started ? 1 : 0;
  if (buffer.size() < at + 4) return 0;
  std::uint32_t length = 0;
  for (std::size_t i = 0; i < 4; ++i) length = length << 8 | static_cast<unsigned char>(buffer[at + i]);
  return buffer.size() < at + length ? 0 : at + length;
}

bool send_all(int to, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(to, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

}  // namespace

PostgresProxy::PostgresProxy(const std::string& server_folder) : server_(server_folder) {
  listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = address_in(folder_.path());
  if (::pipe(stop_) != 0 || ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener_, 8) != 0)
    std::abort();
  thread_ = std::thread([this] { serve(); });
}

PostgresProxy::~PostgresProxy() {
  if (::write(stop_[1], "x", 1) != 1) std::abort();
  thread_.join();
  for (const int file : {listener_, stop_[0], stop_[1]}) ::close(file);
}

void PostgresProxy::cut_at(int message, Cut how) {
  how_ = how;
  cut_ = false;
  countdown_ = message;
}

bool PostgresProxy::pass(std::string& buffer, int to, bool& started) {
  while (const std::size_t size = whole_message(buffer, started)) {
    started = true;
    const bool due = countdown_ > 0 && --countdown_ == 0;
    cut_ = cut_ || due;
    if (due && how_ == Cut::before) return false;
    if (!send_all(to, buffer.data(), size)) return false;
    if (due) return false;
    buffer.erase(0, size);
  }
  return true;
}

void PostgresProxy::serve() {
  struct Pair {
    std::array<int, 2> ends;  // the client and the server
    std::array<std::string, 2> buffers;
    std::array<bool, 2> started = {false, true};
  };
  std::vector<Pair> pairs;
  for (;;) {
    std::vector<pollfd> waits = {{stop_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
    for (const Pair& pair : pairs)
      for (const int end : pair.ends) waits.push_back({end, POLLIN, 0});
    if (::poll(waits.data(), waits.size(), -1) < 0) continue;
    if (waits[0].revents != 0) break;
    std::vector<Pair> left;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      Pair& pair = pairs[i];
      bool open = true;
      for (std::size_t side = 0; side < 2 && open; ++side) {
        if (waits[2 + 2 * i + side].revents == 0) continue;
        std::array<char, 1 << 16> piece{};
        const ssize_t got = ::recv(pair.ends[side], piece.data(), piece.size(), 0);
        open = got > 0;
        if (!open) break;
        pair.buffers[side].append(piece.data(), static_cast<std::size_t>(got));
        open = pass(pair.buffers[side], pair.ends[1 - side], pair.started[side]);
      }
      if (open) {
        left.push_back(std::move(pair));
      } else {
        for (const int end : pair.ends) ::close(end);
      }
    }
    pairs = std::move(left);
    if (waits[1].revents != 0) {
      const int client = ::accept(listener_, nullptr, nullptr);
      const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
      const sockaddr_un address = address_in(server_);
      if (client < 0 || ::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        std::abort();
      pairs.push_back({{client, server}, {}});
    }
  }
  for (const Pair& pair : pairs)
    for (const int end : pair.ends) ::close(end);
}

}  // namespace chronoveil::testing
