#include "chronoveil/mechanisms/series/kalman.h"

#include <algorithm>
#include <cmath>

#include "chronoveil/mechanisms/live.h"
#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/post/causal/filter.h"

namespace chronoveil::mechanisms {
namespace {

Result<SeriesPlan> plan_of(const Request& request) {
  CV_CHECK(check_request(request, kalman()));
  CV_TRY(Parameters parameters, resolved(request, kalman()));
  CV_CHECK(check_season(parameters, request.shape.steps));
  return calibrated(request, kalman(), std::move(parameters), NoiseKind::gaussian,
                    {accounting::Gaussian{accounting::kToCalibrate}}, [&](double) { return request.shape.l2(); });
}

class Kalman final : public LiveProcess {
 public:
  explicit Kalman(const SeriesPlan& plan)
      : scale_(plan.scale),
        widths_(noise_half_width(NoiseKind::gaussian, 1, plan.level)),
        maximum_(static_cast<double>(plan.shape.maximum)) {
    const post::CausalSpec spec{.noise_variance = plan.scale * plan.scale,
                                .season = integer(plan.parameters, "season")};
    for (std::int64_t s = 0; s < plan.shape.series; ++s) filters_.emplace_back(spec);
  }

  Result<void> step(Answers& answers, std::span<LiveValue> out) override {
    for (std::size_t s = 0; s < filters_.size(); ++s) {
      if (!answers.present(static_cast<std::int64_t>(s))) {
        out[s] = published(filters_[s].predict(), false);
        continue;
      }
      CV_CHECK(answers.use());
      CV_TRY(const double answer, answers.count(static_cast<std::int64_t>(s), scale_));
      out[s] = published(filters_[s].update(answer), true);
    }
    return {};
  }

  void save(StateWriter& to) const override {
    for (const post::CausalFilter& filter : filters_) filter.save(to);
  }
  void load(StateReader& from) override {
    for (post::CausalFilter& filter : filters_) filter.load(from);
  }

 private:
  LiveValue published(const post::CausalValue& now, bool sampled) const {
    if (!std::isfinite(now.variance)) return {now.mean, std::min(0.0, now.mean), std::max(maximum_, now.mean), sampled};
    const double half_width = widths_ * std::sqrt(now.variance);
    return {now.mean, now.mean - half_width, now.mean + half_width, sampled};
  }

  double scale_;
  double widths_;  // half the width of the interval, in standard deviations
  double maximum_;
  std::vector<post::CausalFilter> filters_;
};

Result<std::unique_ptr<LiveProcess>> make_process(const SeriesPlan& plan) { return std::make_unique<Kalman>(plan); }

}  // namespace

const SeriesMechanism& kalman() {
  static const SeriesMechanism row{
      .name = "kalman",
      .summary = "Gaussian noise on every step, filtered at once by what came before",
      .units = {Unit::user, Unit::event, Unit::w_event},
      .needs_delta = true,
      .has_published = true,
      .measured = Measured::counts_by_step,
      .parameters = {{"season", "steps after which a series roughly repeats (24 for hourly counts of days), or 0",
                      std::int64_t{0}}},
      .prepare = plan_of,
      .measure = measure_live,
      .reconstruct = reconstruct_live,
      .go_live = make_process,
      .causal = true,
  };
  return row;
}

}  // namespace chronoveil::mechanisms
