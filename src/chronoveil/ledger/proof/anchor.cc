#include "chronoveil/ledger/proof/anchor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "chronoveil/base/system/atomic_file.h"
#include "chronoveil/ledger/stores/postgres_session.h"

namespace chronoveil::ledger {
namespace {

// Two heads for one length cannot be of one chain: one of them will be missed, whichever comes first.
void add_head(AnchoredHeads& heads, const std::string& dataset, std::int64_t length, const std::string& head) {
  const auto [place, fresh] = heads[dataset].try_emplace(length, head);
  if (!fresh && place->second != head) place->second = "none";
}

void add_line(AnchoredHeads& heads, std::string_view line) {
  const auto first = line.find(' '), second = line.find(' ', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos || line.size() != second + 1 + 64) return;
  std::int64_t length = 0;
  const char* end = line.data() + second;
  const auto parsed = std::from_chars(line.data() + first + 1, end, length);
  if (parsed.ec != std::errc() || parsed.ptr != end || length < 1) return;
  add_head(heads, std::string(line.substr(0, first)), length, std::string(line.substr(second + 1)));
}

class FileAnchor final : public Anchor {
 public:
  static Result<std::unique_ptr<Anchor>> open(const std::string& path, Absent absent) {
    // Opened for writing before there is anything to write, so that an unusable anchor is found before the debit.
    auto anchor = std::unique_ptr<FileAnchor>(new FileAnchor(path));
    const int make = absent == Absent::create ? O_CREAT : 0;
    anchor->file_ = ::open(path.c_str(), O_RDWR | make | O_APPEND | O_CLOEXEC, 0600);
    if (anchor->file_ < 0 && errno == ENOENT && absent == Absent::refuse)
      return fail(ErrorKind::storage, "anchor",
                  "'" + path +
                      "' is not there, and the ledger has rows: put it back (is its disk mounted?); "
                      "to anchor this ledger from now on, make an empty file there");
    struct stat status {};
    if (anchor->file_ < 0 || ::fstat(anchor->file_, &status) != 0) return anchor->failure("opened");
    if (!S_ISREG(status.st_mode)) return fail(ErrorKind::storage, "anchor", "'" + path + "' is not a file");
    return std::unique_ptr<Anchor>(std::move(anchor));
  }
  ~FileAnchor() override {
    if (file_ >= 0) ::close(file_);
  }

  Result<AnchoredHeads> heads() override {
    std::string text;
    char piece[1 << 16];
    for (off_t at = 0;;) {
      const ssize_t got = ::pread(file_, piece, sizeof piece, at);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return failure("read");
      if (got == 0) break;
      text.append(piece, static_cast<std::size_t>(got));
      at += got;
    }
    AnchoredHeads heads;
    torn_ = !text.empty() && text.back() != '\n';
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      if (end < text.size()) add_line(heads, std::string_view(text).substr(at, end - at));
      at = end + 1;
    }
    return heads;
  }

  Result<void> append(const std::string& dataset, std::int64_t length, const std::string& head) override {
    const std::string line = (torn_ ? "\n" : "") + dataset + " " + std::to_string(length) + " " + head + "\n";
    const int code = write_all(file_, line);
    if (code != 0) errno = code;
    if (code != 0 || ::fsync(file_) != 0) return failure("written");
    torn_ = false;
    return {};
  }

 private:
  explicit FileAnchor(std::string path) : path_(std::move(path)) {}
  FileAnchor(const FileAnchor&) = delete;
  FileAnchor& operator=(const FileAnchor&) = delete;

  Failure failure(const std::string& what) const {
    return fail(ErrorKind::storage, "anchor", "'" + path_ + "' cannot be " + what + ": " + std::strerror(errno));
  }

  std::string path_;
  int file_ = -1;
  bool torn_ = false;  // a crash left half a line at its end
};

class TableAnchor final : public Anchor {
 public:
  static Result<std::unique_ptr<Anchor>> open(const std::string& url) {
    CV_TRY(PostgresSession session, PostgresSession::connect("anchor", url));
    auto anchor = std::unique_ptr<TableAnchor>(new TableAnchor(std::move(session)));
    CV_CHECK(anchor->find_table());
    return std::unique_ptr<Anchor>(std::move(anchor));
  }

  Result<AnchoredHeads> heads() override {
    CV_TRY(const PostgresSession::Rows rows, session_.query("SELECT dataset, length, head FROM " + table_));
    AnchoredHeads heads;
    for (int row = 0; row < pq().PQntuples(rows.get()); ++row)
      add_head(heads, text_at(rows, row, 0), std::strtoll(text_at(rows, row, 1).c_str(), nullptr, 10),
               text_at(rows, row, 2));
    return heads;
  }

  Result<void> append(const std::string& dataset, std::int64_t length, const std::string& head) override {
    return session_.write_one("INSERT INTO " + table_ + " (dataset, length, head) VALUES ($1, $2, $3)",
                              {dataset, std::to_string(length), head});
  }

 private:
  explicit TableAnchor(PostgresSession session) : session_(std::move(session)) {}

  Result<void> find_table() {
    if (session_.path().empty())
      return fail(ErrorKind::storage, "anchor", "the search path of its URL names no schema that exists");
    const std::string& schema = session_.path().front();
    CV_TRY(const std::string quoted, session_.quoted(schema));
    table_ = quoted + ".chronoveil_anchor";
    CV_TRY(const PostgresSession::Rows there,
           session_.query("SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                          "WHERE n.nspname = $1 AND c.relname = 'chronoveil_anchor'",
                          {schema}));
    if (pq().PQntuples(there.get()) > 0) return {};
    return session_.command("CREATE TABLE IF NOT EXISTS " + table_ +
                            " (dataset TEXT NOT NULL, length BIGINT NOT NULL, head TEXT NOT NULL)");
  }

  PostgresSession session_;
  std::string table_;
};

}  // namespace

Result<std::unique_ptr<Anchor>> open_anchor(const std::string& where, Absent absent) {
  if (where.starts_with("postgresql://") || where.starts_with("postgres://")) return TableAnchor::open(where);
  if (where.find("://") != std::string::npos)
    return invalid("CHRONOVEIL_ANCHOR", where.substr(0, where.find("://")), "a path, or a URL postgresql://...");
  return FileAnchor::open(where, absent);
}

}  // namespace chronoveil::ledger
