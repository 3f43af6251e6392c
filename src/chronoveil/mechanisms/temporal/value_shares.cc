#include "chronoveil/mechanisms/temporal/value_shares.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "chronoveil/mechanisms/temporal/common.h"

namespace chronoveil::mechanisms {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

class ValueProcess final : public TemporalProcess {
 public:
  ValueProcess(std::optional<std::int64_t> most, Answer answer) : most_(most), answer_(std::move(answer)) {}

  Result<void> push(TimedValue value, DrawRight& right, std::vector<Released>& out) override {
    CV_TRY(BitSource* const bits, right.bits());
    if (most_ && values_ >= *most_)
      return fail(ErrorKind::bad_data, "perturb.length",
                  "the series has more values than that, " + std::to_string(*most_));
    ++values_;
    CV_TRY(value.text, answer_(value.text, *bits));
    out.emplace_back(std::move(value));
    return {};
  }
  Result<std::int64_t> finish(DrawRight&, std::vector<Released>&) override { return 0; }

 private:
  std::optional<std::int64_t> most_;
  Answer answer_;
  std::int64_t values_ = 0;
};

// Without δ costs add up, and each answer has the same part of ε, rounded down: its ε, or the noise for it.
double equal_share(double epsilon, const accounting::Event& open) {
  constexpr double kDown = 1 - 4 * std::numeric_limits<double>::epsilon();
  const double share = epsilon / static_cast<double>(open.count) * kDown;
  return std::holds_alternative<accounting::Laplace>(open.kind) ? 1 / (share * kDown) : share;
}

}  // namespace

std::int64_t answers(Unit unit, std::optional<std::int64_t> length, std::int64_t lanes) {
  return unit == Unit::user ? length.value_or(1) * lanes : lanes;
}

Result<TemporalPlan> with_shares(const TemporalRequest& request, const TemporalMechanism& mechanism,
                                 accounting::Kind open) {
  CV_TRY(Parameters parameters, resolved(request.parameters, mechanism.name, mechanism.parameters));
  accounting::Event event{std::move(open), answers(request.unit, request.length, request.lanes)};
  if (request.delta == 0) {
    event = accounting::with_noise(event, equal_share(request.epsilon, event));
    CV_TRY(accounting::Price price, priced(request, mechanism, event, "privacy.epsilon", shortest(request.epsilon)));
    return planned(request, mechanism, std::move(parameters), std::move(event), std::move(price));
  }
  CV_TRY(accounting::Calibration found, calibrated(request, mechanism, event));
  return planned(request, mechanism, std::move(parameters), std::move(found.event), std::move(found.price));
}

Result<void> check_bounds(std::optional<double> lower, std::optional<double> upper, std::string_view mechanism) {
  const auto missing = [&](std::string_view parameter) {
    return fail(ErrorKind::usage, std::string(parameter),
                "it is missing; " + std::string(mechanism) + " needs public bounds of the values");
  };
  if (!lower) return missing("perturb.lower");
  if (!upper) return missing("perturb.upper");
  if (!std::isfinite(*lower)) return invalid("perturb.lower", *lower, "a finite number");
  if (!(*upper > *lower) || !std::isfinite(*upper - *lower))
    return invalid("perturb.upper", *upper, "a finite number greater than `perturb.lower = " + shortest(*lower) + "`");
  return {};
}

Result<double> number_in(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return fail(ErrorKind::bad_data, "the value is empty; it must be a number");
  text = text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
    return fail(ErrorKind::bad_data, "the value is not a finite number");
  return number;
}

std::unique_ptr<TemporalProcess> value_process(const TemporalPlan& plan, Answer answer) {
  return std::make_unique<ValueProcess>(plan.length, std::move(answer));
}

}  // namespace chronoveil::mechanisms
