// Neighbours by brute force: what one person can be, and how far apart what is measured can get.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "chronoveil/accounting/events/subsampled/filter_kernel.h"
#include "setting.h"

namespace chronoveil::mechanisms::testing {

using Counts = std::vector<std::int64_t>;

class Neighbours {
 public:
  Neighbours(const PublicShape& shape, std::uint64_t seed) : shape_(shape), random_(seed) {
    if (shape.unit == Unit::user)
      add_cells(0, std::min(shape.max_steps, shape.series * shape.steps), empty());
    else
      add_windows(shape.unit == Unit::event ? 1 : std::min(shape.width, shape.steps));
  }

  // The largest distance, in units of what the plan and its event allow: at most 1 when the plan is sound.
  double worst(const SeriesMechanism& row, const SeriesPlan& plan) {
    double worst = 0;
    for_each([&](const Counts& one, const Counts& other) {
      Counts base = empty();
      for (std::int64_t& count : base) count = uniform(0, 9);
      const std::vector<double> a = without_noise(row, plan, sum(base, one));
      const std::vector<double> b = without_noise(row, plan, sum(base, other));
      worst = std::max(worst, distance(plan, a, b));
    });
    return worst;
  }

  // Pairs of what one neighbour adds to counts that are the same otherwise.
  void for_each(const std::function<void(const Counts& one, const Counts& other)>& visit) {
    if (shape_.relation == Relation::add_remove) {
      for (const Counts& person : people_) visit(empty(), person);
      return;
    }
    const std::int64_t last = static_cast<std::int64_t>(people_.size()) - 1;
    for (int i = 0; i < 600; ++i)
      visit(people_[static_cast<std::size_t>(uniform(0, last))], people_[static_cast<std::size_t>(uniform(0, last))]);
  }

 private:
  Counts empty() const { return Counts(static_cast<std::size_t>(shape_.series * shape_.steps), 0); }
  std::int64_t uniform(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  static Counts sum(Counts a, const Counts& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  }

  // Every choice of at most `left` further cells, each full, and once more with less in it.
  void add_cells(std::size_t from, std::int64_t left, const Counts& person) {
    people_.push_back(person);
    Counts less = person;
    for (std::int64_t& count : less) count = count == 0 ? 0 : uniform(1, shape_.max_per_slot);
    people_.push_back(less);
    if (left == 0) return;
    for (std::size_t cell = from; cell < person.size(); ++cell) {
      Counts more = person;
      more[cell] = shape_.max_per_slot;
      add_cells(cell + 1, left - 1, more);
    }
  }

  // Every window, each of its slots filled in one series, or spread over the series at random.
  void add_windows(std::int64_t width) {
    for (std::int64_t first = 0; first + width <= shape_.steps; ++first) {
      for (std::int64_t way = -1; way < shape_.series + 4; ++way) {
        Counts person = empty();
        for (std::int64_t t = first; t < first + width && way >= 0; ++t) {
          for (std::int64_t one = 0; one < shape_.max_per_slot; ++one) {
            const std::int64_t series = way < shape_.series ? way : uniform(0, shape_.series - 1);
            ++person[static_cast<std::size_t>(series * shape_.steps + t)];
          }
        }
        people_.push_back(person);
      }
    }
  }

  static double distance(const SeriesPlan& plan, const std::vector<double>& a, const std::vector<double>& b) {
    double l1 = 0, squares = 0, highest = 0;
    std::int64_t moved = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double d = std::abs(a[i] - b[i]);
      l1 += d;
      squares += d * d;
      highest = std::max(highest, d);
      moved += d > 0 ? 1 : 0;
    }
    if (std::holds_alternative<accounting::Laplace>(plan.event.kind)) return l1 / plan.sensitivity;
    if (std::holds_alternative<accounting::Gaussian>(plan.event.kind)) return std::sqrt(squares) / plan.sensitivity;
    const auto& event = std::get<accounting::TimeSubsampling>(plan.event.kind);
    if (!event.filter_width)
      return std::max(highest / plan.sensitivity,
                      static_cast<double>(moved) / static_cast<double>(event.participation));
    const accounting::FilterReach reach =
        accounting::filter_reach(accounting::filter_kernel(*event.length, *event.filter_width), event.participation);
    return std::max(highest / std::sqrt(reach.highest), std::sqrt(squares / reach.energy)) / plan.sensitivity;
  }

  PublicShape shape_;
  std::mt19937_64 random_;
  std::vector<Counts> people_;
};

// Of every unit that a mechanism protects, both relations and several small shapes: `worst(request)`, how far apart two
// neighbours get in units of what is planned for, is at most 1, and is nearly that for one of them. Nothing: no plan
// can be certified.
inline void expect_worst_as_planned(
    const SeriesMechanism& row, const std::vector<double>& deltas,
    const std::function<Request(std::int64_t series, std::int64_t steps, double delta)>& request_of,
    const std::function<std::optional<double>(const Request&)>& worst) {
  struct Case {
    std::int64_t series, steps, cap, per_slot, width;
  };
  for (const Unit unit : row.units) {
    for (const double delta : deltas) {
      double tightest = 0;
      for (const Relation relation : {Relation::add_remove, Relation::replace}) {
        for (const Case& c : {Case{1, 1, 1, 1, 1}, Case{1, 2, 1, 3, 2}, Case{2, 3, 3, 1, 2}, Case{3, 4, 2, 3, 3},
                              Case{1, 7, 3, 2, 3}, Case{2, 6, 3, 1, 2}, Case{1, 12, 2, 1, 9}}) {
          Request request = request_of(c.series, c.steps, delta);
          request.shape.unit = unit;
          request.shape.relation = relation;
          request.shape.max_steps = c.cap;
          request.shape.max_per_slot = c.per_slot;
          request.shape.width = c.width;
          const std::optional<double> found = worst(request);
          if (!found) continue;
          EXPECT_LE(*found, 1) << name(unit) << ", " << name(relation) << ", " << c.series << " x " << c.steps;
          tightest = std::max(tightest, *found);
        }
      }
      EXPECT_GT(tightest, 0.999) << name(unit) << ": no more noise than the worst neighbour needs";
    }
  }
}

}  // namespace chronoveil::mechanisms::testing
