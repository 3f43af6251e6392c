#include "chronoveil/post/causal/joint_filter.h"

#include <algorithm>
#include <cmath>

namespace chronoveil::post {
namespace {

constexpr std::size_t kFolds = 8;
constexpr double kPriorAlone = 0.75;  // π of P
constexpr double kPrior = 10;         // how many series the prior counts for

}  // namespace

JointFilter::JointFilter(const JointFilterSpec& spec)
    : each_(spec.each),
      forget_(1 - 1 / (spec.each.season >= 2 ? 4 * static_cast<double>(spec.each.season) : 400)),
      calibration_(static_cast<std::size_t>(spec.series), spec.each.season),
      alone_now_(static_cast<std::size_t>(spec.series)) {
  const auto series = static_cast<std::size_t>(spec.series);
  for (std::size_t s = 0; s < series; ++s) alone_.emplace_back(each_);
  if (series == 1) return;
  total_.emplace(series, each_);
  if (!spec.joint) return;
  for (std::size_t s = 0; s < series; ++s) beside_.push_back({.filter = CausalFilter(each_)});
  const std::size_t count = std::min(series, kFolds);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t own = series / count + (k < series % count ? 1 : 0);
    const auto others = static_cast<double>(series - own);
    folds_.push_back({.filter = CausalFilter({.noise_variance = each_.noise_variance / others, .season = each_.season}),
                      .others = others});
  }
}

// Means are over the series that have begun: one that begins late must not pull the others towards 0 before.
void JointFilter::look_at_others(std::span<const std::optional<double>> measured) {
  struct Sum {
    double values = 0, begun = 0, measured = 0, alone = 0;
    void add(const Sum& more) {
      values += more.values;
      begun += more.begun;
      measured += more.measured;
      alone += more.alone;
    }
    Sum without(const Sum& part) const {
      return {values - part.values, begun - part.begun, measured - part.measured, alone - part.alone};
    }
  };
  std::vector<Sum> own(folds_.size());
  for (std::size_t s = 0; s < measured.size(); ++s) {
    Sum& sum = own[s % folds_.size()];
    sum.alone += beside_[s].alone;
    if (!std::isfinite(alone_now_[s].variance)) continue;
    sum.begun += 1;
    sum.values += measured[s].value_or(alone_now_[s].mean);
    if (measured[s]) sum.measured += 1;
  }
  Sum all;
  for (const Sum& sum : own) all.add(sum);
  for (std::size_t k = 0; k < folds_.size(); ++k) {
    Fold& fold = folds_[k];
    const Sum others = all.without(own[k]);
    fold.alone = others.alone;
    const CausalValue now =
        others.measured > 0 ? fold.filter.update(others.values / others.begun) : fold.filter.predict();
    const bool begun = std::isfinite(now.variance);
    fold.mean = begun ? now.mean : 0;
    fold.variance = begun ? now.variance : 0;
    fold.gain = others.measured > 0 ? now.variance / each_.noise_variance * fold.others : 0;
  }
}

JointFilter::Mixed JointFilter::mix(std::size_t series, const std::optional<double>& measured) {
  const double noise = each_.noise_variance;
  const CausalValue& alone = alone_now_[series];
  const double alone_variance = alone.variance / noise;
  if (beside_.empty()) return {{alone.mean, alone_variance}, alone_variance, 0};
  Beside& beside = beside_[series];
  if (!std::isfinite(alone.variance)) return {beside.filter.predict(), 0, 0};  // neither has begun
  const Fold& fold = folds_[series % folds_.size()];
  const double known = noise + beside.squares, slope = beside.products / known, curve = slope * fold.mean;
  const CausalValue rest = measured ? beside.filter.update(*measured - curve) : beside.filter.predict();
  const double joint_mean = rest.mean + curve, joint_gain = rest.variance / noise;
  double joint_variance = joint_gain * (1 + fold.mean * fold.mean / known) + slope * slope * fold.variance / noise;
  if (measured) joint_variance = std::min(1.0, joint_variance);

  const double elsewhere = (kPrior * kPriorAlone + fold.alone) / (kPrior + fold.others);
  const double for_alone = beside.weights.now()[0] * elsewhere, for_joint = beside.weights.now()[1] * (1 - elsewhere);
  const double w = for_alone / (for_alone + for_joint);
  const double mean = w * alone.mean + (1 - w) * joint_mean;
  const double apart =
      (w * (alone.mean - mean) * (alone.mean - mean) + (1 - w) * (joint_mean - mean) * (joint_mean - mean)) / noise;
  Mixed mixed{{mean, w * alone_variance + (1 - w) * joint_variance + apart},
              w * alone_variance + (1 - w) * joint_gain,
              (1 - w) * (1 - joint_gain) * slope * fold.gain};
  beside.alone = w;
  beside.products *= forget_;
  beside.squares *= forget_;
  if (!measured) return mixed;
  const auto risk = [&](double estimate, double gain) {
    return (*measured - estimate) * (*measured - estimate) / noise + 2 * gain;
  };
  beside.weights.learn({risk(alone.mean, alone_variance), risk(joint_mean, joint_gain)});
  beside.products += *measured * fold.mean;
  beside.squares += fold.mean * fold.mean;
  return mixed;
}

void JointFilter::step(std::span<const std::optional<double>> measured, std::span<CausalValue> out) {
  for (std::size_t s = 0; s < alone_.size(); ++s)
    alone_now_[s] = measured[s] ? alone_[s].update(*measured[s]) : alone_[s].predict();
  if (!beside_.empty()) look_at_others(measured);
  const double noise = each_.noise_variance;
  CausalParts parts;
  calibration_.fade();
  for (std::size_t s = 0; s < alone_.size(); ++s) {
    const Mixed mixed = mix(s, measured[s]);
    out[s] = mixed.value;
    parts.estimate += mixed.value.mean;
    parts.noisy += measured[s].value_or(mixed.value.mean);
    if (!measured[s]) continue;
    parts.measured = true;
    parts.gain += (mixed.gain + mixed.through_f) / static_cast<double>(alone_.size());
    const double residual = *measured[s] - mixed.value.mean;
    calibration_.add(s, residual * residual / noise - 1 + 2 * mixed.gain - mixed.value.variance);
  }
  calibration_.settle();
  for (std::size_t s = 0; s < alone_.size(); ++s) {
    const double raised = out[s].variance + calibration_.raise(s);
    out[s].variance = noise * (measured[s] ? std::min(1.0, raised) : raised);
    if (!measured[s]) parts.missing += out[s].variance;
  }
  if (total_) total_now_ = total_->step(parts);
}

void JointFilter::save(StateWriter& out) const {
  for (const CausalFilter& filter : alone_) filter.save(out);
  for (const Beside& beside : beside_) {
    beside.filter.save(out);
    beside.weights.save(out);
    for (const double value : {beside.products, beside.squares, beside.alone}) out.put(value);
  }
  for (const Fold& fold : folds_) fold.filter.save(out);
  calibration_.save(out);
  if (total_) total_->save(out);
}

void JointFilter::load(StateReader& in) {
  for (CausalFilter& filter : alone_) filter.load(in);
  for (Beside& beside : beside_) {
    beside.filter.load(in);
    beside.weights.load(in);
    for (double* value : {&beside.products, &beside.squares, &beside.alone}) *value = in.number();
  }
  for (Fold& fold : folds_) fold.filter.load(in);
  calibration_.load(in);
  if (total_) total_->load(in);
}

}  // namespace chronoveil::post
