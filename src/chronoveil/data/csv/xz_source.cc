#include <lzma.h>

#include <utility>
#include <vector>

#include "chronoveil/data/csv/byte_source.h"

namespace chronoveil::data {
namespace {

constexpr std::size_t kInputBytes = 128 << 10;
constexpr std::uint64_t kMostMemory = std::uint64_t{512} << 20;  // xz -9 needs 65 MiB

class XzSource final : public ByteSource {
 public:
  explicit XzSource(std::unique_ptr<ByteSource> compressed) : compressed_(std::move(compressed)) {}
  ~XzSource() override { lzma_end(&stream_); }
  XzSource(const XzSource&) = delete;
  XzSource& operator=(const XzSource&) = delete;

  bool start() { return lzma_stream_decoder(&stream_, kMostMemory, LZMA_CONCATENATED) == LZMA_OK; }

  Result<std::size_t> read(char* to, std::size_t size) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(to);
    stream_.avail_out = size;
    while (stream_.avail_out == size && !done_) {
      if (stream_.avail_in == 0 && !ended_) {
        CV_TRY(const std::size_t got, compressed_->read(input_.data(), input_.size()));
        ended_ = got == 0;
        stream_.next_in = reinterpret_cast<const std::uint8_t*>(input_.data());
        stream_.avail_in = got;
      }
      switch (lzma_code(&stream_, ended_ ? LZMA_FINISH : LZMA_RUN)) {
        case LZMA_OK: break;
        case LZMA_STREAM_END: done_ = true; break;
        case LZMA_BUF_ERROR:
          return fail(ErrorKind::bad_data, "the xz data is cut off: the file ends in the middle of it");
        case LZMA_MEMLIMIT_ERROR:
          return fail(ErrorKind::bad_data,
                      "the xz data needs more than 512 MiB of memory; compress it with xz -9 or less");
        case LZMA_MEM_ERROR: return fail(ErrorKind::internal, "not enough memory for reading xz");
        // Earlier output is handed over first; the next read fails again.
        default:
          if (stream_.avail_out < size) return size - stream_.avail_out;
          return fail(ErrorKind::bad_data, "the xz data is corrupt");
      }
    }
    return size - stream_.avail_out;
  }

 private:
  std::unique_ptr<ByteSource> compressed_;
  std::vector<char> input_ = std::vector<char>(kInputBytes);
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool ended_ = false;  // the compressed bytes
  bool done_ = false;   // the last stream
};

}  // namespace

Result<std::unique_ptr<ByteSource>> decompress_xz(std::unique_ptr<ByteSource> compressed) {
  auto source = std::make_unique<XzSource>(std::move(compressed));
  if (!source->start()) return fail(ErrorKind::internal, "not enough memory for reading xz");
  return source;
}

}  // namespace chronoveil::data
