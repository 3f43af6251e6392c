#include "temporal/sort_reference.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "chronoveil/base/staircase.h"
#include "chronoveil/noise/uniform.h"

namespace chronoveil::temporal {
namespace {

using Keys = std::vector<int>;

// What leaves after arrival t (or at the end, t = length) has a key of t - shift at most.
Outcome recorded(const std::vector<int>& order, const Keys& keys, int shift, Recorded what) {
  Outcome outcome;
  for (const int value : order) {
    outcome.add(value);
    if (what == Recorded::order_and_times)
      outcome.add(std::min(keys[static_cast<std::size_t>(value)] + shift, static_cast<int>(keys.size())));
  }
  return outcome;
}

}  // namespace

std::vector<double> shift_law(const NoisySortLaw& law, int reach) {
  std::vector<double> weights;
  const std::int64_t plateau = law.plateau.value_or(staircase_plateau(law.window, law.epsilon));
  for (int x = -reach; x <= reach; ++x) {
    const double steps = law.law == KeyLaw::laplace ? std::abs(x) / static_cast<double>(law.window - 1)
                                                    : static_cast<double>(staircase_level(x, law.window, plateau));
    weights.push_back(law.max_shift && std::abs(x) > *law.max_shift ? 0 : std::exp(-law.epsilon / 2 * steps));
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

OutcomeLaw sort_law(int length, const std::vector<double>& shifts, Recorded what, SortMistake mistake) {
  const int reach = static_cast<int>(shifts.size() / 2);
  OutcomeLaw law;
  std::vector<std::size_t> choice(static_cast<std::size_t>(length));
  std::vector<int> order(choice.size());
  for (bool more = true; more;) {
    Keys keys;
    double probability = 1;
    for (std::size_t t = 0; t < choice.size(); ++t) {
      keys.push_back(static_cast<int>(t) + static_cast<int>(choice[t]) - reach);
      probability *= shifts[choice[t]];
    }
    std::vector<Outcome> possible;
    std::iota(order.begin(), order.end(), 0);
    do {
      if (std::is_sorted(order.begin(), order.end(), [&](int a, int b) {
            return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
          }))
        possible.push_back(recorded(order, keys, reach, what));
    } while (std::next_permutation(order.begin(), order.end()));
    if (mistake == SortMistake::stable) possible.resize(1);  // orders are gone through from the first on
    for (const Outcome& outcome : possible) law[outcome] += probability / static_cast<double>(possible.size());
    std::size_t t = 0;
    while (t < choice.size() && ++choice[t] == shifts.size()) choice[t++] = 0;
    more = t < choice.size();
  }
  return law;
}

Outcome sort_slowly(int length, int shift, Recorded what, SortMistake mistake,
                    const std::function<std::int64_t()>& draw, BitSource& bits) {
  Keys keys;
  for (int t = 0; t < length; ++t) {
    std::int64_t x = draw();
    if (mistake == SortMistake::clamped) {
      x = std::clamp<std::int64_t>(x, -shift, shift);
    } else {
      while (std::abs(x) > shift) x = draw();
    }
    keys.push_back(t + static_cast<int>(x));
  }
  std::vector<int> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key_of = [&](std::size_t at) { return keys[static_cast<std::size_t>(order[at])]; };
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return std::pair(keys[static_cast<std::size_t>(a)], a) < std::pair(keys[static_cast<std::size_t>(b)], b);
  });
  for (std::size_t begin = 0, end = 0; begin < order.size() && mistake != SortMistake::stable; begin = end) {
    while (end < order.size() && key_of(end) == key_of(begin)) ++end;
    for (std::size_t left = end - begin; left > 1; --left) {
      std::swap(order[begin + left - 1], order[begin + noise::uniform_below(left, bits)]);
      if (mistake == SortMistake::one_swap) break;
    }
  }
  return recorded(order, keys, mistake == SortMistake::impatient ? shift - 1 : shift, what);
}

}  // namespace chronoveil::temporal
