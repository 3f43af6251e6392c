#include "temporal/outcomes.h"

#include <unordered_map>

#include "noise/statistics.h"

namespace chronoveil::temporal {

Outcome outcome_of(const std::vector<int>& numbers) {
  Outcome outcome;
  for (const int number : numbers) outcome.add(number);
  return outcome;
}

double total(const OutcomeLaw& law) {
  double sum = 0;
  for (const auto& [outcome, probability] : law) sum += probability;
  return sum;
}

double outcomes_p_value(const OutcomeLaw& law, std::int64_t draws, const std::function<Outcome()>& draw) {
  std::unordered_map<std::uint64_t, std::int64_t> seen;
  for (std::int64_t i = 0; i < draws; ++i) ++seen[draw().code()];
  std::vector<std::int64_t> counts;
  std::vector<double> probabilities;
  std::int64_t possible = 0;
  for (const auto& [outcome, probability] : law) {
    const auto found = seen.find(outcome.code());
    counts.push_back(found == seen.end() ? 0 : found->second);
    probabilities.push_back(probability);
    possible += counts.back();
  }
  return possible == draws ? noise::chi_squared_p_value(counts, probabilities) : 0;
}

}  // namespace chronoveil::temporal
