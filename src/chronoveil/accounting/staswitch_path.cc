#include "chronoveil/accounting/staswitch_path.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace chronoveil::accounting {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

StaSwitchPath::StaSwitchPath(int window, double stay)
    : window_(window),
      stay_(stay),
      move_((1 - stay) / (window - 1)),
      stays_(static_cast<std::size_t>(window) + 1, std::numeric_limits<std::uint64_t>::max()),
      split_(static_cast<std::size_t>(window) + 1, 0),
      ending_(static_cast<std::size_t>(window)) {
  for (int left = 2; left <= window; ++left) {
    const double moves = left - 1, share = std::min(stay_ / (stay_ + moves * move_), 1 - 0x1p-53);
    stays_[static_cast<std::size_t>(left)] = static_cast<std::uint64_t>(std::ldexp(share, 64));
    split_[static_cast<std::size_t>(left)] = moves / std::ldexp(1 - share, 64);
  }
}

int StaSwitchPath::first_end(const SwapPlace& place) const {
  return std::max(place.distance + 1, window_ - place.most);
}

int StaSwitchPath::draw(int left, BitSource& bits) const {
  const auto at = static_cast<std::size_t>(left);
  const std::uint64_t drawn = bits.next_u64();
  if (drawn < stays_[at]) return 0;
  return std::min(left - 1, 1 + static_cast<int>(static_cast<double>(drawn - stays_[at]) * split_[at]));
}

// Without the common denominator.
double StaSwitchPath::staying(int delay, int left) const { return stay_ + std::max(0, left - window_ + delay) * move_; }

void StaSwitchPath::Pair::end_with(double last_ratio) {
  ratio *= last_ratio;
  phase = Phase::done;
}

// The values stand alike from here on; the one at c was delayed by this much under S and under S'.
void StaSwitchPath::Pair::meet(double at_ratio, int delay, int swapped) {
  ratio *= at_ratio;
  phase = delay == swapped ? Phase::done : Phase::after;
  a = c;
  at_a = delay;
  at_a_swapped = swapped;
}

void StaSwitchPath::step(Delay* head, Pair& pair, int time, int left, BitSource& bits) const {
  const int offset = draw(left, bits);
  if (time != pair.a) {
    if (offset > 0) move_ordinary(head, pair, time, offset);
  } else if (pair.phase == Pair::Phase::before) {
    move_exchanged(pair, time, left, offset);
  } else {
    move_delayed(pair, time, left, offset);
  }
}

// A value that is the same under both is next.
void StaSwitchPath::move_ordinary(Delay* head, Pair& pair, int time, int offset) const {
  const int farthest = window_ - 1, low = head->low, high = head->high, to = time + offset;
  if (low + offset > farthest) return;
  const bool moves = high + offset <= farthest && time >= pair.started;
  if (pair.phase == Pair::Phase::after) {
    if (to == pair.a) return pair.end_with(moves ? 1 : kInfinity);
  } else if (to == pair.a || to == pair.c) {
    // Under S' the value that leaves is found at the other position.
    const bool known = moves && low == high;
    if (!known || (to == pair.a && low + pair.c - time > farthest)) return pair.end_with(kInfinity);
    (to == pair.a ? pair.at_a : pair.at_a_swapped) = low + pair.a - time;
    (to == pair.a ? pair.at_c_swapped : pair.at_c) = low + pair.c - time;
    return;
  }
  Delay& there = head[offset];
  const auto least = static_cast<std::uint8_t>(low + offset);
  const auto most = static_cast<std::uint8_t>(std::min(farthest, high + offset));
  there = moves ? Delay{least, most} : Delay{std::min(there.low, least), std::max(there.high, most)};
}

// One of two exchanged values is next.
void StaSwitchPath::move_exchanged(Pair& pair, int time, int left, int offset) const {
  const int farthest = window_ - 1, apart = pair.c - time;
  if (pair.at_a + offset > farthest) offset = 0;
  if (pair.at_a_swapped + (offset == 0 ? apart : offset == apart ? 0 : offset) > farthest)
    return pair.end_with(kInfinity);
  if (offset == 0) return pair.meet(staying(pair.at_a, left) / move_, pair.at_c, pair.at_a_swapped + apart);
  if (offset == apart) return pair.meet(move_ / staying(pair.at_a_swapped, left), pair.at_a + apart, pair.at_c_swapped);
  pair.a += offset;
  pair.at_a += offset;
  pair.at_a_swapped += offset;
  if (pair.a > pair.c) {
    std::swap(pair.a, pair.c);
    std::swap(pair.at_a, pair.at_c);
    std::swap(pair.at_a_swapped, pair.at_c_swapped);
  }
}

// The value that was delayed differently is next.
void StaSwitchPath::move_delayed(Pair& pair, int time, int left, int offset) const {
  const int farthest = window_ - 1;
  if (pair.at_a + offset > farthest) offset = 0;
  if (offset == 0) return pair.end_with(staying(pair.at_a, left) / staying(pair.at_a_swapped, left));
  if (pair.at_a_swapped + offset > farthest) return pair.end_with(kInfinity);
  pair.a = time + offset;
  pair.at_a += offset;
  pair.at_a_swapped += offset;
}

StaSwitchPath::Pair StaSwitchPath::begin(const SwapPlace& place) {
  delays_.assign(static_cast<std::size_t>(place.most + last_end() + window_), {});
  if (place.or_more) std::fill_n(delays_.begin(), window_ - 1, Delay{0, static_cast<std::uint8_t>(window_ - 1)});
  Pair pair;
  pair.c = place.distance;
  pair.started = -place.fewest;
  return pair;
}

void StaSwitchPath::run(const SwapPlace& place, BitSource& bits, Ratios& ratios) {
  const int first = first_end(place), in_sight = window_ - 1, last = last_end() - in_sight;
  ratios.own.clear();
  Pair pair = begin(place);
  for (int time = -place.most; pair.differs(); ++time) {
    if (time == last) return void(ratios.endless = kInfinity);
    Delay* head = delays_.data() + place.most + time;
    if (const int end = time + in_sight; end >= first) {
      std::copy_n(head, window_, ending_.begin());
      Pair ending = pair;
      for (int then = time; ending.differs(); ++then)
        step(ending_.data() + (then - time), ending, then, end - then, bits);
      ratios.own.push_back(ending.ratio);
    }
    step(head, pair, time, window_, bits);
  }
  ratios.endless = pair.ratio;
}

double StaSwitchPath::run_endless(const SwapPlace& place, BitSource& bits) {
  const int last = last_end() - (window_ - 1);
  Pair pair = begin(place);
  for (int time = -place.most; pair.differs(); ++time) {
    if (time == last) return kInfinity;
    step(delays_.data() + place.most + time, pair, time, window_, bits);
  }
  return pair.ratio;
}

}  // namespace chronoveil::accounting
