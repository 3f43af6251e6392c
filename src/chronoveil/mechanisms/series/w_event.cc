#include "chronoveil/mechanisms/series/w_event.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/noise/grid/grid.h"
#include "chronoveil/noise/sampler.h"

namespace chronoveil::mechanisms {
namespace {

constexpr double kUp = 1 + 8 * std::numeric_limits<double>::epsilon();

std::int64_t width_of(const SeriesPlan& plan) { return std::min(plan.shape.width, plan.shape.steps); }

// The scale of a question that spends `shares` of the `whole` of ε/2, rounded up. The plan has that of the whole.
double scale_of(const SeriesPlan& plan, std::int64_t shares, std::int64_t whole) {
  return plan.scale * (static_cast<double>(whole) / static_cast<double>(shares)) * kUp;
}

double distance_scale(const SeriesPlan& plan) { return scale_of(plan, 1, width_of(plan)); }

Result<SeriesPlan> plan_of(const Request& request) {
  CV_CHECK(check_request(request, w_event()));
  CV_TRY(Parameters parameters, resolved(request, w_event()));
  if (const std::string& strategy = text(parameters, "strategy");
      strategy != "absorption" && strategy != "distribution")
    return invalid("mechanism.strategy", strategy, "absorption or distribution");
  CV_TRY(const Epsilon epsilon, Epsilon::make(request.epsilon));
  CV_TRY(const Delta pure, Delta::make(0));
  CV_TRY(const accounting::Calibration found,
         accounting::calibrate({accounting::Pure{accounting::kToCalibrate}}, epsilon, pure));
  SeriesPlan plan;
  plan.mechanism = w_event().name;
  plan.shape = request.shape;
  plan.parameters = std::move(parameters);
  plan.level = request.level;
  plan.noise = NoiseKind::laplace;
  plan.event = found.event;
  plan.price = found.price;
  // Each half of ε pays for a Laplace release of its own; this is twice what a slot may move.
  const double sides = request.shape.relation == Relation::replace ? 2 : 1;
  plan.sensitivity = 2 * sides * static_cast<double>(request.shape.max_per_slot);
  plan.scale = plan.sensitivity / found.noise * kUp;
  // Counts are on every grid; the coarsest leaves the most room for the noise of small shares.
  CV_TRY(const double finest, grid_for(plan.scale, static_cast<double>(request.shape.maximum)));
  CV_TRY(const noise::Grid coarsest, noise::Grid::for_counts(plan.scale));
  plan.grid = std::max(finest, coarsest.step());
  if (!(distance_scale(plan) <= noise::kLargestScale * plan.grid))
    return fail(ErrorKind::usage, "width",
                "the noise on what a step has moved would have a scale of " + shortest(distance_scale(plan)) +
                    " counts; width / epsilon must be small enough " + "for a scale of at most " +
                    shortest(noise::kLargestScale * plan.grid));
  plan.measured = request.shape.steps;
  return plan;
}

class WEvent final : public LiveProcess {
 public:
  WEvent(const SeriesPlan& plan, std::unique_ptr<WindowShares> shares)
      : plan_(plan),
        shares_(std::move(shares)),
        distance_scale_(distance_scale(plan)),
        last_(static_cast<std::size_t>(plan.shape.series), 0.0) {
    // A step has one of two intervals, and the noise decides which; so each may fail with half of 1 − level. That is
    // the probability of noise below −b ln(1/(1 − level)).
    above_distance_ = std::max(noise_half_width(NoiseKind::laplace, distance_scale_, plan.level), plan.grid);
    published_level_ = 1 - (1 - plan.level) / 2;
  }

  Result<void> step(Answers& answers, std::span<LiveValue> out) override {
    const std::int64_t t = step_++;
    std::int64_t reporting = 0;
    for (std::size_t s = 0; s < last_.size(); ++s) reporting += answers.present(static_cast<std::int64_t>(s)) ? 1 : 0;
    for (std::size_t s = 0; s < last_.size(); ++s) out[s] = unknown(last_[s]);
    if (reporting == 0) return {};
    CV_CHECK(answers.use());
    CV_TRY(const double distance, answers.distance(last_, distance_scale_));
    const std::int64_t offered = shares_->offer(t);
    const double scale = offered > 0 ? scale_of(plan_, offered, shares_->whole()) : HUGE_VAL;
    const bool anew = scale <= noise::kLargestScale * plan_.grid && distance / static_cast<double>(reporting) > scale;
    if (anew) shares_->spend(t, offered);
    const double half_width = anew ? noise_half_width(NoiseKind::laplace, scale, published_level_)
                                   : std::max(distance, 0.0) + above_distance_;
    for (std::size_t s = 0; s < last_.size(); ++s) {
      if (!answers.present(static_cast<std::int64_t>(s))) continue;
      if (anew) {
        CV_TRY(last_[s], answers.count(static_cast<std::int64_t>(s), scale));
      }
      out[s] = {last_[s], last_[s] - half_width, last_[s] + half_width, anew};
    }
    return {};
  }

  void save(StateWriter& to) const override {
    to.put(step_);
    for (const double last : last_) to.put(last);
    shares_->save(to);
  }
  void load(StateReader& from) override {
    step_ = from.integer();
    for (double& last : last_) last = from.number();
    shares_->load(from);
  }

 private:
  // Nothing was asked: the count may be anything.
  LiveValue unknown(double last) const {
    return {last, std::min(0.0, last), std::max(static_cast<double>(plan_.shape.maximum), last), false};
  }

  const SeriesPlan plan_;
  std::unique_ptr<WindowShares> shares_;
  double distance_scale_;
  double above_distance_ = 0, published_level_ = 0;
  std::int64_t step_ = 0;
  std::vector<double> last_;
};

Result<std::unique_ptr<LiveProcess>> make_process(const SeriesPlan& plan) {
  const bool absorbs = text(plan.parameters, "strategy") == "absorption";
  return w_event_process(plan, absorbs ? absorption(width_of(plan)) : distribution(width_of(plan)));
}

// The plan's scale is that of a step that spends what w steps may; one that spends its own share has w times that.
double own_scale(const SeriesPlan& plan) { return plan.scale * static_cast<double>(width_of(plan)); }

}  // namespace

std::unique_ptr<LiveProcess> w_event_process(const SeriesPlan& plan, std::unique_ptr<WindowShares> shares) {
  return std::make_unique<WEvent>(plan, std::move(shares));
}

const SeriesMechanism& w_event() {
  static const SeriesMechanism row{
      .name = "w_event",
      .summary = "Laplace noise on steps that moved, so that any w steps in a row spend at most epsilon",
      .units = {Unit::w_event},
      .parameters = {{"strategy", "absorption (skipped steps leave their share) or distribution (half of what is left)",
                      std::string("absorption")}},
      .prepare = plan_of,
      .measure = measure_live,
      .reconstruct = reconstruct_live,
      .go_live = make_process,
      .causal = true,
      .step_scale = own_scale,
  };
  return row;
}

}  // namespace chronoveil::mechanisms
