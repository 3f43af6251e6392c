#include "accounting/moves/sort_enumeration.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace chronoveil::accounting {

KeyLaw key_law(const EnumeratedSort& law) {
  const int distance = law.window - 1;
  auto log_weight = [&](int x) {
    const int size = std::abs(x);
    if (!law.staircase) return -law.epsilon * size / (2 * distance);
    const int level = size < law.plateau ? 0 : 1 + (size - law.plateau) / distance;
    return -law.epsilon / 2 * level;
  };
  int wide = 1;
  while (log_weight(wide) > -38) ++wide;
  double total = 0;
  for (int x = -wide; x <= wide; ++x) total += std::exp(log_weight(x));
  KeyLaw out;
  out.reach = law.max_shift.value_or(wide);
  const bool rejected = law.max_shift && law.twin != SortTwin::clamped;
  if (rejected) {
    total = 0;
    for (int x = -out.reach; x <= out.reach; ++x) total += std::exp(log_weight(x));
  }
  out.mass.assign(static_cast<std::size_t>(2 * out.reach + 1), 0.0);
  for (int x = -wide; x <= wide; ++x) {
    if (rejected && std::abs(x) > out.reach) continue;
    out.mass[static_cast<std::size_t>(std::clamp(x, -out.reach, out.reach) + out.reach)] +=
        std::exp(log_weight(x)) / total;
  }
  if (rejected)
    for (int x = wide + 1; x <= out.reach; ++x)
      out.mass[static_cast<std::size_t>(x + out.reach)] = out.mass[static_cast<std::size_t>(out.reach - x)] =
          std::exp(log_weight(x)) / total;
  return out;
}

namespace {

// The probability that keys come in this order: key by key upwards, `first` values placed so far. Values with one key
// make a group, each order of which has probability 1/size!, or, with a stable sort, only the input's.
double order_probability(const EnumeratedSort& law, const KeyLaw& keys, const std::vector<int>& order) {
  const std::size_t n = order.size();
  std::vector<double> placed(n + 1, 0.0), next(n + 1);
  placed[0] = 1;
  for (int key = -keys.reach; key <= static_cast<int>(n) - 1 + keys.reach; ++key) {
    next = placed;
    for (std::size_t from = 0; from < n; ++from) {
      double group = placed[from];
      for (std::size_t to = from; to < n && group > 0; ++to) {
        const int x = key - order[to];
        group *= std::abs(x) <= keys.reach ? keys.mass[static_cast<std::size_t>(x + keys.reach)] : 0.0;
        if (law.twin == SortTwin::stable) {
          if (to > from && order[to] < order[to - 1]) break;
        } else {
          group /= static_cast<double>(to - from + 1);
        }
        next[to + 1] += group;
      }
    }
    placed = next;
  }
  return placed[n];
}

}  // namespace

OrderTable order_table(const EnumeratedSort& law, int n) {
  const KeyLaw keys = key_law(law);
  OrderTable table;
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  do {
    table.orders.push_back(order);
    table.probability.push_back(order_probability(law, keys, order));
  } while (std::next_permutation(order.begin(), order.end()));
  return table;
}

std::vector<OutputPair> neighbours(const OrderTable& table, int i, int j) {
  std::vector<OutputPair> pairs;
  for (std::size_t at = 0; at < table.orders.size(); ++at) {
    std::vector<int> other = table.orders[at];
    for (int& step : other) step = step == i ? j : step == j ? i : step;
    const auto found = std::lower_bound(table.orders.begin(), table.orders.end(), other);
    pairs.push_back({table.probability[at], table.probability[static_cast<std::size_t>(found - table.orders.begin())]});
  }
  return pairs;
}

std::vector<OutputPair> key_pairs(const EnumeratedSort& law, int distance) {
  const KeyLaw keys = key_law(law);
  auto mass = [&](int x) {
    return std::abs(x) <= keys.reach ? keys.mass[static_cast<std::size_t>(x + keys.reach)] : 0.0;
  };
  std::vector<OutputPair> pairs;
  for (int x = -keys.reach; x <= keys.reach; ++x)
    for (int y = -keys.reach; y <= keys.reach; ++y)
      pairs.push_back({mass(x) * mass(y), mass(x - distance) * mass(y + distance)});
  return pairs;
}

}  // namespace chronoveil::accounting
