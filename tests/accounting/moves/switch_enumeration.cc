#include "accounting/moves/switch_enumeration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace chronoveil::accounting {
namespace {

constexpr int kLongest = 16;

// A series half way: which value is at each step, and by how much it is delayed already.
struct Half {
  std::array<int, kLongest> value{};
  std::array<int, kLongest> delay{};
};

class Enumeration {
 public:
  Enumeration(const EnumeratedSwitch& law, int n) : law_(law), n_(n) {}

  void walk(int step, const Half& first, const Half& second, double p, double q) {
    if (step == n_) {
      outputs.push_back({p, q});
      return;
    }
    const int last = std::min(n_, step + law_.window) - 1;
    for (int from = step; from <= last; ++from) {
      const double share = probability(first, step, from - step);
      if (share == 0) continue;
      // The neighbour must release the same value.
      const auto found = std::find(second.value.begin() + step, second.value.begin() + last + 1,
                                   first.value[static_cast<std::size_t>(from)]);
      const int other = static_cast<int>(found - second.value.begin());
      const double other_share = q > 0 && other <= last ? probability(second, step, other - step) : 0;
      if (other_share == 0) {
        // Nothing of what follows is possible under the neighbour: its probabilities need not be told apart.
        outputs.push_back({p * share, 0});
        continue;
      }
      walk(step + 1, moved(first, step, from), moved(second, step, other), p * share, q * other_share);
    }
  }

  std::vector<OutputPair> outputs;

 private:
  double probability(const Half& half, int step, int offset) const {
    const int left = std::min(law_.window, n_ - step);  // positions to choose from
    const double move = (1 - law_.stay) / (law_.window - 1);
    const bool rest_stays = law_.twin == SwitchTwin::rest_stays;
    const double total = rest_stays ? 1 : law_.stay + (left - 1) * move;
    const int furthest = law_.stateful ? law_.window - 1 - half.delay[static_cast<std::size_t>(step)] : left - 1;
    const int moves = std::clamp(furthest, 0, left - 1);  // offsets 1..moves are taken, the others stay
    if (offset > 0) return offset <= moves ? move / total : 0;
    return rest_stays ? 1 - moves * move : (law_.stay + (left - 1 - moves) * move) / total;
  }

  Half moved(Half half, int step, int from) const {
    const auto at = static_cast<std::size_t>(step), to = static_cast<std::size_t>(from);
    std::swap(half.value[at], half.value[to]);
    if (law_.twin == SwitchTwin::state_stays_behind) {
      half.delay[at] += from - step;
    } else {
      half.delay[to] = half.delay[at] + (from - step);
    }
    return half;
  }

  EnumeratedSwitch law_;
  int n_;
};

}  // namespace

std::vector<OutputPair> enumerate(const EnumeratedSwitch& law, int n, int i, int j) {
  Half series;
  std::iota(series.value.begin(), series.value.end(), 0);
  Half neighbour = series;
  std::swap(neighbour.value[static_cast<std::size_t>(i)], neighbour.value[static_cast<std::size_t>(j)]);
  Enumeration enumeration(law, n);
  enumeration.walk(0, series, neighbour, 1, 1);
  return std::move(enumeration.outputs);
}

double hockey_stick(const std::vector<OutputPair>& outputs, double epsilon) {
  long double sum = 0;
  const long double growth = std::exp(static_cast<long double>(epsilon));
  for (const OutputPair& output : outputs)
    sum += std::max(0.0L, static_cast<long double>(output.p) - growth * output.q);
  return static_cast<double>(sum);
}

double worst_hockey_stick(const EnumeratedSwitch& law, int n, double epsilon, Swap* worst) {
  double most = -1;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < std::min(n, i + law.window); ++j) {
      const double delta = hockey_stick(enumerate(law, n, i, j), epsilon);
      if (delta <= most) continue;
      most = delta;
      if (worst != nullptr) *worst = {i, j};
    }
  return most;
}

}  // namespace chronoveil::accounting
