#include "chronoveil/mechanisms/parts/every_step_process.h"

#include <algorithm>
#include <cmath>

#include "chronoveil/mechanisms/parts/calibrated.h"

namespace chronoveil::mechanisms {
namespace {

// What one series has told so far.
struct Told {
  double last = 0;
  std::int64_t answers = 0;
  std::int64_t age = 0;  // of the last answer, in steps
  double drift = 0;      // Σ (y_j − y_i)²/(j − i)
};

class EveryStep final : public LiveProcess {
 public:
  explicit EveryStep(const SeriesPlan& plan)
      : scale_(plan.scale),
        deviation_(standard_deviation(plan.noise, plan.scale)),
        widths_(combined_half_width(plan.noise, 1, plan.level)),
        half_width_(noise_half_width(plan.noise, plan.scale, plan.level)),
        maximum_(static_cast<double>(plan.shape.maximum)),
        told_(static_cast<std::size_t>(plan.shape.series)) {}

  Result<void> step(Answers& answers, std::span<LiveValue> out) override {
    for (std::size_t s = 0; s < told_.size(); ++s) {
      Told& told = told_[s];
      ++told.age;
      if (!answers.present(static_cast<std::int64_t>(s))) {
        out[s] = repeated(told);
        continue;
      }
      CV_CHECK(answers.use());
      CV_TRY(const double answer, answers.count(static_cast<std::int64_t>(s), scale_));
      if (told.answers > 0) told.drift += (answer - told.last) * (answer - told.last) / static_cast<double>(told.age);
      told.last = answer;
      told.age = 0;
      ++told.answers;
      out[s] = {answer, answer - half_width_, answer + half_width_, true};
    }
    return {};
  }

  void save(StateWriter& to) const override {
    for (const Told& told : told_) {
      to.put(told.last);
      to.put(told.answers);
      to.put(told.age);
      to.put(told.drift);
    }
  }
  void load(StateReader& from) override {
    for (Told& told : told_) {
      told.last = from.number();
      told.answers = from.integer();
      told.age = from.integer();
      told.drift = from.number();
    }
  }

 private:
  LiveValue repeated(const Told& told) const {
    if (told.answers < 2) return {told.last, std::min(0.0, told.last), std::max(maximum_, told.last), false};
    const double drift = told.drift / static_cast<double>(told.answers - 1) * static_cast<double>(told.age);
    const double half = widths_ * std::sqrt(deviation_ * deviation_ + drift);
    return {told.last, told.last - half, told.last + half, false};
  }

  double scale_;
  double deviation_;   // of the noise
  double widths_;      // half the width of a predicted interval, in standard deviations
  double half_width_;  // of the noise's interval
  double maximum_;
  std::vector<Told> told_;
};

}  // namespace

Result<std::unique_ptr<LiveProcess>> go_live_every_step(const SeriesPlan& plan) {
  return std::make_unique<EveryStep>(plan);
}

}  // namespace chronoveil::mechanisms
