#include "chronoveil/accounting/moves/staswitch_game.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

namespace chronoveil::accounting {
namespace {

class Game {
 public:
  Game(const StaSwitchLaw& law, long double alpha) : law_(law), alpha_(alpha) {}

  // The mass of max(0, P - αQ) from this state on, given the ratio reached so far.
  long double value(const PairState& state, long double ratio) {
    if (state.phase == PairState::Phase::done) return gain(ratio);
    if (state.phase == PairState::Phase::before && ordinary(state)) return for_ever(state);
    const Key key{state, ratio};
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    const long double best = state.a == 0                              ? special(state, ratio)
                             : state.phase == PairState::Phase::before ? before(state)
                                                                       : after(state, ratio);
    known_.emplace(key, best);
    return best;
  }

 private:
  struct Key {
    PairState state;
    long double ratio;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return PairHash{}(key.state) ^ std::hash<long double>{}(key.ratio) * 0x94D049BB133111EBu;
    }
  };

  long double gain(long double ratio) const { return std::max(0.0L, 1 - alpha_ / ratio); }

  // Both exchanged values have one origin under both series.
  static bool ordinary(const PairState& state) {
    return state.at_c_swapped - state.at_a == state.c - state.a && state.at_c - state.at_a_swapped == state.c - state.a;
  }
  long double for_ever(const PairState& state) const {
    const long double p = law_.stay, q = law_.move;
    return 1 - std::pow(p / (p + q), static_cast<long double>(state.a)) *
                   (std::min(p, alpha_ * q) + std::min(q, alpha_ * p));
  }

  // The probability of each offset but 0 if this many positions are left.
  long double move_with(int left) const {
    return law_.move / (law_.stay + static_cast<long double>(std::min(left, law_.window) - 1) * law_.move);
  }

  static PairState next(PairState state) {
    state.a = static_cast<std::uint8_t>(state.a - 1);
    if (state.phase == PairState::Phase::before) state.c = static_cast<std::uint8_t>(state.c - 1);
    return state;
  }

  // The next value is the same under both. The opponent's gain is linear in the probability of a move, so only the
  // largest and the smallest possible number of positions left need be tried.
  long double before(const PairState& state) {
    const int a = state.a, c = state.c, last = law_.window - 1;
    const long double untouched = value(next(state), 1);
    const long double least = law_.move, most = move_with(c + 1);
    long double best = untouched;
    // It reaches a but not c: under the neighbour, what is at a could not have left now.
    if (a <= last) best = std::max(best, most + (1 - most) * untouched);
    for (int delay = 0; delay + c <= last; ++delay) {
      PairState first = state, second = state;
      first.at_a = second.at_a_swapped = static_cast<std::uint8_t>(delay + a);
      first.at_c_swapped = second.at_c = static_cast<std::uint8_t>(delay + c);
      const long double touched = value(next(first), 1) + value(next(second), 1);
      for (const long double move : {least, most}) best = std::max(best, (1 - 2 * move) * untouched + move * touched);
    }
    return best;
  }

  long double after(const PairState& state, long double ratio) {
    const long double left = value(next(state), ratio), most = move_with(state.a + 1);
    return std::max(left, (1 - most) * left + most * gain(ratio));
  }

  long double special(const PairState& state, long double ratio) {
    const int farthest = state.phase == PairState::Phase::before ? state.c : 0;
    long double best = 0;
    std::vector<PairMove> moves;
    for (int left = farthest + 1; left <= law_.window; ++left) {
      PairState with = state;
      with.left = left == law_.window ? PairState::kNoEnd : static_cast<std::uint8_t>(left);
      moves_of(with, law_, moves);
      long double sum = 0;
      for (PairMove& move : moves) {
        move.to.left = move.to.phase == PairState::Phase::done ? 0 : PairState::kNoEnd;
        move.to.delays = 0;
        sum += move.p * (move.q > 0 ? value(move.to, move.p == move.q ? ratio : ratio * (move.p / move.q)) : 1.0L);
      }
      best = std::max(best, sum);
    }
    return best;
  }

  StaSwitchLaw law_;
  long double alpha_;
  std::unordered_map<Key, long double, Hash> known_;
};

}  // namespace

std::vector<long double> staswitch_games(const StaSwitchLaw& law, long double alpha) {
  Game game(law, alpha);
  std::vector<long double> values{0};
  // Before u is in sight nothing can be told; if it is at once, the opponent may let the steps before it pass.
  for (int distance = 1; distance < law.window; ++distance)
    values.push_back(
        std::min(1.0L, game.value(swapped_pair(law.window - 1, distance, PairState::kNoEnd), 1) * (1 + 1e-15L)));
  return values;
}

long double staswitch_game(const StaSwitchLaw& law, long double alpha) {
  const std::vector<long double> values = staswitch_games(law, alpha);
  return *std::max_element(values.begin(), values.end());
}

}  // namespace chronoveil::accounting
