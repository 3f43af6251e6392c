// Text of any length to a file or to standard output, in large pieces. A file appears under its name only when all of
// it is there: it is written without a name if the file system can do that, else under a temporary name, and renamed by
// commit(), so that an interrupt leaves nothing half done.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::simulate {

class TextFile {
 public:
  // `option` is what an error names; "-" is standard output.
  static Result<TextFile> create(std::string option, std::string path);
  ~TextFile();  // what was not committed is removed
  TextFile(TextFile&&) noexcept;
  TextFile& operator=(TextFile&&) = delete;
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  // Room for `size` <= 4096 more characters, to be written from the pointer returned and then handed to advance().
  char* room(std::size_t size);
  void advance(const char* end) { used_ = static_cast<std::size_t>(end - buffer_.data()); }
  void append(std::string_view text);

  // False once writing failed; what follows is dropped, and commit() says why.
  bool good() const { return problem_ == 0; }
  Result<void> commit();

 private:
  TextFile(std::string option, std::string path) : option_(std::move(option)), path_(std::move(path)) {}
  void flush();
  Failure failure(int problem) const;

  static constexpr std::size_t kSize = std::size_t{1} << 18;
  std::string option_, path_;
  std::string temporary_;   // the name until it is renamed; empty when there is none
  bool to_rename_ = false;  // not for standard output, devices and pipes
  int descriptor_ = -1;
  int problem_ = 0;  // errno of the first failure
  std::vector<char> buffer_ = std::vector<char>(kSize);
  std::size_t used_ = 0;
};

}  // namespace chronoveil::simulate
