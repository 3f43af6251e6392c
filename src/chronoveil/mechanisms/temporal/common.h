// Shared by the mechanisms for a series of its owner: common checks, prices and refusals.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/base/draw_right.h"
#include "chronoveil/mechanisms/temporal_mechanism.h"

namespace chronoveil::mechanisms {

// Errors of kernels and of the accountant name their own parameters; these are the names in a job: privacy.epsilon,
// privacy.delta, privacy.window, perturb.lower, perturb.upper, and mechanism.NAME for those of mechanisms.
Error in_a_job(Error);
template <class T>
Result<T> named(Result<T> result) {
  if (!result) return Failure(in_a_job(std::move(result).error()));
  return result;
}

// ε > 0, δ in [0, 1), at least one lane; then what only one kind of mechanism takes:
//   moving    a window of 2 to 2^20, unit event, no bounds and no categories
//   changing  no window, unit event or user, and for unit user the length T
Result<void> check_moving(const TemporalRequest&, const TemporalMechanism&);
Result<void> check_changing(const TemporalRequest&, const TemporalMechanism&);

// The analysis that the request asks for, if the mechanism has one besides the certified.
accounting::Analysis analysis_of(const TemporalRequest&, const TemporalMechanism&);

// The least noise within the request's (ε, δ), and the price of an event that has no open parameter. The latter must be
// within (ε, δ): otherwise `parameter` (as a job spells it, with its value) is refused, naming what it costs; if no ε
// holds at this δ, the error is cannot_certify and names the δ that it needs.
Result<accounting::Calibration> calibrated(const TemporalRequest&, const TemporalMechanism&,
                                           const accounting::Event& open);
Result<accounting::Price> priced(const TemporalRequest&, const TemporalMechanism&, const accounting::Event&,
                                 std::string_view parameter, std::string_view value);

// If a published analysis has a δ of its own, the plan gets that δ.
TemporalPlan planned(const TemporalRequest&, const TemporalMechanism&, Parameters, accounting::Event,
                     accounting::Price);

// A series shorter than the window was not priced: bad_data.
Result<void> check_long_enough(std::int64_t values, std::int64_t window);

// A whole number of at least `least`, or an error.
Result<std::int64_t> whole_number(std::string_view parameter, double value, std::int64_t least, std::int64_t most);

// "the plan and its event disagree"
Failure disagreement();

// A kernel of temporal/ that keeps every value.
template <class Kernel>
class MovingProcess final : public TemporalProcess {
 public:
  MovingProcess(Kernel kernel, std::int64_t window) : kernel_(std::move(kernel)), window_(window) {}

  Result<void> push(TimedValue value, DrawRight& right, std::vector<Released>& out) override {
    CV_TRY(BitSource* const bits, right.bits());
    ++values_;
    kernel_.push(std::move(value), *bits, [&](TimedValue&& each) { out.emplace_back(std::move(each)); });
    return {};
  }
  Result<std::int64_t> finish(DrawRight& right, std::vector<Released>& out) override {
    CV_TRY(BitSource* const bits, right.bits());
    CV_CHECK(check_long_enough(values_, window_));
    kernel_.finish(*bits, [&](TimedValue&& each) { out.emplace_back(std::move(each)); });
    return 0;
  }

 private:
  Kernel kernel_;
  std::int64_t window_;
  std::int64_t values_ = 0;
};

}  // namespace chronoveil::mechanisms
