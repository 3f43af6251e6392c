// Puts any source of integers to the test against an exact law. Samplers must pass, their broken twins must not.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "noise/exact_law.h"
#include "noise/statistics.h"

namespace chronoveil::noise {

using Fill = std::function<void(std::span<std::int64_t>)>;

class LawChecker {
 public:
  LawChecker(Law law, double scale);

  // Empty when the draws follow the law and are independent, else the names of the checks that failed. Every check
  // alone rejects the true law with probability kLevel at most.
  std::string complaints(const Fill& fill, std::int64_t draws);

 private:
  // The least k >= 1 with P(N >= k) <= probability.
  std::int64_t least_with_tail(double probability) const;

  // Cells of magnitudes [edges_[i-1], edges_[i]), some 1/120 or one integer each; cell 0 is the integer 0.
  void make_cells();
  std::size_t cell_of(std::int64_t value) const;

  // Up to eight classes of about the same probability, from neighbouring magnitudes of one sign.
  void make_classes();
  std::vector<double> pair_probabilities() const;

  void count(const Fill& fill, std::int64_t draws);
  std::int64_t beyond(std::int64_t far, bool negative) const;

  ExactLaw exact_;
  double scale_;
  std::vector<std::int64_t> edges_;
  std::vector<double> cell_probabilities_, class_probabilities_;
  std::vector<std::size_t> class_of_cell_;
  std::vector<std::int64_t> cells_, low_bits_, middle_bits_, call_pairs_, far_;
  std::vector<std::vector<std::int64_t>> pairs_;
  double sum_ = 0, squares_ = 0, fourth_ = 0;
};

}  // namespace chronoveil::noise
