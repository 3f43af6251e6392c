// How far values move: of the law, and of what was released.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/base/draw_right.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/temporal_mechanism.h"

namespace chronoveil::mechanisms {
namespace {

constexpr std::int64_t kMostSteps = 1'000'000;  // of one series, which is held in memory if it is sorted

// About how many steps values move at most: a run must be many times longer, so that its ends count for little.
double reach(const TemporalPlan& plan) {
  double steps = static_cast<double>(plan.window);
  if (const auto* sort = std::get_if<accounting::NoisySort>(&plan.event.kind))
    steps *= std::max(1.0, 2 / sort->epsilon);
  return steps;
}

// Whether even the longest series would be mostly ends.
bool is_wide(const TemporalPlan& plan) { return 50 * reach(plan) > static_cast<double>(kMostSteps); }

std::int64_t run_length(const TemporalPlan& plan, std::int64_t steps) {
  const double enough = std::min(50 * reach(plan), static_cast<double>(kMostSteps));
  return std::max({std::min(steps, kMostSteps), plan.window, static_cast<std::int64_t>(enough)});
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

namespace {

// Which made-up series are run: long ones without `rows`, or if only the middle of a series counts.
struct MadeUp {
  std::int64_t length = 0, runs = 1;
  std::int64_t ends = 0;    // values at either end that are not counted: they have fewer places to go
  std::int64_t stands_for;  // the length of the series that each represents
};

// The most work for runs of short series: values, and the places that a stream holds for them.
constexpr double kMostWork = 2e7;

MadeUp made_up(const TemporalPlan& plan, std::int64_t steps, std::optional<std::int64_t> rows) {
  const auto wide_enough = static_cast<std::int64_t>(16 * reach(plan));
  const bool crowded = rows && (static_cast<double>(*rows) < reach(plan) || is_wide(plan));
  // Values get lost only at the ends of a series, so the share depends on its length.
  const bool loses = rows && std::holds_alternative<accounting::Threshold>(plan.event.kind);
  if (!crowded && !loses) {
    const std::int64_t length = is_wide(plan) ? wide_enough : run_length(plan, steps);
    return {.length = length, .runs = (steps + length - 1) / length, .ends = length / 8, .stands_for = length};
  }
  const std::int64_t whole = std::max(*rows, plan.window);
  const std::int64_t length = std::min(whole, loses ? run_length(plan, steps) : wide_enough);
  double work = static_cast<double>(length);
  if (const auto* sort = std::get_if<accounting::NoisySort>(&plan.event.kind); sort && sort->max_shift)
    work += 2 * static_cast<double>(*sort->max_shift);
  const std::int64_t wanted = (steps + length - 1) / length;
  return {.length = length,
          .runs = std::max<std::int64_t>(1, std::min(wanted, static_cast<std::int64_t>(kMostWork / work))),
          .ends = length < whole && !loses ? length / 8 : 0,
          .stands_for = whole};
}

// noisy_sort on steps that are `times` as wide. Measured in those steps, its noise is nearly the same, and its scale
// 2(k - 1)/ε exactly.
TemporalPlan coarser(TemporalPlan plan, std::int64_t times) {
  auto& sort = std::get<accounting::NoisySort>(plan.event.kind);
  const auto coarse = [&](std::int64_t steps) {
    return std::max(std::int64_t{1},
                    static_cast<std::int64_t>(std::round(static_cast<double>(steps) / static_cast<double>(times))));
  };
  const std::int64_t shift = coarse(sort.window - 1);
  sort.epsilon *= static_cast<double>(times) * static_cast<double>(shift) / static_cast<double>(sort.window - 1);
  plan.window = sort.window = shift + 1;
  if (sort.plateau) sort.plateau = std::min(coarse(*sort.plateau), shift);
  if (sort.max_shift) {
    sort.max_shift = coarse(*sort.max_shift);
    plan.parameters["max_shift"] = static_cast<double>(*sort.max_shift);
  }
  return plan;
}

// A wide sort would hold too many values at once.
Result<Moves> moves_on_coarser_steps(const TemporalPlan& plan, std::int64_t steps, std::uint64_t seed) {
  const double times = std::ceil(60 * reach(plan) / static_cast<double>(kMostSteps));
  CV_TRY(Moves moves, expected_moves(coarser(plan, static_cast<std::int64_t>(times)), steps, seed));
  for (double* each : {&moves.mean_distance, &moves.cost, &moves.distance_error, &moves.cost_error}) *each *= times;
  moves.first = 0;
  moves.shares.clear();
  return moves;
}

// The mean over parts of the made-up values, and its standard error.
class PartMeans {
 public:
  void add(std::size_t part, double value) {
    sums_[part] += value;
    ++counts_[part];
  }
  double standard_error() const {
    double sum = 0, squares = 0, parts = 0;
    for (std::size_t i = 0; i < kParts; ++i) {
      if (counts_[i] == 0) continue;
      const double mean = sums_[i] / static_cast<double>(counts_[i]);
      sum += mean;
      squares += mean * mean;
      ++parts;
    }
    if (parts < 2) return 0;
    return std::sqrt(std::max(0.0, squares - sum * sum / parts) / (parts - 1) / parts);
  }
  static std::size_t part_of(std::int64_t number, std::int64_t all) {
    return static_cast<std::size_t>(static_cast<double>(number) / static_cast<double>(all) * kParts);
  }

 private:
  static constexpr std::size_t kParts = 32;
  std::array<double, kParts> sums_{};
  std::array<std::int64_t, kParts> counts_{};
};

// To the last decimal place that is at least four standard errors wide: what is shown is then off by less than one in
// that place, except with a probability of at most 0.05.
double to_what_holds(double value, double standard_error) {
  if (!(standard_error > 0) || value == 0) return value;
  const double place = std::pow(10, std::min(std::ceil(std::log10(4 * standard_error)), std::floor(std::log10(value))));
  // Rounded as a decimal would be read: the double nearest to the quotient.
  return place < 1 ? std::round(value / place) / std::round(1 / place) : std::round(value / place) * place;
}

}  // namespace

Moves to_what_holds(Moves moves) {
  moves.mean_distance = to_what_holds(moves.mean_distance, moves.distance_error);
  moves.missing = to_what_holds(moves.missing, moves.missing_error);
  moves.empty = to_what_holds(moves.empty, moves.missing_error);
  moves.cost = to_what_holds(moves.cost, moves.cost_error);
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
  if (!rows && is_wide(plan) && std::holds_alternative<accounting::NoisySort>(plan.event.kind))
    return moves_on_coarser_steps(plan, steps, seed);
  const MadeUp series = made_up(plan, steps, rows);
  const std::int64_t first = series.ends, last = series.length - series.ends;
  DrawRight right = DrawRight::seeded(seed);
  PartMeans distances, losses;
  std::int64_t counted = 0, empty = 0, missing = 0;
  CV_TRY(const auto process, mechanism->start(plan));  // reset after each series
  std::vector<Released> out;
  for (std::int64_t run = 0; run < series.runs; ++run) {
    std::int64_t released = 0;
    const auto take = [&] {
      for (const Released& each : out) {
        if (!each) ++empty;
        if (each && each->step >= first && each->step < last) {
          moved.add(released, each);
          distances.add(PartMeans::part_of(run * series.length + each->step, series.runs * series.length),
                        std::abs(static_cast<double>(released - each->step)));
          ++counted;
        }
        ++released;
      }
      out.clear();
    };
    for (std::int64_t step = 0; step < series.length; ++step) {
      CV_CHECK(process->push({"", step}, right, out));
      take();
    }
    CV_TRY(const std::int64_t lost, process->finish(right, out));
    take();
    missing += lost;
    losses.add(PartMeans::part_of(run, series.runs), static_cast<double>(lost));
  }
  Moves moves = moved.moves(counted, 0, plan.window);
  // Slots stay empty and values go missing only at the ends: the same number per series, whatever its length.
  const auto length = static_cast<double>(series.stands_for);
  const auto share = [&](double all) { return all / static_cast<double>(series.runs) / length; };
  moves.missing = share(static_cast<double>(missing));
  moves.empty = share(static_cast<double>(empty));
  moves.cost += static_cast<double>(plan.window) * (moves.missing + moves.empty);
  moves.distance_error = distances.standard_error();
  moves.missing_error = losses.standard_error() / length;
  moves.cost_error = moves.distance_error + 2 * static_cast<double>(plan.window) * moves.missing_error;
  return moves;
}

}  // namespace chronoveil::mechanisms
