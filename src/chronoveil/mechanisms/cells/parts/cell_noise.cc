#include "chronoveil/mechanisms/cells/parts/cell_noise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "chronoveil/bound/cells/bounded_cells.h"
#include "chronoveil/mechanisms/cells/parts/grouping.h"
#include "chronoveil/mechanisms/parts/budget_check.h"
#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/noise/sampler.h"

namespace chronoveil::mechanisms {
namespace {

constexpr double kUp = 1 + 4 * std::numeric_limits<double>::epsilon();

// A sensitivity is at least one step, and one step must still fit the sampler.
constexpr double kLeastMultiplier = noise::kSmallestScale;
constexpr double kMostMultiplier = 0x1p38;
constexpr double kFinestScale = 0x1p39;

constexpr std::int64_t kMostCells = std::int64_t{1} << 36;
constexpr std::int64_t kMostRecords = std::int64_t{1} << 31;
constexpr std::int64_t kMostPeople = std::int64_t{1} << 53;

Result<void> whole(std::string_view name, std::int64_t value, std::int64_t most) {
  if (value >= 1 && value <= most) return {};
  return invalid(name, std::to_string(value), "a whole number between 1 and " + std::to_string(most));
}

Result<void> check_shape(const CellShape& shape) {
  CV_CHECK(whole("places", shape.places, kMostCells));
  CV_CHECK(whole("steps", shape.steps, kMostCells));
  if (shape.places > kMostCells / shape.steps)
    return fail(ErrorKind::usage, "places and steps", "multiplied, they must be at most 2^36 cells");
  CV_CHECK(whole("means.max_cells", shape.max_cells, kMostPeople));
  if (shape.max_records) CV_CHECK(whole("means.max_records", *shape.max_records, kMostRecords));
  CV_CHECK(whole("means.sparse_below", shape.sparse_below, kMostPeople));
  if (shape.registered) CV_CHECK(whole("means.registered", *shape.registered, kMostPeople));
  // ValueGrid::make refuses bounds that it has no room for.
  CV_TRY([[maybe_unused]] const bound::ValueGrid grid, bound::ValueGrid::make(shape.lower, shape.upper));
  return {};
}

Result<void> check_m_ub(const Parameters& parameters) {
  if (!parameters.contains("m_ub")) return {};
  const std::optional<double> m_ub = auto_or_number(parameters, "m_ub");
  if (!m_ub || (*m_ub >= 1 && *m_ub <= static_cast<double>(kMostRecords) && *m_ub == std::floor(*m_ub))) return {};
  return invalid("mechanism.m_ub", *m_ub,
                 "a whole number between 1 and " + std::to_string(kMostRecords) + ", \"median\" or \"optimised\"");
}

CellsPlan planned(const CellRequest& request, const CellMechanism& mechanism, const Checked& checked) {
  CellsPlan plan;
  plan.mechanism = mechanism.name;
  plan.shape = checked.shape;
  plan.parameters = checked.parameters;
  plan.level = request.level;
  plan.relation = mechanism.relation;
  return plan;
}

accounting::Event repeated(std::vector<accounting::Event> parts, std::int64_t times) {
  if (parts.size() > 1) return {accounting::Compose{std::move(parts)}, times};
  accounting::Event only = std::move(parts.front());
  only.count *= times;
  return only;
}

struct Spending {
  double share = 0;
  accounting::Event event;
  accounting::Price price;
};

using Spend = std::function<Result<Spending>(double share)>;

// The largest share, to within a thousandth of ε, whose price is within ε; the price of `least` is.
Result<Spending> largest_share(const Spend& spend, double epsilon, double least) {
  CV_TRY(Spending good, spend(least));
  Spending bad;
  do {  // shares grow until they cost too much
    CV_TRY(bad, spend(2 * good.share));
    if (bad.price.epsilon <= epsilon) good = bad;
  } while (bad.price.epsilon <= epsilon);
  // log ε is nearly linear in log share: secant steps, kept off the ends, with a bisection every third time.
  constexpr int kMostSteps = 40;
  for (int i = 0; i < kMostSteps && good.price.epsilon < epsilon * (1 - 1e-3); ++i) {
    const double low = std::log(good.share), high = std::log(bad.share);
    const double fall = std::log(bad.price.epsilon / good.price.epsilon);
    const double at = i % 3 == 2 || !std::isfinite(fall) || fall <= 0
                          ? 0.5
                          : std::clamp(std::log(epsilon * (1 - 3e-4) / good.price.epsilon) / fall, 0.01, 0.99);
    CV_TRY(Spending next, spend(std::exp(low + at * (high - low))));
    (next.price.epsilon <= epsilon ? good : bad) = std::move(next);
  }
  return good;
}

double laplace_multiplier(const std::vector<accounting::Event>& parts) {
  double most = 0;
  for (const accounting::Event& part : parts)
    if (const auto* e = std::get_if<accounting::Laplace>(&part.kind)) most = std::max(most, e->noise_multiplier);
  return most;
}

// The scale of the noise, in steps of 2^coarser.
double scale_in_steps(const CellsPlan& plan, Int128 sensitivity, int coarser) {
  const Int128 rounded_up = (sensitivity + (Int128{1} << coarser) - 1) >> coarser;
  return plan.noise_multiplier * static_cast<double>(rounded_up) * kUp;
}

double root_up(std::int64_t n) {
  const double root = std::sqrt(static_cast<double>(n));
  return root * root == static_cast<double>(n) && root == std::floor(root) ? root : root * kUp;
}

Result<CellsPlan> with_gaussian(const CellRequest& request, const CellMechanism& mechanism, const Checked& checked,
                                double l2) {
  if (request.delta == 0) return invalid("delta", 0.0, "greater than 0 for `mechanism.noise` \"gaussian\"");
  CV_TRY(const Epsilon epsilon, Epsilon::make(request.epsilon));
  CV_TRY(const Delta delta, Delta::make(request.delta));
  CV_TRY(const accounting::Calibration found,
         accounting::calibrate({accounting::Gaussian{accounting::kToCalibrate}}, epsilon, delta));
  CellsPlan plan = planned(request, mechanism, checked);
  plan.noise = NoiseKind::gaussian;
  plan.influence = l2;
  plan.noise_multiplier = found.noise * l2 * kUp;
  plan.delta = request.delta;
  plan.event = found.event;
  plan.price = found.price;
  return drawable(std::move(plan));
}

// All cells of a person in one event: its noise is a multiple of what they move together.
Result<CellsPlan> with_joint_laplace(const CellRequest& request, const CellMechanism& mechanism, const Checked& checked,
                                     double l1) {
  CV_TRY(const Epsilon epsilon, Epsilon::make(request.epsilon));
  CV_TRY(const Delta pure, Delta::make(0));
  CV_TRY(const accounting::Calibration found,
         accounting::calibrate({accounting::Laplace{accounting::kToCalibrate}}, epsilon, pure));
  CellsPlan plan = planned(request, mechanism, checked);
  plan.noise = NoiseKind::laplace;
  plan.influence = l1;
  plan.noise_multiplier = found.noise * l1 * kUp;
  plan.share = 1 / plan.noise_multiplier;
  plan.event = found.event;
  plan.price = found.price;
  return drawable(std::move(plan));
}

}  // namespace

ParameterInfo m_ub_parameter() {
  return {.name = "m_ub",
          .meaning = "records of one person that count in a cell: \"optimised\", \"median\", or a number",
          .standard = std::string("optimised"),
          .or_number = true,
          .words = {"optimised", "median"}};
}

ParameterInfo grouping_parameter() {
  return {.name = "grouping",
          .meaning = "how records become arrays: nobody in two of them, or end to end",
          .standard = std::string("best_fit"),
          .words = {"best_fit", "wrap_around"}};
}

ParameterInfo noise_parameter() {
  return {.name = "noise",
          .meaning = "the law of the noise; \"auto\" takes the one with the smaller standard deviation",
          .standard = std::string("auto"),
          .words = {"auto", "laplace", "gaussian"}};
}

Result<Checked> check_request(const CellRequest& request, const CellMechanism& mechanism) {
  CV_CHECK(check_budget_and_level(request));
  CV_CHECK(check_shape(request.shape));
  Checked checked{request.shape, {}};
  checked.shape.max_cells = std::min(checked.shape.max_cells, checked.shape.cells());
  CV_TRY(checked.parameters, resolved(request.parameters, mechanism.name, mechanism.parameters));
  CV_CHECK(check_m_ub(checked.parameters));
  return checked;
}

std::int64_t m_ub_of(const CellsPlan& plan, std::span<const std::uint32_t> counts) {
  if (const std::optional<double> given = auto_or_number(plan.parameters, "m_ub"))
    return static_cast<std::int64_t>(*given);
  return text(plan.parameters, "m_ub") == "median" ? median_m_ub(counts) : optimised_m_ub(counts);
}

Result<CellsPlan> with_shares(const CellRequest& request, const CellMechanism& mechanism, const Checked& checked,
                              std::int64_t touched,
                              const std::function<std::vector<accounting::Event>(double share)>& one_cell) {
  const auto priced = [&](double share, double at) -> Result<Spending> {
    CV_TRY(const Delta delta, Delta::make(at));
    Spending spending{share, repeated(one_cell(share), touched), {}};
    CV_TRY(spending.price, accounting::epsilon_at(spending.event, delta));
    return spending;
  };
  // ε / touched, and a little less where rounding would make it cost more than ε: so much less that the decimal sums of
  // a ledger, which round up, too, stay within ε as well. Else a budget of 4 ε would admit three of these.
  const double even = request.epsilon / static_cast<double>(touched);
  CV_TRY(Spending best, priced(even, 0));
  for (double less = 16 * std::numeric_limits<double>::epsilon(); best.price.epsilon > request.epsilon; less *= 2) {
    CV_TRY(best, priced(even * (1 - less), 0));
  }
  double delta = 0;
  const bool one_noise = best.event.count == 1 && !std::holds_alternative<accounting::Compose>(best.event.kind);
  if (request.delta > 0 && !one_noise) {
    Result<Spending> composed =
        largest_share([&](double share) { return priced(share, request.delta); }, request.epsilon, best.share);
    if (!composed && composed.error().kind != ErrorKind::cannot_certify) return Failure(composed.error());
    if (composed && composed->share >= 1.01 * best.share) {
      best = *std::move(composed);
      delta = request.delta;
    }
  }
  CellsPlan plan = planned(request, mechanism, checked);
  plan.noise = NoiseKind::laplace;
  plan.share = best.share;
  plan.noise_multiplier = laplace_multiplier(one_cell(best.share));
  plan.delta = delta;
  plan.event = std::move(best.event);
  plan.price = std::move(best.price);
  return drawable(std::move(plan));
}

Result<CellsPlan> with_noise(const CellRequest& request, const CellMechanism& mechanism, const Checked& checked,
                             const std::optional<Influence>& joint) {
  const std::string kind = text(checked.parameters, "noise");
  const double l2 = joint ? joint->l2 : root_up(checked.shape.max_cells * mechanism.sums);
  if (kind == "gaussian") return with_gaussian(request, mechanism, checked, l2);
  const auto one_cell = [&](double share) {
    const double multiplier = static_cast<double>(mechanism.sums) / share;
    return std::vector{accounting::Event{accounting::Laplace{multiplier}, mechanism.sums}};
  };
  std::optional<CellsPlan> gaussian;
  if (kind == "auto" && request.delta > 0) {
    CV_TRY(gaussian, with_gaussian(request, mechanism, checked, l2));
  }
  if (gaussian && !joint) {
    // The search for shares is long if there are many cells, and one price may rule it out: Laplace noise with this
    // standard deviation costs too much.
    const double share = static_cast<double>(mechanism.sums) * std::sqrt(2.0) / gaussian->noise_multiplier;
    CV_TRY(const Delta delta, Delta::make(request.delta));
    const Result<accounting::Price> price =
        accounting::epsilon_at(repeated(one_cell(share), checked.shape.max_cells), delta);
    if (!price && price.error().kind != ErrorKind::cannot_certify) return Failure(price.error());
    if (price && price->epsilon_lower > request.epsilon) return *std::move(gaussian);
  }
  CV_TRY(CellsPlan laplace, joint ? with_joint_laplace(request, mechanism, checked, joint->l1)
                                  : with_shares(request, mechanism, checked, checked.shape.max_cells, one_cell));
  const bool narrower = gaussian && standard_deviation(NoiseKind::gaussian, gaussian->noise_multiplier) <
                                        standard_deviation(NoiseKind::laplace, laplace.noise_multiplier);
  return narrower ? *std::move(gaussian) : laplace;
}

Result<CellsPlan> drawable(CellsPlan plan) {
  if (plan.noise_multiplier >= kLeastMultiplier && plan.noise_multiplier <= kMostMultiplier) return plan;
  return fail(ErrorKind::usage, "epsilon",
              "the noise of a cell would be " + shortest(plan.noise_multiplier) +
                  " times what one person can change; it must be between 2^-40 and 2^38 times that");
}

int coarsening(const CellsPlan& plan, Int128 sensitivity) {
  int coarser = 0;
  while (scale_in_steps(plan, sensitivity, coarser) >= kFinestScale) ++coarser;
  return coarser;
}

Result<NoisySum> noisy_sum(const CellsPlan& plan, Int128 sum, Int128 sensitivity, double divisor, double step,
                           Draws& draws) {
  if (sensitivity == 0) return NoisySum{static_cast<double>(sum) / divisor, 0};
  const int coarser = coarsening(plan, sensitivity);
  const double scale = scale_in_steps(plan, sensitivity, coarser);
  // floor(x / 2^j + 1/2): numbers s steps apart become at most ceil(s / 2^j) apart.
  const Int128 half = coarser == 0 ? 0 : Int128{1} << (coarser - 1);
  constexpr Int128 kLimit = noise::kValueLimit;
  const Int128 on_grid = std::clamp<Int128>((sum + half) >> coarser, -kLimit, kLimit);
  const double grid = std::ldexp(1.0, coarser);
  CV_TRY(const std::int64_t noise, draws.noise(plan.noise, scale, grid * step / divisor));
  const std::int64_t noisy = noise::add_noise(static_cast<std::int64_t>(on_grid), noise);
  return NoisySum{static_cast<double>(noisy) * grid / divisor, scale * grid / divisor};
}

CellEstimate estimate_of(const CellsPlan& plan, const NoisySum& sum, double step) {
  const double half_width = noise_half_width(plan.noise, sum.scale, plan.level) * step;
  const double mean = plan.shape.lower + sum.value * step;
  return {.state = CellEstimate::State::published,
          .mean = mean,
          .lower = mean - half_width,
          .upper = mean + half_width,
          .deviation = standard_deviation(plan.noise, sum.scale) * step};
}

// check_request() has made sure that there is such a grid.
double step_of(const CellsPlan& plan) { return bound::ValueGrid::make(plan.shape.lower, plan.shape.upper)->step(); }

double range_of(const CellsPlan& plan) {
  const auto grid = bound::ValueGrid::make(plan.shape.lower, plan.shape.upper);
  return grid->upper_steps() * grid->step();
}

CellFacts with_expected_noise(const CellsPlan& plan, CellFacts facts) {
  facts.scale = plan.noise_multiplier * facts.sensitivity;
  facts.expected_noise = plan.noise == NoiseKind::laplace ? facts.scale : facts.scale * std::sqrt(2 / std::numbers::pi);
  return facts;
}

}  // namespace chronoveil::mechanisms
