// A series of which some steps are asked: a scalar Kalman filter predicts the steps between from the answers. Shared by
// fixed_rate and fast.
//   Asked     the filter is corrected with the answer, and the estimate is published
//   Not asked the prediction is published; before the first answer 0 in [0, maximum]
//   Interval  from the filter's honest variance, not from the one that trusts a chosen Q
#pragma once

#include <string>
#include <vector>

#include "chronoveil/mechanisms/live.h"
#include "chronoveil/post/causal/fast_control.h"

namespace chronoveil::mechanisms {

// process_variance (Q: auto, or a number of at least 0) and measurement_variance (R: true, or a number above 0).
std::vector<ParameterInfo> filter_parameters();
Result<void> check_filter_parameters(const Parameters&);

// Counts asked at most `most` times per series, at steps that may depend on earlier answers: the least noise for which
// all answers together are within the request, since one neighbour moves at most min(series × most, `changes`) of them,
// by at most c each. Laplace noise when δ = 0, else Gaussian. The plan reserves one use for each answer.
Result<SeriesPlan> calibrated_for_questions(const Request&, const SeriesMechanism&, Parameters, std::int64_t most,
                                            std::int64_t changes);

class FilteredSeries {
 public:
  explicit FilteredSeries(const SeriesPlan&);

  // predict(): one step further, the predicted value. Then, if the step is asked, correct(): the value with the answer.
  LiveValue predict();
  LiveValue correct(double answer);

  double estimate() const { return filter_.estimate(); }

  void save(StateWriter& to) const { filter_.save(to); }
  void load(StateReader& from) { filter_.load(from); }

 private:
  LiveValue published(bool sampled) const;

  double widths_;  // half the width of the interval, in standard deviations
  double maximum_;
  post::ScalarFilter filter_;
};

}  // namespace chronoveil::mechanisms
