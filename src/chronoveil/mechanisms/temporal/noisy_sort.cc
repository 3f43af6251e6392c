#include "chronoveil/mechanisms/temporal/noisy_sort.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chronoveil/accounting/events/moves/noisy_sort.h"
#include "chronoveil/ledger/filters/rounded_text.h"
#include "chronoveil/mechanisms/temporal/common.h"
#include "chronoveil/temporal/noisy_sorting.h"

namespace chronoveil::mechanisms {
namespace {

using accounting::Event;
using accounting::NoisySort;
using Law = NoisySort::Law;

using temporal::kLargestHeldShift;

std::string_view name_of(Law law) { return law == Law::staircase ? "staircase" : "laplace"; }

Result<std::optional<std::int64_t>> shift_in(const Parameters& parameters) {
  const std::optional<double> given = auto_or_number(parameters, "max_shift");
  if (!given) return std::optional<std::int64_t>();
  CV_TRY(const std::int64_t whole, whole_number("mechanism.max_shift", *given, 1, kLargestHeldShift));
  return std::optional(whole);
}

// The event that follows from the plan's parameters, with the ε and the plateau of its event.
Result<NoisySort> sort_of(const TemporalPlan& plan) {
  const auto* said = std::get_if<NoisySort>(&plan.event.kind);
  CV_TRY(const auto shift, shift_in(plan.parameters));
  const std::string& law = text(plan.parameters, "law");
  const bool settled = law != "auto" && (shift || text(plan.parameters, "max_shift") == "none");
  if (said == nullptr || !settled) return disagreement();
  const bool staircase = law == name_of(Law::staircase);
  if (said->plateau.has_value() != staircase) return disagreement();  // the event must say what is drawn
  return NoisySort{.window = plan.window,
                   .epsilon = said->epsilon,
                   .law = staircase ? Law::staircase : Law::laplace,
                   .max_shift = shift,
                   .plateau = said->plateau};
}

temporal::NoisySortLaw kernel_law(const NoisySort& sort) {
  return {.window = sort.window,
          .epsilon = sort.epsilon,
          .law = sort.law == Law::staircase ? temporal::KeyLaw::staircase : temporal::KeyLaw::laplace,
          .max_shift = sort.max_shift,
          .plateau = sort.plateau};
}

Result<Event> event_of(const TemporalPlan& plan) {
  CV_TRY(const NoisySort sort, sort_of(plan));
  return Event{sort, plan.lanes};
}

// Every lane has an equal share of ε, rounded down: δ then only has to cover what max_shift cuts off.
double share_of(const TemporalRequest& request) {
  const double share = request.epsilon / static_cast<double>(request.lanes);
  return request.lanes == 1 ? share : share * (1 - 4 * std::numeric_limits<double>::epsilon());
}

Result<double> delta_of_largest_shift(const TemporalRequest& request, Law law) {
  CV_TRY(const Epsilon epsilon, Epsilon::make(request.epsilon));
  NoisySort sort = accounting::with_plateau({request.window, share_of(request), law, {}});
  sort.max_shift = kLargestHeldShift;
  CV_TRY(const accounting::Price price, named(accounting::delta_at(Event{sort, request.lanes}, epsilon)));
  return price.delta;
}

// No law that the request allows reaches its δ.
Failure too_small_for_a_stream(const TemporalRequest& request) {
  double least = 1;
  for (const Law law : {Law::laplace, Law::staircase}) {
    const auto asked = request.parameters.find("law");
    if (asked != request.parameters.end() && asked->second != Value(std::string("auto")) &&
        asked->second != Value(std::string(name_of(law))))
      continue;
    const Result<double> delta = delta_of_largest_shift(request, law);
    if (!delta) return Failure(delta.error());
    least = std::min(least, *delta);
  }
  return fail(ErrorKind::cannot_certify, "privacy.delta",
              shortest(request.delta) +
                  " is too small for a stream: no max_shift up to 2^24 is enough for it; the smallest possible delta "
                  "is " +
                  ledger::rounded_up(least) + ", with max_shift " + std::to_string(kLargestHeldShift));
}

// The smallest m within (ε, δ): what m cuts off only shrinks as it grows.
Result<Event> with_smallest_shift(const TemporalRequest& request, Law law) {
  CV_TRY(const Delta delta, Delta::make(request.delta));
  NoisySort sort = accounting::with_plateau({request.window, share_of(request), law, {}});
  const auto event_for = [&](std::int64_t m) {
    sort.max_shift = m;
    return Event{sort, request.lanes};
  };
  const auto fits = [&](std::int64_t m) -> Result<bool> {
    CV_TRY(const accounting::Price price, named(accounting::epsilon_at(event_for(m), delta)));
    return price.epsilon <= request.epsilon;
  };
  std::int64_t low = 0, high = 1;
  for (;;) {
    CV_TRY(const bool good, fits(high));
    if (good) break;
    if (high > kLargestHeldShift / 2) return too_small_for_a_stream(request);
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    CV_TRY(const bool good, fits(middle));
    (good ? high : low) = middle;
  }
  return event_for(high);
}

// Refuses what cannot be drawn, before the debit.
Result<TemporalPlan> drawable(const TemporalRequest& request, Parameters parameters, Event event,
                              accounting::Price price) {
  CV_CHECK(named(temporal::check(kernel_law(std::get<NoisySort>(event.kind)))));
  return planned(request, noisy_sort(), std::move(parameters), std::move(event), std::move(price));
}

Result<TemporalPlan> with_law(const TemporalRequest& request, Parameters parameters, Law law) {
  parameters["law"] = std::string(name_of(law));
  CV_TRY(const auto shift, shift_in(parameters));
  if (!shift && text(parameters, "max_shift") == "auto") {
    CV_TRY(const Event event, with_smallest_shift(request, law));
    const std::int64_t found = *std::get<NoisySort>(event.kind).max_shift;
    CV_TRY(accounting::Price price, priced(request, noisy_sort(), event, "mechanism.max_shift", std::to_string(found)));
    parameters["max_shift"] = static_cast<double>(found);
    return drawable(request, std::move(parameters), event, std::move(price));
  }
  CV_TRY(accounting::Calibration found,
         calibrated(request, noisy_sort(),
                    Event{NoisySort{request.window, accounting::kToCalibrate, law, shift}, request.lanes}));
  auto& sort = std::get<NoisySort>(found.event.kind);
  sort = accounting::with_plateau(sort);
  return drawable(request, std::move(parameters), std::move(found.event), std::move(found.price));
}

Result<Parameters> with_kind_of_shift(const TemporalRequest& request, Parameters parameters) {
  if (auto_or_number(parameters, "max_shift")) return parameters;
  const bool given = text(parameters, "max_shift") == "none";
  if (request.streams && given)
    return invalid("mechanism.max_shift", "none",
                   "a number or \"auto\" for a stream: without it no value may leave before the last has come");
  if (request.streams && request.delta == 0)
    return fail(ErrorKind::cannot_certify, "privacy.delta",
                "0 is not possible for a stream; values may leave before the last has come only where "
                "max_shift bounds their noise, and that takes a delta greater than 0, however small");
  if (!request.streams) parameters["max_shift"] = "none";
  return parameters;
}

// Made-up values to find out by which law values move less far: few, since plans are made often.
constexpr std::int64_t kToChoose = 20'000;

Result<TemporalPlan> plan_of(const TemporalRequest& request) {
  CV_CHECK(check_moving(request, noisy_sort()));
  CV_TRY(Parameters parameters, resolved(request.parameters, noisy_sort().name, noisy_sort().parameters));
  CV_TRY(parameters, with_kind_of_shift(request, std::move(parameters)));
  const std::string& law = text(parameters, "law");
  if (law != "auto")
    return with_law(request, parameters, law == name_of(Law::staircase) ? Law::staircase : Law::laplace);
  Result<TemporalPlan> laplace = with_law(request, parameters, Law::laplace);
  Result<TemporalPlan> staircase = with_law(request, parameters, Law::staircase);
  if (!laplace || !staircase) return laplace ? laplace : staircase;
  CV_TRY(const Moves by_laplace, expected_moves(*laplace, kToChoose));
  CV_TRY(const Moves by_staircase, expected_moves(*staircase, kToChoose));
  return by_staircase.cost < by_laplace.cost ? staircase : laplace;
}

// Without a bound on the noise, the last value may be the first to leave.
class WholeFile final : public TemporalProcess {
 public:
  WholeFile(temporal::KeySampler keys, std::int64_t window) : keys_(std::move(keys)), window_(window) {}

  Result<void> push(TimedValue value, DrawRight&, std::vector<Released>&) override {
    values_.push_back(std::move(value));
    return {};
  }
  Result<std::int64_t> finish(DrawRight& right, std::vector<Released>& out) override {
    CV_TRY(BitSource* const bits, right.bits());
    const auto n = static_cast<std::int64_t>(values_.size());
    CV_CHECK(check_long_enough(n, window_));
    CV_TRY(const std::vector<std::uint32_t> order, named(temporal::noisy_order(n, keys_, *bits)));
    out.reserve(out.size() + order.size());
    for (const std::uint32_t step : order) out.emplace_back(std::move(values_[step]));
    values_.clear();
    return 0;
  }

 private:
  temporal::KeySampler keys_;
  std::int64_t window_;
  std::vector<TimedValue> values_;
};

Result<std::unique_ptr<TemporalProcess>> make_process(const TemporalPlan& plan) {
  CV_TRY(const NoisySort sort, sort_of(plan));
  const temporal::NoisySortLaw law = kernel_law(sort);
  CV_CHECK(named(temporal::check(law)));
  if (!law.max_shift) {
    CV_TRY(temporal::KeySampler keys, named(temporal::KeySampler::make(law)));
    return std::make_unique<WholeFile>(std::move(keys), law.window);
  }
  using Kernel = temporal::NoisySorting<TimedValue>;
  CV_TRY(Kernel kernel, named(Kernel::make(law)));
  return std::make_unique<MovingProcess<Kernel>>(std::move(kernel), plan.window);
}

}  // namespace

const TemporalMechanism& noisy_sort() {
  static const TemporalMechanism row{
      .name = "noisy_sort",
      .summary = "values in the order of their step plus noise; needs no delta for whole files",
      .parameters = {{.name = "law",
                      .meaning = "the law of the noise; \"auto\": the one that moves values less far",
                      .standard = "auto",
                      .words = {"auto", "laplace", "staircase"}},
                     {.name = "max_shift",
                      .meaning = "the most noise of a value, in steps, which bounds how late it leaves; \"auto\": "
                                 "\"none\" for a whole file, for a stream the least within epsilon and delta",
                      .standard = "auto",
                      .or_number = true,
                      .words = {"auto", "none"}}},
      .prepare = plan_of,
      .event = event_of,
      .start = make_process};
  return row;
}

}  // namespace chronoveil::mechanisms
