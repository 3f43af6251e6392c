// How the signs of seasonal differences go together over time: what sign_lags measures, exactly, before any noise.
//   Signs      s_t = sign(y_t - y_{t-m}) for t >= m; 0 for ties and where either value is missing or not finite
//   Products   G_m(k) = Σ over series and t of s_t s_{t+k}, k = 0, ..., K: integers
//   Counts     c_m(k) = Σ over series of max(n - m - k, 0): how many products there are; public, as lengths are
// A channel counts as a series of its own. Series are added one after the other; what is kept does not grow with their
// number, and neither their order nor how they are spread over several sums matters.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/forecasting/panel.h"
#include "chronoveil/forecasting/sign_lags/plan.h"

namespace chronoveil::forecasting {

// Internal until noise is added (release.h).
class SignProducts {
 public:
  static Result<SignProducts> make(const SignLagsConfig&);  // refused like check_sign_lags()

  void add(std::span<const float> values);  // one channel of one series
  void add(const PanelSeries&, std::int64_t channels);
  void merge(const SignProducts&);  // precondition: of the same configuration

  const SignLagsConfig& config() const { return config_; }
  const std::vector<std::int64_t>& products() const { return products_; }  // [J, K + 1]
  const std::vector<std::int64_t>& counts() const { return counts_; }      // [J, K + 1]

 private:
  explicit SignProducts(SignLagsConfig);

  SignLagsConfig config_;
  std::vector<std::int64_t> products_, counts_;
  std::vector<std::uint64_t> there_, falls_, later_there_, later_falls_;  // bits of one series, as it is and shifted
};

}  // namespace chronoveil::forecasting
