// One run of StaSwitch under a series S, compared with S' where two values u, v are swapped that are d < k steps apart
// (staswitch_pair.h has the process): drawn at random instead of followed in all directions, for windows with too many
// states. A run ends with the ratio P/Q of its output, infinite where Q = 0; the mean of max(0, 1 - α Q/P) over runs is
// δ at α = e^ε.
//
// One run serves every end. Times count from the step of u. A series of e steps from there on has left = min(k, e - t)
// positions left at time t, and an offset is drawn by p : q over these: the law of more positions, given that the
// offset is within. So all ends share the draws of the farthest one; if an offset is beyond some ends, these part from
// the others in their current state and draw again for themselves. Each end has the law of a run of its own.
//   Ends e < E = last_end()  each has its own result
//   Ends e >= E              share one: the ratio of the endless series, or infinity if it still differs at time
//                            E - k + 1. A series that is done by then does not know its end yet, so this result is
//                            at least that of each of these ends, run by run
//
// One run serves many starts. A series may have begun anywhere between `most` and `fewest` steps before u, or earlier
// still. How the values of the window have been delayed is then unknown, and each delay is kept as an interval that
// holds it: [0, 0] at first, or [0, k - 1] where the series may have begun earlier. A value with a delay in [l, h], for
// which offset j is drawn,
//   moves, if h + j <= k - 1 and every start has come: position j gets [l + j, h + j]
//   stays, if l + j > k - 1
//   may do either otherwise: position j gets the hull of what it had and [l + j, min(k - 1, h + j)]
// With the same draws each of these starts has its delays within the intervals; for one that has not come yet they are
// 0, and as long as there is such a start no interval loses its 0. If a value that may or may not move, or whose delay
// is unknown, may take the place of u or v, or of what is there instead, the ratio counts as infinite. So the result is
// at least that of each start, run by run, and equal to it if there is only one.
//
// Draws are of 64 bits and split by double-precision numbers: a run is off its law by some 1e-13 in all.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "chronoveil/base/bit_source.h"

namespace chronoveil::accounting {

// Where a swap is. Series have at least k steps.
struct SwapPlace {
  int distance = 1;      // from u to v, less than k
  int fewest = 0;        // steps of the series before u
  int most = 0;          // the same; fewest <= most
  bool or_more = false;  // than `most`, which is at least k - 1 then
};

class StaSwitchPath {
 public:
  // Precondition: 2 <= window <= kLargestPathWindow.
  static constexpr int kLargestPathWindow = 127;
  StaSwitchPath(int window, double stay);

  // The steps that a series can have from u on.
  int first_end(const SwapPlace&) const;
  int last_end() const { return 4 * (window_ - 1); }  // this many or more

  // P/Q of the ends from `first` to `last`.
  struct EndsRatio {
    int first, last;
    double ratio;
  };
  // Every end from first_end() to last_end() is in one of these.
  void run(const SwapPlace&, BitSource&, std::vector<EndsRatio>&);
  // The ratio of the endless series alone, or infinity.
  double run_endless(const SwapPlace&, BitSource&);

 private:
  struct Delay {
    std::uint8_t low = 0, high = 0;
  };
  // A factor of P/Q at some time: the probability that a value of this delay stays, or moves, over another such
  // probability.
  struct Factor {
    static constexpr int kMoving = -1;
    int time, over, under;
  };
  // What became of u and v, as in PairState; times instead of positions.
  struct Pair {
    enum class Phase : std::uint8_t { before, after, done } phase = Phase::before;
    int a = 0, c = 0;
    int at_a = 0, at_a_swapped = 0, at_c = 0, at_c_swapped = 0;
    int started = 0;          // the time from which on every start has come
    bool impossible = false;  // under S'
    int factors = 0;
    std::array<Factor, 2> factor{};
    bool differs() const { return phase != Phase::done; }
    void end_as_impossible();
    void multiply(const Factor&);
    void meet(const Factor&, int delay, int swapped);
  };
  // Ends that drew an offset beyond them.
  struct Parted {
    int time, first, last;
    Pair pair;
    std::array<Delay, kLargestPathWindow> head;
  };

  int left(int end, int time) const { return std::min(window_, end - time); }
  int draw(int left, BitSource&) const;
  double weight(int delay, int left) const;
  double ratio(const Pair&, int end) const;
  // `head` is the window from this time on.
  void step(Delay* head, Pair&, int time, int offset) const;
  void move_ordinary(Delay* head, Pair&, int time, int offset) const;
  void move_exchanged(Pair&, int time, int offset) const;
  void move_delayed(Pair&, int time, int offset) const;
  Pair begin(const SwapPlace&);
  // Follows the ends from `first` to `last` until nothing differs; those that part are left in parted_.
  void follow(Delay* head, Pair, int time, int first, int last, BitSource&, std::vector<EndsRatio>&);
  void add_ratios(const Pair&, int first, int last, std::vector<EndsRatio>&) const;

  int window_;
  double stay_, move_;
  // By the positions that are left: a draw below is offset 0, and how the rest is split.
  std::vector<std::uint64_t> stays_;
  std::vector<double> split_;
  std::vector<Delay> delays_;
  std::vector<Parted> parted_;
};

}  // namespace chronoveil::accounting
