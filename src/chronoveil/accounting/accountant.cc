#include "chronoveil/accounting/accountant.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "chronoveil/accounting/grid/composer.h"
#include "chronoveil/accounting/grid/extremes.h"
#include "chronoveil/accounting/moves/calibration.h"
#include "chronoveil/accounting/published.h"
#include "chronoveil/base/interrupted.h"

namespace chronoveil::accounting {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A sum of products; exact if no rounding is needed, else rounded up.
class SumUp {
 public:
  void add(std::int64_t count, double each) {
    const auto times = static_cast<long double>(count);
    const long double product = times * each, lost = std::fma(times, static_cast<long double>(each), -product);
    const long double more = up(product, lost), total = sum_ + more, taken = total - sum_;
    sum_ = up(total, (sum_ - (total - taken)) + (more - taken));
  }
  double value() const {
    const auto rounded = static_cast<double>(sum_);
    return rounded < sum_ ? std::nextafter(rounded, kInfinity) : rounded;
  }

 private:
  static long double up(long double rounded, long double lost) {
    return lost > 0 ? std::nextafter(rounded, std::numeric_limits<long double>::infinity()) : rounded;
  }
  long double sum_ = 0;
};

// ε at δ = 0 if every loss is bounded, else infinity.
double pure_epsilon(const Steps& steps) {
  SumUp sum;
  for (const Step& step : steps.steps) {
    if (step.model->delta(0) <= 0) continue;
    if (step.model->infinite() > 0 || !step.model->bounded()) return kInfinity;
    sum.add(step.count, step.model->top(0));
  }
  return sum.value();
}

// If all losses are bounded, no composition costs more than their sum; the engine's grid may say a little more.
double at_most_all_losses(double epsilon, const Steps& steps) {
  SumUp sum;
  for (const Step& step : steps.steps) {
    if (!step.model->bounded()) return epsilon;
    sum.add(step.count, step.model->top(0));
  }
  if (!(sum.value() < epsilon)) return epsilon;
  for (const Step& step : steps.steps)
    if (step.model->infinite() > 0) return epsilon;
  return sum.value();
}

// The ε at which a slow profile falls to δ. The lower bound uses the quick profile, which is attained. For the upper
// bound ε moves up from there until the slow profile is low enough, and back by halves if that was far.
double solve_dear(const LossModel& model, double delta, double sign) {
  constexpr double kFar = 1e4;
  const long double wanted = delta * (1 - sign * kProfileError);
  auto quick = [&](double epsilon) { return *model.quick_delta(epsilon); };
  if (quick(kFar) >= wanted) return kInfinity;
  double low = 0, high = quick(0) <= wanted ? 0 : kFar;
  for (double middle = 0.5 * high; middle > low && middle < high; middle = 0.5 * (low + high))
    (quick(middle) > wanted ? low : high) = middle;
  if (sign < 0) return low * (1 - 4e-16);
  auto enough = [&](double epsilon) { return model.delta(epsilon) <= wanted; };
  low = high;
  for (double step = 1e-13 * std::max(1.0, low); !enough(high); step *= 16) {
    if ((step > 1e-6 && model.infinite() >= wanted) || std::isinf(high)) return kInfinity;
    low = high;
    high += step;
  }
  while (high - low > 1e-9 * high) {
    const double middle = 0.5 * (low + high);
    (enough(middle) ? high : low) = middle;
  }
  return high * (1 + 4e-16);
}

// The ε at which one step's profile falls to δ; `sign` rounds outward. NaN if the profile is NaN at some ε.
double solve_single(const LossModel& model, double delta, double sign) {
  if (model.quick_delta(0)) return solve_dear(model, delta, sign);
  const long double wanted = delta * (1 - sign * kProfileError);
  bool known = true;
  auto profile = [&](double epsilon) {
    const long double value = sign > 0 ? model.delta(epsilon) : model.delta_lower(epsilon);
    known &= !std::isnan(value);
    return value;
  };
  if ((sign > 0 ? model.infinite() : model.infinite_lower()) >= wanted) return kInfinity;
  if (profile(0) <= wanted) return 0;
  double low = 0, high = 1;
  while (profile(high) > wanted) {
    low = high;
    high *= 2;
    if (high > 1e300) return known ? kInfinity : std::numeric_limits<double>::quiet_NaN();
  }
  // Secant steps on log δ inside a bracket; the profile is convex in e^ε and smooth in between.
  for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
    const double middle = i % 2 == 0 && low > 0 && high > 4 * low ? std::sqrt(low * high) : 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (profile(middle) > wanted ? low : high) = middle;
  }
  if (!known) return std::numeric_limits<double>::quiet_NaN();
  return sign > 0 ? high * (1 + 4e-16) : low * (1 - 4e-16);
}

std::string infinite_reason(const Steps& steps, double delta, const Options& options) {
  double infinite = 0;
  for (const Step& step : steps.steps) {
    const LossModel& model = steps.total <= 1 && options.measured ? step.model->once() : *step.model;
    infinite += model.infinite() * static_cast<double>(step.count);
  }
  if (infinite > 0)
    return "the loss is infinite with probability " + shortest(std::min(1.0, infinite)) + ", which exceeds delta " +
           shortest(delta);
  return "with delta 0 no finite epsilon holds: the loss is not bounded";
}

Result<Price> single(const Steps& steps, Question question, const Options& options) {
  const LossModel& whole = *steps.steps.front().model;
  const LossModel& model = options.measured ? whole.once() : whole;
  Price price;
  if (question.epsilon_wanted) {
    price.delta = price.delta_lower = question.given;
    price.epsilon = solve_single(model, question.given, +1);
    price.epsilon_lower = solve_single(model, question.given, -1);
  } else {
    price.epsilon = price.epsilon_lower = question.given;
    const long double value = model.delta(question.given);
    price.delta = smaller(1.0, static_cast<double>(value * (1 + kProfileError)));
    // A positive δ below the range of a double must not read as pure differential privacy.
    if (value > 0 || (!model.bounded() && model.delta(0) > 0))
      price.delta = larger(price.delta, std::numeric_limits<double>::min());
    price.delta_lower = static_cast<double>(model.delta_lower(question.given) * (1 - kProfileError));
  }
  const bool tight = model.tight() || (std::isfinite(price.epsilon) && model.tight_at(price.epsilon));
  price.certificate = tight ? Certificate::exact : Certificate::upper_bound;
  if (tight)
    (question.epsilon_wanted ? price.epsilon_attained : price.delta_attained) =
        question.epsilon_wanted ? price.epsilon_lower : price.delta_lower;
  // If no finite ε holds, nothing was certified.
  if (std::isfinite(price.epsilon)) price.beta = model.beta(price.epsilon);
  if (price.beta > 0) price.certificate = Certificate::upper_bound_with_confidence;
  return price;
}

// Takes the lower of two upper bounds on one composition. The lower bound must not stay above it.
void lower_to_zcdp(Price& price, const ZcdpCost& cost, Question question) {
  if (question.epsilon_wanted && cost.delta < question.given) {
    price.epsilon = std::min(price.epsilon, epsilon_from_zcdp(cost.rho, *Delta::make(question.given - cost.delta)));
    price.epsilon_lower = std::min(price.epsilon_lower, price.epsilon);
  } else if (!question.epsilon_wanted) {
    price.delta = std::min(price.delta, delta_from_zcdp(cost.rho, *Epsilon::make(question.given)) + cost.delta);
    price.delta_lower = std::min(price.delta_lower, price.delta);
  }
}

Result<Price> answer(const Event& event, Question question, const Options& options) {
  if (options.analysis == Analysis::published) {
    return question.epsilon_wanted ? published_epsilon_at(event, question.given)
                                   : published_delta_at(event, question.given);
  }
  CV_TRY(const Steps steps, options.fitted ? fitted_steps_of(event) : steps_of(event));
  CV_TRY(Price price, price_of(steps, question, options));
  if (event.count == 1) price.nominal = nominal_of(event);
  return price;
}

}  // namespace

Result<Price> price_of(const Steps& steps, Question question, const Options& options) {
  if (!(options.tolerance >= 1e-6 && options.tolerance <= 1))
    return invalid("tolerance", options.tolerance, "between 1e-6 and 1");
  CV_CHECK(check_interrupted());
  Price price;
  if (question.epsilon_wanted && question.given <= 0) {
    price.epsilon = price.epsilon_lower = pure_epsilon(steps);
    const bool exact = steps.total <= 1 && (steps.steps.empty() || steps.steps.front().model->tight());
    price.certificate = exact ? Certificate::exact : Certificate::upper_bound;
  } else if (steps.only_gaussian || steps.total <= 1) {
    CV_TRY(price, single(steps, question, options));
  } else {
    CV_TRY(price, composed_price(steps, question, options));
    if (question.epsilon_wanted) {
      price.epsilon = at_most_all_losses(price.epsilon, steps);
      price.epsilon_lower = std::min(price.epsilon_lower, price.epsilon);
    }
    if (steps.zcdp) lower_to_zcdp(price, *steps.zcdp, question);
  }
  CV_CHECK(check_interrupted());  // what was cut short is an upper bound, but not a price that anybody should see
  for (const double value : {price.epsilon, price.epsilon_lower, price.delta, price.delta_lower})
    if (std::isnan(value))
      return fail(ErrorKind::cannot_certify, "the price of this event is beyond the range of numbers");
  if (std::isinf(price.epsilon)) price.reason = infinite_reason(steps, question.given, options);
  return price;
}

Result<Price> epsilon_at(const Event& event, Delta delta, const Options& options) {
  return answer(event, {true, delta.value()}, options);
}

Result<Price> delta_at(const Event& event, Epsilon epsilon, const Options& options) {
  return answer(event, {false, epsilon.value()}, options);
}

Result<std::int64_t> max_count(const Event& event, Epsilon epsilon, Delta delta, const Options& options) {
  auto fits = [&](std::int64_t count) -> Result<bool> {
    Event repeated = event;
    repeated.count = count;
    CV_TRY(const Price price, epsilon_at(repeated, delta, options));
    return price.epsilon <= epsilon.value();
  };
  CV_TRY(bool good, fits(1));
  if (!good) return 0;
  constexpr std::int64_t kMost = 100'000'000'000;  // what the composition engine certifies
  std::int64_t low = 1, high = 2;
  while (high < kMost) {
    CV_TRY(good, fits(high));
    if (!good) break;
    low = high;
    high *= 4;
  }
  if (high >= kMost) {
    CV_TRY(good, fits(kMost));
    if (good) return kMost;
    high = kMost;
  }
  while (high - low > 1) {
    const auto middle =
        static_cast<std::int64_t>(high > 2 * low ? std::sqrt(static_cast<double>(low) * static_cast<double>(high))
                                                 : 0.5 * (static_cast<double>(low) + static_cast<double>(high)));
    const std::int64_t next = std::clamp(middle, low + 1, high - 1);
    CV_TRY(good, fits(next));
    (good ? low : high) = next;
  }
  return low;
}

Result<Calibration> calibrate(const Event& open, Epsilon epsilon, Delta delta, const Options& options) {
  CV_CHECK(validate(open, true));
  if (!has_open_noise(open)) return fail(ErrorKind::usage, "event", "no noise parameter is left open to calibrate");
  if (epsilon.value() <= 0) return invalid("epsilon", epsilon.value(), "greater than 0 to calibrate");
  if (calibrates_moves(open, delta)) return calibrate_moves(open, epsilon, delta, options);
  Calibration best;
  const std::vector<std::string> names = noise_names(open);
  if (names.size() > 1)
    return fail(ErrorKind::usage, "event", names[0] + " and " + names[1] + " cannot be calibrated as one number");
  best.parameter = names[0];
  // x is "more private is larger": the noise, or the inverse of an ε parameter.
  const bool inverse = best.parameter == "epsilon";
  auto parameter = [&](double x) { return inverse ? 1 / x : x; };
  auto priced = [&](double x, double tolerance) {
    Options at = options;
    at.tolerance = tolerance;
    at.attained = false;
    return epsilon_at(with_noise(open, parameter(x)), delta, at);
  };
  const double target = epsilon.value();
  Price price;

  // Coarsely first: a bracket, then secant steps on log ε over log x, which is nearly linear. Noise so small that the
  // price would need too fine a grid counts as not private enough; the final answer has a price.
  const double coarse = std::max(options.tolerance, 0.05);
  std::optional<Error> too_fine;
  auto gap_at = [&](double x) -> Result<double> {
    Result<Price> found = priced(x, coarse);
    if (!found && found.error().kind == ErrorKind::cannot_certify) {
      too_fine = found.error();
      return kInfinity;
    }
    too_fine.reset();
    CV_TRY(price, std::move(found));
    return std::log(std::max(price.epsilon, 1e-300) / target);
  };
  // Starts at about the noise of one Gaussian step: with much less, a price takes long and is of no use.
  double low = 0, high = 8 / target, slope = -1;  // low: not private enough; high: private enough
  double low_gap = kInfinity, high_gap = 0;
  CV_TRY(high_gap, gap_at(high));
  while (high_gap > 0) {
    if (high > 1e14) {
      if (too_fine) return Failure(*too_fine);
      return fail(ErrorKind::cannot_certify, "epsilon",
                  "no " + best.parameter + " reaches " + shortest(target) + " at delta " + shortest(delta.value()) +
                      (price.reason.empty() ? std::string() : "; " + price.reason));
    }
    low = high;
    low_gap = high_gap;
    high *= 8;
    CV_TRY(high_gap, gap_at(high));
  }
  while (low == 0 && high > 1e-12) {
    CV_TRY(const double gap, gap_at(high / 8));
    (gap > 0 ? low : high) = high / 8;
    (gap > 0 ? low_gap : high_gap) = gap;
  }
  for (int i = 0; i < 60 && low > 0 && high > low * 1.001 && std::min(low_gap, -high_gap) > 0.06; ++i) {
    double share = low_gap / (low_gap - high_gap);
    if (!std::isfinite(share) || i % 6 == 5) share = 0.5;
    const double middle = low * std::pow(high / low, std::clamp(share, 0.02, 0.98));
    CV_TRY(const double gap, gap_at(middle));
    (gap > 0 ? low : high) = middle;
    (gap > 0 ? low_gap : high_gap) = gap;
  }
  if (std::isfinite(low_gap) && low > 0) slope = std::min(-0.05, (high_gap - low_gap) / std::log(high / low));

  // Then with certified prices: from a guess along that slope, ending on the private side.
  double x = low > 0 && low_gap < -high_gap ? low * std::exp(-low_gap / slope) : high * std::exp(-high_gap / slope);
  low = 0;
  high = kInfinity;
  Price best_price;
  double last_x = x, last_gap = kInfinity;
  for (int i = 0; i < 200; ++i) {
    CV_TRY(price, priced(x, options.tolerance));
    const bool fits = price.epsilon <= target;
    if (fits) best_price = price;
    (fits ? high : low) = x;
    if (fits && x < 1e-12) break;
    const bool exact = price.certificate != Certificate::upper_bound;  // a closed form: worth more digits
    if (fits && price.epsilon >= target * (1 - (exact ? 1e-12 : options.tolerance / 2))) break;
    if (low > 0 && std::isfinite(high) && high - low <= 1e-13 * high) break;
    const double gap = std::log(std::max(price.epsilon, 1e-300) / target);
    // The slope between the last two certified prices is better than the coarse one.
    if (const double run = std::log(x / last_x); std::isfinite(gap) && std::isfinite(last_gap) && std::abs(run) > 1e-9)
      slope = std::clamp((gap - last_gap) / run, -4.0, -0.05);
    last_x = x;
    last_gap = gap;
    // Aims a little to the private side; if that leaves the bracket, halves it.
    double next =
        std::isfinite(gap) ? x * std::exp(-gap / slope) * (1 + (exact ? 2e-13 : options.tolerance / 6)) : 2 * x;
    if (!(next > low && next < high) || i % 5 == 4)
      next = low > 0 && std::isfinite(high) ? std::sqrt(low * high) : (fits ? x / 1.5 : x * 1.5);
    if (!(next > low && next < high)) break;
    x = next;
  }
  if (!std::isfinite(high))
    return fail(ErrorKind::cannot_certify, "epsilon", "the search for " + best.parameter + " did not end");
  best.noise = parameter(high);
  best.event = with_noise(open, best.noise);
  best.price = best_price;
  return best;
}

}  // namespace chronoveil::accounting
