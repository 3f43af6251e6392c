#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "chronoveil/accounting/moves/staswitch_graph.h"
#include "chronoveil/base/interrupted.h"

namespace chronoveil::accounting {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// How many offsets a value that was delayed by this much loses to staying.
int lost_offsets(int window, int delay, int positions) { return std::max(0, positions - window + delay); }

}  // namespace

// Numbers states as they are met. Once the values have met, PairState::c is free and holds the ratio at which they did:
// e for (p + eq)/q, window + e for q/(p + eq).
class SwapGraph::Builder {
 public:
  explicit Builder(SwapGraph& graph)
      : graph_(graph),
        law_(staswitch_law(graph.window_, 0.5)),  // every p in (0, 1) has the same choices
        coarse_(graph.ends_ == Ends::coarse),
        slots_(1024, kNone) {}

  void build() {
    const int k = law_.window;
    make_leaves();
    const std::vector<std::uint64_t> all = backgrounds(k);
    for (const std::uint64_t background : all) number_of(unseen_pair(background));
    for (const std::uint64_t background : all) go_back(background);
    graph_.first_earlier_.push_back(static_cast<std::uint32_t>(graph_.earlier_to_.size()));
    for (int first = 0; first < k; ++first)
      graph_.starts_.push_back(number_of(swapped_pair(first, graph_.distance_, PairState::kNoEnd)));
    for (std::size_t i = 0; i < states_.size() && !interrupted(); ++i) expand(states_[i]);
    if (interrupted()) return;  // nobody looks at half a graph
    graph_.first_edge_.push_back(static_cast<std::uint32_t>(graph_.to_.size()));
    for (std::size_t i = 0; i < all.size(); ++i) graph_.backgrounds_.push_back(inner_ + static_cast<std::uint32_t>(i));
    states_.shrink_to_fit();
    slots_ = {};
    const std::vector<std::uint32_t> ordered = order();
    if (!interrupted()) renumber(ordered);
  }

 private:
  void make_leaves() {
    const int k = law_.window;
    graph_.first_edge_.assign(1, 0);
    graph_.or_.assign(1, 0);
    for (int meeting = 0; meeting < 2 * k; ++meeting)
      for (int lost = 0; lost < k; ++lost)
        for (int swapped = 0; swapped < k; ++swapped) {
          graph_.leaves_.push_back({meeting, lost, swapped});
          graph_.first_edge_.push_back(0);
          graph_.or_.push_back(0);
        }
    inner_ = static_cast<std::uint32_t>(graph_.first_edge_.size());
  }
  std::uint32_t leaf(int meeting, int lost, int swapped) const {
    const int k = law_.window;
    return static_cast<std::uint32_t>(1 + (meeting * k + lost) * k + swapped);
  }

  std::uint32_t number_of(const PairState& state) {
    if (2 * states_.size() >= slots_.size()) grow();
    std::size_t slot = PairHash{}(state) & (slots_.size() - 1);
    for (; slots_[slot] != kNone; slot = (slot + 1) & (slots_.size() - 1))
      if (states_[slots_[slot]] == state) return inner_ + slots_[slot];
    slots_[slot] = static_cast<std::uint32_t>(states_.size());
    states_.push_back(state);
    return inner_ + slots_[slot];
  }
  void grow() {
    slots_.assign(2 * slots_.size(), kNone);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      std::size_t slot = PairHash{}(states_[i]) & (slots_.size() - 1);
      while (slots_[slot] != kNone) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = static_cast<std::uint32_t>(i);
    }
  }

  PairState unseen_pair(std::uint64_t background) const {
    PairState state = swapped_pair(law_.window - 1, graph_.distance_, PairState::kNoEnd);
    state.delays = background;
    return state;
  }

  // The steps before: one value after the other leaves, and neither of the two can be reached yet.
  void go_back(std::uint64_t background) {
    const int k = law_.window;
    const PairState now = unseen_pair(background);
    graph_.first_earlier_.push_back(static_cast<std::uint32_t>(graph_.earlier_to_.size()));
    for (int offset = 0; offset + now.delay(0) < k; ++offset) {
      PairState next = now;
      if (offset > 0) next.set_delay(offset, now.delay(0) + offset);
      graph_.earlier_to_.push_back(number_of(unseen_pair(next.delays >> 4)) - inner_);
      const int lost = lost_offsets(k, now.delay(0), k);
      graph_.earlier_weight_.push_back(static_cast<std::uint8_t>(place(k, k, offset == 0 ? lost : k)));
    }
  }

  void expand(const PairState state) {
    const int k = law_.window, positions = std::min<int>(k, state.left);
    const bool before = state.phase == PairState::Phase::before, special = state.a == 0;
    const int lost = lost_offsets(k, special ? state.at_a : state.delay(0), positions);
    const int lost_swapped = special ? lost_offsets(k, state.at_a_swapped, positions) : lost;
    graph_.first_edge_.push_back(static_cast<std::uint32_t>(graph_.to_.size()));
    const int farthest = before ? state.c : state.a;
    std::uint32_t other = 0;
    if (state.left == PairState::kNoEnd && farthest <= k - 2) {
      PairState ending = state;
      ending.left = static_cast<std::uint8_t>(k - 1);
      if (coarse_) ending.delays = 0;
      other = number_of(ending);
    } else if (coarse_ && state.left != PairState::kNoEnd && !special && state.delay(0) < k - 1) {
      PairState longer = state;
      longer.set_delay(0, state.delay(0) + 1);
      other = number_of(longer);
    }
    graph_.or_.push_back(other);
    moves_of(state, law_, moves_);
    for (const PairMove& move : moves_) {
      std::uint32_t to = 0;
      if (move.q > 0) {
        const bool met = before && move.to.phase != PairState::Phase::before;
        const int meeting = !met ? state.c : move.offset == 0 ? lost : k + lost_swapped;
        if (move.to.phase == PairState::Phase::done) {
          const bool leaves = !before && special && move.offset == 0;
          to = leaf(meeting, leaves ? lost : 0, leaves ? lost_swapped : 0);
        } else {
          PairState next = move.to;
          if (coarse_ && next.left != PairState::kNoEnd) next.delays = 0;
          if (next.phase == PairState::Phase::after) next.c = static_cast<std::uint8_t>(meeting);
          to = number_of(next);
        }
      }
      graph_.to_.push_back(to);
      graph_.weight_.push_back(static_cast<std::uint8_t>(place(k, positions, move.offset == 0 ? lost : k)));
    }
  }

  // Depth-first search: a node is done when all its successors are.
  std::vector<std::uint32_t> order() {
    const auto count = static_cast<std::uint32_t>(graph_.nodes());
    enum : std::uint8_t { unseen, open, done };
    std::vector<std::uint8_t> seen(count, unseen);
    struct Visit {
      std::uint32_t node, next;
      bool turned = false;
    };
    std::vector<Visit> path;
    std::vector<std::uint32_t> order;
    order.reserve(states_.size());
    auto visit = [&](std::uint32_t node) {
      if (node < inner_) return;
      if (seen[node] == open) graph_.cyclic_ = true;
      if (seen[node] != unseen) return;
      seen[node] = open;
      path.push_back({node, graph_.first_edge_[node]});
    };
    for (std::uint32_t start = inner_; start < count; ++start) {
      visit(start);
      while (!path.empty()) {
        if (interrupted()) return {};
        Visit& last = path.back();
        if (!last.turned) {
          last.turned = true;
          visit(graph_.or_[last.node]);
        } else if (last.next < graph_.first_edge_[last.node + 1]) {
          visit(graph_.to_[last.next++]);
        } else {
          seen[last.node] = done;
          order.push_back(last.node);
          path.pop_back();
        }
      }
    }
    // Once the end is in sight it stays in sight: these states lead to no others.
    std::stable_partition(order.begin(), order.end(),
                          [&](std::uint32_t node) { return states_[node - inner_].left != PairState::kNoEnd; });
    return order;
  }

  void renumber(const std::vector<std::uint32_t>& order) {
    std::vector<std::uint32_t> number(graph_.nodes());
    std::iota(number.begin(), number.begin() + static_cast<std::ptrdiff_t>(inner_), 0u);
    graph_.first_endless_ = inner_;
    for (std::size_t i = 0; i < order.size(); ++i) {
      number[order[i]] = inner_ + static_cast<std::uint32_t>(i);
      graph_.first_endless_ += states_[order[i] - inner_].left != PairState::kNoEnd;
    }
    std::vector<std::uint32_t> first_edge(graph_.first_edge_.begin(),
                                          graph_.first_edge_.begin() + static_cast<std::ptrdiff_t>(inner_));
    std::vector<std::uint32_t> others(graph_.or_.size(), 0), to;
    std::vector<std::uint8_t> weight;
    first_edge.reserve(graph_.first_edge_.size());
    to.reserve(graph_.to_.size());
    weight.reserve(graph_.weight_.size());
    for (const std::uint32_t node : order) {
      others[number[node]] = number[graph_.or_[node]];
      first_edge.push_back(static_cast<std::uint32_t>(to.size()));
      for (std::uint32_t edge = graph_.first_edge_[node]; edge < graph_.first_edge_[node + 1]; ++edge) {
        to.push_back(number[graph_.to_[edge]]);
        weight.push_back(graph_.weight_[edge]);
      }
    }
    first_edge.push_back(static_cast<std::uint32_t>(to.size()));
    graph_.first_edge_ = std::move(first_edge);
    graph_.to_ = std::move(to);
    graph_.weight_ = std::move(weight);
    graph_.or_ = std::move(others);
    for (std::uint32_t& node : graph_.starts_) node = number[node];
    for (std::uint32_t& node : graph_.backgrounds_) node = number[node];
  }

  SwapGraph& graph_;
  StaSwitchLaw law_;
  bool coarse_;
  std::uint32_t inner_ = 0;
  std::vector<PairState> states_;
  std::vector<std::uint32_t> slots_;
  std::vector<PairMove> moves_;
};

SwapGraph::SwapGraph(int window, int distance, Ends ends) : window_(window), distance_(distance), ends_(ends) {
  Builder(*this).build();
}

}  // namespace chronoveil::accounting
