#include "chronoveil/mechanisms/cells/parts/chosen_interval.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "chronoveil/bound/cells/bounded_cells.h"
#include "chronoveil/mechanisms/cells/parts/cell_noise.h"

namespace chronoveil::mechanisms {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What happens in a cell with this share if each choice is said to take `part` of it and a charge.
std::vector<accounting::Event> one_cell(double share, const Choices& choices, double part) {
  const double chosen = std::nextafter(choices.part * share + choices.charge, kInfinity);
  // Exact: the choices take between half of the share and all of it.
  const double noise = share - static_cast<double>(choices.count) * chosen;
  const double spent = part == choices.part ? chosen : std::nextafter(part * share + choices.charge, kInfinity);
  return {accounting::Event{accounting::Exponential{spent}, choices.count},
          accounting::Event{accounting::Laplace{std::nextafter(1 / noise, kInfinity)}}};
}

}  // namespace

double log_weight(double rate, double distance) { return std::max(-rate * distance, kLeastLogWeight); }

Result<CellsPlan> with_choices(const CellRequest& request, const CellMechanism& mechanism, const Choices& choices) {
  CV_TRY(const Checked checked, check_request(request, mechanism));
  if (text(checked.parameters, "grouping") != "best_fit")
    return invalid("grouping", text(checked.parameters, "grouping"),
                   "best_fit for " + std::string(mechanism.name) +
                       ": in arrays that are wrapped around, one user moves two means that are clamped, by more than "
                       "the noise covers");
  const std::int64_t touched = checked.shape.max_cells;
  const double least = 4 * static_cast<double>(choices.count) * choices.charge * static_cast<double>(touched);
  if (request.epsilon < least)
    return invalid(
        "epsilon", request.epsilon,
        "at least " + shortest(least) + " for " + std::string(mechanism.name) + " in " + std::to_string(touched) +
            (touched == 1 ? " cell" : " cells") +
            ": the rounding of its choices is charged, and a smaller epsilon would leave too little for the noise");
  CellRequest certified = request;
  certified.analysis = accounting::Analysis::certified;
  CV_TRY(CellsPlan plan, with_shares(certified, mechanism, checked, touched,
                                     [&](double share) { return one_cell(share, choices, choices.part); }));
  if (choices.times == 1) return plan;
  plan.event = {accounting::Compose{one_cell(plan.share, choices, choices.times * choices.part)}, touched};
  plan.price.analysis = accounting::Analysis::published;
  plan.price.certificate = Certificate::as_published;
  return plan;
}

Result<void> check_choices(const CellsPlan& plan, std::int64_t count, double rate, double charge) {
  if (const auto* parts = std::get_if<accounting::Compose>(&plan.event.kind)) {
    for (const accounting::Event& part : parts->events) {
      const auto* choice = std::get_if<accounting::Exponential>(&part.kind);
      if (choice && part.count >= count && choice->epsilon >= 2 * rate + charge) return {};
    }
  }
  return fail(ErrorKind::internal, "measure", "the choices of the plan spend more than its event says");
}

Arrays arrays_of(const CellsPlan& plan, UserCounts counts) {
  const std::int64_t m_ub = m_ub_of(plan, counts);
  return {m_ub, best_fit(counts, m_ub)};
}

std::int64_t clamped_sum(std::span<const std::uint32_t> means, const Interval& interval) {
  std::int64_t sum = 0;
  for (const std::int64_t mean : means) sum += std::clamp(mean, interval.a, interval.b);
  return sum;
}

Result<CellEstimate> release_clamped(const CellsPlan& plan, std::span<const std::uint32_t> means,
                                     const Interval& interval, Draws& draws) {
  const double step = step_of(plan);
  CV_TRY(const NoisySum sum, noisy_sum(plan, clamped_sum(means, interval), interval.b - interval.a,
                                       static_cast<double>(means.size()), step, draws));
  return estimate_of(plan, sum, step);
}

CellFacts facts_of(const CellsPlan& plan, Arrays arrays, std::int64_t users, double widest, double expected) {
  const double a_step = step_of(plan) / static_cast<double>(arrays.count());
  CellFacts facts;
  facts.users = users;
  facts.m_ub = arrays.m_ub;
  facts.arrays = arrays.count();
  facts.fills = std::move(arrays.grouped.fills);
  facts.sensitivity = widest * a_step;
  facts.scale = plan.noise_multiplier * facts.sensitivity;
  facts.expected_noise = plan.noise_multiplier * expected * a_step;  // the mean of |noise| is its scale b
  return facts;
}

Result<std::int64_t> upper_steps(const CellsPlan& plan) {
  CV_TRY(const bound::ValueGrid grid, bound::ValueGrid::make(plan.shape.lower, plan.shape.upper));
  return std::int64_t{grid.upper_steps()};
}

}  // namespace chronoveil::mechanisms
