#include "chronoveil/accounting/moves/staswitch_path.h"

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
      split_(static_cast<std::size_t>(window) + 1, 0) {
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
double StaSwitchPath::weight(int delay, int left) const {
  return delay == Factor::kMoving ? move_ : stay_ + std::max(0, left - window_ + delay) * move_;
}

double StaSwitchPath::ratio(const Pair& pair, int end) const {
  if (pair.impossible) return kInfinity;
  double product = 1;
  for (int i = 0; i < pair.factors; ++i) {
    const Factor& factor = pair.factor[static_cast<std::size_t>(i)];
    const int positions = left(end, factor.time);
    product *= weight(factor.over, positions) / weight(factor.under, positions);
  }
  return product;
}

void StaSwitchPath::Pair::end_as_impossible() {
  impossible = true;
  phase = Phase::done;
}

void StaSwitchPath::Pair::multiply(const Factor& by) { factor[static_cast<std::size_t>(factors++)] = by; }

// The values are in the same places from here on; the one at c was delayed by this much under S and under S'.
void StaSwitchPath::Pair::meet(const Factor& by, int delay, int swapped) {
  multiply(by);
  phase = delay == swapped ? Phase::done : Phase::after;
  a = c;
  at_a = delay;
  at_a_swapped = swapped;
}

void StaSwitchPath::step(Delay* head, Pair& pair, int time, int offset) const {
  if (time != pair.a) {
    if (offset > 0) move_ordinary(head, pair, time, offset);
  } else if (pair.phase == Pair::Phase::before) {
    move_exchanged(pair, time, offset);
  } else {
    move_delayed(pair, time, offset);
  }
}

// The next value is the same under both.
void StaSwitchPath::move_ordinary(Delay* head, Pair& pair, int time, int offset) const {
  const int farthest = window_ - 1, low = head->low, high = head->high, to = time + offset;
  if (low + offset > farthest) return;
  const bool moves = high + offset <= farthest && time >= pair.started;
  if (pair.phase == Pair::Phase::after) {
    if (to == pair.a) {
      pair.phase = Pair::Phase::done;
      pair.impossible = !moves;
      return;
    }
  } else if (to == pair.a || to == pair.c) {
    // Under S' the value that leaves is found at the other position.
    const bool known = moves && low == high;
    if (!known || (to == pair.a && low + pair.c - time > farthest)) return pair.end_as_impossible();
    (to == pair.a ? pair.at_a : pair.at_a_swapped) = low + pair.a - time;
    (to == pair.a ? pair.at_c_swapped : pair.at_c) = low + pair.c - time;
    return;
  }
  Delay& there = head[offset];
  const auto least = static_cast<std::uint8_t>(low + offset);
  const auto most = static_cast<std::uint8_t>(std::min(farthest, high + offset));
  there = moves ? Delay{least, most} : Delay{std::min(there.low, least), std::max(there.high, most)};
}

// The next value is one of the two exchanged.
void StaSwitchPath::move_exchanged(Pair& pair, int time, int offset) const {
  const int farthest = window_ - 1, apart = pair.c - time;
  if (pair.at_a + offset > farthest) offset = 0;
  if (pair.at_a_swapped + (offset == 0 ? apart : offset == apart ? 0 : offset) > farthest)
    return pair.end_as_impossible();
  if (offset == 0) return pair.meet({time, pair.at_a, Factor::kMoving}, pair.at_c, pair.at_a_swapped + apart);
  if (offset == apart)
    return pair.meet({time, Factor::kMoving, pair.at_a_swapped}, pair.at_a + apart, pair.at_c_swapped);
  pair.a += offset;
  pair.at_a += offset;
  pair.at_a_swapped += offset;
  if (pair.a > pair.c) {
    std::swap(pair.a, pair.c);
    std::swap(pair.at_a, pair.at_c);
    std::swap(pair.at_a_swapped, pair.at_c_swapped);
  }
}

// The next value is the one that was delayed differently.
void StaSwitchPath::move_delayed(Pair& pair, int time, int offset) const {
  const int farthest = window_ - 1;
  if (pair.at_a + offset > farthest) offset = 0;
  if (offset == 0) {
    pair.multiply({time, pair.at_a, pair.at_a_swapped});
    pair.phase = Pair::Phase::done;
    return;
  }
  if (pair.at_a_swapped + offset > farthest) return pair.end_as_impossible();
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

// Ends that are further from the last factor than the window have the same ratio.
void StaSwitchPath::add_ratios(const Pair& pair, int first, int last, std::vector<EndsRatio>& ratios) const {
  int in_sight = first;
  if (!pair.impossible && pair.factors > 0)
    in_sight = pair.factor[static_cast<std::size_t>(pair.factors - 1)].time + window_;
  for (int end = first; end <= last; ++end) {
    const int alike = end >= in_sight ? last : end;
    ratios.push_back({end, alike, ratio(pair, end)});
    end = alike;
  }
}

void StaSwitchPath::follow(Delay* head, Pair pair, int time, int first, int last, BitSource& bits,
                           std::vector<EndsRatio>& ratios) {
  for (; pair.differs(); ++time, ++head) {
    if (last == last_end() && time == last - (window_ - 1)) {
      ratios.push_back({last, last, kInfinity});
      if (--last < first) return;
    }
    const int offset = draw(left(last, time), bits);
    if (const int beyond = time + offset; first <= beyond) {
      Parted& those = parted_.emplace_back(Parted{time, first, beyond, pair, {}});
      std::copy_n(head, beyond - time, those.head.begin());
      first = beyond + 1;
    }
    step(head, pair, time, offset);
  }
  add_ratios(pair, first, last, ratios);
}

void StaSwitchPath::run(const SwapPlace& place, BitSource& bits, std::vector<EndsRatio>& ratios) {
  ratios.clear();
  const Pair pair = begin(place);
  follow(delays_.data(), pair, -place.most, first_end(place), last_end(), bits, ratios);
  while (!parted_.empty()) {
    Parted those = parted_.back();
    parted_.pop_back();
    follow(those.head.data(), those.pair, those.time, those.first, those.last, bits, ratios);
  }
}

double StaSwitchPath::run_endless(const SwapPlace& place, BitSource& bits) {
  const int last = last_end() - (window_ - 1);
  Pair pair = begin(place);
  for (int time = -place.most; pair.differs(); ++time) {
    if (time == last) return kInfinity;
    step(delays_.data() + place.most + time, pair, time, draw(window_, bits));
  }
  return ratio(pair, last_end());
}

}  // namespace chronoveil::accounting
