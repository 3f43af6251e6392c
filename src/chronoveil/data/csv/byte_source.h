// Bytes from a file or a pipe, plain or compressed, in pieces. Memory does not grow with the length.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "chronoveil/base/result.h"

namespace chronoveil::data {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Reads at most `size` > 0 bytes; 0 only at the end. Once it has failed or ended it is not asked again.
  virtual Result<std::size_t> read(char* to, std::size_t size) = 0;
  // Whether a read would not block, now or within that time: bytes, or the end, are there. A file never blocks.
  virtual Result<bool> ready(std::chrono::milliseconds) { return true; }
  // From now on only the bytes that are already there count, until ready() has said no; later bytes wait. A file has an
  // end anyway.
  virtual Result<void> hold() { return {}; }
};

// A file, or standard input for "-". What cannot be opened or read is `storage`.
Result<std::unique_ptr<ByteSource>> open_file(const std::string& path);

// Several members or streams in a row are read as one. Cut off or corrupt data is `bad_data`.
Result<std::unique_ptr<ByteSource>> decompress_gzip(std::unique_ptr<ByteSource>);
Result<std::unique_ptr<ByteSource>> decompress_xz(std::unique_ptr<ByteSource>);

// Decompresses if the first bytes say so, and refuses kinds of files that are certainly not UTF-8 text.
Result<std::unique_ptr<ByteSource>> decompress_if_needed(std::unique_ptr<ByteSource>);

}  // namespace chronoveil::data
