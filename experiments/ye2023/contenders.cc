#include "ye2023/contenders.h"

#include <limits>
#include <utility>

#include "chronoveil/accounting/events/moves/ranswitch.h"

namespace chronoveil::ye2023 {
namespace {

using accounting::Analysis;

MovingLaw law_of(const accounting::Event& event) {
  if (const auto* ran = std::get_if<accounting::RanSwitch>(&event.kind))
    return temporal::SwitchLaw{.window = ran->window, .stay = ran->stay, .stateful = false};
  if (const auto* sta = std::get_if<accounting::StaSwitch>(&event.kind))
    return temporal::SwitchLaw{.window = sta->window, .stay = sta->stay, .stateful = true};
  if (const auto* threshold = std::get_if<accounting::Threshold>(&event.kind))
    return temporal::ThresholdLaw{.window = threshold->window, .threshold = threshold->threshold};
  const auto& sort = std::get<accounting::NoisySort>(event.kind);
  return temporal::NoisySortLaw{
      .window = sort.window,
      .epsilon = sort.epsilon,
      .law = sort.law == accounting::NoisySort::Law::laplace ? temporal::KeyLaw::laplace : temporal::KeyLaw::staircase,
      .max_shift = sort.max_shift,
      .plateau = sort.plateau};
}

constexpr accounting::Options kPublished = {.analysis = Analysis::published};

}  // namespace

Result<std::optional<Contender>> as_published(std::string_view mechanism, std::int64_t window, double epsilon) {
  CV_TRY(const Epsilon target, Epsilon::make(epsilon));
  CV_TRY(const Delta follows_from_epsilon, Delta::make(0));
  Contender contender{.mechanism = std::string(mechanism), .analysis = Analysis::published, .epsilon = epsilon};
  accounting::Event open{.kind = accounting::RanSwitch{window, accounting::kToCalibrate}};
  if (mechanism == "staswitch") open.kind = accounting::StaSwitch{window, accounting::kToCalibrate};
  if (mechanism == "threshold") open = accounting::opened({.kind = accounting::Threshold{window, 1}});
  const Result<accounting::Calibration> found = accounting::calibrate(open, target, follows_from_epsilon, kPublished);
  if (!found && mechanism == "threshold" && found.error().kind == ErrorKind::cannot_certify) return std::nullopt;
  if (!found) return tl::unexpected(found.error());
  CV_TRY(const accounting::Price price, accounting::delta_at(found->event, target, kPublished));
  contender.delta = price.delta;
  contender.parameter = found->noise;
  contender.event = found->event;
  contender.law = law_of(contender.event);
  return contender;
}

Result<std::vector<Contender>> as_certified(std::int64_t window, double epsilon) {
  const accounting::BestSwitch best = accounting::best_ranswitch(window, epsilon);
  std::vector<Contender> all;
  const auto add = [&](std::string_view mechanism, accounting::Event event, double delta, double parameter) {
    all.push_back({.mechanism = std::string(mechanism),
                   .epsilon = epsilon,
                   .delta = delta,
                   .parameter = parameter,
                   .law = law_of(event),
                   .event = std::move(event)});
  };
  add("ranswitch", {.kind = accounting::RanSwitch{window, best.stay}}, best.delta, best.stay);
  using Law = accounting::NoisySort::Law;
  add("noisy_sort", {.kind = accounting::NoisySort{window, epsilon, Law::laplace, {}}}, 0, epsilon);
  add(kStaircase, {.kind = accounting::NoisySort{window, epsilon, Law::staircase, {}}}, 0, epsilon);
  return all;
}

Result<std::vector<Contender>> contenders(std::int64_t window, double epsilon) {
  std::vector<Contender> all;
  for (const char* mechanism : {"ranswitch", "staswitch", "threshold"}) {
    CV_TRY(std::optional<Contender> found, as_published(mechanism, window, epsilon));
    if (found) all.push_back(*std::move(found));
  }
  CV_TRY(const std::vector<Contender> certified, as_certified(window, epsilon));
  all.insert(all.end(), certified.begin(), certified.end());
  return all;
}

Result<Worth> worth(const Contender& contender) {
  constexpr double kLargeEpsilon = 40;
  CV_TRY(const Epsilon asked, Epsilon::make(contender.epsilon));
  CV_TRY(const Epsilon large, Epsilon::make(kLargeEpsilon));
  CV_TRY(const Delta delta, Delta::make(contender.delta));
  CV_TRY(const accounting::Price at, accounting::delta_at(contender.event, asked));
  CV_TRY(const accounting::Price least, accounting::delta_at(contender.event, large));
  Worth worth{.delta = at.delta,
              .delta_lower = at.delta_lower,
              .least_delta = least.delta_lower,
              .epsilon = std::numeric_limits<double>::infinity(),
              .certificate = at.certificate,
              .beta = at.beta};
  if (worth.least_delta > contender.delta) return worth;
  CV_TRY(const accounting::Price back, accounting::epsilon_at(contender.event, delta));
  worth.epsilon = back.epsilon;
  return worth;
}

}  // namespace chronoveil::ye2023
