#include "chronoveil/accounting/moves/calibration.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "chronoveil/accounting/events/moves/noisy_sort.h"
#include "chronoveil/accounting/events/moves/ranswitch.h"
#include "chronoveil/accounting/grid/loss_model.h"
#include "chronoveil/accounting/moves/staswitch_graph.h"
#include "chronoveil/accounting/moves/staswitch_simulation.h"
#include "chronoveil/accounting/published.h"

namespace chronoveil::accounting {
namespace {

// The open events of a kind, wherever they are in a composition.
template <class Kind, class Visit>
void each_open(const Event& event, Visit visit) {
  if (const auto* compose = std::get_if<Compose>(&event.kind)) {
    for (const Event& part : compose->events) each_open<Kind>(part, visit);
  } else if (const auto* e = std::get_if<Kind>(&event.kind); e && has_open_noise(event)) {
    visit(*e);
  }
}

template <class Kind>
bool any_open(const Event& event) {
  bool found = false;
  each_open<Kind>(event, [&](const Kind&) { found = true; });
  return found;
}

// Six digits, rounded up, so that what is said stays true.
std::string rounded_up(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  if (std::strtod(text, nullptr) < value)
    std::snprintf(text, sizeof text, "%.6g", value + std::pow(10.0, std::floor(std::log10(value)) - 5));
  return text;
}

// A parameter as a number x that grows with it: the logit of `stay`, the logarithm of ε.
struct Scale {
  bool logit = true;
  double least = 0, most = 0;  // of x
  double parameter(double x) const { return logit ? 1 / (1 + std::exp(-x)) : std::exp(x); }
};

// δ of the event at the ε that is asked for, at x.
class Curve {
 public:
  Curve(const Event& open, const Scale& scale, Epsilon epsilon, const Options& options)
      : open_(open), scale_(scale), epsilon_(epsilon), options_(options) {
    options_.attained = false;
  }
  Event event(double x) const { return with_noise(open_, scale_.parameter(x)); }
  Result<double> operator()(double x) {
    if (quick_) {
      CV_TRY(const auto model, make_loss_model(event(x)));
      if (const auto value = model->guessed_delta(epsilon_.value())) return static_cast<double>(*value);
    }
    ++prices_;
    CV_TRY(const Price price, delta_at(event(x), epsilon_, options_));
    return price.delta;
  }
  // If the price is slow, a search uses a number that is nearly always equal to it.
  void be_quick(bool quick) { quick_ = quick; }
  const Scale& scale() const { return scale_; }
  int prices() const { return prices_; }

 private:
  Event open_;
  Scale scale_;
  Epsilon epsilon_;
  Options options_;
  int prices_ = 0;
  bool quick_ = false;
};

struct Point {
  double x = 0;
  double delta = 1;
};

// The lowest point of a curve that falls and then rises, by golden section.
Result<Point> lowest(Curve& curve, double tolerance) {
  const double share = (std::sqrt(5.0) - 1) / 2;
  double low = curve.scale().least, high = curve.scale().most;
  Point left{high - share * (high - low)}, right{low + share * (high - low)};
  CV_TRY(left.delta, curve(left.x));
  CV_TRY(right.delta, curve(right.x));
  while (high - low > tolerance) {
    if (left.delta <= right.delta) {
      high = right.x;
      right = left;
      left.x = high - share * (high - low);
      CV_TRY(left.delta, curve(left.x));
    } else {
      low = left.x;
      left = right;
      right.x = low + share * (high - low);
      CV_TRY(right.delta, curve(right.x));
    }
  }
  return left.delta <= right.delta ? left : right;
}

// Where the rising side passes `delta`: the largest x found with a δ of at most that, from a `start` that has one.
Result<double> largest_within(Curve& curve, Point start, double delta, double tolerance) {
  auto gap = [&](double value) { return std::log(std::max(value, 1e-300) / delta); };
  double low = start.x, low_gap = gap(start.delta), high = low, high_gap = low_gap;
  for (double reach = 0.5; high_gap <= 0; reach *= 2) {
    low = high;
    low_gap = high_gap;
    if (low >= curve.scale().most) return low;
    high = std::min(curve.scale().most, start.x + reach);
    CV_TRY(const double value, curve(high));
    high_gap = gap(value);
  }
  // Regula falsi that halves the weight of an end that stays (Illinois), and bisects now and then.
  for (int i = 1; i < 200 && high - low > tolerance; ++i) {
    double middle = low + (high - low) * low_gap / (low_gap - high_gap);
    if (i % 4 == 0 || !(middle > low && middle < high)) middle = 0.5 * (low + high);
    CV_TRY(const double value, curve(middle));
    const double here = gap(value);
    if (here <= 0) {
      if (low_gap < 0) high_gap /= 2;
      low = middle;
      low_gap = here;
      if (here == 0) low_gap = -1e-300;
    } else {
      low_gap /= 2;
      high = middle;
      high_gap = here;
    }
  }
  return low;
}

// Walks to the private side until the price itself, with all its rounding, is within (ε, δ).
Result<Calibration> settled(Curve& curve, double x, double floor, double step, std::string parameter, Epsilon epsilon,
                            Delta delta, const Options& options) {
  Calibration found;
  found.parameter = std::move(parameter);
  double back = step * std::max(1.0, std::abs(x));
  int prices = curve.prices();
  for (double at = x;; back *= 4, at = std::max(floor, x - back)) {
    ++prices;
    found.noise = curve.scale().parameter(at);
    found.event = curve.event(at);
    CV_TRY(found.price, epsilon_at(found.event, delta, options));
    if (found.price.epsilon <= epsilon.value()) break;
    if (at <= floor || (found.price.beta > 0 && prices >= kMostCompared))
      return fail(ErrorKind::cannot_certify, "epsilon", "the search for " + found.parameter + " did not end");
  }
  // The parameter was chosen after seeing the other prices, so the bound must hold for all of them at once.
  found.price.beta = std::min(1.0, found.price.beta * prices);
  return found;
}

std::string not_reached(std::string_view parameter, double epsilon, double delta) {
  return "no " + std::string(parameter) + " reaches " + shortest(epsilon) + " at delta " + shortest(delta);
}

Result<Calibration> calibrate_stay(const Event& open, Epsilon epsilon, Delta delta, const Options& options) {
  std::int64_t narrowest = std::numeric_limits<std::int64_t>::max();
  each_open<RanSwitch>(open, [&](const RanSwitch& e) { narrowest = std::min(narrowest, e.window); });
  each_open<StaSwitch>(open, [&](const StaSwitch& e) { narrowest = std::min(narrowest, e.window); });
  // From p = 1/k up, a little inside where rounding could leave the range; to 1 - p of some 1e-15.
  const double least = -std::log(static_cast<double>(narrowest - 1)) + 1e-12;
  Curve curve(open, {true, least, 34.5}, epsilon, options);
  // One price of StaSwitch takes long, and so does one of a composition with it; a few digits of x are plenty there.
  const bool stateful = any_open<StaSwitch>(open);
  const bool quick = std::holds_alternative<StaSwitch>(open.kind) && open.count == 1;
  curve.be_quick(quick && (options.measured || narrowest <= kLargestFollowedWindow));
  // Measured prices are known to two digits, and the search sees nothing more precise.
  const bool measured = quick && narrowest > kLargestFollowedWindow;
  // Where RanSwitch, once, has its lowest point.
  Point start{std::clamp(epsilon.value() - std::log(static_cast<double>(narrowest - 1)), least, 34.5)};
  CV_TRY(start.delta, curve(start.x));
  if (start.delta > delta.value()) {
    const auto* alone = std::get_if<RanSwitch>(&open.kind);
    BestSwitch best;
    if (alone && open.count == 1) {
      best = best_ranswitch(alone->window, epsilon.value());
    } else {
      CV_TRY(start, lowest(curve, measured ? 1e-3 : quick ? 1e-6 : stateful ? 1e-4 : 1e-7));
      best = {curve.scale().parameter(start.x), start.delta};
    }
    if (best.delta > delta.value()) {
      bool attained = true;
      if (stateful) {
        CV_TRY(const Price price, delta_at(with_noise(open, best.stay), epsilon, options));
        best.delta = price.delta;
        attained = price.certificate == Certificate::exact;
      }
      return fail(
          ErrorKind::cannot_certify, "epsilon",
          not_reached("stay", epsilon.value(), delta.value()) +
              (attained ? "; the smallest possible delta is " : "; the smallest delta that can be certified is ") +
              rounded_up(best.delta) + ", with stay " + shortest(best.stay));
    }
    start = {std::log(best.stay / (1 - best.stay)), best.delta};
  }
  const double tolerance = measured ? 1e-4 : quick ? 1e-10 : stateful ? 1e-7 : 1e-13;
  CV_TRY(const double x, largest_within(curve, start, delta.value(), tolerance));
  return settled(curve, x, least, measured ? 3e-3 : quick ? 1e-9 : 1e-15, "stay", epsilon, delta, options);
}

Result<Point> lowest_sort(const Event& open, Epsilon epsilon, const Options& options) {
  Curve curve(open, {false, std::log(1e-6), std::log(std::max(1e3, 100 * epsilon.value()))}, epsilon, options);
  return lowest(curve, 1e-6);
}

// The smallest max_shift at which some ε parameter is within (ε, δ); for wide windows, where prices are slow, one that
// suffices with the parameter ε itself.
Result<std::optional<std::int64_t>> enough_shift(NoisySort e, Epsilon epsilon, Delta delta, const Options& options) {
  const std::int64_t refused = *e.max_shift;
  e.epsilon = epsilon.value();
  const auto enough = least_max_shift(e, delta.value());  // at that parameter δ pays only for the truncation
  if (!enough) return std::optional<std::int64_t>();
  constexpr std::int64_t kSearched = 2048;
  if (e.window > kSearched) return enough;
  std::int64_t low = refused, high = *enough;
  e.epsilon = kToCalibrate;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    e.max_shift = middle;
    CV_TRY(const Point best, lowest_sort({e, 1}, epsilon, options));
    (best.delta <= delta.value() ? high : low) = middle;
  }
  return std::optional(high);
}

Result<Calibration> calibrate_sort(const Event& open, Epsilon epsilon, Delta delta, const Options& options) {
  Curve curve(open, {false, std::log(1e-6), std::log(std::max(1e3, 100 * epsilon.value()))}, epsilon, options);
  // Without truncation, the parameter ε costs ε.
  Point start{std::log(epsilon.value())};
  CV_TRY(start.delta, curve(start.x));
  if (start.delta > delta.value()) {
    CV_TRY(start, lowest_sort(open, epsilon, options));
    if (start.delta > delta.value()) {
      std::string message = not_reached("epsilon of noisy_sort", epsilon.value(), delta.value()) +
                            "; the smallest possible delta is " + rounded_up(start.delta);
      const auto* alone = std::get_if<NoisySort>(&open.kind);
      if (delta.value() <= 0) {
        message += ": keys that are drawn again beyond max_shift cannot be pure";
      } else if (alone && open.count == 1) {
        CV_TRY(const auto enough, enough_shift(*alone, epsilon, delta, options));
        if (enough) message += "; a max_shift of " + std::to_string(*enough) + " would do";
      }
      return fail(ErrorKind::cannot_certify, "epsilon", std::move(message));
    }
  }
  CV_TRY(const double x, largest_within(curve, start, delta.value(), 1e-13));
  return settled(curve, x, curve.scale().least, 1e-15, "epsilon", epsilon, delta, options);
}

// The paper's own calibration: ε and k are given, δ follows. Each of n channels gets ε/n (published.h).
Result<Calibration> published_stay(const Event& open, Epsilon epsilon, Delta delta) {
  const Scale scale{true, -std::log(static_cast<double>(*window_of(open) - 1)) + 1e-12, 34.5};
  auto nominal = [&](double x) { return *nominal_of(with_noise(open, scale.parameter(x))); };
  // On the branch of large p, where the nominal ε grows without bound.
  double low = scale.least, high = scale.most;
  if (nominal(low).epsilon > epsilon.value())
    return fail(ErrorKind::cannot_certify, "epsilon", not_reached("stay", epsilon.value(), delta.value()));
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (nominal(middle).epsilon <= epsilon.value() ? low : high) = middle;
  }
  Calibration found{scale.parameter(low), "stay", with_noise(open, scale.parameter(low)), {}};
  const Nominal at = nominal(low);
  if (at.delta >= 1 || (delta.value() > 0 && at.delta > delta.value()))
    return fail(
        ErrorKind::cannot_certify, "epsilon",
        not_reached("stay", epsilon.value(), delta.value()) + "; its published delta is " + rounded_up(at.delta));
  CV_TRY(found.price, published_epsilon_at(found.event, std::max(at.delta, delta.value())));
  return found;
}

// From c0 = k - 1 down: values wait k - c0 steps on average, and the nominal ε first falls and then rises with c0.
Result<Calibration> published_threshold(const Event& open, Epsilon epsilon, Delta delta) {
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t threshold = *window_of(open) - 1; threshold > 0; --threshold) {
    const Event event = with_noise(open, static_cast<double>(threshold));
    CV_TRY(const Price price, published_epsilon_at(event, delta.value()));
    if (price.epsilon <= epsilon.value()) return Calibration{static_cast<double>(threshold), "threshold", event, price};
    least = std::min(least, price.epsilon);
  }
  return fail(ErrorKind::cannot_certify, "epsilon",
              "no threshold reaches " + shortest(epsilon.value()) + "; the smallest published epsilon is " +
                  (std::isinf(least) ? "infinite" : rounded_up(least)));
}

}  // namespace

bool calibrates_moves(const Event& open, Delta delta) {
  if (any_open<RanSwitch>(open) || any_open<StaSwitch>(open) || any_open<Threshold>(open)) return true;
  bool truncated = false;
  each_open<NoisySort>(open, [&](const NoisySort& e) { truncated |= e.max_shift.has_value(); });
  if (truncated) return true;
  return any_open<NoisySort>(open) &&
         (delta.value() > 0 || (std::holds_alternative<NoisySort>(open.kind) && open.count == 1));
}

Result<Calibration> calibrate_moves(const Event& open, Epsilon epsilon, Delta delta, const Options& options) {
  const std::vector<std::string> names = noise_names(open);
  if (names.size() > 1)
    return fail(ErrorKind::usage, "event", names[0] + " and " + names[1] + " cannot be calibrated as one number");
  if (options.analysis == Analysis::published) {
    if (std::holds_alternative<Threshold>(open.kind)) return published_threshold(open, epsilon, delta);
    if (std::holds_alternative<RanSwitch>(open.kind) || std::holds_alternative<StaSwitch>(open.kind))
      return published_stay(open, epsilon, delta);
    return fail(ErrorKind::usage, "analysis",
                "of the mechanisms that move values, published calibrates only ranswitch, staswitch and threshold");
  }
  // A threshold never has a certified price: the error says why.
  if (names[0] == "threshold") {
    CV_CHECK(delta_at(with_noise(open, 1), epsilon, options));
  }
  if (names[0] == "stay") return calibrate_stay(open, epsilon, delta, options);
  const auto* sort = std::get_if<NoisySort>(&open.kind);
  if (sort && !sort->max_shift && open.count == 1 && delta.value() <= 0) {
    // Pure: the parameter is the price.
    Calibration found{epsilon.value(), "epsilon", with_noise(open, epsilon.value()), {}};
    CV_TRY(found.price, epsilon_at(found.event, delta, options));
    return found;
  }
  return calibrate_sort(open, epsilon, delta, options);
}

}  // namespace chronoveil::accounting
