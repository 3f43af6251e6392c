#include "chronoveil/post/joint/joint.h"

#include <cmath>
#include <numeric>

#include "chronoveil/post/joint/candidates.h"
#include "chronoveil/post/joint/crew.h"
#include "chronoveil/post/joint/envelope.h"
#include "chronoveil/post/joint/factors.h"
#include "chronoveil/post/joint/folds.h"
#include "chronoveil/post/joint/intervals.h"
#include "chronoveil/post/joint/smooth.h"
#include "chronoveil/post/joint/totals.h"
#include "chronoveil/post/joint/weights.h"
#include "chronoveil/post/shrink/shrink.h"

namespace chronoveil::post {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using joint::Candidates;
using joint::Folds;
using joint::Smooth;

std::vector<Candidates> learn_candidates(joint::Crew& crew, const ArrayXXd& learners, const ArrayXXd& smoothed,
                                         const Folds& folds) {
  const std::vector<joint::Factors> factors = joint::learn_factors(crew, learners, smoothed, folds);
  Dictionary& dictionary = crew.dictionary();
  const std::vector<ArrayXd> envelopes = joint::learn_envelopes(dictionary, learners, folds);
  ArrayXd sizes(learners.cols());
  for (Index l = 0; l < learners.cols(); ++l) sizes[l] = joint::size_of(learners.col(l));
  std::vector<Candidates> all;
  for (std::size_t fold = 0; fold < factors.size(); ++fold) {
    const std::vector<Index> others = folds.others(static_cast<Index>(fold));
    const Eigen::MatrixXd of_others = learners(Eigen::all, others).matrix();
    const joint::Loadings loadings((factors[fold].curves.transpose() * of_others).array(), sizes(others));
    all.emplace_back(dictionary, factors[fold], envelopes[fold], loadings);
  }
  return all;
}

// All series, in units of the noise.
class Panel {
 public:
  Panel(const ArrayXXd& values, const JointSpec& spec)
      : values_(values),
        spec_(spec),
        folds_(values.cols(), spec.learners),
        crew_(values.rows(), spec.season, joint::batches_of(values.cols()), spec.threads),
        estimates_(values.rows(), values.cols()),
        variances_(values.rows(), values.cols()),
        lacks_(values.cols()),
        divergences_(values.cols()),
        joint_weights_(values.cols()) {}

  void run() {
    learn();
    crew_.each(joint::batches_of(values_.cols()), [this](Dictionary& dictionary, Index batch) {
      const Index first = batch * DictionaryBatch::kSize;
      denoise(dictionary, first, std::min(DictionaryBatch::kSize, values_.cols() - first));
    });
    const ArrayXd raised = joint::raises(lacks_, values_.rows());
    variances_ = (variances_.rowwise() + raised.transpose()).min(1);
    hold_totals();
  }

  const ArrayXXd& estimates() const { return estimates_; }
  const ArrayXXd& variances() const { return variances_; }
  // Of the sums of all series, and of each group; over the number of series.
  const ArrayXd& total_variance() const { return total_variance_; }
  const std::vector<ArrayXd>& group_variances() const { return group_variances_; }

 private:
  void learn() {
    ArrayXXd learners(values_.rows(), folds_.learners());
    for (Index l = 0; l < folds_.learners(); ++l) learners.col(l) = values_.col(folds_.series_of(l));
    const Smooth smoothed = joint::smooth(crew_, learners);
    candidates_ = learn_candidates(crew_, learners, smoothed.estimate, folds_);
    const Index of_dictionary = smoothed.risks.cols();
    risks_.resize(folds_.learners(), of_dictionary + candidates_.front().count());
    risks_.leftCols(of_dictionary) = smoothed.risks;
    crew_.each(joint::batches_of(folds_.learners()), [&](Dictionary& dictionary, Index batch) {
      ArrayXd coefficients(values_.rows());
      const Index first = batch * DictionaryBatch::kSize;
      for (Index l = first; l < std::min(first + DictionaryBatch::kSize, folds_.learners()); ++l) {
        dictionary.basis.forward(view(learners.col(l)), view(coefficients));
        risks_.row(l).tail(candidates_.front().count()) =
            of_fold(folds_.fold_of_learner(l)).risks(dictionary.basis, learners.col(l), coefficients).transpose();
      }
    });
    priors_ = joint::learn_priors(risks_, of_dictionary, folds_);
  }

  // Series first .. first + count - 1.
  void denoise(Dictionary& dictionary, Index first, Index count) {
    const Index steps = values_.rows(), of_dictionary = dictionary.candidates();
    DictionaryBatch batch(dictionary, values_.middleCols(first, count));
    ArrayXXd own_risks;  // of series that do not learn
    ArrayXXd weights(risks_.cols(), count);
    for (Index s = 0; s < count; ++s) {
      const Index fold = folds_.fold_of(first + s);
      ArrayXd risks(risks_.cols());
      if (folds_.learns(first + s)) {
        risks = risks_.row(folds_.learner_of(first + s)).transpose();
      } else {
        if (own_risks.size() == 0) own_risks = batch.risks();
        risks.head(of_dictionary) = own_risks.row(s).transpose();
        risks.tail(risks.size() - of_dictionary) =
            of_fold(fold).risks(dictionary.basis, values_.col(first + s), batch.coefficients().col(s));
      }
      weights.col(s) = joint::weights_of(priors_.row(fold).transpose(), risks);
      lacks_[first + s] = (weights.col(s) * risks).sum() / static_cast<double>(steps);
    }
    std::vector<std::vector<MixturePart>> parts = batch.parts(weights.topRows(of_dictionary).transpose());
    for (Index s = 0; s < count; ++s) {
      std::vector<MixturePart>& mine = parts[static_cast<std::size_t>(s)];
      mine.push_back(of_fold(folds_.fold_of(first + s))
                         .part(dictionary.basis, values_.col(first + s), batch.coefficients().col(s),
                               weights.col(s).tail(weights.rows() - of_dictionary)));
      joint_weights_[first + s] = mine.back().weight;
      if (mine.back().weight == 0) mine.pop_back();
      const Mixture mixture = combined(steps, mine);
      estimates_.col(first + s) = values_.col(first + s) - (mixture.residual - mixture.residual.mean());
      variances_.col(first + s) = mixture.variance;
      lacks_[first + s] -= mixture.variance.mean();
      divergences_[first + s] = mixture.divergence;
    }
  }

  void hold_totals() {
    double shared = 0;
    for (const Candidates& one : candidates_) shared += one.shared() / static_cast<double>(candidates_.size());
    const ArrayXd uncertainty = variances_.colwise().mean().transpose();
    const std::vector<Index> starts = spec_.season_starts.empty()
                                          ? joint::starts_of(spec_.season, values_.rows())
                                          : std::vector<Index>(spec_.season_starts.begin(), spec_.season_starts.end());
    joint::TotalsHolder holder(crew_.dictionary(), values_, uncertainty, starts);
    const auto hold = [&](const std::vector<Index>& series) {
      const double own = divergences_(series).mean() / static_cast<double>(values_.rows());
      // Of the noise in the curves a part of the series has its part.
      const double part = static_cast<double>(series.size()) / static_cast<double>(values_.cols());
      return holder.hold(series, own + (1 - own) * shared * part * joint_weights_(series).mean(), estimates_);
    };
    for (const std::vector<std::int64_t>& group : spec_.groups)
      group_variances_.push_back(hold({group.begin(), group.end()}));
    std::vector<Index> all(static_cast<std::size_t>(values_.cols()));
    std::iota(all.begin(), all.end(), Index{0});
    total_variance_ = hold(all);
  }

  const Candidates& of_fold(Index fold) const { return candidates_[static_cast<std::size_t>(fold)]; }

  const ArrayXXd& values_;
  const JointSpec& spec_;
  Folds folds_;
  joint::Crew crew_;
  std::vector<Candidates> candidates_;  // one per fold
  ArrayXXd risks_, priors_;             // of learners, one row each; one row per fold
  ArrayXXd estimates_, variances_;
  ArrayXd lacks_, divergences_, joint_weights_, total_variance_;
  std::vector<ArrayXd> group_variances_;
};

void add(double value, double half_width, Estimate& all) {
  all.value.push_back(value);
  all.lower.push_back(value - half_width);
  all.upper.push_back(value + half_width);
  all.sampled.push_back(1);
}

}  // namespace

JointEstimate shrink_jointly(std::span<const double> values, const JointSpec& spec) {
  const Index steps = spec.steps, series = static_cast<Index>(values.size()) / steps;
  if (series == 1 || steps < kFewestJointSteps) {
    JointEstimate all;
    all.cells = shrink(values, {.steps = spec.steps,
                                .noise_deviation = spec.noise_deviation,
                                .half_width = spec.half_width,
                                .season = spec.season});
    return all;
  }
  const ArrayXXd scaled = Eigen::Map<const ArrayXXd>(values.data(), steps, series) / spec.noise_deviation;
  Panel panel(scaled, spec);
  panel.run();
  JointEstimate all;
  for (std::vector<double>* numbers : {&all.cells.value, &all.cells.lower, &all.cells.upper})
    numbers->reserve(values.size());
  all.cells.sampled.reserve(values.size());
  for (Index s = 0; s < series; ++s)
    for (Index t = 0; t < steps; ++t)
      add(spec.noise_deviation * panel.estimates()(t, s), spec.half_width * std::sqrt(panel.variances()(t, s)),
          all.cells);
  const auto sum_of = [&](const auto& members, const ArrayXd& variance) {
    Estimate sums;
    const double half_width = spec.half_width * std::sqrt(static_cast<double>(members.size()));
    for (Index t = 0; t < steps; ++t) {
      double sum = 0;
      for (const std::int64_t s : members) sum += all.cells.value[static_cast<std::size_t>(s * steps + t)];
      add(sum, half_width * std::sqrt(variance[t]), sums);
    }
    return sums;
  };
  std::vector<std::int64_t> every(static_cast<std::size_t>(series));
  std::iota(every.begin(), every.end(), std::int64_t{0});
  all.total = sum_of(every, panel.total_variance());
  for (std::size_t group = 0; group < spec.groups.size(); ++group)
    all.groups.push_back(sum_of(spec.groups[group], panel.group_variances()[group]));
  return all;
}

}  // namespace chronoveil::post
