// StaSwitch under a series S and under S' with two values u, v swapped that are d < k steps apart, all values distinct,
// seen step by step. An output determines every choice under S and every choice under S', so both processes run side by
// side, and all they can differ in is this:
//   before    two positions a < c of the window hold exchanged values; nothing else differs
//   after     the values are in the same places, but the one at position w has different delays
//   done      nothing differs any more
// Probabilities differ in at most two steps: where "before" ends, and where the last of u and v leaves. If a choice is
// impossible under S', the loss is infinite. Renaming u and v exchanges S and S', so the pair is symmetric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace chronoveil::accounting {

struct StaSwitchLaw {
  int window = 0;        // k
  long double stay = 0;  // p
  long double move = 0;  // q = (1 - p)/(k - 1)
  // The probability that a value delayed by `delay` moves on by `offset`, if `left` positions remain from its own on.
  long double probability(int delay, int offset, int left) const;
};
StaSwitchLaw staswitch_law(std::int64_t window, double stay);

// The packed state limits the window.
inline constexpr int kLargestPairWindow = 12;

// Positions count from the step that is next.
struct PairState {
  enum class Phase : std::uint8_t { before, after, done };
  std::uint64_t delays = 0;  // 4 bits per position, for values that are the same in both; else 0
  Phase phase = Phase::before;
  std::uint8_t a = 0, c = 0;                // a: w when `after`
  std::uint8_t at_a = 0, at_a_swapped = 0;  // delays of what is at a, under S and under S'
  std::uint8_t at_c = 0, at_c_swapped = 0;
  std::uint8_t left = 0;  // of the series, or kNoEnd
  bool operator==(const PairState&) const = default;

  static constexpr std::uint8_t kNoEnd = 255;
  int delay(int position) const { return static_cast<int>(delays >> (4 * position) & 15); }
  void set_delay(int position, int value);
};
struct PairHash {
  std::size_t operator()(const PairState&) const;
};

// One choice under S: where it leads, its probability under S and that of the same output under S' (0: impossible), and
// the offset that is drawn under each.
struct PairMove {
  PairState to;
  long double p, q;
  int offset, elsewhere;
};
// All choices that S can make in this state.
void moves_of(const PairState&, const StaSwitchLaw&, std::vector<PairMove>&);

// u at position `first`, v at first + distance, no value delayed yet.
PairState swapped_pair(int first, int distance, int left);
// The window before u comes in sight (at position k - 1): every possible arrangement of delays, Bell(k) of them.
std::vector<std::uint64_t> backgrounds(int window);

// A privacy loss distribution with finitely many losses: P- and Q-masses by falling loss, and P-mass without Q.
struct PairLoss {
  struct Atom {
    long double p, q;
  };
  std::vector<Atom> atoms;  // those with a loss above 0
  long double infinite = 0;
  long double zero = 0;  // P-mass at loss 0
  // Σ max(0, P - α Q).
  long double delta(long double alpha) const;
  long double largest_ratio() const;
};
// Whether `other` is nowhere above `whole`, up to rounding. Both are convex and piecewise linear in α, so the corners
// of `whole` decide.
bool dominates(const PairLoss& whole, const PairLoss& other);

// From one state on: forwards, step by step. Two ordinary values may stay exchanged for ever (from k = 8 on), with a
// probability that vanishes; once it is below 1e-22 the rest counts as infinite loss.
PairLoss loss_from(const PairState&, const StaSwitchLaw&);

// From any state on, exactly: backwards. What was computed for one state serves the others. For windows up to 7, where
// every difference ends.
class PairLosses {
 public:
  explicit PairLosses(const StaSwitchLaw& law);
  ~PairLosses();
  PairLoss from(const PairState&);
  // The most steps until nothing differs any more.
  int steps(const PairState&);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace chronoveil::accounting
