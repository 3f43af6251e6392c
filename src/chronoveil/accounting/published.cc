#include "chronoveil/accounting/published.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chronoveil/accounting/events/moves/threshold.h"
#include "chronoveil/accounting/events/subsampled/filter_kernel.h"
#include "chronoveil/accounting/grid/composer.h"
#include "chronoveil/accounting/mixtures/gaussian_mixtures.h"

namespace chronoveil::accounting {
namespace {

// σ / sensitivity of the classical Gaussian mechanism, √(2 ln(1.25/δ))/ε.
double classical_noise(double epsilon, double delta) { return std::sqrt(2 * std::log(1.25 / delta)) / epsilon; }

// The noise that [Koga22] asks for at (ε, δ), half of δ for the Gaussian and half for the failure of its sensitivity.
//   Without a filter (Thm 2, Cor. 3): I' kept steps fail with δ' = P(Bin(I,p) > I'), and
//   δ' (e^{ε√(I/I')} − e^ε) <= δ/2; noise √I' × classical.
//   With a filter (Thm 4, Cor. 2): δ' = 2 srnk (e^{α²/p − 1} / (α²/p)^{α²/p})^{p/L}, α² >= p + L,
//   δ' (e^{ε/α} − e^ε) <= δ/2; noise α√I × classical.
class KogaNoise {
 public:
  explicit KogaNoise(const TimeSubsampling& event)
      : participation_(static_cast<double>(event.participation)), rate_(event.rate) {
    if (event.filter_width) {
      row_energy_ = 0;
      for (std::int64_t k : filter_kernel(*event.length, *event.filter_width)) {
        const double h = std::ldexp(static_cast<double>(k), -kFilterBits);
        row_energy_ += h * h;
      }
      stable_rank_ = row_energy_ * static_cast<double>(*event.length);
    } else {
      const auto weights = binomial(event.participation, event.rate).weights;
      above_.assign(static_cast<std::size_t>(event.participation) + 2, 0.0);
      for (std::size_t k = weights.size(); k-- > 0;) above_[k] = above_[k + 1] + weights[k];
    }
  }

  double operator()(double epsilon, double delta) const {
    return classical_noise(epsilon, delta / 2) *
           (row_energy_ > 0 ? filtered(epsilon, delta / 2) : kept(epsilon, delta / 2));
  }

 private:
  double kept(double epsilon, double allowed) const {
    auto good = [&](double steps) {
      const double failure = above_[static_cast<std::size_t>(steps) + 1];
      return failure <= 0 ||
             failure * (std::exp(epsilon * std::sqrt(participation_ / steps)) - std::exp(epsilon)) <= allowed;
    };
    double low = 0, high = participation_;
    while (high - low > 1) {
      const double middle = std::floor((low + high) / 2);
      (good(middle) ? high : low) = middle;
    }
    return std::sqrt(high);
  }

  double filtered(double epsilon, double allowed) const {
    auto good = [&](double alpha) {
      const double ratio = alpha * alpha / rate_;
      const double failure = 2 * stable_rank_ * std::exp(rate_ / row_energy_ * (ratio - 1 - ratio * std::log(ratio)));
      return failure * (std::exp(epsilon / alpha) - std::exp(epsilon)) <= allowed;
    };
    double low = std::sqrt(std::min(1.0, rate_ + row_energy_)), high = 1;
    if (good(low)) high = low;
    for (int i = 0; i < 100; ++i) {
      const double middle = (low + high) / 2;
      (good(middle) ? high : low) = middle;
    }
    return high * std::sqrt(participation_);
  }

  double participation_, rate_, row_energy_ = 0, stable_rank_ = 0;
  std::vector<double> above_;
};

// The smallest x in (low, high), searched on a log scale, with good(x); infinity when none.
template <class Good>
double smallest(double low, double high, Good good) {
  if (!good(high)) return std::numeric_limits<double>::infinity();
  for (int i = 0; i < 200; ++i) {
    const double middle = std::sqrt(low * high);
    (good(middle) ? high : low) = middle;
  }
  return high;
}

Price as_published(double epsilon, double delta) {
  Price price;
  price.epsilon = price.epsilon_lower = epsilon;
  price.delta = price.delta_lower = delta;
  price.analysis = Analysis::published;
  price.certificate = Certificate::as_published;
  if (std::isinf(epsilon)) price.reason = "the published bound holds for no epsilon up to 1000 at this delta";
  return price;
}

template <class Noise>
Price solve(Noise noise, double multiplier, Question question) {
  if (question.epsilon_wanted)
    return as_published(smallest(1e-12, 1e3, [&](double e) { return noise(e, question.given) <= multiplier; }),
                        question.given);
  const double delta = smallest(1e-300, 1.0, [&](double d) { return noise(question.given, d) <= multiplier; });
  return as_published(question.given, std::min(1.0, delta));
}

// The published bound holds only at the nominal point and beyond it.
Price nominal_price(const Nominal& nominal, Question question) {
  if (!question.epsilon_wanted)
    return as_published(question.given, question.given >= nominal.epsilon ? nominal.delta : 1.0);
  const bool reached = question.given >= nominal.delta;
  Price price = as_published(reached ? nominal.epsilon : std::numeric_limits<double>::infinity(), question.given);
  if (!reached)
    price.reason = "the published bound holds at delta " + shortest(nominal.delta) + " and above";
  else if (std::isinf(nominal.epsilon))
    price.reason = "the published bound is infinite: some step is never chosen";
  return price;
}

Result<Price> published(const Event& event, Question question) {
  CV_CHECK(validate(event));
  if (!std::holds_alternative<Compose>(event.kind) && window_of(event)) {
    if (const auto nominal = nominal_of(event)) return nominal_price(*nominal, question);
    if (std::holds_alternative<Threshold>(event.kind))
      return fail(
          ErrorKind::cannot_certify, "window",
          "the published number of threshold is computed up to a window of " + std::to_string(kWidestThresholdWindow));
  }
  if (!(question.given > 0))
    return invalid(question.epsilon_wanted ? "delta" : "epsilon", question.given,
                   "greater than 0 for a published analysis");
  if (const auto* e = std::get_if<Gaussian>(&event.kind); e && event.count == 1)
    return solve(classical_noise, e->noise_multiplier, question);
  if (const auto* e = std::get_if<TimeSubsampling>(&event.kind); e && event.count == 1) {
    if (e->rate <= 0) return invalid("rate", e->rate, "greater than 0 for the published analysis");
    if (e->participation > 100'000'000)
      return invalid("participation", std::to_string(e->participation), "at most 10^8 for the published analysis");
    return solve(KogaNoise(*e), e->noise_multiplier, question);
  }
  if (std::holds_alternative<StructuredSubsampling>(event.kind)) {
    // [Schuchardt25, App. B.4.3]: connect the dots on a grid of 1e-3, tails cut at 1e-15.
    CV_TRY(const Steps steps, steps_of(event));
    CV_TRY(const Price coarse, price_on_grid(steps, question, 1e-3, 1e-15));
    return as_published(coarse.epsilon, coarse.delta);
  }
  const bool can_be_once =
      std::holds_alternative<Gaussian>(event.kind) || std::holds_alternative<TimeSubsampling>(event.kind);
  return fail(
      ErrorKind::usage, "analysis",
      "there is a published analysis for ranswitch, staswitch, threshold and structured_subsampling and, with a count "
      "of 1, for gaussian and time_subsampling; " +
          (can_be_once ? std::string(name(event)) + " with a count of " + std::to_string(event.count) + " has none"
                       : std::string(name(event)) + " has no published analysis of its own"));
}

}  // namespace

Nominal nominal_of(const RanSwitch& e) {
  const long double p = e.stay, q = (1 - p) / static_cast<long double>(e.window - 1);
  const long double squared = std::exp(2 * static_cast<long double>(e.window - 1) * std::log1p(-q));
  const long double ratio = (p * p * squared - q) / (q * q * squared);
  return {ratio > 1 ? static_cast<double>(std::log(ratio)) : 0.0, static_cast<double>(q)};
}

std::optional<Nominal> nominal_of(const Event& event) {
  if (event.count > 1) {
    const auto once = nominal_of(Event{event.kind, 1});
    const auto n = static_cast<double>(event.count);
    return once ? std::optional(Nominal{n * once->epsilon, std::min(1.0, n * once->delta)}) : std::nullopt;
  }
  if (const auto* e = std::get_if<RanSwitch>(&event.kind)) return nominal_of(*e);
  if (const auto* e = std::get_if<StaSwitch>(&event.kind)) return nominal_of(*e);
  const auto* e = std::get_if<Threshold>(&event.kind);
  if (!e || e->window > kWidestThresholdWindow) return std::nullopt;
  const auto probabilities = dispatch_probabilities(e->window, e->threshold);
  const auto [least, most] = std::minmax_element(probabilities.begin(), probabilities.end());
  return Nominal{2 * std::log(*most / *least), 0};
}

Result<Price> published_epsilon_at(const Event& event, double delta) { return published(event, {true, delta}); }
Result<Price> published_delta_at(const Event& event, double epsilon) { return published(event, {false, epsilon}); }

}  // namespace chronoveil::accounting
