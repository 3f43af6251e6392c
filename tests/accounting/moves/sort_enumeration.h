// The probabilities of all orders that noisy_sort can release a short series in, by summing over all of its keys.
// Written from the mechanism's description alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "accounting/moves/switch_enumeration.h"

namespace chronoveil::accounting {

// Ways to get the mechanism wrong. Each must be told from the right one.
enum class SortTwin {
  right,
  stable,   // ties are left in the order of the input
  clamped,  // keys beyond max_shift are moved to it, not drawn again
};

struct EnumeratedSort {
  int window = 0;
  double epsilon = 0;
  bool staircase = false;
  int plateau = 1;  // of the staircase
  std::optional<int> max_shift;
  SortTwin twin = SortTwin::right;
};

// P(X = x) for x = -reach..reach; what lies beyond is below 1e-14 in all.
struct KeyLaw {
  int reach = 0;
  std::vector<double> mass;
};
KeyLaw key_law(const EnumeratedSort&);

// Of a series of n distinct values, every order once: order[t] is the step of the value that leaves as number t.
struct OrderTable {
  std::vector<std::vector<int>> orders;  // ascending
  std::vector<double> probability;
};
OrderTable order_table(const EnumeratedSort&, int n);

// The same orders under the neighbour that has the values of steps i and j exchanged.
std::vector<OutputPair> neighbours(const OrderTable&, int i, int j);

// Two keys that are shifted by `distance` in opposite directions: what noisy_sort is priced by.
std::vector<OutputPair> key_pairs(const EnumeratedSort&, int distance);

}  // namespace chronoveil::accounting
