#include <zlib.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "chronoveil/data/csv/byte_source.h"

namespace chronoveil::data {
namespace {

constexpr std::size_t kInputBytes = 128 << 10;
constexpr int kGzipOnly = 15 + 16;  // the largest window, and a gzip header instead of a zlib one

class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> compressed) : compressed_(std::move(compressed)) {}
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  bool start() { return inflateInit2(&stream_, kGzipOnly) == Z_OK; }

  Result<std::size_t> read(char* to, std::size_t size) override {
    size = std::min<std::size_t>(size, std::numeric_limits<uInt>::max());
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size) {
      if (stream_.avail_in == 0) CV_CHECK(refill());
      if (between_members_) {
        CV_TRY(const bool more, next_member());
        if (!more) return std::size_t{0};
        continue;
      }
      // Also without input: earlier input may hold more than fitted into the last buffer.
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        between_members_ = true;
      } else if (status == Z_MEM_ERROR) {
        return fail(ErrorKind::internal, "not enough memory for reading gzip");
      } else if (status == Z_BUF_ERROR) {
        if (ended_) return fail(ErrorKind::bad_data, "the gzip data is cut off: the file ends in the middle of it");
      } else if (status != Z_OK) {
        // Earlier output is handed over first, and the next read reports the error again: a reader of the first line
        // must not learn how the file ends.
        if (stream_.avail_out < size) break;
        return fail(ErrorKind::bad_data, "the gzip data is corrupt");
      }
    }
    return size - stream_.avail_out;
  }

 private:
  Result<void> refill() {
    if (ended_) return {};
    CV_TRY(const std::size_t got, compressed_->read(input_.data(), input_.size()));
    ended_ = got == 0;
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(got);
    return {};
  }

  // Zeros after the last member are padding of tapes and are ignored, as in gzip. Anything else must be a member.
  Result<bool> next_member() {
    while (stream_.avail_in > 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
      padded_ = true;
    }
    if (stream_.avail_in == 0) return !ended_;
    if (padded_ || *stream_.next_in != 0x1f) {
      return fail(ErrorKind::bad_data, "the gzip data is followed by bytes that are no gzip data");
    }
    between_members_ = false;
    inflateReset(&stream_);
    return true;
  }

  std::unique_ptr<ByteSource> compressed_;
  std::vector<char> input_ = std::vector<char>(kInputBytes);
  z_stream stream_{};
  bool ended_ = false;            // the compressed bytes
  bool between_members_ = false;  // the last member was complete
  bool padded_ = false;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> decompress_gzip(std::unique_ptr<ByteSource> compressed) {
  auto source = std::make_unique<GzipSource>(std::move(compressed));
  if (!source->start()) return fail(ErrorKind::internal, "not enough memory for reading gzip");
  return source;
}

}  // namespace chronoveil::data
