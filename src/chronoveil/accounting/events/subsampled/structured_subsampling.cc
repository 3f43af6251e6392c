#include "chronoveil/accounting/events/subsampled/structured_subsampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "chronoveil/accounting/events/chance_of_use.h"
#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/grid/extremes.h"
#include "chronoveil/accounting/mixtures/gaussian_mixtures.h"
#include "chronoveil/accounting/normal.h"

namespace chronoveil::accounting {
namespace {

__extension__ using Int128 = __int128;

using Models = std::vector<std::unique_ptr<const LossModel>>;

// Each is cut twice as finely as asked.
double terms_of(const Models& models) {
  double sum = 0;
  for (const auto& model : models) sum += 2 * model->terms();
  return sum;
}

double least_terms_of(const Models& models) {
  double sum = 0;
  for (const auto& model : models) sum += model->least_terms();
  return sum;
}

// The convexified minimum of several upper bounds on one profile. `below` is a pair that real neighbours show, if
// known.
class BestBoundModel final : public LossModel {
 public:
  explicit BestBoundModel(Models bounds, std::unique_ptr<const LossModel> below = nullptr)
      : bounds_(std::move(bounds)), below_(std::move(below)) {}
  bool tight() const override { return false; }
  bool attainable() const override { return below_ != nullptr; }
  bool symmetric() const override { return below_ == nullptr; }
  long double delta(double epsilon) const override {
    long double least = 1;
    for (const auto& bound : bounds_) least = smaller(least, bound->delta(epsilon));
    return least;
  }
  long double delta_lower(double epsilon) const override {
    long double least = 1;
    for (const auto& bound : bounds_) least = smaller(least, bound->delta_lower(epsilon));
    return least;
  }
  double infinite() const override { return bounds_.front()->infinite(); }
  double infinite_lower() const override {
    double least = 1;
    for (const auto& bound : bounds_) least = smaller(least, bound->infinite_lower());
    return least;
  }
  double terms() const override { return terms_of(bounds_); }
  double least_terms() const override { return least_terms_of(bounds_); }
  double top(double tail) const override {
    double highest = 0;
    for (const auto& bound : bounds_) highest = larger(highest, bound->top(tail));
    return highest;
  }
  LossHalves halves(double step, std::size_t bins, bool attained) const override {
    std::vector<PositiveLoss> uppers;
    for (const auto& bound : bounds_) uppers.push_back(bound->halves(step / 2, 2 * bins, false).upper);
    LossHalves halves;
    halves.upper = paired(envelope_of_minimum(uppers));
    if (attained && below_) halves.attained = below_->halves(step, bins, true).attained;
    return halves;
  }

 private:
  Models bounds_;
  std::unique_ptr<const LossModel> below_;
};

// The unit may lie in any of several series: the largest profile at every α.
class WorstSeriesModel final : public LossModel {
 public:
  explicit WorstSeriesModel(Models series) : series_(std::move(series)) {}
  double terms() const override { return terms_of(series_); }
  double least_terms() const override { return least_terms_of(series_); }
  bool attainable() const override { return false; }  // the worst series differs from α to α
  long double delta(double epsilon) const override {
    long double most = 0;
    for (const auto& model : series_) most = larger(most, model->delta(epsilon));
    return most;
  }
  long double delta_lower(double epsilon) const override {
    long double most = 0;
    for (const auto& model : series_) most = larger(most, model->delta_lower(epsilon));
    return most;
  }
  double infinite() const override {
    double most = 0;
    for (const auto& model : series_) most = larger(most, model->infinite());
    return most;
  }
  double infinite_lower() const override {
    double most = 0;
    for (const auto& model : series_) most = larger(most, model->infinite_lower());
    return most;
  }
  double top(double tail) const override {
    double highest = 0;
    for (const auto& model : series_) highest = larger(highest, model->top(tail));
    return highest;
  }
  LossHalves halves(double step, std::size_t bins, bool) const override {
    std::vector<PositiveLoss> all;
    for (const auto& model : series_) all.push_back(model->halves(step / 2, 2 * bins, false).upper);
    LossHalves halves;
    halves.upper = paired(pointwise_maximum(all));
    return halves;
  }

 private:
  Models series_;
};

// The series is in the batch only with probability `rate`.
class ThinnedModel final : public LossModel {
 public:
  ThinnedModel(std::unique_ptr<const LossModel> model, double rate) : model_(std::move(model)), rate_(rate) {}
  bool tight() const override { return false; }
  long double delta(double epsilon) const override { return rate_ * model_->delta(epsilon); }
  long double delta_lower(double epsilon) const override { return rate_ * model_->delta_lower(epsilon); }
  double infinite() const override { return rate_ * model_->infinite(); }
  double infinite_lower() const override { return rate_ * model_->infinite_lower(); }
  double terms() const override { return model_->terms(); }
  double least_terms() const override { return model_->least_terms(); }
  double top(double tail) const override { return model_->top(tail / rate_); }
  LossHalves halves(double step, std::size_t bins, bool) const override {
    LossHalves halves = model_->halves(step, bins, false);
    halves.upper = thinned(std::move(halves.upper), rate_);
    if (halves.lower) halves.lower = thinned(std::move(*halves.lower), rate_);
    return halves;
  }

 private:
  std::unique_ptr<const LossModel> model_;
  double rate_;
};

// Means at 0, rung, 2 rung, …; any of them may have been cut off.
UnitMixture ladder(const Binomial& weights, long double rung) {
  UnitMixture mixture{.means = {}, .weights = {}, .tail = weights.tail};
  mixture.tail_high = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < weights.weights.size(); ++i) {
    if (weights.weights[i] <= 0) continue;
    mixture.means.push_back(static_cast<double>(rung * static_cast<long double>(i)));
    mixture.weights.push_back(weights.weights[i]);
  }
  return mixture;
}

UnitMixture mirrored(UnitMixture mixture) {
  for (double& mean : mixture.means) mean = -mean;
  std::swap(mixture.tail_low, mixture.tail_high);
  mixture.tail_low = -mixture.tail_low;
  mixture.tail_high = -mixture.tail_high;
  return mixture;
}

// "iterate" with `windows` > 1 drawn with replacement from a share r.
std::unique_ptr<const LossModel> several_windows(std::int64_t windows, double r, long double sigma) {
  const Binomial touched = binomial(windows, r);
  const UnitMixture up = ladder(touched, 2 / sigma);
  Models bounds;
  // (a) MoG(−μ) against MoG(μ), μ = 0, 2, …, 2λ.
  bounds.push_back(monotone_mixture_model(up, mirrored(up), true));
  // (b) Σ_{k>=1} Bin(k) G_{α'}(2k/σ), α' = 1 + (α−1)/R, R = 1 − (1−r)^λ.
  const double any = -std::expm1(static_cast<double>(windows) * std::log1p(-std::min(r, 1 - 1e-16)));
  std::vector<long double> mus;
  std::vector<double> weights;
  for (std::size_t k = 1; k < touched.weights.size(); ++k) {
    mus.push_back(2 * static_cast<long double>(k) / sigma);
    weights.push_back(touched.weights[k] / any);
  }
  bounds.push_back(revealed_gaussians_model(std::move(mus), std::move(weights), touched.tail / any, any));
  return std::make_unique<BestBoundModel>(std::move(bounds),
                                          monotone_mixture_model(up, {.means = {0}, .weights = {1}}, false));
}

// τ for m_C and m_F changed steps inside the context and the forecast of one window.
double shown(const StructuredSubsampling& e, std::int64_t context, std::int64_t forecast) {
  if (context == 0 && forecast == 0) return 0;
  if ((context > 0 && e.context_noise <= 0) || (forecast > 0 && e.label_noise <= 0)) return 1;
  double squares = 0;
  if (context > 0) squares += static_cast<double>(context) / (e.context_noise * e.context_noise);
  if (forecast > 0) squares += static_cast<double>(forecast) / (e.label_noise * e.label_noise);
  return static_cast<double>(2 * normal_tail(-0.5L * std::sqrt(squares)) - 1) * (1 + 1e-15);
}

// The largest Σ_windows τ over placements of `width` changed steps in a row, in a series of this length.
double largest_shown(const StructuredSubsampling& e, std::int64_t length, std::int64_t width) {
  const std::int64_t block = std::min(width, length), windows = windows_of(e, length);
  // Relative to the first changed step a, window t sees its context at t − L_C .. t − 1 and its forecast at
  // t .. t + L_F − 1, so windows with a − L_F < t < a + block + L_C see some of it.
  const std::int64_t first = -e.forecast_length + 1, last = block - 1 + e.context_length;
  std::vector<double> prefix{0.0};
  auto overlap = [&](std::int64_t from, std::int64_t to) {  // with [0, block − 1]
    return std::max<std::int64_t>(0, std::min(to, block - 1) - std::max<std::int64_t>(from, 0) + 1);
  };
  for (std::int64_t t = first; t <= last; ++t)
    prefix.push_back(prefix.back() +
                     shown(e, overlap(t - e.context_length, t - 1), overlap(t, t + e.forecast_length - 1)));
  double most = 0;
  auto place = [&](std::int64_t a) {  // windows 1..T
    const std::int64_t from = std::max(first, 1 - a), to = std::min(last, windows - a);
    if (from <= to)
      most = std::max(
          most, prefix[static_cast<std::size_t>(to - first + 1)] - prefix[static_cast<std::size_t>(from - first)]);
  };
  // If all of these windows exist the sum is largest; otherwise every placement cut by an end is tried.
  const std::int64_t inner = e.forecast_length, placements = length - block + 1;
  if (inner <= placements && last <= windows - inner) {
    place(inner);
  } else {
    for (std::int64_t a = 1; a <= placements; ++a) place(a);
  }
  return most;
}

MadeLoss model_of(const StructuredSubsampling& e) {
  const long double sigma = e.noise_multiplier;
  const double rho = series_rate(e);
  const long double distance = 2 / sigma;  // two gradients clipped to norm 1 are 2 apart
  if (e.context_noise > 0 || e.label_noise > 0) return subsampled_gaussian_model(distance, rho * augmented_share(e));
  if (e.bottom_level == StructuredSubsampling::Bottom::with_replacement) {
    const double r = touched_share(e);
    if (e.windows_per_series == 1) return subsampled_gaussian_model(distance, rho * r);
    auto model = several_windows(e.windows_per_series, r, sigma);
    if (rho >= 1) return model;
    Models bounds;
    bounds.push_back(std::make_unique<ThinnedModel>(std::move(model), rho));
    // "The series and a window that the unit touches were drawn" as one event of probability R = ρ(1 − (1−r)^λ). If it
    // happens, all λ windows may differ from those of a batch in which it does not: distance 2λ.
    const double windows = static_cast<double>(e.windows_per_series);
    const double any = r < 1 ? -std::expm1(windows * std::log1p(-r)) * (1 + 1e-15) : 1.0;
    bounds.push_back(subsampled_gaussian_model(windows * distance, std::min(1.0, rho * any)));
    return std::make_unique<BestBoundModel>(std::move(bounds));
  }
  // Poisson: MoG(∓i, Bin(i; K, r'), σ), i = 0..K, r' = min(1, λ/T); the worst length at every α.
  Models series;
  std::int64_t covered = 0;
  for (std::int64_t length : e.length) {  // shortest first
    const std::int64_t windows = windows_of(e, length), touched = touched_windows(e, length);
    // A longer series with equally many touched windows draws each of them less often: it shows a mixture of what the
    // shorter one shows with some of its windows, so it is covered.
    if (touched == covered) continue;
    covered = touched;
    const double rate = std::min(1.0, static_cast<double>(e.windows_per_series) / static_cast<double>(windows));
    if (touched > 10'000'000)
      return fail(ErrorKind::cannot_certify, "context_length", "more than 10^7 touched windows cannot be priced");
    const UnitMixture up = ladder(binomial(touched, rate), 1 / sigma);
    series.push_back(monotone_mixture_model(up, mirrored(up), true));
  }
  std::unique_ptr<const LossModel> model =
      series.size() == 1 ? std::move(series.front()) : std::make_unique<WorstSeriesModel>(std::move(series));
  if (rho < 1) model = std::make_unique<ThinnedModel>(std::move(model), rho);
  return model;
}

}  // namespace

std::int64_t windows_of(const StructuredSubsampling& e, std::int64_t length) { return length - e.forecast_length + 1; }

std::int64_t touched_windows(const StructuredSubsampling& e, std::int64_t length) {
  const Int128 span = static_cast<Int128>(e.context_length) + e.forecast_length;
  const Int128 touched = e.unit == Unit::user ? span * e.width : span + e.width - 1;
  const std::int64_t windows = windows_of(e, length);
  return touched < windows ? static_cast<std::int64_t>(touched) : windows;
}

double touched_share(const StructuredSubsampling& e) {
  double share = 0;
  for (std::int64_t length : e.length)
    share =
        std::max(share, static_cast<double>(touched_windows(e, length)) / static_cast<double>(windows_of(e, length)));
  return share;
}

double series_rate(const StructuredSubsampling& e) {
  if (e.top_level == StructuredSubsampling::Top::iterate) return 1;
  const std::int64_t drawn = e.batch_size / e.windows_per_series;  // rounded down, like the batches
  return static_cast<double>(drawn) / static_cast<double>(e.series);
}

double augmented_share(const StructuredSubsampling& e) {
  double most = 0;
  for (std::int64_t length : e.length) {
    const auto windows = static_cast<double>(windows_of(e, length));
    const double share = e.unit == Unit::user ? static_cast<double>(e.width) * largest_shown(e, length, 1) / windows
                                              : largest_shown(e, length, e.width) / windows;
    most = std::max(most, std::min(1.0, share * (1 + 1e-13)));
  }
  return most;
}

Result<Event> black_box_event(const StructuredSubsampling& e) {
  // Series of several lengths are pooled at the shortest, where one change touches the largest share.
  const std::int64_t windows = windows_of(e, e.length.front()), touched = touched_windows(e, e.length.front());
  if (static_cast<Int128>(windows) * e.series > INT64_MAX)
    return fail(ErrorKind::cannot_certify, "series", "too many windows to pool");
  const Binomial drawn = hypergeometric(windows * e.series, touched, std::min(e.batch_size, windows * e.series));
  Mixture mixture{.p = {}, .q = {{0}, {1}}, .noise_multiplier = e.noise_multiplier};
  for (std::size_t k = 0; k < drawn.weights.size(); ++k) {
    if (drawn.weights[k] < 1e-30) continue;
    mixture.p.means.push_back(2 * static_cast<double>(k));
    mixture.p.weights.push_back(drawn.weights[k]);
  }
  return Event{mixture, 1};
}

Result<void> StructuredSubsampling::check(bool) const {
  for (const std::int64_t steps : length)
    if (steps < forecast_length)
      return invalid("length", std::to_string(steps),
                     "at least forecast_length (" + std::to_string(forecast_length) + ")");
  if (windows_per_series > batch_size)
    return invalid("windows_per_series", std::to_string(windows_per_series),
                   "at most batch_size (" + std::to_string(batch_size) + ")");
  if (batch_size / windows_per_series > series)
    return invalid("batch_size", std::to_string(batch_size),
                   "such that batch_size / windows_per_series is at most series (" + std::to_string(series) + ")");
  if (unit == Unit::w_event) return invalid("unit", "w-event", "event (with width for w events in a row) or user");
  const bool augmented = context_noise > 0 || label_noise > 0;
  if (augmented && windows_per_series != 1)
    return invalid("windows_per_series", std::to_string(windows_per_series), "1 when there is context or label noise");
  if (augmented && bottom_level != Bottom::with_replacement)
    return invalid("bottom_level", "poisson", "with_replacement when there is context or label noise");
  return {};
}

MadeLoss StructuredSubsampling::loss() const { return model_of(*this); }

Result<Event> StructuredSubsampling::for_replacement() const { return not_convertible(kName); }

Result<double> StructuredSubsampling::gaussian_distance() const {
  std::int64_t windows = windows_per_series;
  if (bottom_level == Bottom::poisson) {
    windows = 0;
    for (const std::int64_t steps : length) windows = std::max(windows, touched_windows(*this, steps));
  }
  return 2 * static_cast<double>(windows) / noise_multiplier;
}

double StructuredSubsampling::chance_of_use(double count) const {
  double most = 0;
  for (const std::int64_t steps : length) {
    const auto windows = static_cast<double>(windows_of(*this, steps)),
               touched = static_cast<double>(touched_windows(*this, steps));
    const auto drawn = static_cast<double>(windows_per_series);
    const double of_series = bottom_level == Bottom::poisson ? at_least_once(std::min(1.0, drawn / windows), touched)
                                                             : at_least_once(touched / windows, drawn);
    most = std::max(most, of_series);
  }
  return at_least_once(series_rate(*this) * most, count);
}

}  // namespace chronoveil::accounting
