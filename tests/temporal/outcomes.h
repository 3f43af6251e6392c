// Short releases as numbers, their exact laws, and the one checker that kernels must pass and their broken twins must
// not.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace chronoveil::temporal {

// A list of numbers from -1 to 14, at most 15 of them, in order.
class Outcome {
 public:
  void add(int number) { code_ = code_ * 16 + static_cast<std::uint64_t>(number + 2) % 16; }
  auto operator<=>(const Outcome&) const = default;
  std::uint64_t code() const { return code_; }

 private:
  std::uint64_t code_ = 1;
};
Outcome outcome_of(const std::vector<int>& numbers);

using OutcomeLaw = std::map<Outcome, double>;
double total(const OutcomeLaw&);

// How likely draws that follow the law are to miss it as much as these do; 0 where one of them is impossible.
double outcomes_p_value(const OutcomeLaw&, std::int64_t draws, const std::function<Outcome()>& draw);

}  // namespace chronoveil::temporal
