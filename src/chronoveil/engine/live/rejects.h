// The rows that a live release did not take, each with the reason, for the owner to look into. The file holds data:
// only its owner can read it, and it is never published.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "chronoveil/base/result.h"
#include "chronoveil/data/live/input.h"

namespace chronoveil::engine {

class LiveRejects {
 public:
  // Appends to the file, which is made when the first row comes. At 16 MiB it is full: what comes then is left out. A
  // file that others may read is made the owner's alone before the first row is written.
  explicit LiveRejects(std::string path) : path_(std::move(path)) {}

  // Refused: a path that is no file, where rows or messages are printed, or that holds something else.
  static Result<void> check(const std::string& path);

  // A row that was read: file,row,reason,time,series,person,value. Fields that the rows do not have are empty.
  Result<void> add(const data::Arrival&, std::size_t row, std::string_view reason);
  // A row that could not be read; `where` says which.
  Result<void> add(std::string_view where, std::string_view reason);

 private:
  Result<void> append(const std::string& line);

  std::string path_;
  bool begun_ = false;
};

}  // namespace chronoveil::engine
