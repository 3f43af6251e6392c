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
  // Whether a read would not have to wait, now or within that time: something is there, or the end. A file never waits.
  virtual Result<bool> ready(std::chrono::milliseconds) { return true; }
  // What is there now is all there is until ready() said no: however much comes meanwhile, it says so then. A file has
  // an end anyway.
  virtual Result<void> hold() { return {}; }
};

// A file, or standard input for "-". What cannot be opened or read is `storage`.
Result<std::unique_ptr<ByteSource>> open_file(const std::string& path);

// Several members or streams, one after the other, are read as one. What is cut off or corrupt is `bad_data`.
Result<std::unique_ptr<ByteSource>> decompress_gzip(std::unique_ptr<ByteSource>);
Result<std::unique_ptr<ByteSource>> decompress_xz(std::unique_ptr<ByteSource>);

// Tells by the first bytes whether to decompress, and refuses kinds of files that are certainly no text in UTF-8.
Result<std::unique_ptr<ByteSource>> decompress_if_needed(std::unique_ptr<ByteSource>);

}  // namespace chronoveil::data
