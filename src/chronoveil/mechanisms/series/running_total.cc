#include "chronoveil/mechanisms/series/running_total.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chronoveil/mechanisms/live.h"
#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/mechanisms/parts/decaying_sums.h"
#include "chronoveil/mechanisms/parts/total_estimate.h"

namespace chronoveil::mechanisms {
namespace {

constexpr double kUp = 1 + 16 * std::numeric_limits<double>::epsilon();

// Δ₂ or Δ₁ of C x for c = 1, rounded up.
double norm_of(const DecayingWeights& weights, const PublicShape& shape, std::int64_t apart, NoiseKind noise) {
  const std::int64_t T = shape.steps, slots = shape.unit == Unit::user ? std::min(shape.max_steps, shape.series * T)
                                              : shape.unit == Unit::w_event ? shape.width
                                                                            : 1;
  const std::int64_t most = std::min(slots, (T - 1) / apart + 1);  // in one series
  const ColumnNorms of = column_norms(weights, T, apart, most);
  const bool spread = shape.unit == Unit::user && shape.series > 1;
  const auto series = static_cast<double>(shape.series), all = static_cast<double>(slots);
  const double sides = shape.relation == Relation::replace ? 2 : 1;
  if (noise == NoiseKind::laplace) {
    const double one = of.mass.back();
    return sides * (spread ? std::min(series * one, all * of.mass.front()) : one) * kUp;
  }
  double energy = of.energy.back();
  if (spread) {
    double share = 0;
    for (std::size_t k = 1; k <= of.energy.size(); ++k)
      share = std::max(share, of.energy[k - 1] / static_cast<double>(k));
    energy = std::min(series * energy, all * share);
  }
  return std::sqrt(sides * energy) * kUp;
}

// The memory with the least error of the last total. The error hardly ever has two valleys, so the search ends when it
// has risen by a tenth.
double best_memory(const PublicShape& shape, std::int64_t apart, NoiseKind noise) {
  double best = 1, least = std::numeric_limits<double>::infinity();
  for (auto memory = static_cast<double>(shape.steps);; memory = std::max(1.0, memory / 2)) {
    const DecayingWeights weights = decaying_weights(shape.steps, memory);
    const double error = norm_of(weights, shape, apart, noise) * total_spread(weights, shape.steps);
    if (error < least) {
      least = error;
      best = memory;
    }
    if (memory == 1 || error > 1.1 * least) return best;
  }
}

Result<SeriesPlan> plan_of(const Request& request) {
  CV_CHECK(check_request(request, running_total()));
  CV_TRY(Parameters parameters, resolved(request, running_total()));
  const PublicShape& shape = request.shape;
  if (shape.steps > kMostTotalSteps)
    return invalid("steps", std::to_string(shape.steps), "at most 10^6 for running_total");
  const std::int64_t apart = integer(parameters, "separation");
  if (apart < 1 || apart > shape.steps || (apart > 1 && shape.unit != Unit::user))
    return invalid("mechanism.separation", std::to_string(apart),
                   "a whole number between 1 and the number of steps, " + std::to_string(shape.steps) +
                       (shape.unit == Unit::user ? "" : "; more than 1 for unit user only"));
  const NoiseKind noise = request.delta > 0 ? NoiseKind::gaussian : NoiseKind::laplace;
  const bool gaussian = noise == NoiseKind::gaussian;
  if (const auto memory = auto_or_number(parameters, "memory"); !memory)
    parameters["memory"] = best_memory(shape, apart, noise);
  else if (!(*memory >= 1 && *memory <= static_cast<double>(shape.steps)))
    return invalid("mechanism.memory", *memory,
                   "auto or a number between 1 and the number of steps, " + std::to_string(shape.steps));
  const DecayingWeights weights = decaying_weights(shape.steps, number(parameters, "memory"));
  const accounting::Event open = gaussian ? accounting::Event{accounting::Gaussian{accounting::kToCalibrate}}
                                          : accounting::Event{accounting::Laplace{accounting::kToCalibrate}};
  const double exact = static_cast<double>(shape.max_per_slot) * norm_of(weights, shape, apart, noise);
  const double rounding = rounding_of_sums(weights, shape.steps);
  const auto moved = static_cast<double>(shape.steps * shape.touched());
  const auto sensitivity = [&](double grid) {
    return (exact + (gaussian ? std::sqrt(moved) : moved) * (grid + rounding)) * kUp;
  };
  CV_TRY(SeriesPlan plan, calibrated(request, running_total(), std::move(parameters), noise, open, sensitivity,
                                     largest_sum(shape.maximum, 2 * std::sqrt(static_cast<double>(shape.steps)))));
  plan.weights = flat(weights);
  return plan;
}

// Those of the plan. Only plans of versions that did not keep them lack them where there are any.
DecayingWeights weights_of(const SeriesPlan& plan) {
  return plan.weights.empty() ? decaying_weights(plan.shape.steps, number(plan.parameters, "memory"))
                              : weights_in(plan.weights);
}

class RunningTotal final : public LiveProcess {
 public:
  explicit RunningTotal(const SeriesPlan& plan)
      : weights_(weights_of(plan)),
        scale_(plan.scale),
        half_width_(combined_half_width(plan.noise, standard_deviation(plan.noise, plan.scale), plan.level)),
        maximum_(static_cast<double>(plan.shape.maximum)),
        totals_(static_cast<std::size_t>(plan.shape.series), TotalEstimate(weights_)) {}

  Result<void> step(Answers& answers, std::span<LiveValue> out) override {
    for (std::size_t s = 0; s < totals_.size(); ++s) {
      TotalEstimate& total = totals_[s];
      const bool present = answers.present(static_cast<std::int64_t>(s));
      if (present) {
        CV_CHECK(answers.use());
        CV_TRY(const double answer, answers.count(static_cast<std::int64_t>(s), scale_));
        total.answered(answer);
      } else {
        total.missed();
      }
      const double value = total.total();
      const double half_width = half_width_ * std::sqrt(total.variance());
      out[s] = total.has_answers() ? LiveValue{value, value - half_width, value + half_width, present}
                                   : LiveValue{0, 0, maximum_, false};
    }
    return {};
  }

  void save(StateWriter& to) const override {
    for (const TotalEstimate& total : totals_) total.save(to);
  }
  void load(StateReader& from) override {
    for (TotalEstimate& total : totals_) total.load(from);
  }

 private:
  const DecayingWeights weights_;
  double scale_;
  double half_width_;  // of one answer's noise
  double maximum_;
  std::vector<TotalEstimate> totals_;
};

Result<std::unique_ptr<LiveProcess>> make_process(const SeriesPlan& plan) {
  if (!are_weights(plan.weights))
    return fail(ErrorKind::internal, "plan", "the weights of the plan are not those of running totals");
  return std::make_unique<RunningTotal>(plan);
}

std::unique_ptr<CountMemory> make_memory(const SeriesPlan& plan) {
  return decaying_sums(weights_of(plan), plan.shape.series);
}

// Of the last step, which has the most noise.
double last_spread(const SeriesPlan& plan) { return total_spread(weights_of(plan), plan.shape.steps); }

}  // namespace

const SeriesMechanism& running_total() {
  static const SeriesMechanism row{
      .name = "running_total",
      .summary = "running totals, whose error hardly grows with time",
      .units = {Unit::user, Unit::event, Unit::w_event},
      .totals = true,
      .parameters = {{"separation",
                      "steps that lie at least from one slot of a series in which a person counts to the next",
                      std::int64_t{1}},
                     {"memory", "steps that the weights reach back: auto (for the least error) or a number",
                      std::string("auto"), true}},
      .prepare = plan_of,
      .measure = measure_live,
      .reconstruct = reconstruct_live,
      .go_live = make_process,
      .causal = true,
      .remember = make_memory,
      .step_spread = last_spread,
  };
  return row;
}

}  // namespace chronoveil::mechanisms
