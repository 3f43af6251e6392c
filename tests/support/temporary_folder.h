// A folder that goes away with it; in memory where the machine allows, so that thousands of commits stay quick.
#pragma once

#include <string>

namespace chronoveil::testing {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace chronoveil::testing
