#include "chronoveil/mechanisms/series/fast.h"

#include <algorithm>
#include <cmath>

#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/mechanisms/parts/filtered.h"

namespace chronoveil::mechanisms {
namespace {

Result<void> at_least(const Parameters& parameters, std::string_view name, double least) {
  const double value = number(parameters, name);
  if (value >= least && std::isfinite(value)) return {};
  return invalid("mechanism." + std::string(name), value, "a finite number of at least " + shortest(least));
}

Result<void> positive(const Parameters& parameters, std::string_view name) {
  const double value = number(parameters, name);
  if (value > 0 && std::isfinite(value)) return {};
  return invalid("mechanism." + std::string(name), value, "a finite number greater than 0");
}

Result<SeriesPlan> plan_of(const Request& request) {
  CV_CHECK(check_request(request, fast()));
  CV_TRY(Parameters parameters, resolved(request, fast()));
  CV_CHECK(check_filter_parameters(parameters));
  const std::int64_t steps = request.shape.steps;
  std::int64_t queries = integer(parameters, "queries");
  if (queries < 0 || queries > steps)
    return invalid("mechanism.queries", std::to_string(queries),
                   "0 (a quarter of the steps) or between 1 and the number of steps, " + std::to_string(steps));
  if (queries == 0) queries = std::max<std::int64_t>(1, steps / 4);
  parameters["queries"] = queries;
  for (const std::string_view gain : {"proportional", "integral", "derivative"})
    CV_CHECK(at_least(parameters, gain, 0));
  CV_CHECK(at_least(parameters, "min_interval", 1));
  for (const std::string_view name : {"theta", "xi", "sanity_bound"}) CV_CHECK(positive(parameters, name));
  if (const std::int64_t time = integer(parameters, "integration_time"); time < 1)
    return invalid("mechanism.integration_time", std::to_string(time), "at least 1");
  return calibrated_for_questions(request, fast(), std::move(parameters), queries, request.shape.changes());
}

post::PidSettings control_of(const SeriesPlan& plan) {
  const Parameters& all = plan.parameters;
  return {.proportional = number(all, "proportional"),
          .integral = number(all, "integral"),
          .derivative = number(all, "derivative"),
          .window = std::min(integer(all, "integration_time"), plan.shape.steps),
          .theta = number(all, "theta"),
          .xi = number(all, "xi"),
          .shortest = number(all, "min_interval")};
}

// One series with its own questions.
struct Followed {
  FilteredSeries filtered;
  post::PidController control;
  std::int64_t asked = 0;
  std::int64_t next = 0;  // the step to ask next
};

class Fast final : public LiveProcess {
 public:
  explicit Fast(const SeriesPlan& plan)
      : scale_(plan.scale),
        sanity_bound_(number(plan.parameters, "sanity_bound")),
        queries_(integer(plan.parameters, "queries")),
        series_(static_cast<std::size_t>(plan.shape.series),
                {FilteredSeries(plan), post::PidController(control_of(plan))}) {}

  Result<void> step(Answers& answers, std::span<LiveValue> out) override {
    const std::int64_t k = step_++;
    for (std::size_t s = 0; s < series_.size(); ++s) {
      Followed& each = series_[s];
      out[s] = each.filtered.predict();
      if (k < each.next || each.asked >= queries_ || !answers.present(static_cast<std::int64_t>(s))) continue;
      CV_CHECK(answers.use());
      CV_TRY(const double answer, answers.count(static_cast<std::int64_t>(s), scale_));
      const std::optional<double> prior = each.asked > 0 ? std::optional(each.filtered.estimate()) : std::nullopt;
      ++each.asked;
      out[s] = each.filtered.correct(answer);
      std::optional<double> error;
      if (prior) error = std::abs(out[s].value - *prior) / std::max(out[s].value, sanity_bound_);
      each.next = each.control.next(k, error);
    }
    return {};
  }

  void save(StateWriter& to) const override {
    to.put(step_);
    for (const Followed& each : series_) {
      to.put(each.asked);
      to.put(each.next);
      each.filtered.save(to);
      each.control.save(to);
    }
  }
  void load(StateReader& from) override {
    step_ = from.integer();
    for (Followed& each : series_) {
      each.asked = from.integer();
      each.next = from.integer();
      each.filtered.load(from);
      each.control.load(from);
    }
  }

 private:
  double scale_, sanity_bound_;
  std::int64_t queries_;
  std::int64_t step_ = 0;
  std::vector<Followed> series_;
};

Result<std::unique_ptr<LiveProcess>> make_process(const SeriesPlan& plan) { return std::make_unique<Fast>(plan); }

}  // namespace

const SeriesMechanism& fast() {
  static const SeriesMechanism row = [] {
    SeriesMechanism made{
        .name = "fast",
        .summary = "noise on steps chosen while the series runs, and a Kalman filter between them",
        .units = {Unit::user, Unit::event, Unit::w_event},
        .parameters = {{"queries", "m: steps asked in all, at most; 0 is a quarter of them", std::int64_t{0}},
                       {"proportional", "C_p, the weight of the last error", 0.9},
                       {"integral", "C_i, the weight of the mean of past errors", 0.1},
                       {"derivative", "C_d, the weight of the change of the error", 0.0},
                       {"integration_time", "T_i: steps asked at first, and errors in the mean", std::int64_t{20}},
                       {"theta", "θ: the most by which an interval grows at once, in steps", 5.0},
                       {"xi", "ξ: the error at which the interval stays", 0.4},
                       {"min_interval", "s_min: the least steps between two questions", 1.0},
                       {"sanity_bound", "values below this count as this in relative errors", 1.0}},
        .prepare = plan_of,
        .measure = measure_live,
        .reconstruct = reconstruct_live,
        .go_live = make_process,
        .causal = true,
    };
    for (const ParameterInfo& info : filter_parameters()) made.parameters.push_back(info);
    return made;
  }();
  return row;
}

}  // namespace chronoveil::mechanisms
