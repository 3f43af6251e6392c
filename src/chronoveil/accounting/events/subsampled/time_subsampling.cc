#include "chronoveil/accounting/events/subsampled/time_subsampling.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <type_traits>

#include "chronoveil/accounting/events/chance_of_use.h"
#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/events/subsampled/filter_kernel.h"
#include "chronoveil/accounting/grid/extremes.h"
#include "chronoveil/accounting/mixtures/gaussian_mixtures.h"
#include "chronoveil/accounting/normal.h"

namespace chronoveil::accounting {
namespace {

// After a filter: δ(ε) <= E f̃(Σ_{t∈J} v_t) with v_t in [0, c] and Σ v_t <= S, where f̃ is f(s) = G(√s/σ) up to its
// inflection s* = 2(√(1+ε²) − 1)σ² and its tangent beyond: convex, so the expectation is largest when floor(S/c)
// weights are c and one is the remainder. Also never more than G(√S/σ), all steps kept. The profile is convex in e^ε;
// this bound need not be, so its convex envelope is used.
class FilteredModel final : public LossModel {
 public:
  FilteredModel(double sigma, double rate, FilterReach reach)
      : upper_(sigma, rate, reach, +1), lower_(sigma, rate, reach, -1), energy_(reach.energy), sigma_(sigma) {}

  bool tight() const override { return false; }
  // One value each at two points per bin.
  double terms() const override { return 2 * upper_.size(); }
  long double delta(double epsilon) const override { return upper_.bound(epsilon); }
  long double delta_lower(double epsilon) const override { return lower_.bound(epsilon); }
  double top(double tail) const override { return gaussian_model(std::sqrt(energy_) / sigma_)->top(tail); }

  LossHalves halves(double step, std::size_t bins, bool) const override {
    // Only the profile is known: evaluate it on the grid and connect the dots of its convex envelope.
    std::vector<long double> values(2 * bins + 1);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = upper_.quick_pointwise(step / 2 * static_cast<double>(i));
    LossHalves halves;
    halves.upper = paired(from_profile(step / 2, values));
    return halves;
  }

 private:
  // The bound, rounded up (sign +1) or down: it grows with every energy, and √energy/σ is rounded like any distance.
  // The cut-off part of the binomial law is charged only to the upper bound.
  class Bound {
   public:
    Bound(long double sigma, double rate, FilterReach reach, int sign) : sigma_(sigma) {
      const long double scale = 1 + 2 * sign * kMuError;  // an energy is a square
      energy_ = reach.energy * scale;
      const long double whole = std::floor(reach.energy / reach.highest);
      const long double highest = reach.highest * scale;
      // Both are rounded up, and the bound holds for the rounded values: this difference adds one rounding of 64 bits.
      const long double left = static_cast<long double>(reach.energy) - whole * reach.highest;
      const long double remainder = std::clamp(left * scale + sign * 0x1p-60L * reach.energy, 0.0L, highest);
      const Binomial kept = binomial(static_cast<std::int64_t>(whole), rate);
      tail_ = sign > 0 ? kept.tail : 0;
      for (std::size_t k = 0; k < kept.weights.size(); ++k) {
        if (kept.weights[k] == 0) continue;
        const long double base = highest * static_cast<long double>(k);
        const auto add = [&](long double energy, long double weight) {
          kept_.push_back({energy, weight, std::sqrt(energy) / sigma});
        };
        add(base, kept.weights[k] * (1 - static_cast<long double>(rate)));
        add(base + remainder, kept.weights[k] * static_cast<long double>(rate));
      }
      above_.assign(kept_.size() + 1, {0, 0});
      for (std::size_t i = kept_.size(); i-- > 0;)
        above_[i] = {above_[i + 1].weight + kept_[i].weight, above_[i + 1].energy + kept_[i].weight * kept_[i].energy};
    }

    double size() const { return static_cast<double>(kept_.size()); }
    long double bound(double epsilon) const {
      const long double bound = pointwise(epsilon);
      std::call_once(touched_, [&] { find_touch(); });
      return epsilon < touch_.at ? smaller(bound, chord(touch_, epsilon)) : bound;
    }
    // At one ε, without the envelope; the quick one is rounded up by its possible error.
    long double quick_pointwise(double epsilon) const {
      const long double whole = gaussian_profile(std::sqrt(energy_) / sigma_, epsilon) * (1 + kProfileError);
      const long double mean =
          averaged<double>(epsilon, quick_gaussian_profile) * (1 + static_cast<long double>(kQuickError));
      return smaller(1.0L, smaller(whole, mean));
    }

   private:
    template <class T>
    long double averaged(double epsilon, T (*profile)(T, T)) const {
      const long double variance = sigma_ * sigma_;
      const long double e = epsilon;
      // √(1+ε²) − 1 without cancellation.
      const long double inflection = 2 * (e * e / (std::sqrt(1 + e * e) + 1)) * variance;
      long double at_inflection = 0, slope = 0;
      if (inflection > 0) {
        const long double mu = std::sqrt(inflection) / sigma_;
        at_inflection = gaussian_profile(mu, e);
        slope = gaussian_profile_slope(mu, e) / variance;
      } else {
        return 1;  // the tangent at 0 is vertical
      }
      // Beyond the inflection the majorant is a line, and its expectation is in the sums.
      const auto bend =
          std::partition_point(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.energy <= inflection; });
      auto at = static_cast<std::size_t>(bend - kept_.begin());
      const Sums& line = above_[at];
      long double sum =
          tail_ + at_inflection * line.weight + slope * larger(0.0L, line.energy - inflection * line.weight);
      // From there downward the majorant falls: the rest is at most the next value times all remaining weights. The
      // largest energies are unlikely and are skipped if they cannot matter beside a value in the middle.
      auto value = [&](std::size_t i) {
        return kept_[i].distance > 0 ? static_cast<long double>(profile(static_cast<T>(kept_[i].distance), epsilon))
                                     : 0.0L;
      };
      constexpr long double kNothing = std::is_same_v<T, double> ? 1e-12L : 1e-18L;  // against the error of a value
      const long double all = above_.front().weight;
      if (at > 0) {
        const long double most = value(at - 1);
        const auto middle = static_cast<std::size_t>(
            std::partition_point(above_.begin(), above_.begin() + static_cast<std::ptrdiff_t>(at),
                                 [&](const Sums& above) { return above.weight > all / 2; }) -
            above_.begin());
        const std::size_t probe = std::min(middle, at - 1);
        const long double least = sum + kept_[probe].weight * value(probe);
        const auto from = std::partition_point(
            above_.begin(), above_.begin() + static_cast<std::ptrdiff_t>(at),
            [&](const Sums& above) { return (above.weight - line.weight) * most > kNothing * least; });
        const auto first = static_cast<std::size_t>(from - above_.begin());
        sum += larger(0.0L, above_[first].weight - line.weight) * most;
        at = first;
      }
      while (at-- > 0) {
        const long double here = value(at), left = all - above_[at].weight;
        sum += kept_[at].weight * here;
        if (!(left * here > kNothing * sum)) {
          sum += larger(0.0L, left) * here;
          break;
        }
      }
      return sum;
    }

    long double pointwise(double epsilon) const {
      const long double whole = gaussian_profile(std::sqrt(energy_) / sigma_, epsilon);
      return smaller(1.0L, smaller(whole, averaged<long double>(epsilon, gaussian_profile)));
    }

    // The bound at one ε.
    struct Point {
      double at = 0;
      long double bound = 1;
    };
    // The profile is convex in α = e^ε and h(1/β) = 1 − 1/β + h(β)/β, so between 1/β and β it lies below the chord:
    //   h(α) <= ((β − α)(1 − 1/β + h(β)/β) + (α − 1/β) h(β)) / (β − 1/β)
    static long double chord(Point end, double epsilon) {
      const long double x = end.at, e = epsilon;
      const long double mirrored = -std::expm1(-x) + end.bound * std::exp(-x);
      const long double to_end = std::exp(e) * std::expm1(x - e), from_mirror = std::exp(-x) * std::expm1(x + e);
      return (to_end * mirrored + from_mirror * end.bound) / (to_end + from_mirror);
    }
    // The chord that is lowest at ε = 0, the one of the envelope; any other one is a bound, too.
    void find_touch() const {
      double least = 1;
      auto attempt = [&](double x) {
        const Point point{x, pointwise(x)};
        const auto value = static_cast<double>(chord(point, 0));
        if (value < least) {
          least = value;
          touch_ = point;
        }
        return value;
      };
      for (double x = 1e-6; x < 100; x *= 2) attempt(x);
      if (touch_.at == 0) return;
      double low = touch_.at / 2, high = touch_.at * 2;
      constexpr double kGolden = 0.3819660112501051;
      for (int i = 0; i < 16; ++i) {
        const double left = low + kGolden * (high - low), right = high - kGolden * (high - low);
        const bool falls = attempt(left) > attempt(right);
        (falls ? low : high) = falls ? left : right;
      }
    }

    // How much of the energy Σ v_t of a change is kept, and how likely that is; by rising energy.
    struct Kept {
      long double energy, weight;
      long double distance;  // √energy, in standard deviations
    };
    // Over this and all larger ones: Σ weight and Σ weight × energy.
    struct Sums {
      long double weight, energy;
    };
    long double sigma_, energy_ = 0;
    double tail_ = 0;
    std::vector<Kept> kept_;
    std::vector<Sums> above_;
    mutable std::once_flag touched_;
    mutable Point touch_;
  };

  Bound upper_, lower_;
  double energy_, sigma_;
};

}  // namespace

Result<void> TimeSubsampling::check(bool) const {
  if (length && participation > *length)
    return invalid("participation", std::to_string(participation), "at most length (" + std::to_string(*length) + ")");
  if (!filter_width) return {};
  if (!length) return invalid("length", "a missing value", "given when there is a filter");
  if (*length > (1 << 22)) return invalid("length", std::to_string(*length), "at most 4194304 when there is a filter");
  return {};
}

MadeLoss TimeSubsampling::loss() const {
  const long double sigma = noise_multiplier;
  if (rate <= 0) return response_model({});
  if (filter_width) {
    const auto kernel = filter_kernel(*length, *filter_width);
    const FilterReach reach = filter_reach(kernel, participation);
    if (!(reach.highest > 0)) return response_model({});
    return std::make_unique<FilteredModel>(noise_multiplier, rate, reach);
  }
  if (rate >= 1) return gaussian_model(std::sqrt(static_cast<long double>(participation)) / sigma);
  if (participation > 100'000'000)
    return fail(ErrorKind::cannot_certify, "participation", "more than 10^8 steps cannot be priced");
  // Without a filter, exactly: δ(ε) = Σ_k Bin(k; I, p) G(√k/σ), the number of changed steps that are kept.
  const Binomial kept = binomial(participation, rate);
  std::vector<long double> mus;
  std::vector<double> weights;
  for (std::size_t k = 0; k < kept.weights.size(); ++k) {
    if (kept.weights[k] <= 0) continue;
    mus.push_back(std::sqrt(static_cast<long double>(k)) / sigma);
    weights.push_back(kept.weights[k]);
  }
  return revealed_gaussians_model(std::move(mus), std::move(weights), kept.tail);
}

Result<Event> TimeSubsampling::for_replacement() const {
  if (participation > std::numeric_limits<std::int64_t>::max() / 2) return not_convertible(kName);
  TimeSubsampling twice = *this;
  twice.participation *= 2;
  if (!length || twice.participation <= *length) return Event{twice};
  // Without a filter `length` counts all steps of all series. With a filter it is that of one series, and the event
  // does not say how many there are: the further steps may lie in another one.
  if (filter_width) return not_convertible(kName);
  twice.participation = *length;
  return Event{twice};
}

// Fewer steps of a person reveal no more.
bool TimeSubsampling::dominated_by(TimeSubsampling slot) const {
  if (participation > slot.participation) return false;
  slot.participation = participation;
  return only_noisier(*this, slot);
}

Result<double> TimeSubsampling::gaussian_distance() const {
  double energy = static_cast<double>(participation);
  if (filter_width) energy = filter_reach(filter_kernel(*length, *filter_width), participation).energy;
  return std::sqrt(energy) / noise_multiplier;
}

double TimeSubsampling::chance_of_use(double count) const {
  return at_least_once(rate, static_cast<double>(participation) * count);
}

}  // namespace chronoveil::accounting
