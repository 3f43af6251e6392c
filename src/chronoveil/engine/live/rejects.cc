#include "chronoveil/engine/live/rejects.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "chronoveil/base/csv_time.h"
#include "chronoveil/base/system/atomic_file.h"
#include "chronoveil/report/document/csv_rows.h"

namespace chronoveil::engine {
namespace {

constexpr std::string_view kHeader = "file,row,reason,time,series,person,value\n";

// One person's rows must not fill the disk that the release needs.
constexpr off_t kMostBytes = 16 << 20;

bool is_same(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

}  // namespace

Result<void> LiveRejects::check(const std::string& path) {
  const auto refuse = [&](const std::string& why) { return fail(ErrorKind::usage, "live.rejects", why); };
  // Without waiting: whoever opens a pipe waits for its reader, and a release must not.
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return {};  // it is made when the first row comes
  struct stat facts {
  }, standard{};
  const bool known = ::fstat(file, &facts) == 0;
  std::string start(kHeader.size(), ' ');
  const ssize_t got = ::read(file, start.data(), start.size());
  ::close(file);
  if (!known || !S_ISREG(facts.st_mode)) return refuse("'" + path + "' must be a file");
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
    if (::fstat(stream, &standard) == 0 && is_same(facts, standard))
      return refuse("'" + path + "' is where the published rows or messages go");
  if (facts.st_size > 0 && (got < 0 || start.substr(0, static_cast<std::size_t>(got)) != kHeader))
    return refuse("'" + path + "' holds something else than refused rows; name another file");
  return {};
}

Result<void> LiveRejects::append(const std::string& line) {
  const auto storage = [&](std::string_view what) {
    return fail(ErrorKind::storage, "live.rejects",
                "'" + path_ + "' " + std::string(what) + ": " + std::strerror(errno));
  };
  const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0600);
  if (file < 0) return storage("cannot be opened");
  int problem = 0;
  struct stat facts {};
  if (::fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) problem = EINVAL;
  if (problem == 0 && !begun_ && ::fchmod(file, 0600) != 0) problem = errno;
  const std::string text = (facts.st_size == 0 ? std::string(kHeader) : std::string()) + line;
  if (problem == 0 && facts.st_size < kMostBytes) problem = write_all(file, text);
  ::close(file);
  if (problem != 0) {
    errno = problem;
    return storage("could not be written");
  }
  begun_ = true;
  return {};
}

Result<void> LiveRejects::add(const data::Arrival& arrival, std::size_t row, std::string_view reason) {
  const data::RecordBatch& rows = arrival.rows;
  const auto field = [](std::string_view text) {
    return text.empty() ? std::string() : report::csv_field(std::string(text));
  };
  std::string line = field(arrival.part) + "," + std::to_string(arrival.number[row]) + "," + field(reason) + "," +
                     csv_time(TimeForm::utc, "", rows.time[row]) + ",";
  line += (rows.series.empty() ? "" : field(rows.series[row])) + ",";
  line += (rows.user.empty() ? "" : field(rows.user[row])) + ",";
  line += rows.value.empty() ? "" : std::to_string(rows.value[row]);
  return append(line + "\n");
}

Result<void> LiveRejects::add(std::string_view where, std::string_view reason) {
  return append(report::csv_field(std::string(where)) + ",," + report::csv_field(std::string(reason)) + ",,,,\n");
}

}  // namespace chronoveil::engine
