// All outputs of RanSwitch and StaSwitch on a short series of distinct values, with their probabilities under two
// neighbours: what every price of them must agree with. Written from the mechanism's description alone; it shares
// nothing with the accountant or with the kernels.
#pragma once

#include <vector>

namespace chronoveil::accounting {

// Ways to get the mechanism wrong. Each must be told from the right one.
enum class SwitchTwin {
  right,
  state_stays_behind,  // the delay is written to the step that leaves, as printed, not carried along with the value
  rest_stays,          // at the end of the series, the probability of steps that are not there goes to staying
};

struct EnumeratedSwitch {
  int window = 0;
  double stay = 0;
  bool stateful = false;  // StaSwitch
  SwitchTwin twin = SwitchTwin::right;
};

// An output: its probability, and that under the neighbour.
struct OutputPair {
  double p = 0;
  double q = 0;
};

// Every output of positive probability of a series of n distinct values (n <= 16), with its probability when the values
// at steps i and j (from 0) are exchanged. The other direction is the same list: exchanging is its own inverse.
std::vector<OutputPair> enumerate(const EnumeratedSwitch&, int n, int i, int j);

// Σ max(0, p - e^ε q).
double hockey_stick(const std::vector<OutputPair>&, double epsilon);

// The largest over all swaps of steps less than `window` apart; `worst` gets the first that attains it.
struct Swap {
  int i = 0, j = 0;
};
double worst_hockey_stick(const EnumeratedSwitch&, int n, double epsilon, Swap* worst = nullptr);

}  // namespace chronoveil::accounting
