#include "chronoveil/accounting/grid/composer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chronoveil/accounting/grid/any_infinite.h"
#include "chronoveil/accounting/grid/composition.h"
#include "chronoveil/accounting/grid/extremes.h"
#include "chronoveil/accounting/grid/sketch.h"
#include "chronoveil/base/interrupted.h"

namespace chronoveil::accounting {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kAbsoluteTolerance = 1e-6;
constexpr int kMostRefinements = 8;

// Rounded down to a few values per octave, so that neighbouring questions share a discretisation.
double quantised(double value) { return std::exp2(std::floor(4 * std::log2(value)) / 4); }

// What is composed. Neighbours have one of two directions, so the larger result is the answer.
enum class Composed {
  symmetric,  // the larger of both directions of every step
  directed,   // each direction by itself, for the steps that have one
  attained    // the same for all steps: what some neighbours show, no guarantee
};

class Composer {
 public:
  Composer(const Steps& steps, Question question, const Options& options, Composed composed = Composed::symmetric)
      : steps_(steps), question_(question), options_(options), composed_(composed) {
    if (composed == Composed::symmetric)
      readings_ = {Reading::symmetric};
    else
      readings_ = {Reading::forward, Reading::backward};
  }

  Result<Price> price() {
    for (const Step& step : steps_.steps) terms_ += step.model->least_terms();
    if (!(terms_ <= kMostTerms)) return too_dear();
    set_tops(1e-290);
    CV_CHECK(check_tops());
    if (highest_ > 0 && steps_.total > 1.1e11)
      return fail(ErrorKind::cannot_certify, "count", "more than 10^11 steps cannot be composed with certainty");
    // Losses above the grid go to +∞ with a mass that must not matter beside δ, which may have to be found first.
    double tail = (question_.epsilon_wanted ? question_.given : roughly_delta()) * 1e-8 / steps_.total;
    Price last;
    for (int attempt = 0; attempt < 4; ++attempt) {
      CV_TRY(last, refined(std::max(std::exp2(10 * std::floor(std::log2(tail) / 10)), 1e-290)));
      const double needed = std::max(last.delta * 1e-7 / steps_.total, 1e-290);
      if (question_.epsilon_wanted || tail <= needed) return last;
      tail = std::max(std::min(needed / 10, tail * tail), 1e-290);
    }
    return last;  // δ below the smallest double: the upper bound is only the tail
  }

  Result<Price> on_grid(double step, double tail) {
    set_tops(tail);
    CV_CHECK(check_tops());
    if (highest_ <= 0) return trivial();
    find_saddle(highest_);
    return bounded(step);
  }

 private:
  static Failure too_dear() {
    return fail(ErrorKind::cannot_certify, "this event needs sums of more than 2^24 terms at this tolerance");
  }

  // A tail that outweighs δ would keep the bounds apart however fine the grid.
  double roughly_delta() {
    set_tops(1e-290);
    if (highest_ <= 0) return 1;
    find_saddle(highest_);
    return std::clamp(std::exp(saddle_->log_delta(saddle_->tilt_for_epsilon(question_.given))), 1e-270, 1e-2);
  }

  void set_tops(double tail) {
    tops_.clear();
    highest_ = 0;
    for (const Step& step : steps_.steps) {
      tops_.push_back(step.model->top(tail));
      highest_ = larger(highest_, tops_.back());
    }
  }

  // Numbers of bins come from the tops: no loss, and no sum of losses, may overflow. A smaller tail has a higher top,
  // so only the smallest is checked.
  Result<void> check_tops() const {
    if (!std::isfinite(highest_ * (steps_.total + 1)))
      return fail(ErrorKind::cannot_certify, "the losses of this event are beyond the range of numbers");
    return {};
  }

  Result<Price> refined(double tail) {
    set_tops(tail);
    if (highest_ <= 0) return trivial();
    find_saddle(highest_);
    const double tilt = tilt_of(*saddle_);
    // Connecting the dots raises log E e^{θL} of a step by about θ(θ+1)h²/12 and merging lowers it by twice that, so
    // the bounds of ε are n(θ+1)h²/4 apart.
    const double epsilon = question_.epsilon_wanted ? saddle_->epsilon(tilt) : question_.given;
    double allowed = std::max(options_.tolerance * epsilon, kAbsoluteTolerance);
    if (!question_.epsilon_wanted) allowed = std::max(allowed, options_.tolerance / tilt);  // see gap_of()
    // A finer step leaves room for coarsening between two stages, which few points do not need.
    double step = std::sqrt(allowed / (steps_.total * (tilt + 1)));
    step *= std::sqrt(composed_in_one_stage(1.9 * step, steps_.total, saddle_->step_deviation(tilt)) ? 3.3 : 2.6);
    step = quantised(std::clamp(step, highest_ / 65536, highest_ / 4));
    double used = 0;
    for (int round = 0; round < kMostRefinements; ++round) {
      // A lattice alone needs no finer grid, but many steps are composed on a grid coarser than the lattice: if that
      // keeps the bounds apart, the grid must divide the lattice.
      CV_CHECK(check_interrupted());
      const double wanted = on_lattice(step);
      used = round > 0 && wanted >= used ? used / 2 : wanted;
      CV_TRY(const Price price, bounded(used));
      const double gap = gap_of(price);
      if (gap <= 1) return price;
      step = quantised(step * std::clamp(0.9 / std::sqrt(gap), 0.05, round == 0 ? 0.85 : 0.75));
    }
    return fail(ErrorKind::cannot_certify, "tolerance", "both bounds stay further apart than asked for");
  }

  // No finite loss is above 0: only an infinite one matters.
  Price trivial() const {
    AnyInfinite any, surely;
    for (const Step& step : steps_.steps) {
      any.add(step.model->infinite(), static_cast<double>(step.count));
      surely.add(step.model->infinite_lower(), static_cast<double>(step.count));
    }
    Price price;
    price.delta = price.delta_lower = price.epsilon = price.epsilon_lower = question_.given;
    if (question_.epsilon_wanted) {
      price.epsilon = any.upper() <= question_.given ? 0 : kInfinity;
      price.epsilon_lower = surely.lower() <= question_.given ? 0 : kInfinity;
    } else {
      price.delta = any.upper();
      price.delta_lower = surely.lower();
    }
    price.certificate = Certificate::exact;
    return price;
  }

  // One per reading; saddle_ is that of the larger answer, which decides how fine the grid must be.
  void find_saddle(double highest) {
    saddles_.clear();
    double largest = -kInfinity;
    for (const Reading reading : readings_) {
      const SaddlePoint* const saddle = saddles_.emplace_back(saddle_of(reading, highest)).get();
      const double tilt = tilt_of(*saddle);
      const double answer = question_.epsilon_wanted ? saddle->epsilon(tilt) : saddle->log_delta(tilt);
      if (saddles_.size() > 1 && !(answer > largest)) continue;
      largest = answer;
      saddle_ = saddle;
    }
  }

  double tilt_of(const SaddlePoint& saddle) const {
    return question_.epsilon_wanted ? saddle.tilt_for_delta(question_.given) : saddle.tilt_for_epsilon(question_.given);
  }

  std::unique_ptr<SaddlePoint> saddle_of(Reading reading, double highest) const {
    constexpr std::size_t kBins = 128;
    double step = highest / kBins;
    auto saddle = make_saddle(reading, step, kBins);
    for (int round = 0; round < 3; ++round) {
      const double tilt = tilt_of(*saddle), deviation = saddle->step_deviation(tilt);
      if (!(deviation < 2 * step)) break;
      // If all tilted mass is on one atom there is nothing to resolve.
      step = quantised(std::max(deviation / 3, highest / 4096));
      if (!(step > 0)) break;  // below the range of numbers
      saddle = make_saddle(reading, step, static_cast<std::size_t>(std::ceil(highest / step)), tilt);
    }
    return saddle;
  }

  std::unique_ptr<SaddlePoint> make_saddle(Reading reading, double step, std::size_t most,
                                           std::optional<double> near = std::nullopt) const {
    std::vector<Sketch> sketches;
    for (std::size_t k = 0; k < steps_.steps.size(); ++k) {
      const auto bins = static_cast<std::size_t>(std::min(static_cast<double>(most), std::ceil(tops_[k] / step)));
      const LossModel& model = *steps_.steps[k].model;
      sketches.push_back(sketch(model, steps_.steps[k].count, step, bins, reading_of(model, reading)));
    }
    return std::make_unique<SaddlePoint>(std::move(sketches), near);
  }

  // A step that divides a lattice of losses puts them on the grid exactly.
  double on_lattice(double step) const {
    double largest = 0;
    bool alone = true;
    for (const Step& s : steps_.steps) {
      const LossModel::Lattice lattice = s.model->lattice();
      alone &= lattice.complete && (largest == 0 || lattice.spacing == largest);
      largest = std::max(largest, lattice.spacing);
    }
    if (largest <= step) return step;
    return alone ? largest : largest / std::ceil(largest / step);
  }

  Reading reading_of(const LossModel& model, Reading reading) const {
    return composed_ == Composed::attained || model.directed() ? reading : Reading::symmetric;
  }

  struct Discretised {
    std::vector<Repeated> upper, lower;
  };

  Result<Discretised> discretised(double step, Reading reading) {
    double points = 0;
    for (std::size_t k = 0; k < tops_.size(); ++k) {
      points += std::ceil(tops_[k] / step);
      const LossModel& model = *steps_.steps[k].model;
      terms_ += std::ceil(tops_[k] / step) * model.terms() + model.least_terms();
    }
    // For losses beyond any grid, step and number of points are not finite.
    if (!std::isfinite(step) || !(2 * points <= static_cast<double>(kMostPoints)))
      return fail(ErrorKind::cannot_certify, "this event needs more than 2^22 grid points at this tolerance");
    if (!(terms_ <= kMostTerms)) return too_dear();
    Discretised out;
    for (std::size_t k = 0; k < steps_.steps.size(); ++k) {
      CV_CHECK(check_interrupted());
      // A loss that is negligible beside the others still has a bin.
      const auto bins = std::max<std::size_t>(1, static_cast<std::size_t>(bins_up_to(tops_[k], step)));
      const auto& [model, count] = steps_.steps[k];
      LossGrids grids = model->grids(step, bins, reading_of(*model, reading));
      out.upper.push_back({std::move(grids.upper), count});
      out.lower.push_back({std::move(grids.lower), count});
    }
    return out;
  }

  Result<double> ask(std::vector<Repeated> parts, Side side, const SaddlePoint& saddle) const {
    Composition composition(std::move(parts), side, saddle);
    return question_.epsilon_wanted ? composition.epsilon_at(question_.given) : composition.delta_at(question_.given);
  }

  // The upper and the lower bound of one reading.
  Result<std::pair<double, double>> both(double step, std::size_t reading) {
    CV_TRY(Discretised parts, discretised(step, readings_[reading]));
    CV_TRY(const double upper, ask(std::move(parts.upper), Side::upper, *saddles_[reading]));
    CV_TRY(const double lower, ask(std::move(parts.lower), Side::lower, *saddles_[reading]));
    // Both bounds hold on every grid: if they contradict each other, one is wrong, and no price may rest on it. A
    // negative ε counts as 0.
    if (lower > larger(0.0, upper))
      return fail(ErrorKind::internal, "the lower bound of this price is above the upper one");
    return std::pair(upper, lower);
  }

  Result<Price> bounded(double step) {
    const std::size_t first = saddles_.front().get() == saddle_ ? 0 : 1;  // the one with the larger answer, likely
    CV_TRY(auto bounds, both(step, first));
    if (readings_.size() > 1) {
      // The other reading matters only if it is larger after all; a coarser grid is enough to rule that out.
      CV_TRY(Discretised coarse, discretised(2.5 * step, readings_[1 - first]));
      CV_TRY(const double most, ask(std::move(coarse.upper), Side::upper, *saddles_[1 - first]));
      if (!(most <= bounds.first)) {
        CV_TRY(const auto other, both(step, 1 - first));
        bounds = {larger(bounds.first, other.first), larger(bounds.second, other.second)};
      }
    }
    const double upper = larger(0.0, bounds.first), lower = larger(0.0, bounds.second);
    Price price;
    price.epsilon = price.epsilon_lower = price.delta = price.delta_lower = question_.given;
    (question_.epsilon_wanted ? price.epsilon : price.delta) = upper;
    (question_.epsilon_wanted ? price.epsilon_lower : price.delta_lower) = lower;
    return price;
  }

  // The ratio of the gap to what is allowed. A gap in δ is turned into one in ε by the slope of log δ, the tilt.
  double gap_of(const Price& price) const {
    if (question_.epsilon_wanted) {
      if (std::isinf(price.epsilon)) return std::isinf(price.epsilon_lower) ? 0 : 1e3;
      return (price.epsilon - price.epsilon_lower) / std::max(options_.tolerance * price.epsilon, kAbsoluteTolerance);
    }
    if (price.delta <= price.delta_lower || price.delta < 1e-270) return 0;
    const double allowed = std::max(options_.tolerance * question_.given, kAbsoluteTolerance);
    const double tilt = saddle_->tilt_for_epsilon(question_.given);
    const double log_gap = std::log(price.delta / std::max(price.delta_lower, price.delta * 1e-6));
    return log_gap / std::max(tilt * allowed, options_.tolerance);
  }

  const Steps& steps_;
  Question question_;
  Options options_;
  Composed composed_;
  std::vector<Reading> readings_;
  std::vector<double> tops_;
  double highest_ = 0, terms_ = 0;
  std::vector<std::unique_ptr<SaddlePoint>> saddles_;
  const SaddlePoint* saddle_ = nullptr;
};

}  // namespace

Result<Price> composed_price(const Steps& steps, Question question, const Options& options) {
  const auto any = [&](auto has) { return std::any_of(steps.steps.begin(), steps.steps.end(), has); };
  const bool directed = any([](const Step& step) { return step.model->directed(); });
  CV_TRY(Price price, Composer(steps, question, options, directed ? Composed::directed : Composed::symmetric).price());
  if (!options.attained || any([](const Step& step) { return !step.model->attainable(); })) return price;
  // For symmetric and directed steps the price itself is attained.
  Price shown = price;
  if (any([](const Step& step) { return !step.model->symmetric() && !step.model->directed(); })) {
    CV_TRY(shown, Composer(steps, question, options, Composed::attained).price());
  }
  (question.epsilon_wanted ? price.epsilon_attained : price.delta_attained) =
      question.epsilon_wanted ? shown.epsilon_lower : shown.delta_lower;
  return price;
}

Result<Price> price_on_grid(const Steps& steps, Question question, double step, double tail) {
  return Composer(steps, question, Options{}).on_grid(step, tail);
}

}  // namespace chronoveil::accounting
