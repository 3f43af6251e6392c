#include "chronoveil/mechanisms/series/fixed_rate.h"

#include <algorithm>

#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/mechanisms/parts/filtered.h"

namespace chronoveil::mechanisms {
namespace {

// ceil(a / b)
std::int64_t times(std::int64_t a, std::int64_t b) { return (a - 1) / b + 1; }

Result<SeriesPlan> plan_of(const Request& request) {
  CV_CHECK(check_request(request, fixed_rate()));
  CV_TRY(Parameters parameters, resolved(request, fixed_rate()));
  CV_CHECK(check_filter_parameters(parameters));
  const std::int64_t interval = integer(parameters, "interval");
  if (interval < 1) return invalid("mechanism.interval", std::to_string(interval), "at least 1");
  // Of w slots in a row, at most every interval-th is asked.
  PublicShape asked = request.shape;
  asked.width = times(asked.width, interval);
  return calibrated_for_questions(request, fixed_rate(), std::move(parameters), times(request.shape.steps, interval),
                                  asked.changes());
}

class FixedRate final : public LiveProcess {
 public:
  explicit FixedRate(const SeriesPlan& plan)
      : scale_(plan.scale),
        interval_(integer(plan.parameters, "interval")),
        series_(static_cast<std::size_t>(plan.shape.series), FilteredSeries(plan)) {}

  Result<void> step(Answers& answers, std::span<LiveValue> out) override {
    const bool due = step_++ % interval_ == 0;
    for (std::size_t s = 0; s < series_.size(); ++s) {
      out[s] = series_[s].predict();
      if (!due || !answers.present(static_cast<std::int64_t>(s))) continue;
      CV_CHECK(answers.use());
      CV_TRY(const double answer, answers.count(static_cast<std::int64_t>(s), scale_));
      out[s] = series_[s].correct(answer);
    }
    return {};
  }

  void save(StateWriter& to) const override {
    to.put(step_);
    for (const FilteredSeries& each : series_) each.save(to);
  }
  void load(StateReader& from) override {
    step_ = from.integer();
    for (FilteredSeries& each : series_) each.load(from);
  }

 private:
  double scale_;
  std::int64_t interval_;
  std::int64_t step_ = 0;
  std::vector<FilteredSeries> series_;
};

Result<std::unique_ptr<LiveProcess>> make_process(const SeriesPlan& plan) { return std::make_unique<FixedRate>(plan); }

}  // namespace

const SeriesMechanism& fixed_rate() {
  static const SeriesMechanism row = [] {
    SeriesMechanism made{
        .name = "fixed_rate",
        .summary = "noise on every s-th step, and a Kalman filter between them",
        .units = {Unit::user, Unit::event, Unit::w_event},
        .parameters = {{"interval", "s: every s-th step is asked", std::int64_t{4}}},
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
