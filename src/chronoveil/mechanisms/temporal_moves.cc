// How far values move: of the law, and of what was released.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/temporal_mechanism.h"

namespace chronoveil::mechanisms {
namespace {

constexpr std::int64_t kMostSteps = 1'000'000;

// The steps that values typically move, at most: a run must be many times as long for its ends to count for little.
double reach(const TemporalPlan& plan) {
  double steps = static_cast<double>(plan.window);
  if (const auto* sort = std::get_if<accounting::NoisySort>(&plan.event.kind))
    steps *= std::max(1.0, 2 / sort->epsilon);
  return steps;
}

std::int64_t run_length(const TemporalPlan& plan, std::int64_t steps) {
  const double enough = std::min(50 * reach(plan), static_cast<double>(kMostSteps));
  return std::max({steps, plan.window, static_cast<std::int64_t>(enough)});
}

}  // namespace

void MoveCount::add(std::int64_t released_at, const Released& released) {
  if (!released) {
    ++empty_;
    return;
  }
  const std::int64_t displacement = released_at - released->step;
  std::vector<std::int64_t>& counts = displacement < 0 ? ahead_ : behind_;
  const auto distance = static_cast<std::size_t>(std::abs(displacement));
  if (counts.size() <= distance) counts.resize(distance + 1);
  ++counts[distance];
}

Moves MoveCount::moves(std::int64_t steps, std::int64_t missing, std::int64_t window) const {
  Moves moves;
  const auto share = [&](std::int64_t count) {
    return steps > 0 ? static_cast<double>(count) / static_cast<double>(steps) : 0.0;
  };
  double released = 0, distance = 0;
  const auto count = [&](const std::vector<std::int64_t>& counts, std::size_t far) {
    moves.shares.push_back(share(counts[far]));
    released += static_cast<double>(counts[far]);
    distance += static_cast<double>(counts[far]) * static_cast<double>(far);
  };
  for (std::size_t far = ahead_.size(); far-- > 1;) count(ahead_, far);
  moves.first = -static_cast<std::int64_t>(moves.shares.size());
  for (std::size_t far = 0; far < behind_.size(); ++far) count(behind_, far);
  if (behind_.empty()) moves.shares.push_back(0);  // none stayed in place
  moves.mean_distance = released > 0 ? distance / released : 0;
  moves.missing = share(missing);
  moves.empty = share(empty_);
  moves.cost = moves.mean_distance + static_cast<double>(window) * (moves.missing + moves.empty);
  return moves;
}

Result<Moves> expected_moves(const TemporalPlan& plan, std::int64_t steps, std::uint64_t seed,
                             std::optional<std::int64_t> rows) {
  CV_TRY(const TemporalMechanism* mechanism, find_temporal_mechanism(plan.mechanism));
  MoveCount moved;
  if (!mechanism->moves) {
    moved.add(0, TimedValue{});
    return moved.moves(1, 0, 0);
  }
  const bool crowded = rows && static_cast<double>(*rows) < reach(plan);
  const std::int64_t n = crowded ? std::max(*rows, plan.window) : run_length(plan, steps);
  const std::int64_t runs = crowded ? (steps + n - 1) / n : 1;
  BitSource bits = BitSource::with_seed(seed);
  // Values near the ends have fewer places to go; the law is that of the middle, where there is one.
  const std::int64_t first = crowded ? 0 : n / 8, last = n - first;
  std::int64_t counted = 0, empty = 0, missing = 0;
  for (std::int64_t run = 0; run < runs; ++run) {
    CV_TRY(const auto process, mechanism->start(plan));
    std::vector<Released> out;
    std::int64_t released = 0;
    const auto take = [&] {
      for (const Released& each : out) {
        if (!each) ++empty;
        if (each && each->step >= first && each->step < last) {
          moved.add(released, each);
          ++counted;
        }
        ++released;
      }
      out.clear();
    };
    for (std::int64_t step = 0; step < n; ++step) {
      CV_CHECK(process->push({"", step}, bits, out));
      take();
    }
    CV_TRY(const std::int64_t lost, process->finish(bits, out));
    take();
    missing += lost;
  }
  Moves moves = moved.moves(counted, 0, plan.window);
  // Slots stay empty and values go missing at the ends alone; their shares are of the whole run.
  moves.missing = static_cast<double>(missing) / static_cast<double>(n * runs);
  moves.empty = static_cast<double>(empty) / static_cast<double>(n * runs);
  moves.cost += static_cast<double>(plan.window) * (moves.missing + moves.empty);
  return moves;
}

}  // namespace chronoveil::mechanisms
