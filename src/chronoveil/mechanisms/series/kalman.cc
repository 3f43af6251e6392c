#include "chronoveil/mechanisms/series/kalman.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "chronoveil/mechanisms/live.h"
#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/post/causal/joint_filter.h"

namespace chronoveil::mechanisms {
namespace {

Result<SeriesPlan> plan_of(const Request& request) {
  CV_CHECK(check_request(request, kalman()));
  CV_TRY(Parameters parameters, resolved(request, kalman()));
  CV_CHECK(check_season(parameters, request.shape.steps));
  return calibrated(request, kalman(), std::move(parameters), NoiseKind::gaussian,
                    {accounting::Gaussian{accounting::kToCalibrate}}, [&](double) { return request.shape.l2(); });
}

LiveValue published(const post::CausalValue& now, double widths, double maximum, bool sampled) {
  if (!std::isfinite(now.variance)) return {now.mean, std::min(0.0, now.mean), std::max(maximum, now.mean), sampled};
  const double half_width = widths * std::sqrt(now.variance);
  return {now.mean, now.mean - half_width, now.mean + half_width, sampled};
}

class Kalman final : public LiveProcess {
 public:
  Kalman(const SeriesPlan& plan, bool joint)
      : scale_(plan.scale),
        widths_(noise_half_width(NoiseKind::gaussian, 1, plan.level)),
        maximum_(static_cast<double>(plan.shape.maximum)),
        filter_({.series = plan.shape.series, .each = spec_of(plan), .joint = joint}),
        answers_(static_cast<std::size_t>(plan.shape.series)),
        now_(answers_.size()) {}

  Result<void> step(Answers& answers, std::span<LiveValue> out) override {
    bool sampled = false;
    for (std::size_t s = 0; s < answers_.size(); ++s) {
      answers_[s].reset();
      if (!answers.present(static_cast<std::int64_t>(s))) continue;
      CV_CHECK(answers.use());
      CV_TRY(answers_[s], answers.count(static_cast<std::int64_t>(s), scale_));
      sampled = true;
    }
    filter_.step(answers_, now_);
    for (std::size_t s = 0; s < answers_.size(); ++s)
      out[s] = published(now_[s], widths_, maximum_, answers_[s].has_value());
    if (has_total())
      total_ = published(filter_.total(), widths_, maximum_ * static_cast<double>(answers_.size()), sampled);
    return {};
  }
  bool has_total() const override { return answers_.size() > 1; }
  std::optional<LiveValue> total() const override { return total_; }

  void save(StateWriter& to) const override { filter_.save(to); }
  void load(StateReader& from) override { filter_.load(from); }

  static post::CausalSpec spec_of(const SeriesPlan& plan) {
    return {.noise_variance = plan.scale * plan.scale, .season = integer(plan.parameters, "season")};
  }

 private:
  double scale_;
  double widths_;  // half the width of the interval, in standard deviations
  double maximum_;
  post::JointFilter filter_;
  std::vector<std::optional<double>> answers_;  // of the step at hand
  std::vector<post::CausalValue> now_;
  std::optional<LiveValue> total_;
};

// A release that was opened by a version of the program that filtered every series by itself goes on as it began.
class AloneKalman final : public LiveProcess {
 public:
  explicit AloneKalman(const SeriesPlan& plan)
      : scale_(plan.scale),
        widths_(noise_half_width(NoiseKind::gaussian, 1, plan.level)),
        maximum_(static_cast<double>(plan.shape.maximum)) {
    for (std::int64_t s = 0; s < plan.shape.series; ++s) filters_.emplace_back(Kalman::spec_of(plan));
  }

  Result<void> step(Answers& answers, std::span<LiveValue> out) override {
    for (std::size_t s = 0; s < filters_.size(); ++s) {
      if (!answers.present(static_cast<std::int64_t>(s))) {
        out[s] = published(filters_[s].predict(), widths_, maximum_, false);
        continue;
      }
      CV_CHECK(answers.use());
      CV_TRY(const double answer, answers.count(static_cast<std::int64_t>(s), scale_));
      out[s] = published(filters_[s].update(answer), widths_, maximum_, true);
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
  double scale_, widths_, maximum_;
  std::vector<post::CausalFilter> filters_;
};

Result<std::unique_ptr<LiveProcess>> make_process(const SeriesPlan& plan) {
  const auto joint = plan.parameters.find("joint");
  if (joint == plan.parameters.end()) return std::make_unique<AloneKalman>(plan);
  return std::make_unique<Kalman>(plan, std::get<bool>(joint->second));
}

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
                      std::int64_t{0}},
                     {"joint", "learn from all series at once, where there are several", true}},
      .prepare = plan_of,
      .measure = measure_live,
      .reconstruct = reconstruct_live,
      .go_live = make_process,
      .causal = true,
  };
  return row;
}

}  // namespace chronoveil::mechanisms
