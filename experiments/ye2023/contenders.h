// The laws that are compared, at a published ε or a certified (ε, δ).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "ye2023/releases.h"

namespace chronoveil::ye2023 {

struct Contender {
  std::string mechanism;
  accounting::Analysis analysis = accounting::Analysis::certified;  // of what was asked for
  double epsilon = 0;                                               // asked for
  double delta = 0;                                                 // that comes with it
  double parameter = 0;                                             // stay, threshold, or ε of noisy_sort
  MovingLaw law = {};
  accounting::Event event = {};
};

inline constexpr std::string_view kStaircase = "noisy_sort, staircase";

// ranswitch, staswitch or threshold with the largest parameter whose published ε is at most `epsilon`. Empty if no
// threshold is known to have so small an ε; its published ε is computed up to a window of 512.
Result<std::optional<Contender>> as_published(std::string_view mechanism, std::int64_t window, double epsilon);
// ranswitch with the smallest δ that it can have at ε over sets of outputs, and noisy_sort with δ = 0 by both laws.
Result<std::vector<Contender>> as_certified(std::int64_t window, double epsilon);
// All of them, published ones first.
Result<std::vector<Contender>> contenders(std::int64_t window, double epsilon);

// The price of a contender's law over sets of outputs.
struct Worth {
  double delta = 0, delta_lower = 0;  // at the ε that was asked for
  double least_delta = 0;             // no ε has a smaller one: a lower bound of δ at ε = 40
  double epsilon = 0;                 // at the contender's δ; infinite if that is below least_delta
  Certificate certificate = Certificate::exact;
  double beta = 0;
};
Result<Worth> worth(const Contender&);

}  // namespace chronoveil::ye2023
