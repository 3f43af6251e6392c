#include "chronoveil/post/causal/calibration.h"

#include <algorithm>
#include <cmath>

namespace chronoveil::post {

CausalCalibration::CausalCalibration(std::size_t series, std::int64_t season)
    : keep_(1 - 1 / static_cast<double>(std::max<std::int64_t>(4 * season, 400))), each_(series) {}

void CausalCalibration::fade() {
  for (Sums& sums : each_) {
    sums.steps *= keep_;
    sums.lacks *= keep_;
  }
  all_.steps *= keep_;
  all_.lacks *= keep_;
  lacks_squared_ *= keep_;
  weights_squared_ *= keep_ * keep_;
}

void CausalCalibration::add(std::size_t series, double lack) {
  for (Sums* sums : {&each_[series], &all_}) {
    sums->steps += 1;
    sums->lacks += lack;
  }
  lacks_squared_ += lack * lack;
  weights_squared_ += 1;
}

void CausalCalibration::settle() {
  if (!(all_.steps > 0)) return;
  const double mean = all_.mean(), series = static_cast<double>(each_.size());
  const double spread = std::max(0.0, lacks_squared_ / all_.steps - mean * mean);
  const double squared_error = spread * series * weights_squared_ / (all_.steps * all_.steps);
  trust_ = 1;
  if (each_.size() > 1) {
    double squares = 0, seen = 0;
    for (const Sums& sums : each_) {
      if (!(sums.steps > 0)) continue;
      squares += (sums.mean() - mean) * (sums.mean() - mean);
      seen += 1;
    }
    const double real = seen > 1 ? std::max(0.0, squares / (seen - 1) - squared_error) : 0;
    trust_ = real > 0 ? real / (real + squared_error) : 0;
  }
  error_ = std::sqrt(squared_error * (trust_ + (1 - trust_) / series));
}

double CausalCalibration::raise(std::size_t series) const {
  if (!(all_.steps > 0)) return 0;
  const double mean = all_.mean();
  const double own = each_[series].steps > 0 ? each_[series].mean() : mean;
  return std::max(0.0, mean + trust_ * (own - mean) + error_);
}

void CausalCalibration::save(StateWriter& out) const {
  for (const Sums& sums : each_) {
    out.put(sums.steps);
    out.put(sums.lacks);
  }
  for (const double value : {all_.steps, all_.lacks, weights_squared_, lacks_squared_, trust_, error_}) out.put(value);
}

void CausalCalibration::load(StateReader& in) {
  for (Sums& sums : each_) {
    sums.steps = in.number();
    sums.lacks = in.number();
  }
  for (double* value : {&all_.steps, &all_.lacks, &weights_squared_, &lacks_squared_, &trust_, &error_})
    *value = in.number();
}

}  // namespace chronoveil::post
