// The rows of a CSV of sums one by one: of,name,per,time,slots,value,lower,upper. A file that is not private has a last
// column `mark` that says so in every row, since it may be passed on alone.
#pragma once

#include <cstdint>
#include <string>

#include "chronoveil/base/totals.h"

namespace chronoveil::report {

class TotalRows {
 public:
  explicit TotalRows(const std::string& mark);

  std::string header() const;
  // What the rows of a sum over periods of this kind begin with, before their time.
  static std::string start(const Sums&, const std::string& per);
  void append(std::string& out, const std::string& start, const std::string& time, std::int64_t slots, double value,
              double lower, double upper) const;

 private:
  std::string mark_;
};

}  // namespace chronoveil::report
