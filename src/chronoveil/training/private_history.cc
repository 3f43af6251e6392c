#include "chronoveil/training/private_history.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "chronoveil/accounting/events/chance_of_use.h"
#include "chronoveil/base/rounded_up.h"
#include "chronoveil/noise/grid/grid.h"
#include "chronoveil/training/noised_history.h"

namespace chronoveil::training {
namespace {

// Fills the gaps between kept steps, before the first and after the last, only from kept steps.
void fill_gaps(std::vector<std::optional<double>>& steps, GapFill fill, double otherwise) {
  double sum = 0;
  std::int64_t kept = 0;
  for (const std::optional<double>& step : steps)
    if (step) {
      sum += *step;
      ++kept;
    }
  const double mean = kept > 0 ? sum / static_cast<double>(kept) : otherwise;
  std::optional<std::size_t> before;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i]) continue;
    const std::size_t first = before ? *before + 1 : 0;
    for (std::size_t gap = first; gap < i; ++gap) {
      const double share = before ? static_cast<double>(gap - *before) / static_cast<double>(i - *before) : 1.0;
      const double left = before ? *steps[*before] : *steps[i];
      steps[gap] = fill == GapFill::mean ? mean : left + share * (*steps[i] - left);
    }
    before = i;
  }
  for (std::size_t gap = before ? *before + 1 : 0; gap < steps.size(); ++gap)
    steps[gap] = before && fill == GapFill::linear ? *steps[*before] : mean;
}

std::vector<std::string> limits_of(const PrivateHistory& asked) {
  std::vector<std::string> all;
  all.push_back(
      asked.changed_steps == 1
          ? "What the history does over more than one step is not protected: the guarantee covers one of them."
          : "Somebody who is behind more than " + std::to_string(asked.changed_steps) +
                " steps of the history, of all series together, is protected less: nobody checked.");
  all.emplace_back(
      "Which series are forecast, and when the last row of the input was recorded, are not protected: the forecast "
      "begins after it. Whether a value before that is missing is protected like a value.");
  all.emplace_back(
      "Bounds, rate and every other parameter are public. Bounds that were chosen by looking at the history tell about "
      "it.");
  all.emplace_back(
      "A step that is in the history of several forecasts is protected by all their guarantees together, not by each.");
  all.emplace_back(
      "The series that the model learned from are not protected by this guarantee: what was promised to them stands "
      "with the model.");
  all.emplace_back(
      "What others reveal is not hidden: a model that knows many series says much about one of them without having "
      "read it.");
  all.emplace_back(
      "Whoever can read the history itself, or the machine that holds it, is not stopped by this forecast.");
  return all;
}

struct ValueGrid {
  noise::Grid grid;
  noise::GridBounds bounds;
};
Result<ValueGrid> grid_of(const PrivateHistoryPlan& plan) {
  CV_TRY(const noise::Grid grid, noise::Grid::for_scale(plan.noise));
  CV_TRY(const noise::GridBounds bounds, noise::GridBounds::make(grid, plan.asked.lower, plan.asked.upper));
  return ValueGrid{grid, bounds};
}

}  // namespace

Result<PrivateHistoryPlan> plan_history(const PrivateHistory& asked, std::int64_t channels) {
  if (!(asked.lower < asked.upper) || !std::isfinite(asked.upper - asked.lower))
    return fail(ErrorKind::usage, "upper", "it must be greater than lower, both public and finite");
  if (!(asked.rate > 0 && asked.rate <= 1)) return invalid("rate", asked.rate, "greater than 0 and at most 1");
  PrivateHistoryPlan plan;
  plan.asked = asked;
  CV_TRY(const Epsilon epsilon, Epsilon::make(asked.epsilon));
  // Gaussian noise has no finite ε without δ.
  CV_TRY(const Delta delta, Delta::make_positive(asked.delta));
  accounting::TimeSubsampling open{asked.changed_steps, asked.rate, accounting::kToCalibrate, {}, {}};
  if (Result<void> valid = accounting::validate({open, 1}, true); !valid) {
    Error& error = valid.error();
    error.where.clear();  // the event is ours; what it calls the steps of a person is `max_steps` here
    if (error.parameter == "participation") error.parameter = "max_steps";
    return tl::unexpected(std::move(error));
  }
  if (accounting::delta_covers_use({open, 1}, asked.delta))
    return invalid("rate", asked.rate,
                   "so large that some step of a person is kept with a probability above delta (" +
                       shortest(asked.delta) + "); otherwise delta alone would cover a history without noise");
  CV_TRY(const accounting::Calibration found, accounting::calibrate({open, 1}, epsilon, delta));
  plan.event = found.event;
  plan.price = found.price;
  // Rounded up: never less noise than was priced.
  plan.noise = product_up(product_up(found.noise, difference_up(asked.upper, asked.lower)),
                          root_up(static_cast<double>(channels)));
  CV_CHECK(grid_of(plan));  // known before the debit
  plan.guarantee.unit = asked.changed_steps == 1 ? Unit::event : Unit::user;
  plan.guarantee.relation = Relation::replace_values;
  plan.guarantee.epsilon = found.price.epsilon;
  plan.guarantee.delta = asked.delta;
  plan.guarantee.certificate = found.price.certificate;
  plan.guarantee.assumptions = {
      {"a person's values are at most " + std::to_string(asked.changed_steps) + " steps of what is read",
       Basis::declared},
      {"values are clamped to public bounds", Basis::enforced},
      {"which series there are, and when the last row of the whole input was recorded, after which the forecast "
       "begins, is public: no person decides it",
       Basis::declared},
      {"one forecast; a second one from the same steps is a second debit", Basis::enforced}};
  plan.not_protected = limits_of(asked);
  return plan;
}

namespace {

Result<forecasting::Panel> noised_by(mechanisms::Draws& draws, const forecasting::Panel& panel, std::int64_t context,
                                     const PrivateHistoryPlan& plan) {
  CV_TRY(const ValueGrid on, grid_of(plan));
  const double middle = plan.asked.lower + (plan.asked.upper - plan.asked.lower) / 2;
  forecasting::Panel result{panel.channels, {}};
  for (const forecasting::PanelSeries& series : panel.series) {
    const std::int64_t length = std::min(context, series.length), first = series.length - length;
    forecasting::PanelSeries out{series.key, series.start + first, length, {}};
    out.values.resize(static_cast<std::size_t>(length * panel.channels));
    // A step is kept or not with all its channels; one changed step changes each of them.
    CV_TRY(const std::vector<std::int64_t> kept, draws.keep(length, plan.asked.rate));
    for (std::int64_t channel = 0; channel < panel.channels; ++channel) {
      std::vector<std::int64_t> indices;
      for (const std::int64_t step : kept) {
        const double value = series.values[static_cast<std::size_t>((first + step) * panel.channels + channel)];
        CV_TRY(const std::int64_t exact, on.bounds.to_grid(std::isnan(value) ? middle : value));
        indices.push_back(exact);
      }
      CV_CHECK(draws.add_noise(indices, NoiseKind::gaussian, plan.noise, on.grid.step()));
      std::vector<std::optional<double>> steps(static_cast<std::size_t>(length));
      for (std::size_t i = 0; i < kept.size(); ++i)
        steps[static_cast<std::size_t>(kept[i])] = on.grid.to_real(indices[i]);
      fill_gaps(steps, plan.asked.fill, middle);
      for (std::int64_t step = 0; step < length; ++step)
        out.values[static_cast<std::size_t>(step * panel.channels + channel)] =
            static_cast<float>(*steps[static_cast<std::size_t>(step)]);
    }
    result.series.push_back(std::move(out));
  }
  return result;
}

}  // namespace

Result<forecasting::Panel> noised(const forecasting::Panel& panel, std::int64_t context, const PrivateHistoryPlan& plan,
                                  mechanisms::Draws& draws) {
  if (draws.continues()) return fail(ErrorKind::internal, "forecast", "a run covers steps as they come, not a history");
  CV_CHECK(draws.start(plan.event));
  Result<forecasting::Panel> result = noised_by(draws, panel, context, plan);
  draws.finish();
  return result;
}

}  // namespace chronoveil::training
