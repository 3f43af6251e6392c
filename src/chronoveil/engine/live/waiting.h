// Rows of people that wait for the clock to close their step, in whatever order they came. Memory grows with the rows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/engine/live/steps.h"

namespace chronoveil::engine {

class WaitingRows {
 public:
  void add(std::int64_t time, std::string_view person, std::int64_t series, std::int64_t amount);
  // Gives the step all rows before that instant, in the order in which they came.
  void hand_over(std::int64_t before, OpenStep&);

 private:
  struct Row {
    std::uint64_t number;  // in the order in which they came
    std::string person;
    std::int64_t series, amount;
  };
  std::map<std::int64_t, std::vector<Row>> rows_;  // by time
  std::uint64_t came_ = 0;
};

}  // namespace chronoveil::engine
