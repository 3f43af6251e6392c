#include "chronoveil/data/csv/byte_source.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

namespace chronoveil::data {
namespace {

using namespace std::string_view_literals;

class FileSource final : public ByteSource {
 public:
  FileSource(int descriptor, bool owned, std::string name)
      : descriptor_(descriptor), owned_(owned), name_(std::move(name)) {}
  ~FileSource() override {
    if (owned_) close(descriptor_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  Result<std::size_t> read(char* to, std::size_t size) override {
    const ssize_t got = ::read(descriptor_, to, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    // A signal handler asks not to restart the call: a wait for a pipe must end.
    if (errno == EINTR) return fail(ErrorKind::interrupted, "interrupted while reading " + name_);
    return fail(ErrorKind::storage, "cannot read " + name_ + ": " + std::strerror(errno));
  }

 private:
  int descriptor_;
  bool owned_;
  std::string name_;
};

// Gives back the peeked bytes first.
class PrefixedSource final : public ByteSource {
 public:
  PrefixedSource(std::string prefix, std::unique_ptr<ByteSource> rest)
      : prefix_(std::move(prefix)), rest_(std::move(rest)) {}

  Result<std::size_t> read(char* to, std::size_t size) override {
    if (given_ == prefix_.size()) return rest_->read(to, size);
    const std::size_t count = prefix_.copy(to, size, given_);
    given_ += count;
    return count;
  }

 private:
  std::string prefix_;
  std::size_t given_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

struct Signature {
  std::string_view bytes;
  const char* what;
  const char* with = nullptr;     // what to install
  const char* instead = nullptr;  // a command of it that makes a CSV of the file
};

constexpr const char* kWithArrow = "pip install pandas pyarrow";
constexpr const char* kFromFeather =
    "python3 -c \"import pandas; pandas.read_feather('in.arrow').to_csv('out.csv', index=False)\"";

constexpr Signature kRefused[] = {
    {"\x28\xb5\x2f\xfd"sv, "compressed by zstd"},
    {"BZh"sv, "compressed by bzip2"},
    {"PK\x03\x04"sv, "a zip archive or an Excel workbook", "pip install pandas openpyxl",
     "python3 -c \"import pandas; pandas.read_excel('in.xlsx').to_csv('out.csv', index=False)\""},
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "an old Excel workbook", "LibreOffice",
     "libreoffice --headless --convert-to csv in.xls"},
    {"PAR1"sv, "a Parquet file", "pip install duckdb-cli", "duckdb -c \"COPY (FROM 'in.parquet') TO 'out.csv'\""},
    {"ARROW1"sv, "an Arrow file", kWithArrow, kFromFeather},
    {"FEA1"sv, "an old Feather file", kWithArrow, kFromFeather},
    {"\xff\xff\xff\xff"sv, "an Arrow stream", kWithArrow,
     "python3 -c \"import pyarrow; pyarrow.ipc.open_stream('in.arrow').read_pandas().to_csv('out.csv', index=False)\""},
    {"SQLite format 3\0"sv, "a SQLite database (its kind is sqlite)"},
    {"\xff\xfe"sv, "text in UTF-16"},
    {"\xfe\xff"sv, "text in UTF-16"},
};
constexpr std::string_view kGzip = "\x1f\x8b"sv;
constexpr std::string_view kXz = "\xfd\x37\x7a\x58\x5a\x00"sv;
constexpr std::size_t kLongestSignature = 16;

// Whether more bytes are needed to tell. A stream may be slow: reading its header must not wait for a 16th byte.
bool may_become_signature(std::string_view start) {
  const auto begins_with_it = [&](std::string_view signature) {
    return start.size() < signature.size() && signature.starts_with(start);
  };
  return begins_with_it(kGzip) || begins_with_it(kXz) ||
         std::any_of(std::begin(kRefused), std::end(kRefused),
                     [&](const Signature& refused) { return begins_with_it(refused.bytes); });
}

}  // namespace

Result<std::unique_ptr<ByteSource>> open_file(const std::string& path) {
  if (path == "-") return std::make_unique<FileSource>(STDIN_FILENO, false, "standard input");
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return fail(ErrorKind::storage, "cannot open " + path + ": " + std::strerror(errno));
  posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  return std::make_unique<FileSource>(descriptor, true, path);
}

Result<std::unique_ptr<ByteSource>> decompress_if_needed(std::unique_ptr<ByteSource> source) {
  std::string start;
  while (may_become_signature(start)) {
    char piece[kLongestSignature];
    CV_TRY(const std::size_t got, source->read(piece, kLongestSignature - start.size()));
    if (got == 0) break;
    start.append(piece, got);
  }
  for (const Signature& refused : kRefused) {
    if (start.starts_with(refused.bytes)) {
      return fail(
          ErrorKind::bad_data,
          std::string("the file is ") + refused.what + "; a CSV must be UTF-8 text, plain or as gzip or xz" +
              (refused.instead ? std::string("; this makes one (") + refused.with + "): " + refused.instead : ""));
    }
  }
  const bool gzip = start.starts_with(kGzip);
  const bool xz = start.starts_with(kXz);
  auto whole = std::make_unique<PrefixedSource>(std::move(start), std::move(source));
  if (gzip) return decompress_gzip(std::move(whole));
  if (xz) return decompress_xz(std::move(whole));
  return whole;
}

}  // namespace chronoveil::data
