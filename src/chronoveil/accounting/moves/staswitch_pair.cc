#include "chronoveil/accounting/moves/staswitch_pair.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

namespace chronoveil::accounting {
namespace {

// Logarithms of ratios in steps of 1e-14: equal ratios meet in one entry. Ratios that differ by rounding stay two
// entries, which costs only time.
std::int64_t ratio_key(long double p, long double q) { return p == q ? 0 : std::llround(std::log(p / q) * 1e14L); }

struct Entry {
  std::int64_t key;
  long double p, q;
};

// Few entries: a sorted vector.
void add(std::vector<Entry>& entries, std::int64_t key, long double p, long double q) {
  const auto at = std::lower_bound(entries.begin(), entries.end(), key,
                                   [](const Entry& entry, std::int64_t wanted) { return entry.key < wanted; });
  if (at != entries.end() && at->key == key) {
    at->p += p;
    at->q += q;
  } else {
    entries.insert(at, {key, p, q});
  }
}

PairLoss to_loss(const std::vector<Entry>& entries, long double infinite) {
  PairLoss loss;
  loss.infinite = infinite;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (entry->key > 0) loss.atoms.push_back({entry->p, entry->q});
    if (entry->key == 0) loss.zero = entry->p;
  }
  return loss;
}

// Delays do not matter beyond every position that u, v or their replacements can still reach under both series:
// forgetting them merges states.
void forget_beyond(PairState& state, int window) {
  const int last = window - 1;
  int reach = 0;
  if (state.phase == PairState::Phase::before) {
    const int first = std::min(state.a - state.at_a, state.c - state.at_c_swapped);
    const int second = std::min(state.c - state.at_c, state.a - state.at_a_swapped);
    reach = std::max({static_cast<int>(state.c), first + last, second + last});
  } else {
    reach = state.a + last - std::max(state.at_a, state.at_a_swapped);
  }
  if (reach < window) state.delays &= (std::uint64_t{1} << (4 * reach)) - 1;
}

PairState advanced(PairState state, int window) {
  state.delays >>= 4;
  state.a = static_cast<std::uint8_t>(state.a - 1);
  if (state.phase == PairState::Phase::before) state.c = static_cast<std::uint8_t>(state.c - 1);
  if (state.left != PairState::kNoEnd) state.left = static_cast<std::uint8_t>(state.left - 1);
  forget_beyond(state, window);
  return state;
}

PairState finished() {
  PairState state;
  state.phase = PairState::Phase::done;
  return state;
}

std::uint8_t byte(int value) { return static_cast<std::uint8_t>(value); }

// The values are in the same places from here on; the one at `position` was delayed by this much under S and under S'.
PairState merged(const PairState& state, int position, int delay, int swapped, int window) {
  if (delay == swapped) return finished();
  PairState to = state;
  to.phase = PairState::Phase::after;
  to.a = byte(position);
  to.at_a = byte(delay);
  to.at_a_swapped = byte(swapped);
  to.c = to.at_c = to.at_c_swapped = 0;
  to.set_delay(position, 0);
  return advanced(to, window);
}

}  // namespace

StaSwitchLaw staswitch_law(std::int64_t window, double stay) {
  const long double p = stay;
  return {static_cast<int>(window), p, (1 - p) / static_cast<long double>(window - 1)};
}

long double StaSwitchLaw::probability(int delay, int offset, int left) const {
  const int positions = std::min(window, left), farthest = window - 1 - delay;
  if (offset >= positions || offset > farthest) return 0;
  const long double all = positions == window ? 1.0L : stay + static_cast<long double>(positions - 1) * move;
  if (offset > 0) return move / all;
  return (stay + static_cast<long double>(std::max(0, positions - 1 - farthest)) * move) / all;
}

void PairState::set_delay(int position, int value) {
  delays &= ~(std::uint64_t{15} << (4 * position));
  delays |= static_cast<std::uint64_t>(value) << (4 * position);
}

std::size_t PairHash::operator()(const PairState& state) const {
  std::uint64_t rest = static_cast<std::uint64_t>(state.phase);
  for (const std::uint8_t part :
       {state.a, state.c, state.at_a, state.at_a_swapped, state.at_c, state.at_c_swapped, state.left})
    rest = rest << 8 | part;
  std::uint64_t hash = (state.delays * 0x9E3779B97F4A7C15u) ^ rest;
  hash = (hash ^ (hash >> 29)) * 0xBF58476D1CE4E5B9u;
  return hash ^ (hash >> 32);
}

void moves_of(const PairState& state, const StaSwitchLaw& law, std::vector<PairMove>& moves) {
  moves.clear();
  const int window = law.window, left = state.left;
  const bool before = state.phase == PairState::Phase::before;
  const bool special = state.a == 0;
  const int delay = special ? state.at_a : state.delay(0);
  const int swapped = special ? state.at_a_swapped : delay;
  for (int offset = 0; offset < window; ++offset) {
    const long double p = law.probability(delay, offset, left);
    if (!(p > 0)) continue;
    // Under S' the two exchanged values are found at each other's position.
    int elsewhere = offset;
    if (before && offset == state.a) elsewhere = state.c;
    if (before && offset == state.c) elsewhere = state.a;
    const long double q = law.probability(swapped, elsewhere, left);
    PairState to = state;
    if (!(q > 0)) {
      // Nothing is left to compare.
    } else if (before && special && offset == 0) {
      to = merged(state, state.c, state.at_c, swapped + state.c, window);
    } else if (before && special && offset == state.c) {
      to = merged(state, state.c, delay + state.c, state.at_c_swapped, window);
    } else if (before && !special && offset == state.a) {
      to.at_a = byte(delay + state.a);
      to.at_c_swapped = byte(delay + state.c);
      to = advanced(to, window);
    } else if (before && !special && offset == state.c) {
      to.at_c = byte(delay + state.c);
      to.at_a_swapped = byte(delay + state.a);
      to = advanced(to, window);
    } else if (special && offset > 0) {
      to.set_delay(offset, 0);
      to.a = byte(offset);
      to.at_a = byte(delay + offset);
      to.at_a_swapped = byte(swapped + offset);
      if (before && to.a > to.c) {
        std::swap(to.a, to.c);
        std::swap(to.at_a, to.at_c);
        std::swap(to.at_a_swapped, to.at_c_swapped);
      }
      to = advanced(to, window);
    } else if (!before && (special || offset == state.a)) {
      to = finished();
    } else {
      if (offset > 0) to.set_delay(offset, delay + offset);
      to = advanced(to, window);
    }
    moves.push_back({to, p, q, offset, elsewhere});
  }
}

PairState swapped_pair(int first, int distance, int left) {
  PairState state;
  state.a = byte(first);
  state.c = byte(first + distance);
  state.left = byte(left);
  return state;
}

std::vector<std::uint64_t> backgrounds(int window) {
  // What stands at position s came from m steps before the window, s + m < k, each from another one.
  std::vector<std::uint64_t> all{0};
  std::vector<unsigned> taken{0};
  for (int position = 0; position + 1 < window; ++position) {
    const std::size_t known = all.size();
    for (std::size_t i = 0; i < known; ++i) {
      for (int back = 1; position + back < window; ++back) {
        if (taken[i] >> back & 1) continue;
        all.push_back(all[i] | static_cast<std::uint64_t>(position + back) << (4 * position));
        taken.push_back(taken[i] | 1u << back);
      }
    }
  }
  return all;
}

long double PairLoss::delta(long double alpha) const {
  long double sum = infinite;
  for (const Atom& atom : atoms) sum += std::max(0.0L, atom.p - alpha * atom.q);
  return sum;
}

long double PairLoss::largest_ratio() const { return atoms.empty() ? 1 : atoms.front().p / atoms.front().q; }

bool dominates(const PairLoss& whole, const PairLoss& other) {
  constexpr long double kRounding = 1e-14L;
  auto above = [&](long double alpha) { return other.delta(alpha) <= whole.delta(alpha) + kRounding; };
  if (!(other.infinite <= whole.infinite + kRounding) || !above(1)) return false;
  for (const PairLoss::Atom& atom : whole.atoms)
    if (!above(atom.p / atom.q)) return false;
  return above(std::max(whole.largest_ratio(), other.largest_ratio()));
}

PairLoss loss_from(const PairState& start, const StaSwitchLaw& law) {
  constexpr long double kNegligible = 1e-22L;
  std::unordered_map<PairState, std::vector<Entry>, PairHash> now, next;
  std::vector<Entry> done;
  std::vector<PairMove> moves;
  long double infinite = 0, pending = 1;
  now[start] = {{0, 1, 1}};
  while (pending > kNegligible) {
    next.clear();
    pending = 0;
    for (const auto& [state, entries] : now) {
      moves_of(state, law, moves);
      long double mass = 0;
      for (const Entry& entry : entries) mass += entry.p;
      for (const PairMove& move : moves) {
        if (!(move.q > 0)) {
          infinite += mass * move.p;
          continue;
        }
        const bool ends = move.to.phase == PairState::Phase::done;
        if (!ends) pending += mass * move.p;
        const std::int64_t key = ratio_key(move.p, move.q);
        std::vector<Entry>& into = ends ? done : next[move.to];
        for (const Entry& entry : entries) add(into, entry.key + key, entry.p * move.p, entry.q * move.q);
      }
    }
    now.swap(next);
  }
  return to_loss(done, infinite + pending);
}

struct PairLosses::Memory {
  StaSwitchLaw law;
  struct Known {
    std::vector<Entry> entries;
    long double infinite = 0;
    int steps = 0;
  };
  std::unordered_map<PairState, Known, PairHash> known;

  const Known& from(const PairState& state) {
    if (const auto found = known.find(state); found != known.end()) return found->second;
    Known sum;
    if (state.phase == PairState::Phase::done) {
      sum.entries = {{0, 1, 1}};
    } else {
      std::vector<PairMove> moves;
      moves_of(state, law, moves);
      for (const PairMove& move : moves) {
        if (!(move.q > 0)) {
          sum.infinite += move.p;
          continue;
        }
        const Known& part = from(move.to);
        const std::int64_t key = ratio_key(move.p, move.q);
        for (const Entry& entry : part.entries) add(sum.entries, entry.key + key, entry.p * move.p, entry.q * move.q);
        sum.infinite += part.infinite * move.p;
        sum.steps = std::max(sum.steps, 1 + part.steps);
      }
    }
    return known.emplace(state, std::move(sum)).first->second;
  }
};

PairLosses::PairLosses(const StaSwitchLaw& law) : memory_(std::make_unique<Memory>()) { memory_->law = law; }
PairLosses::~PairLosses() = default;

PairLoss PairLosses::from(const PairState& state) {
  const Memory::Known& known = memory_->from(state);
  return to_loss(known.entries, known.infinite);
}

int PairLosses::steps(const PairState& state) { return memory_->from(state).steps; }

}  // namespace chronoveil::accounting
